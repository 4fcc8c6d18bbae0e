"""The messages of `docs/protocol.md` that a player sends, and how messages become lines and back."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import msgspec

from wateringhole.formatting import single_line
from wateringhole.game import Forfeit, ReportedViolation, Violation

__all__ = [
    "LONGEST_LINE",
    "PROTOCOL",
    "UNDECODABLE",
    "AnswerMessage",
    "FailedMessage",
    "Hello",
    "PassMessage",
    "Reply",
    "Style",
    "Unreadable",
    "convert_message",
    "decode_reply",
    "explain_undecodable",
    "quoted",
    "read_message",
    "to_line",
]

T = TypeVar("T")

PROTOCOL = 1
LONGEST_LINE = 1 << 20
"""Bytes in one message, either way."""


Style = Literal["whole", "stepwise"]
"""How a player is asked: for whole answers, or in step requests."""


class Unreadable(Exception):
    """What came is not a message of the protocol.  The text says what it was, on one line."""

    def __init__(self, why: str) -> None:
        super().__init__(single_line(why))


class Hello(msgspec.Struct, frozen=True):
    """How a player introduces itself."""

    protocol: int
    name: str | None = None
    style: Style = "whole"
    events: bool = False
    person: bool = False
    """Somebody thinks and types there; the host may have another patience for people."""
    acknowledges: bool = False
    """A program that says when it has dealt with a notice."""
    token: str | None = None
    """Over a network: it comes back to the seat that it was given this token for."""
    heard: int | None = None
    """And so many messages had reached it."""


class AnswerMessage(msgspec.Struct, frozen=True, tag_field="type", tag="answer"):
    """The answer to a request."""

    id: int
    answer: Any


class PassMessage(msgspec.Struct, frozen=True, tag_field="type", tag="pass"):
    """A pass, which stands for the default answer; it also acknowledges a notice."""

    id: int


class FailedMessage(msgspec.Struct, frozen=True, tag_field="type", tag="failed"):
    """A player that cannot go on."""

    message: str = "the player gave up"
    reason: Literal["exception", "illegal", "left"] = "exception"
    rule: str | None = None
    """The name of the rule that its own answer would have broken."""
    player: int = 0
    id: int | None = None

    def told(self) -> Forfeit | Violation:
        """In words that cannot hurt whoever reads them."""
        message = single_line(self.message)
        if self.reason == "illegal" and self.rule:
            return ReportedViolation(single_line(self.rule), message)
        return Forfeit(self.reason, message)


def to_line(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def read_message(line: bytes) -> dict[str, Any]:
    """A message as it came, with a type that is a text.  Raises Unreadable for anything else."""
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


Reply = AnswerMessage | PassMessage | FailedMessage
_replies: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
decode_reply = _replies.decode
"""Return a line as a message that can answer a request.  Raises one of `UNDECODABLE` for anything else."""
UNDECODABLE = (msgspec.DecodeError, UnicodeError, RecursionError)
_SHAPES: dict[str, type[Reply]] = {"answer": AnswerMessage, "pass": PassMessage, "failed": FailedMessage}


def explain_undecodable(line: bytes) -> None:
    """Raise Unreadable with the reason why a line is no reply, unless it is a message of another type."""
    message = read_message(line)
    shape = _SHAPES.get(message["type"])
    if shape is not None:
        convert_message(message, shape, line)


def quoted(line: bytes) -> str:
    """Return the beginning of a line as it may stand in a sentence."""
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")
