"""The player's end of the protocol: a local player answers the host's messages.

It serves isolated Python players and players that join a remote table.  It does no input or
output: `receive` takes a line and returns the line to send back, if any.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.errors import OperationError, PlayerNotMade
from wateringhole.formatting import single_line
from wateringhole.game import AnyKind, Forfeit, ReportedViolation, Request, Seat, Violation
from wateringhole.player import IllegalAnswer, Player, SeatAssignment, author_traceback, forfeit_for, is_interruption
from wateringhole.protocol.messages import PROTOCOL, to_line

__all__ = ["BrokenMessage", "PlayerEnd", "report_not_made"]


class BrokenMessage(OperationError):
    """A message of a host that breaks the protocol."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"the host sent a message that breaks the protocol: {problem}.")
        self.problem = problem
        """The beginning of the message, and what is wrong with it."""


class PlayerEnd:
    """A player's end of a conversation, from the host's hello to its bye."""

    def __init__(
        self,
        make: Callable[[str], Player],
        name: str | None = None,
        *,
        code: str | None = None,
        acknowledges: bool = False,
        warnings: Sequence[str] = (),
        on_exception: Callable[[BaseException], object] = lambda error: None,
        sends_tracebacks: bool = False,
        find_kind: Callable[[str], AnyKind] = registry.game_kind,
    ) -> None:
        """`make(game)` makes the player when the host has named the game.

        The `code` is that of a seat reserved for the player.  With `acknowledges`, the host waits until the
        player has handled a notice.  The `warnings` are sent to the host, which may show them to the author of the
        player.  `on_exception` gets each exception that the player raised, also for a late answer.  With
        `sends_tracebacks`, the host gets their tracebacks, which contain names of files.  `find_kind` finds the kind
        of game that the host names.
        """
        self._make = make
        self._name = name
        self._code = code
        self._acknowledges = acknowledges
        self._warnings = warnings
        self._on_exception = on_exception
        self._sends_tracebacks = sends_tracebacks
        self._find_kind = find_kind
        self._local: _LocalPlayer | None = None
        self.farewell: str | None = None
        """The host's reason for its bye, or None before it."""

    @property
    def has_left(self) -> bool:
        """Whether the player left the game of its own accord."""
        return self._local is not None and self._local.has_left

    @property
    def is_human(self) -> bool:
        """Whether a human plays here."""
        return self._local is not None and self._local.player.is_human

    @property
    def incident(self) -> Forfeit | None:
        """The failure of the player at a message without answer, until it is reported to the host."""
        return self._local.incident if self._local else None

    def receive(self, line: bytes) -> bytes | None:
        """Take a message from the host.  Raises BrokenMessage for a line that is not a message."""
        try:
            message = msgspec.json.decode(line)
            return self._respond(message["type"], message)
        except (msgspec.DecodeError, UnicodeError, RecursionError, LookupError, TypeError, ValueError) as error:
            shown = line[:80].decode(errors="replace").strip()
            raise BrokenMessage(f"{shown!r} ({error})") from None

    def close(self) -> None:
        if self._local:
            self._local.player.close()

    def _respond(self, type_: str, message: dict[str, Any]) -> bytes | None:
        if type_ == "hello":
            return self._greet(message)
        if type_ == "bye":
            self.farewell = message.get("reason", "")
            return None
        if self._local is None:
            raise ValueError("no hello came before it")
        return self._local.receive(type_, message)

    def _greet(self, message: dict[str, Any]) -> bytes:
        if message["protocol"] != PROTOCOL:
            raise OperationError(f"the host speaks protocol {message['protocol']}; this program speaks {PROTOCOL}.")
        player = self._make(message["game"])
        self._local = _LocalPlayer(
            self._find_kind(message["game"]), player, self._on_exception, sends_tracebacks=self._sends_tracebacks
        )
        hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "events": self._local.flag("wants_events")}
        if self._name:
            hello["name"] = self._name
        if self._code:
            hello["code"] = self._code
        if self._local.flag("is_human"):
            hello["person"] = True
        if self._acknowledges:
            hello["acknowledges"] = True
        if self._warnings:
            hello["warnings"] = self._warnings
        return to_line(hello)


