"""The host's end of the protocol of `docs/reference/protocol.md`, without input or output.

`HostEnd` is the state of the conversation with one program or connection.  The driver moves the lines
(pipes, TCP, WebSocket): it sends the lines that `HostEnd` returns, and passes it the lines that arrive.

`ask` sends a request to a player: in one message, or in the step requests of a stepwise player.  It
is a generator, so that a driver may block or not::

    lines = ask(end, kind, hello, request)
    line = next(lines)
    …  line = lines.send(message)  …                # StopIteration.value is the answer

None instead of a line means that the last message was not an answer, and the driver waits for another.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from wateringhole import __version__, fallbacks
from wateringhole.facets import Question, RawAnswer
from wateringhole.formatting import pluralize
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, ReportedViolation, Request, Violation
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol.messages import (
    PROTOCOL,
    UNDECODABLE,
    AnswerMessage,
    FailedMessage,
    Hello,
    NotReady,
    PassMessage,
    Unreadable,
    convert_message,
    decode_answer,
    explain_undecodable,
    quoted,
    read_knock,
    read_message,
    to_line,
)

__all__ = ["HostEnd", "TooManyMessages", "acknowledge", "ask", "check_style", "read_hello"]

MOST_IGNORED = 100
"""Most messages after one request that do not answer it."""


class TooManyMessages(Unreadable):
    """The player sent too many messages that answer nothing."""


class HostEnd:
    """The host's end of a conversation.  Every method that makes a message returns its line."""

    def __init__(self, kind: AnyKind, players: int = 1) -> None:
        self._kind = kind
        self._players = players
        self.serial = 0
        """The number of requests so far, which is also the ID of the last one."""
        self._open: int | None = None
        self._ignored = 0
        """Messages since the open request that do not answer it."""
        self._failed: dict[int, FailedMessage] = {}
        self.earlier: dict[int, tuple[Request[Any], Sequence[RawAnswer]]] = {}
        """The last request that each stepwise player answered, with the answers to its step requests."""

    # Messages from the host

    def hello(self, **more: Any) -> bytes:
        """Return the host's hello; `more` are fields that a transport adds."""
        return self._line(
            "hello",
            protocol=PROTOCOL,
            game=self._kind.name,
            software=f"wateringhole {__version__}",
            players=self._players,
            **more,
        )

    def game(
        self, seat: int, names: tuple[str, ...], rules: Any, player: int = 0, commitment: str | None = None
    ) -> bytes:
        published = {} if commitment is None else {"commitment": commitment}
        return self._line("game", player, seat=seat, names=names, rules=rules, **published)

    def notice(self, notice: Notice, player: int = 0, *, acknowledged: bool = False) -> bytes:
        """Return a notice.  With `acknowledged`, `read` returns the player's acknowledgement next."""
        fields = self._kind.codec.event_to_json(notice)
        return self._line("notice", player, acknowledged, notice=notice.method, **_without_rules(fields))

    def event(self, event: Event, player: int = 0) -> bytes:
        return self._line("event", player, **self._kind.codec.event_to_json(event))

    def request(self, request: Request[Any], player: int = 0, seconds: float | None = None) -> bytes:
        """Return a request with its time limit."""
        fields = self._kind.codec.request_to_json(request)
        name = fields.pop("kind")
        return self.question(name, _without_rules(fields), player, seconds)

    def question(self, name: str, content: dict[str, Any], player: int = 0, seconds: float | None = None) -> bytes:
        """Return a request or step request; `read` returns its answer next."""
        time_limit = {} if seconds is None else {"seconds": seconds}
        return self._line("request", player, True, request=name, **time_limit, **content)

    def refused(self, violation: Violation, player: int = 0) -> bytes:
        """Return the reason why an answer is illegal.  A violation reported with its message has no parts."""
        parts: dict[str, Any] = {}
        if not isinstance(violation, ReportedViolation):
            parts["parts"] = self._kind.codec.violation_to_json(violation)
            del parts["parts"]["rule"]
        message = fallbacks.sentence_for(self._kind, violation)
        return self._line("refused", player, rule=violation.rule, message=message, **parts)

    def result(self, outcome: Outcome, nonce: str | None = None) -> bytes:
        """Return the end of a game, for every player on a network.  The nonce is that of the commitment."""
        revealed = {} if nonce is None else {"nonce": nonce}
        return self._line("result", outcome=outcome, **revealed)

    def bye(self, reason: str) -> bytes:
        return self._line("bye", reason=reason)

    # Messages from the player

    def is_knock(self, line: bytes) -> bool:
        """Return whether a player on a network asks for the host's hello first.  Raises Unreadable."""
        return read_knock(line) is not None

    def read_hello(self, line: bytes) -> Hello:
        """Return the player's first message.  Raises NotReady for a failure, and Unreadable for anything else."""
        return read_hello(line, self._players)

    def read(self, line: bytes) -> RawAnswer | None:
        """Return the answer to the open request, or None for a message to be ignored.

        Raises Unreadable for a line that is not a message.  `failure` returns the failure that a
        player reports.
        """
        try:
            message = decode_answer(line)
        except UNDECODABLE:
            explain_undecodable(line)
            return None
        match message:
            case FailedMessage() as failed:
                if failed.id is None or failed.id == self._open:
                    self._failed[failed.player] = failed
                return None
            case PassMessage(id=serial):
                answer = RawAnswer(is_pass=True)
            case AnswerMessage(id=serial, answer=value):
                answer = RawAnswer(value)
        if serial != self._open:
            # Too late: the request was closed before the answer arrived, e.g. by a forfeit.
            return None
        self._open = None
        return answer

    def receive(self, line: bytes, player: int = 0) -> RawAnswer | None:
        """Return the answer of a player to the open request, or None for a message to be ignored.

        Raises Unreadable as `read` does, TooManyMessages after too many messages to be ignored, IllegalAnswer
        or PlayerFailed if the player reports that it fails.
        """
        answer = self.read(line)
        if failed := self._failed.pop(player, None):
            match failed.failure():
                case ReportedViolation() as violation:
                    raise IllegalAnswer(violation, violation.message)
                case Forfeit() as forfeit:
                    raise PlayerFailed(forfeit, failed.printable_traceback())
        if answer is None:
            self._ignored += 1
            if self._ignored == MOST_IGNORED:
                raise TooManyMessages(f"it sent {MOST_IGNORED} messages that answer nothing")
        return answer

    def drop(self, line: bytes) -> bool:
        """Return whether a line ends the open request, with an answer or a failure, and ignore its content."""
        has_ended = self.read(line) is not None or bool(self._failed)
        self._failed.clear()
        return has_ended

    def failure(self, player: int = 0) -> Forfeit | Violation | None:
        """Return and forget the failure that a player reported: a violation if it names the rule it broke."""
        failed = self._failed.pop(player, None)
        return None if failed is None else failed.failure()

    def parse_answer(self, request: Request[Any], raw: RawAnswer) -> Answer:
        """Return a raw answer as an answer of the game.  Raises Unreadable if it is none."""
        if raw.is_pass:
            default_answer = request.default_answer()
            if default_answer is None:
                raise Unreadable(f"a request to {request.name} cannot be passed")
            return default_answer
        try:
            return self._kind.codec.answer_from_json(request, raw.answer)
        except ValueError as error:
            raise Unreadable(str(error)) from None

    def _line(self, type_: str, player: int = 0, is_answered: bool = False, /, **fields: Any) -> bytes:
        """Return a message as a line.  One that is answered gets the next serial number, which is open from now on."""
        message: dict[str, Any] = {"type": type_}
        if is_answered:
            self.serial += 1
            self._open = message["id"] = self.serial
            self._ignored = 0
        message.update(fields)
        if self._players > 1:
            message["player"] = player
        return to_line(message)


