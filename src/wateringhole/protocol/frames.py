"""Frames: a stream of bytes as a stream of JSON values, without any input or output.

Values have no length prefix and no line end: a value ends where JSON's grammar ends it.  The
reader looks at every byte once, in whatever chunks the bytes arrive, and decodes each value
once, when it is complete::

    reader.feed(chunk)
    while (value := reader.take()) is not INCOMPLETE:
        ...

Lists, objects, strings, true, false and null end themselves.  Numbers and bare words do not: they
are complete when a byte follows that ends them, when the stream is closed, or when the caller
reports with `mark_idle` that nothing has arrived for a while (`is_unsettled` shows when to do so).
"""

from __future__ import annotations

import re
from enum import Enum
from typing import Any, Final

import msgspec

from wateringhole.errors import OperationError
from wateringhole.protocol import json

__all__ = [
    "INCOMPLETE",
    "MOST_BYTES",
    "MOST_DEPTH",
    "SETTLE_SECONDS",
    "BareWord",
    "FrameError",
    "FrameReader",
    "Incomplete",
    "StreamEnded",
    "frame",
]

MOST_BYTES = 64 * 1024
"""Default limit for one value; the longest in the course's protocol have a few thousand bytes."""
MOST_DEPTH = 32
"""Deepest nesting of lists and objects; the course's messages need 6."""
SETTLE_SECONDS = 0.02
"""Seconds without a byte after which a number at the end counts as complete."""


class Incomplete(Enum):
    """The type of `INCOMPLETE`, which stands for a value that has not arrived; None is a value."""

    INCOMPLETE = "incomplete"


INCOMPLETE: Final = Incomplete.INCOMPLETE


class FrameError(OperationError):
    """The bytes are not JSON.  The stream cannot be used further: no one can know where the next value begins."""


class StreamEnded(FrameError):
    """The stream is closed, and all values have been taken."""


class BareWord(msgspec.Struct, frozen=True):
    """A word without quotes: not JSON, but some programs sign up with one."""

    text: str


def frame(value: Any, after: bytes = b" ") -> bytes:
    """Return a value as bytes, without white space inside, and by default with one blank after it.

    >>> frame([0, [], "word"])
    b'[0,[],"word"] '
    """
    return msgspec.json.encode(value) + after


_WHITE = b" \t\n\r"
_BLANKS = re.compile(rb"[ \t\n\r]*")
_LITERALS = (b"true", b"false", b"null")
_CLOSER = {ord("["): ord("]"), ord("{"): ord("}")}
_QUOTE = ord('"')
_BACKSLASH = ord("\\")

# The marks inside lists and objects: whole strings without escapes, which are most strings
# (one step instead of two), quotes, brackets, and bytes that no JSON has there.
_MARK = re.compile(rb'"[^"\\]*+"|["\[\]{}]|[^ \t\n\r,:0-9+\-.eEtrufalsn]')
_MARK_IN_STRING = re.compile(rb'["\\]')

