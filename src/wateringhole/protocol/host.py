"""The protocol of `docs/protocol.md`, without input or output: messages to a player, and its replies.

`Talk` is the host's end of a conversation with one program or connection.  Whoever moves the
lines (pipes, TCP, WebSocket) sends what `Talk` gives and hands it what comes back.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from wateringhole import __version__, fallbacks
from wateringhole.facets import RawAnswer
from wateringhole.formatting import one_line
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, ReportedViolation, Request, Violation

__all__ = ["LONGEST_LINE", "PROTOCOL", "Hello", "Talk", "Unreadable", "read_message", "to_line"]

PROTOCOL = 1
LONGEST_LINE = 1 << 20
"""Bytes in one message, either way."""


class Unreadable(Exception):
    """What came is not a message of the protocol.  The text says what it was, on one line."""

    def __init__(self, why: str) -> None:
        super().__init__(one_line(why))


class Hello(msgspec.Struct, frozen=True):
    """How a player introduces itself."""

    protocol: int
    name: str | None = None
    style: Literal["whole", "stepwise"] = "whole"
    events: bool = False
    person: bool = False
    """Somebody thinks and types there; the host may have another patience for people."""
    acknowledges: bool = False
    """A program that says when it has dealt with a notice."""
    token: str | None = None
    """Over a network: it comes back to the seat that it was given this token for."""
    heard: int | None = None
    """And so many messages had reached it."""


class _Answer(msgspec.Struct, frozen=True):
    id: int
    answer: Any


class _Pass(msgspec.Struct, frozen=True):
    id: int


class _Failed(msgspec.Struct, frozen=True):
    message: str = "the player gave up"
    reason: Literal["exception", "illegal", "left"] = "exception"
    rule: str | None = None
    """The name of the rule that its own answer would have broken."""
    player: int = 0
    id: int | None = None

    def told(self) -> Forfeit | Violation:
        """In words that cannot hurt whoever reads them."""
        message = one_line(self.message)
        if self.reason == "illegal" and self.rule:
            return ReportedViolation(one_line(self.rule), message)
        return Forfeit(self.reason, message)


class Talk:
    """The host's end of a conversation.  Every method that makes a message returns its line."""

    def __init__(self, kind: AnyKind, players: int = 1) -> None:
        self._kind = kind
        self._players = players
        self._open: int | None = None
        self._serial = 0
        self._failed: dict[int, Forfeit | Violation] = {}

    # What the host says

    def hello(self, **more: Any) -> bytes:
        """`more`: fields that some transport adds."""
        return self._line(
            "hello",
            protocol=PROTOCOL,
            game=self._kind.name,
            software=f"wateringhole {__version__}",
            players=self._players,
            **more,
        )

    def game(self, seat: int, names: tuple[str, ...], rules: Any, player: int = 0) -> bytes:
        return self._line("game", player, seat=seat, names=names, rules=rules)

    def notice(self, notice: Notice, player: int = 0, *, acknowledged: bool = False) -> bytes:
        """`acknowledged`: what `read` returns next says that it was dealt with."""
        told = self._kind.codec.event_to_json(notice)
        serial = {"id": self._next_serial()} if acknowledged else {}
        return self._line("notice", player, **serial, notice=notice.method, **_without_rules(told))

    def event(self, event: Event, player: int = 0) -> bytes:
        return self._line("event", player, **self._kind.codec.event_to_json(event))

    def request(self, request: Request[Any], player: int = 0, seconds: float | None = None) -> bytes:
        """`seconds`: how long the referee waits."""
        asked = self._kind.codec.request_to_json(request)
        name = asked.pop("kind")
        return self.question(name, _without_rules(asked), player, seconds)

    def question(self, name: str, content: dict[str, Any], player: int = 0, seconds: float | None = None) -> bytes:
        """Any question; its answer is what `read` returns next."""
        patience = {} if seconds is None else {"seconds": seconds}
        return self._line("request", player, id=self._next_serial(), request=name, **patience, **content)

    def refused(self, violation: Violation, player: int = 0) -> bytes:
        return self._line("refused", player, rule=violation.rule, message=fallbacks.sentence_for(self._kind, violation))

    def result(self, outcome: Outcome) -> bytes:
        """Over a network: the end of a game, for everybody who was at the table."""
        return self._line("result", outcome=outcome)

    def bye(self, reason: str) -> bytes:
        return self._line("bye", reason=reason)

    # What the player says

    def is_knock(self, line: bytes) -> bool:
        """Whether a player on a network wants to hear the host's hello before its own.  Raises Unreadable."""
        return bool(read_message(line)["type"] == "knock")

    def read_hello(self, line: bytes) -> Hello:
        """The player's first message.  Raises Unreadable for anything else."""
        message = read_message(line)
        if message.get("type") != "hello":
            raise Unreadable(f"the first message must be a hello, not {_quoted(line)}")
        hello: Hello = _convert(message, Hello, line)
        if hello.protocol != PROTOCOL:
            raise Unreadable(f"it speaks protocol {hello.protocol}; this table speaks {PROTOCOL}")
        return hello

    def read(self, line: bytes) -> RawAnswer | None:
        """The answer to the open request; None: a message that is to be ignored.

        Raises Unreadable for what is not a message.  A player that says it cannot go on is
        found by `failure`.
        """
        message = read_message(line)
        match message.get("type"):
            case "failed":
                failed: _Failed = _convert(message, _Failed, line)
                if failed.id is not None and failed.id != self._open:
                    return None
                self._failed[failed.player] = failed.told()
                return None
            case "answer":
                answer = _convert(message, _Answer, line)
                reply = RawAnswer(answer.answer)
            case "pass":
                answer = _convert(message, _Pass, line)
                reply = RawAnswer(is_pass=True)
            case _:
                return None
        if answer.id != self._open:
            # Too late: the question was closed, by a forfeit for instance, before this came.
            return None
        self._open = None
        return reply

    def failure(self, player: int = 0) -> Forfeit | Violation | None:
        """What a player said of its own failing, once; a violation where it names the rule that it broke."""
        return self._failed.pop(player, None)

    def understand(self, request: Request[Any], reply: RawAnswer) -> Answer:
        """A reply as an answer of the game.  Raises Unreadable where it is none."""
        if reply.is_pass:
            default_answer = request.default_answer()
            if default_answer is None:
                raise Unreadable(f"a request to {request.name} cannot be passed")
            return default_answer
        try:
            return self._kind.codec.answer_from_json(request, reply.answer)
        except ValueError as error:
            raise Unreadable(str(error)) from None

    def _next_serial(self) -> int:
        self._serial += 1
        self._open = self._serial
        return self._serial

    def _line(self, type_: str, player: int = 0, **fields: Any) -> bytes:
        message = {"type": type_, **fields}
        if self._players > 1:
            message["player"] = player
        return to_line(message)


def to_line(message: dict[str, Any]) -> bytes:
    """A message as it is sent."""
    return msgspec.json.encode(message) + b"\n"


def read_message(line: bytes) -> dict[str, Any]:
    """A message as it came, with a type that is a text.  Raises Unreadable for anything else."""
    try:
        message = msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise Unreadable(f"{_quoted(line)} is not a message: {error}") from None
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise Unreadable(f"{_quoted(line)} is not a message: it must be a JSON object with a type")
    return message


def _convert(message: dict[str, Any], shape: type[Any], line: bytes) -> Any:
    try:
        return msgspec.convert(message, shape)
    except msgspec.ValidationError as error:
        article = "an" if message["type"] == "answer" else "a"
        raise Unreadable(f"{_quoted(line)} is not {article} {message['type']}: {error}") from None


def _without_rules(content: dict[str, Any]) -> dict[str, Any]:
    """The rules are told once, when a game begins."""
    view = content.get("view")
    if isinstance(view, dict):
        view.pop("rules", None)
    content.pop("rules", None)
    content.pop("seat", None)
    return content


def _quoted(line: bytes) -> str:
    text = line.decode(errors="replace").strip()
    return repr(text if len(text) <= 60 else text[:57] + "…")
