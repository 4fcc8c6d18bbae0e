"""The player's end of the protocol: hears the host's messages and lets a local player answer them.

It serves a Python player in a worker process and one that joins a table somewhere else.  It
does no input or output: `hear` takes a line and returns the line to send back, if any.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.errors import OperationError
from wateringhole.formatting import single_line
from wateringhole.game import AnyKind, Forfeit, ReportedViolation, Request, Seat, Violation
from wateringhole.player import IllegalAnswer, Player, SeatAssignment, forfeit_for
from wateringhole.protocol.messages import PROTOCOL, to_line

__all__ = ["PlayerEnd"]


class PlayerEnd:
    """A player at a host's table, from the host's hello to its bye."""

    def __init__(self, make: Callable[[str], Player], name: str | None = None, *, acknowledges: bool = False) -> None:
        """`make(game)` makes the player, once the host has said what is played.

        `acknowledges`: the host is to wait until the player has dealt with a notice.
        """
        self._make = make
        self._name = name
        self._acknowledges = acknowledges
        self._here: _PlayerHere | None = None
        self.farewell: str | None = None
        """Why the host said bye; None: it has not."""

    @property
    def has_left(self) -> bool:
        """Whether the player left the table of its own will."""
        return self._here is not None and self._here.has_left

    @property
    def is_human(self) -> bool:
        """Whether somebody thinks and types here."""
        return self._here is not None and self._here.player.is_human

    @property
    def mishap(self) -> Forfeit | None:
        """What went wrong while the player was told something, and the host has not heard of."""
        return self._here.mishap if self._here else None

    def hear(self, line: bytes) -> bytes | None:
        """Take a message of the host.  Raises OperationError for what is none."""
        try:
            message = msgspec.json.decode(line)
            return self._respond(message["type"], message)
        except (msgspec.DecodeError, UnicodeError, RecursionError, LookupError, TypeError, ValueError) as error:
            shown = line[:80].decode(errors="replace").strip()
            raise OperationError(f"the host sent a message that breaks the protocol: {shown!r} ({error}).") from None

    def close(self) -> None:
        if self._here:
            self._here.player.close()

    def _respond(self, type_: str, message: dict[str, Any]) -> bytes | None:
        if type_ == "hello":
            return self._greet(message)
        if type_ == "bye":
            self.farewell = message.get("reason", "")
            return None
        if self._here is None:
            raise ValueError("no hello came before it")
        return self._here.hear(type_, message)

    def _greet(self, message: dict[str, Any]) -> bytes:
        if message["protocol"] != PROTOCOL:
            raise OperationError(f"the host speaks protocol {message['protocol']}; this program speaks {PROTOCOL}.")
        player = self._make(message["game"])
        self._here = _PlayerHere(registry.game_kind(message["game"]), player)
        hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "events": player.wants_events}
        if self._name:
            hello["name"] = self._name
        if player.is_human:
            hello["person"] = True
        if self._acknowledges:
            hello["acknowledges"] = True
        return to_line(hello)


class _PlayerHere:
    """A local player, and the game it is in."""

    def __init__(self, kind: AnyKind, player: Player) -> None:
        self.player = player
        self._kind = kind
        self.has_left = False
        self._seat = Seat(0)
        self._rules: Any = None
        self.failure: Forfeit | None = None
        """What went wrong while it was told something, for the next question."""
        self.mishap: Forfeit | None = None
        """The same, until the host has heard of it."""

    def hear(self, type_: str, message: dict[str, Any]) -> bytes | None:
        """Whatever the player raises is told to the host, as the referee at home would take it.

        Raises LookupError, TypeError, ValueError or DecodeError for what is the host's fault.
        """
        serial = _serial(message, required=type_ == "request")
        act = self._understand(type_, message, serial)
        try:
            return act()
        except (Exception, SystemExit) as error:
            forfeit = forfeit_for(error)
            self.has_left = forfeit.reason == "left"
            if forfeit.reason == "late":
                # The host's clock has it known before us.
                return None
            if serial is not None or self.has_left:
                return _failed(serial, forfeit, error.violation.rule if isinstance(error, IllegalAnswer) else None)
            # At home whoever fails after the last question loses nothing; here nobody knows yet which was the last.
            self.failure = self.mishap = forfeit
        return None

    def _understand(self, type_: str, message: dict[str, Any], serial: int | None) -> Callable[[], bytes | None]:
        """What a message makes the player do, and that is said then."""
        whole = self._whole(message)
        match type_:
            case "game":
                place = self._place(message)
                self.failure = self.mishap = None
                return lambda: self.player.on_seated(place)
            case "request" if self.failure:
                failure = self.failure
                return lambda: self._own_up(serial, failure)
            case "notice" if self.mishap and serial is not None:
                mishap = self.mishap
                return lambda: self._own_up(serial, mishap)
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
                    # A later version of the host may ask what we do not know.
                    return lambda: _pass(serial)
                return lambda: self._answer(serial, request, seconds)
        # A later version of the host may say what we do not know.
        return lambda: None

    def _take_notice(self, notice: Any, serial: int | None) -> bytes | None:
        self.player.on_notice(notice)
        return None if serial is None else _pass(serial)

    def _own_up(self, serial: int | None, forfeit: Forfeit) -> bytes:
        self.mishap = None
        return _failed(serial, forfeit)

    def _violation(self, message: dict[str, Any]) -> Violation:
        """Return the game's own violation, or its rule and message if this version does not know it."""
        rule, parts = message["rule"], message.get("parts")
        if isinstance(parts, dict):
            with contextlib.suppress(ValueError):
                return self._kind.codec.violation_from_json({**parts, "rule": rule})
        return ReportedViolation(rule, message["message"])

    def _place(self, message: dict[str, Any]) -> SeatAssignment:
        rules = msgspec.convert(message["rules"], self._kind.rules)
        names = tuple(map(single_line, msgspec.convert(message["names"], tuple[str, ...])))
        seat = msgspec.convert(message["seat"], int)
        if not 0 <= seat < len(names):
            raise ValueError(f"there are {len(names)} names, and our seat is {seat}")
        self._seat, self._rules = Seat(seat), message["rules"]
        return SeatAssignment(self._seat, names, rules)

    def _answer(self, serial: int | None, request: Request[Any], seconds: float | None) -> bytes:
        answer = self.player.answer(request, seconds)
        answer = request.accept(answer)
        if isinstance(answer, Violation):
            raise IllegalAnswer(answer, fallbacks.sentence_for(self._kind, answer))
        return to_line({"type": "answer", "id": serial, "answer": self._kind.codec.answer_to_json(request, answer)})

    def _whole(self, message: dict[str, Any]) -> dict[str, Any]:
        """A message with what the host left out because it was told when the game began."""
        whole = {"seat": self._seat, "rules": self._rules, **message}
        if isinstance(whole.get("view"), dict):
            whole["view"] = {"rules": self._rules, **whole["view"]}
        return whole


def _serial(message: dict[str, Any], *, required: bool) -> int | None:
    """The number of a message, where it has one."""
    serial = message["id"] if required else message.get("id")
    return msgspec.convert(serial, int) if required or serial is not None else None


def _pass(serial: int | None) -> bytes:
    return to_line({"type": "pass", "id": serial})


def _failed(serial: int | None, forfeit: Forfeit, rule: str | None = None) -> bytes:
    broken = {"rule": rule} if rule else {}
    return to_line({"type": "failed", "id": serial, "reason": forfeit.reason, "message": forfeit.message, **broken})