def read_hello(line: bytes, players: int = 1) -> Hello:
    """Return the hello of a client with this number of players.

    Raises NotReady if it reports a failure instead, and Unreadable for anything else.
    """
    message = read_message(line)
    if message.get("type") == "failed":
        raise NotReady(convert_message(message, FailedMessage, line))
    if message.get("type") != "hello":
        raise Unreadable(f"the first message must be a hello, not {quoted(line)}")
    hello = convert_message(message, Hello, line)
    if hello.protocol != PROTOCOL:
        raise Unreadable(f"it speaks protocol {hello.protocol}; this table speaks {PROTOCOL}")
    if hello.names is not None and len(hello.names) != players:
        raise Unreadable(
            f"its hello has {pluralize(len(hello.names), 'name')} in `names`; "
            f"expected {players}, one for each of its players"
        )
    return hello


def _without_rules(content: dict[str, Any]) -> dict[str, Any]:
    """Remove the rules and the seat, which are sent once, when a game begins."""
    view = content.get("view")
    if isinstance(view, dict):
        view.pop("rules", None)
    content.pop("rules", None)
    content.pop("seat", None)
    return content


def check_style(kind: AnyKind, hello: Hello) -> None:
    """Raise Unreadable if a game does not support the style or the order of step requests in a hello."""
    if hello.style == "stepwise" and kind.stepwise is None:
        raise Unreadable(f"it asks for the style stepwise, which {kind.name} does not support")
    if hello.step_order is None:
        return
    if hello.style != "stepwise" or kind.stepwise is None:
        raise Unreadable(f"it asks for the step_order {hello.step_order!r}, which is for the style stepwise only")
    orders = kind.stepwise().step_orders
    if hello.step_order not in orders:
        raise Unreadable(f"it asks for the unknown step_order {hello.step_order!r}; choose from: {', '.join(orders)}")


def ask(
    end: HostEnd, kind: AnyKind, hello: Hello, request: Request[Any], player: int = 0, seconds: float | None = None
) -> Generator[bytes | None, bytes, Answer]:
    """Yield the lines to send, the next one after each message that answers the last; return the answer.

    Raises Unreadable for a line that is not a message and for a message that is not an answer,
    IllegalAnswer for an answer that breaks a rule before it is complete or that the player itself
    reports as illegal, and PlayerFailed if the player reports that it failed.
    """
    line: bytes | None
    if hello.style == "whole":
        line = end.request(request, player, seconds)
        while (raw := end.receive((yield line), player)) is None:
            line = None
        return end.parse_answer(request, raw)
    assert kind.stepwise is not None, "the style was checked when the player introduced itself"
    stepwise = kind.stepwise()
    given: list[RawAnswer] = []
    earlier = end.earlier.pop(player, None)
    while isinstance(step := stepwise.proceed(request, given, earlier, hello.step_order), Question):
        line = end.question(step.name, {"arguments": step.arguments}, player, seconds)
        while (raw := end.receive((yield line), player)) is None:
            line = None
        given.append(raw)
    end.earlier[player] = request, given
    return step


def acknowledge(end: HostEnd, notice: Notice, player: int = 0) -> Generator[bytes | None, bytes, None]:
    """Yield the lines of a notice to a player that acknowledges it.  Raises as `ask` does."""
    line: bytes | None = end.notice(notice, player, acknowledged=True)
    while end.receive((yield line), player) is None:
        line = None
