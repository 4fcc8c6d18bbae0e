"""The player's end of the protocol: hears the host's messages and lets a local player answer them.

It serves a Python player in a worker process and one that joins a table somewhere else.  It
does no input or output: `hear` takes a line and returns the line to send back, if any.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from wateringhole import catalogue
from wateringhole.errors import Failure
from wateringhole.game import Forfeit, Kind, Seat, Violation
from wateringhole.players.player import Place, Player, forfeit_for
from wateringhole.protocol import PROTOCOL, to_line

__all__ = ["Guest"]


class Guest:
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
    def is_person(self) -> bool:
        """Whether somebody thinks and types here."""
        return self._here is not None and self._here.player.is_person

    @property
    def mishap(self) -> Forfeit | None:
        """What went wrong while the player was told something, and the host has not heard of."""
        return self._here.mishap if self._here else None

    def hear(self, line: bytes) -> bytes | None:
        """Take a message of the host.  Raises Failure for what is none."""
        try:
            message = msgspec.json.decode(line)
            return self._respond(message["type"], message)
        except (msgspec.DecodeError, UnicodeError, RecursionError, LookupError, TypeError, ValueError) as error:
            shown = line[:80].decode(errors="replace").strip()
            raise Failure(f"the host sent what is not of the protocol: {shown!r} ({error}).") from None

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
            raise Failure(f"the host speaks protocol {message['protocol']}; this program speaks {PROTOCOL}.")
        player = self._make(message["game"])
        self._here = _PlayerHere(catalogue.game(message["game"]), player)
        hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL, "events": player.sees_events}
        if self._name:
            hello["name"] = self._name
        if player.is_person:
            hello["person"] = True
        if self._acknowledges:
            hello["acknowledges"] = True
        return to_line(hello)


class _PlayerHere:
    """A local player, and the game it is in."""

    def __init__(self, kind: Kind[Any, Any], player: Player) -> None:
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
        """Whatever the player raises is told to the host, as the referee at home would take it."""
        whole = self._whole(message)
        try:
            match type_:
                case "game":
                    self.failure = self.mishap = None
                    self._take_seat(message)
                case "request" if self.failure:
                    return self._own_up(message["id"], self.failure)
                case "notice" if self.mishap and "id" in message:
                    return self._own_up(message["id"], self.mishap)
                case "notice":
                    self.player.notice(self._kind.wire.event_from_json(whole))  # type: ignore[arg-type]
                    return to_line({"type": "pass", "id": message["id"]}) if "id" in message else None
                case "event":
                    self.player.see(self._kind.wire.event_from_json(whole))
                case "refused":
                    self.player.refused(Violation(message["rule"], message["message"]))
                case "request":
                    asked = whole | {"kind": message["request"]}
                    return self._answer(message["id"], asked, message.get("seconds"))
        except (Exception, SystemExit) as error:
            forfeit = forfeit_for(error)
            self.has_left = forfeit.reason == "left"
            if forfeit.reason == "late":
                # The host's clock has it known before us.
                return None
            if "id" in message or self.has_left:
                return _failed(message.get("id"), forfeit)
            # At home whoever fails after the last question loses nothing; here nobody knows yet which was the last.
            self.failure = self.mishap = forfeit
        return None

    def _own_up(self, serial: int, forfeit: Forfeit) -> bytes:
        self.mishap = None
        return _failed(serial, forfeit)

    def _take_seat(self, message: dict[str, Any]) -> None:
        self._seat = Seat(message["seat"])
        self._rules = message["rules"]
        rules = msgspec.convert(self._rules, self._kind.rules)
        self.player.take_seat(Place(self._seat, tuple(message["names"]), rules))

    def _answer(self, serial: int, asked: dict[str, Any], seconds: float | None) -> bytes:
        try:
            request = self._kind.wire.request_from_json(asked)
        except ValueError:
            # A later version of the host may ask what we do not know.
            return to_line({"type": "pass", "id": serial})
        answer = self.player.answer(request, seconds)
        violation = request.check(answer)
        if violation:
            return _failed(serial, Forfeit("illegal", violation.message))
        return to_line({"type": "answer", "id": serial, "answer": self._kind.wire.answer_to_json(request, answer)})

    def _whole(self, message: dict[str, Any]) -> dict[str, Any]:
        """A message with what the host left out because it was told when the game began."""
        whole = {"seat": self._seat, "rules": self._rules, **message}
        if isinstance(whole.get("view"), dict):
            whole["view"] = {"rules": self._rules, **whole["view"]}
        return whole


def _failed(serial: int | None, forfeit: Forfeit) -> bytes:
    return to_line({"type": "failed", "id": serial, "reason": forfeit.reason, "message": forfeit.message})