# Numbers and words have no mark at their end; these bytes may follow them.
_MAY_FOLLOW = _WHITE + b'[{"'
_NOT_IN_NUMBER = re.compile(rb"[^-+.0-9eE]")
_NOT_IN_WORD = re.compile(rb"[^-+.0-9A-Za-z_]")
_NUMBER = re.compile(rb"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_WORD = re.compile(rb"[A-Za-z][0-9A-Za-z_-]*")


class FrameReader:
    """The reading end of a stream.  After an error every `take` raises that same error."""

    def __init__(self, *, most_bytes: int = MOST_BYTES, most_depth: int = MOST_DEPTH, may_greet: bool = False) -> None:
        """`may_greet`: the first value may be a bare word."""
        self._most_bytes = most_bytes
        self._most_depth = most_depth
        self._words = may_greet
        self._buffer = bytearray()
        # About the value at the front of the buffer: how much of it has been looked at, the
        # brackets that are to be closed, innermost last, and whether a string is open.
        self._seen = 0
        self._closers = bytearray()
        self._in_string = False
        self._settled = False
        self._closed = False
        self._error: FrameError | None = None
        self.text = b""
        """The last value taken, as it arrived."""
        self.white_space = b""
        """The white space after it, as far as it has been skipped."""

    @property
    def buffered(self) -> int:
        """The number of bytes that wait to be taken, without leading blanks.  Take values before you read more."""
        self._skip_blanks()
        return len(self._buffer)

    @property
    def is_unsettled(self) -> bool:
        """Whether the rest may be a complete number or word, which only `mark_idle` can decide."""
        return bool(self._buffer) and not self._settled and self._buffer[0] not in b'[{"' + _WHITE

    def feed(self, chunk: bytes) -> None:
        """Add bytes that have arrived."""
        if self._error is None and chunk:
            self._buffer += chunk
            self._settled = False

    def mark_idle(self) -> None:
        """Treat a number at the end as complete, because nothing has arrived for a while."""
        self._settled = True

    def close(self) -> None:
        """Mark the stream as closed."""
        self._closed = True

    def take(self) -> Any:
        """Return the next value, or INCOMPLETE.  Raises FrameError, and StreamEnded after the last value."""
        if self._error is not None:
            raise self._error
        try:
            return self._next_value()
        except FrameError as error:
            self._error = error
            self._buffer.clear()
            raise

    def _next_value(self) -> Any:
        buffer = self._buffer
        self._skip_blanks()
        if not buffer:
            if self._closed:
                raise StreamEnded("the connection has ended")
            return INCOMPLETE
        end = self._end_of_brackets() if buffer[0] in b'[{"' else self._end_of_atom()
        if end is None:
            if self._seen > self._most_bytes:
                raise FrameError(f"a value has more than {self._most_bytes} bytes")
            if self._closed:
                raise StreamEnded("the connection has ended in the middle of a value")
            return INCOMPLETE
        return self._decode(end)

    def _skip_blanks(self) -> None:
        if not self._seen and (blanks := _BLANKS.match(self._buffer)):
            self.white_space += blanks[0]
            del self._buffer[: blanks.end()]

    def _decode(self, end: int) -> Any:
        self.text = text = bytes(self._buffer[:end])
        self.white_space = b""
        del self._buffer[:end]
        self._seen = 0
        greets, self._words = self._words, False
        if greets and _WORD.fullmatch(text) and text not in _LITERALS:
            return BareWord(text.decode("ascii"))
        try:
            return json.parse(text)
        except ValueError as wrong:
            raise FrameError(str(wrong)) from None

    @property
    def _horizon(self) -> int:
        """Where to stop looking: one byte beyond the limit, so that errors do not depend on the chunks."""
        return min(len(self._buffer), self._most_bytes + 1)

    def _end_of_brackets(self) -> int | None:
        """Return the end of the list, object or string at the front, or None if it has not arrived."""
        buffer, closers, horizon = self._buffer, self._closers, self._horizon
        at = self._seen
        while found := (_MARK_IN_STRING if self._in_string else _MARK).search(buffer, at, horizon):
            at = found.end()
            mark = buffer[at - 1]
            if mark == _BACKSLASH and self._in_string:
                if at == horizon:
                    # The escaped byte has not arrived: look at the backslash again then.
                    self._seen = at - 1 if horizon <= self._most_bytes else at
                    return None
                at += 1
                continue
            if mark == _QUOTE:
                self._in_string = not self._in_string and at - found.start() == 1
            elif mark in _CLOSER:
                closers.append(_CLOSER[mark])
                if len(closers) > self._most_depth:
                    raise FrameError(f"lists and objects are nested more than {self._most_depth} deep")
            elif not closers or closers.pop() != mark:
                raise FrameError(f"this is not JSON: {_shown(mark)} is out of place")
            if not closers and not self._in_string and at <= self._most_bytes:
                return at
        self._seen = horizon
        return None

    def _end_of_atom(self) -> int | None:
        """Return the end of the number, literal or word at the front, or None if it is not known yet."""
        buffer = self._buffer
        if not self._words:
            start = bytes(buffer[: len("false")])
            for literal in _LITERALS:
                if start.startswith(literal):
                    return len(literal)
                if literal.startswith(start):
                    return None
            if buffer[0] not in b"-0123456789":
                raise FrameError(f"this is not JSON: no value begins with {_shown(buffer[0])}")
        found = (_NOT_IN_WORD if self._words else _NOT_IN_NUMBER).search(buffer, self._seen, self._horizon)
        if found:
            end = found.start()
            if not end or buffer[end] not in _MAY_FOLLOW:
                raise FrameError(f"this is not JSON: {_shown(buffer[end])} is out of place")
            return end
        self._seen = self._horizon
        if self._settled or self._closed:
            whole = _NUMBER.fullmatch(buffer) or (self._words and _WORD.fullmatch(buffer))
            return len(buffer) if whole and len(buffer) <= self._most_bytes else None
        return None


def _shown(byte: int) -> str:
    return f'"{chr(byte)}"' if 0x20 < byte < 0x7F else f"the byte {byte:#04x}"