class _LocalPlayer:
    """A local player, and the game it is in."""

    def __init__(
        self,
        kind: AnyKind,
        player: Player,
        on_exception: Callable[[BaseException], object],
        *,
        sends_tracebacks: bool,
    ) -> None:
        self.player = player
        self._sends_tracebacks = sends_tracebacks
        self._traceback: str | None = None
        """The traceback of its last exception, if it is sent."""
        self._on_exception = on_exception
        self._kind = kind
        self.has_left = False
        self._seat = Seat(0)
        self._rules: Any = None
        self.failure: Forfeit | None = None
        """A failure at a message without answer, which answers the next request."""
        self.incident: Forfeit | None = None
        """The same, until it is reported to the host."""

    def flag(self, name: str) -> bool:
        """Return an attribute of the player.  If that raises an exception, the player fails at the first request."""
        try:
            return bool(getattr(self.player, name))
        except BaseException as error:
            if is_interruption(error):
                raise
            self._take_exception(error)
            self.failure = self.incident = forfeit_for(error)
            return False

    def receive(self, type_: str, message: dict[str, Any]) -> bytes | None:
        """Take a message and return the line to send.  An exception of the player is reported to the host as a forfeit.

        Raises LookupError, TypeError, ValueError or DecodeError if the message is wrong.
        """
        serial = _serial(message, required=type_ == "request")
        act = self._action(type_, message, serial)
        try:
            return act()
        except BaseException as error:
            if is_interruption(error):
                raise
            forfeit = forfeit_for(error)
            if forfeit.reason in ("exception", "late"):
                self._take_exception(error)
            self.has_left = forfeit.reason == "left"
            if forfeit.reason == "late":
                # The host's own clock has run out, too.
                return None
            if serial is not None or self.has_left:
                rule = error.violation.rule if isinstance(error, IllegalAnswer) else None
                return _failed(serial, forfeit, rule, self._traceback)
            # A failure after the last request costs nothing, and only the host knows which request was the last.
            self.failure = self.incident = forfeit
        return None

    def _take_exception(self, error: BaseException) -> None:
        self._on_exception(error)
        if self._sends_tracebacks:
            self._traceback = author_traceback(error)

    def _action(self, type_: str, message: dict[str, Any], serial: int | None) -> Callable[[], bytes | None]:
        """Return the function that passes a message to the player and returns the line to send."""
        whole = self._whole(message)
        match type_:
            case "game":
                assignment = self._assignment(message)
                self.failure = self.incident = None
                return lambda: self.player.on_seated(assignment)
            case "request" if self.failure:
                failure = self.failure
                return lambda: self._report(serial, failure)
            case "notice" if self.incident and serial is not None:
                incident = self.incident
                return lambda: self._report(serial, incident)
            case "notice":
                notice = self._kind.codec.event_from_json(whole)
                return lambda: self._take_notice(notice, serial)
            case "event":
                event = self._kind.codec.event_from_json(whole)
                return lambda: self.player.on_event(event)
            case "refused":
                violation = self._violation(message)
                return lambda: self.player.on_violation(violation)
            case "request":
                seconds = msgspec.convert(message.get("seconds"), float | None)
                asked = whole | {"kind": message["request"]}
                try:
                    request = self._kind.codec.request_from_json(asked)
                except ValueError:
                    # A later version of the host may send unknown requests.
                    return lambda: _pass(serial)
                return lambda: self._answer(serial, request, seconds)
        # A later version of the host may send unknown messages.
        return lambda: None

    def _take_notice(self, notice: Any, serial: int | None) -> bytes | None:
        self.player.on_notice(notice)
        return None if serial is None else _pass(serial)

    def _report(self, serial: int | None, forfeit: Forfeit) -> bytes:
        self.incident = None
        return _failed(serial, forfeit, traceback=self._traceback)

    def _violation(self, message: dict[str, Any]) -> Violation:
        """Return the game's own violation, or its rule and message if this version does not know it."""
        rule, parts = message["rule"], message.get("parts")
        if isinstance(parts, dict):
            with contextlib.suppress(ValueError):
                return self._kind.codec.violation_from_json({**parts, "rule": rule})
        return ReportedViolation(rule, message["message"])

    def _assignment(self, message: dict[str, Any]) -> SeatAssignment:
        rules = msgspec.convert(message["rules"], self._kind.rules)
        names = tuple(map(single_line, msgspec.convert(message["names"], tuple[str, ...])))
        seat = msgspec.convert(message["seat"], int)
        if not 0 <= seat < len(names):
            raise ValueError(f"the message has {len(names)} names, and the seat is {seat}")
        self._seat, self._rules = Seat(seat), message["rules"]
        return SeatAssignment(self._seat, names, rules, msgspec.convert(message.get("commitment"), str | None))

    def _answer(self, serial: int | None, request: Request[Any], seconds: float | None) -> bytes:
        answer = self.player.answer(request, seconds)
        answer = request.accept(answer)
        if isinstance(answer, Violation):
            raise IllegalAnswer(answer, fallbacks.sentence_for(self._kind, answer))
        return to_line({"type": "answer", "id": serial, "answer": self._kind.codec.answer_to_json(request, answer)})

    def _whole(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return a message with the seat and the rules, which the host sends only when a game begins."""
        whole = {"seat": self._seat, "rules": self._rules, **message}
        if isinstance(whole.get("view"), dict):
            whole["view"] = {"rules": self._rules, **whole["view"]}
        return whole


def _serial(message: dict[str, Any], *, required: bool) -> int | None:
    """Return the number of a message, or None if it has none."""
    serial = message["id"] if required else message.get("id")
    return msgspec.convert(serial, int) if required or serial is not None else None


def _pass(serial: int | None) -> bytes:
    return to_line({"type": "pass", "id": serial})


def report_not_made(error: PlayerNotMade) -> bytes:
    """Return the message that takes the place of the hello of a player that cannot be made."""
    return _failed(None, Forfeit("exception", error.why), traceback=error.traceback)


def _failed(serial: int | None, forfeit: Forfeit, rule: str | None = None, traceback: str | None = None) -> bytes:
    more = {name: value for name, value in (("rule", rule), ("traceback", traceback)) if value}
    # The protocol has no other reasons.  A program of the player that has stopped is the player's own failure.
    reason = forfeit.reason if forfeit.reason in ("illegal", "left") else "exception"
    return to_line({"type": "failed", "id": serial, "reason": reason, "message": forfeit.message, **more})
