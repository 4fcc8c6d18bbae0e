"""The host's end of the protocol of `docs/protocol.md`, without input or output.

`HostEnd` holds the conversation with one program or connection.  The driver moves the lines (pipes,
TCP, WebSocket): it sends what `HostEnd` returns and hands it what comes back.

`ask` puts a request to a player: in one message, or in the step requests of a stepwise player.  It
is a generator, so that a driver may block or not::

    questions = ask(talk, kind, "whole", request)
    line = next(questions)
    …  line = questions.send(message)  …                # StopIteration.value is the answer

None instead of a line means that the last message answered nothing, and the driver waits for another.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from wateringhole import __version__, fallbacks
from wateringhole.facets import Question, RawAnswer
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, ReportedViolation, Request, Violation
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol.messages import (
    PROTOCOL,
    UNDECODABLE,
    AnswerMessage,
    FailedMessage,
    Hello,
    PassMessage,
    Style,
    Unreadable,
    convert_message,
    decode_reply,
    explain_undecodable,
    quoted,
    read_message,
    to_line,
)

__all__ = ["HostEnd", "TooManyMessages", "acknowledge", "ask", "check_style"]

MOST_IGNORED = 100
"""Messages that answer nothing, after one question; whoever sends more is out of its mind."""


class TooManyMessages(Unreadable):
    """So many messages came that answer nothing that there is no sense in reading on."""


class HostEnd:
    """The host's end of a conversation.  Every method that makes a message returns its line."""

    def __init__(self, kind: AnyKind, players: int = 1) -> None:
        self._kind = kind
        self._players = players
        self._open: int | None = None
        self._serial = 0
        self._ignored = 0
        """Messages since the open request that do not answer it."""
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
        return self._line("notice", player, acknowledged, notice=notice.method, **_without_rules(told))

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
        return self._line("request", player, True, request=name, **patience, **content)

    def refused(self, violation: Violation, player: int = 0) -> bytes:
        """Write why an answer was refused.  A violation that came with its message has no parts."""
        parts: dict[str, Any] = {}
        if not isinstance(violation, ReportedViolation):
            parts["parts"] = self._kind.codec.violation_to_json(violation)
            del parts["parts"]["rule"]
        message = fallbacks.sentence_for(self._kind, violation)
        return self._line("refused", player, rule=violation.rule, message=message, **parts)

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
            raise Unreadable(f"the first message must be a hello, not {quoted(line)}")
        hello = convert_message(message, Hello, line)
        if hello.protocol != PROTOCOL:
            raise Unreadable(f"it speaks protocol {hello.protocol}; this table speaks {PROTOCOL}")
        return hello

    def read(self, line: bytes) -> RawAnswer | None:
        """The answer to the open request; None: a message that is to be ignored.

        Raises Unreadable for what is not a message.  A player that says it cannot go on is
        found by `failure`.
        """
        try:
            message = decode_reply(line)
        except UNDECODABLE:
            explain_undecodable(line)
            return None
        match message:
            case FailedMessage() as failed:
                if failed.id is None or failed.id == self._open:
                    self._failed[failed.player] = failed.told()
                return None
            case PassMessage(id=serial):
                reply = RawAnswer(is_pass=True)
            case AnswerMessage(id=serial, answer=answer):
                reply = RawAnswer(answer)
        if serial != self._open:
            # Too late: the question was closed, by a forfeit for instance, before this came.
            return None
        self._open = None
        return reply

    def receive(self, line: bytes, player: int = 0) -> RawAnswer | None:
        """Return the answer of a player to the open request, or None for a message to be ignored.

        Raises Unreadable as `read` does, TooManyMessages after too many messages to be ignored, IllegalAnswer
        or PlayerFailed if the player reports that it fails.
        """
        reply = self.read(line)
        if self._failed:
            match self.failure(player):
                case ReportedViolation() as violation:
                    raise IllegalAnswer(violation, violation.message)
                case Forfeit() as forfeit:
                    raise PlayerFailed(forfeit)
        if reply is None:
            self._ignored += 1
            if self._ignored == MOST_IGNORED:
                raise TooManyMessages(f"it sent {MOST_IGNORED} messages that answer nothing")
        return reply

    def drop(self, line: bytes) -> bool:
        """Return whether a line ends the open request, with an answer or a failure, and ignore its content."""
        has_ended = self.read(line) is not None or bool(self._failed)
        self._failed.clear()
        return has_ended

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

    def _line(self, type_: str, player: int = 0, is_answered: bool = False, /, **fields: Any) -> bytes:
        """Return a message as a line.  One that is answered gets the next serial number, which is open from now on."""
        message: dict[str, Any] = {"type": type_}
        if is_answered:
            self._serial += 1
            self._open = message["id"] = self._serial
            self._ignored = 0
        message.update(fields)
        if self._players > 1:
            message["player"] = player
        return to_line(message)


def _without_rules(content: dict[str, Any]) -> dict[str, Any]:
    """The rules are told once, when a game begins."""
    view = content.get("view")
    if isinstance(view, dict):
        view.pop("rules", None)
    content.pop("rules", None)
    content.pop("seat", None)
    return content


def check_style(kind: AnyKind, style: Style) -> None:
    """Raises Unreadable where a game has no such style."""
    if style == "stepwise" and kind.stepwise is None:
        raise Unreadable(f"it asks for the style stepwise, which {kind.name} has not")


def ask(
    talk: HostEnd, kind: AnyKind, style: Style, request: Request[Any], player: int = 0, seconds: float | None = None
) -> Generator[bytes | None, bytes, Answer]:
    """The lines to send, the next after each message that answers the last; returns the answer.

    Raises Unreadable for a message that is none and a reply that is no answer, IllegalAnswer for
    one that breaks a rule before the whole answer is there or that the player takes back itself,
    and PlayerFailed where the player says that it cannot go on.
    """
    line: bytes | None
    if style == "whole":
        line = talk.request(request, player, seconds)
        while (reply := talk.receive((yield line), player)) is None:
            line = None
        return talk.understand(request, reply)
    assert kind.stepwise is not None, "the style was checked when the player introduced itself"
    stepwise = kind.stepwise()
    replies: list[RawAnswer] = []
    while isinstance(step := stepwise.proceed(request, replies), Question):
        line = talk.question(step.name, {"arguments": step.arguments}, player, seconds)
        while (reply := talk.receive((yield line), player)) is None:
            line = None
        replies.append(reply)
    return step


def acknowledge(talk: HostEnd, notice: Notice, player: int = 0) -> Generator[bytes | None, bytes, None]:
    """The same for a notice to a player that acknowledges them.  Raises as `ask` does."""
    line: bytes | None = talk.notice(notice, player, acknowledged=True)
    while talk.receive((yield line), player) is None:
        line = None
