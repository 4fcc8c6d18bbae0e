"""The messages of `docs/reference/protocol.md` that a player sends, and how messages become lines and back."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from wateringhole.formatting import printable_lines, single_line
from wateringhole.game import Forfeit, ReportedViolation, Violation

__all__ = [
    "LONGEST_LINE",
    "PROTOCOL",
    "UNDECODABLE",
    "AnswerMessage",
    "FailedMessage",
    "Hello",
    "Knock",
    "NotReady",
    "PassMessage",
    "PlayerMessage",
    "Style",
    "Unreadable",
    "convert_message",
    "decode_answer",
    "explain_undecodable",
    "is_named_knock",
    "named_knock",
    "quoted",
    "read_knock",
    "read_message",
    "to_line",
]

T = TypeVar("T")

PROTOCOL = 1
LONGEST_LINE = 1 << 20
"""Bytes in one message, either way."""
LONGEST_NAME = 60
"""Characters in the name of a player; a longer one is cut."""


Style = Literal["whole", "stepwise"]
"""The form of requests to a player: for whole answers, or in steps."""


class Unreadable(Exception):
    """A line is not a message of the protocol.  The error quotes it on one line."""

    def __init__(self, why: str) -> None:
        super().__init__(single_line(why))


class Hello(msgspec.Struct, frozen=True):
    """The first message of a player."""

    protocol: int
    name: str | None = None
    """The name of its player, or of each of its players."""
    names: tuple[str, ...] | None = None
    """The names of its players, in the order of their numbers."""
    style: Style = "whole"
    step_order: str | None = None
    """The order of the step requests, one of the game's, or None for the one that suits the rules."""
    events: bool = False
    person: bool = False
    """Whether a human plays, for whom the host may have another time limit."""
    acknowledges: bool = False
    """Whether the program answers a notice when it has handled it."""
    token: str | None = None
    """On a network: the token of the seat that the player reconnects to."""
    heard: int | None = None
    """The number of messages that it had received there."""
    code: str | None = None
    """On a network: the code that the host requires, or that reserves a seat for the player."""
    warnings: tuple[str, ...] = ()
    """Sentences for the author of the player, which cost it nothing."""

    def name_of(self, player: int = 0) -> str | None:
        """Return the reported name of a player on one line of printable characters, or None if there is none."""
        name = self.name if self.names is None else self.names[player]
        return " ".join(single_line(name or "", LONGEST_NAME).split()) or None


class Knock(msgspec.Struct, frozen=True):
    """The message of a player on a network that asks for the host's hello first."""

    code: str | None = None
    """The code of the seat that is reserved for the player."""


class AnswerMessage(msgspec.Struct, frozen=True, tag_field="type", tag="answer"):
    """The answer to a request."""

    id: int
    answer: Any


class PassMessage(msgspec.Struct, frozen=True, tag_field="type", tag="pass"):
    """A pass, which stands for the default answer; it also acknowledges a notice."""

    id: int


class FailedMessage(msgspec.Struct, frozen=True, tag_field="type", tag="failed"):
    """The report of a player that cannot continue."""

    message: str = "the player gave up"
    reason: Literal["exception", "illegal", "left"] = "exception"
    rule: str | None = None
    """The name of the rule that its own answer would have broken."""
    player: int = 0
    id: int | None = None
    traceback: str | None = None
    """The traceback of its exception, for its author."""

    def failure(self) -> Forfeit | Violation:
        """Return the reported violation or forfeit, with control characters removed."""
        message = single_line(self.message)
        if self.reason == "illegal" and self.rule:
            return ReportedViolation(single_line(self.rule), message)
        return Forfeit(self.reason, message)

    def printable_traceback(self) -> str | None:
        """Return the traceback as printable lines, or None if there is none."""
        return None if self.traceback is None else printable_lines(self.traceback)


class NotReady(Unreadable):
    """A player that reports a failure in place of its hello."""

    def __init__(self, failed: FailedMessage) -> None:
        super().__init__(failed.message)
        self.traceback = failed.printable_traceback() or ""


def to_line(message: dict[str, Any]) -> bytes:
    """Return a message as the line to send."""
    return msgspec.json.encode(message) + b"\n"


def named_knock(name: str) -> bytes:
    """Return a name that is also a knock: a host of this protocol recognizes the white space after it.

    A player sends it if it does not know what a server speaks.  Servers of other protocols take it for a sign-up.
    """
    return msgspec.json.encode(name) + _KNOCK_END


def is_named_knock(start: bytes) -> bool:
    """Return whether the first bytes of a connection are a name that is also a knock."""
    return start.startswith(b'"') and start.endswith(b'"' + _KNOCK_END)


def read_message(line: bytes) -> dict[str, Any]:
    """Return a received message, whose type is a string.  Raises Unreadable for anything else."""
    try:
        message = msgspec.json.decode(line)
    except UNDECODABLE as error:
        raise Unreadable(f"{quoted(line)} is not a message: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Unreadable(f"{quoted(line)} is not a message: it must be a JSON object with a type")
    return message


def convert_message(message: dict[str, Any], shape: type[T], line: bytes) -> T:
    """Return a message as a record.  Raises Unreadable for fields of the wrong shape."""
    try:
        return msgspec.convert(message, shape)
    except msgspec.ValidationError as error:
        article = "an" if message["type"] == "answer" else "a"
        raise Unreadable(f"{quoted(line)} is not {article} {message['type']}: {error}") from None


def read_knock(line: bytes) -> Knock | None:
    """Return a knock, or None for a message of another type.  Raises Unreadable."""
    message = read_message(line)
    return convert_message(message, Knock, line) if message["type"] == "knock" else None


_KNOCK_END = b"\t\n"

PlayerMessage = AnswerMessage | PassMessage | FailedMessage
_decoder: msgspec.json.Decoder[PlayerMessage] = msgspec.json.Decoder(PlayerMessage)
decode_answer = _decoder.decode
"""Return a line as a message that can answer a request.  Raises one of `UNDECODABLE` for anything else."""
UNDECODABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
_SHAPES: dict[str, type[PlayerMessage]] = {"answer": AnswerMessage, "pass": PassMessage, "failed": FailedMessage}


def explain_undecodable(line: bytes) -> None:
    """Raise Unreadable with the reason why a line is not an answer, unless it is a message of another type."""
    message = read_message(line)
    shape = _SHAPES.get(message["type"])
    if shape is not None:
        convert_message(message, shape, line)


def quoted(line: bytes) -> str:
    """Return the beginning of a line, quoted, for an error message."""
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")
