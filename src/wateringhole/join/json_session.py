"""All games of a player at a host with the JSON protocol (`docs/reference/protocol.md`), over several connections."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, PromptCancelled, UsageError
from wateringhole.formatting import single_line
from wateringhole.game import Outcome, Seat
from wateringhole.join.connection import Connection, try_to_connect
from wateringhole.join.plan import JoinPlan
from wateringhole.join.players import JoiningPlayer
from wateringhole.protocol.messages import LONGEST_LINE, PROTOCOL, Unreadable, read_message, to_line
from wateringhole.protocol.player import PlayerEnd
from wateringhole.terminal.keyboard import keyboard

__all__ = ["JsonSession"]

_FIRST_DELAY = 0.25
_LONGEST_DELAY = 8.0
"""Pauses between attempts to reconnect: each is twice as long as the one before, up to the longest."""
_INPUT_SECONDS = 0.1
"""Longest wait for a message after its first bytes have arrived."""


class JsonSession:
    """A session with one host, over one or more connections."""

    def __init__(self, plan: JoinPlan, connection: Connection, joining: JoiningPlayer | None = None) -> None:
        """`joining` is a player that has been made for the likely game."""
        self._plan = plan
        self._connection = connection
        self._joining = joining
        self._buffer = bytearray()
        self._waiting: deque[bytes] = deque()
        """Messages that were received and not handled yet."""
        self._player_end: PlayerEnd | None = None
        self._has_hello = False
        """True after the host sent its hello over this connection."""
        self._has_played = False
        self._game: _Game | None = None
        """The game in progress, if any."""
        self._token: str | None = None
        self._received = 0
        """Messages received from the host, except its hellos."""
        self._lost_at: float | None = None
        """When the connection was lost, until a message or a lasting connection follows."""
        self._connected_at = time.monotonic()
        self._delay = _FIRST_DELAY
        self._last_answer: tuple[int, bytes] | None = None
        """The request number and the answer, kept because the answer may have been lost."""

    def play(self, start: bytes) -> None:
        """Play until the host says goodbye or the player leaves.  `start` is what the host has sent.

        Ctrl-C leaves at once, so that no other player waits.  Raises OperationError if no game was played to its
        end.
        """
        self._take(start)
        try:
            self._play()
        except KeyboardInterrupt:
            self._leave()
            raise

    def close(self) -> None:
        self._connection.close()
        if self._joining:
            self._joining.close()

    def _play(self) -> None:
        while True:
            for line in self._lines():
                reply = self._handle(line)
                if reply:
                    self._send(reply)
                if self._player_end and (self._player_end.farewell is not None or self._player_end.has_left):
                    return
            self._reconnect()

    def _leave(self) -> None:
        if self._player_end:
            self._plan.report("interrupted: leaving")
            self._send(to_line({"type": "failed", "reason": "left", "message": "left the table"}))

    def _send(self, line: bytes) -> None:
        self._plan.transcript.sent(line)
        self._connection.send(line)

    def _lines(self) -> Iterator[bytes]:
        """Yield the host's messages until the connection ends."""
        while self._waiting or self._read():
            while self._waiting:
                yield self._waiting.popleft()

    def _read(self) -> bool:
        """Wait for more bytes.  Return whether any came."""
        seconds, option = self._plan.limits.idle, "--idle-timeout"
        if not self._has_hello:
            seconds, option = self._plan.limits.connect, "--connect-timeout"
        try:
            chunk = self._connection.receive(seconds)
        except TimeoutError:
            if self._lost_at is not None and not self._has_hello:
                return False
            raise OperationError(
                f"{self._plan.address} sent nothing for {seconds:g} s. Use {option} to wait longer."
            ) from None
        self._take(chunk)
        return bool(chunk)

    def _take(self, chunk: bytes) -> None:
        self._buffer += chunk
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer = bytearray(rest)
        if len(rest) > LONGEST_LINE:
            raise OperationError(f"the host sent a message of more than {LONGEST_LINE} bytes.")
        for line in lines:
            if line.strip():
                self._plan.transcript.received(line)
                self._waiting.append(line)

    def _handle(self, line: bytes) -> bytes | None:
        message = _message(line)
        type_ = message.get("type")
        if type_ == "hello":
            self._has_hello = True
            return self._on_hello(line, message)
        self._received += 1
        self._lost_at = None
        if self._player_end is None or not self._has_hello:
            why = single_line(str(message.get("reason", "it sent no hello")))
            action = "join" if self._player_end is None else "reconnect"
            raise OperationError(f"the host did not let the player {action}: {why}.")
        if type_ == "request":
            return self._answer(line, message)
        if type_ == "bye" and (self._game or not self._has_played):
            when = "in the middle of a game" if self._game else "before a game began"
            raise OperationError(f"the host said goodbye {when}: {single_line(str(message.get('reason', '')))}.")
        reply = self._player_end.receive(line)
        self._report_progress(line, message)
        return reply

    def _on_hello(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        self._token = _field(line, message, "token", str | None) or self._token
        if self._player_end is not None:
            self._received = _field(line, message, "resumed", Annotated[int, msgspec.Meta(ge=0)], self._received)
            return None
        joining = self._seated(registry.game_kind(str(message.get("game"))).name)
        self._player_end = PlayerEnd(lambda game: joining.player, joining.name, code=self._plan.address.code)
        reply = self._player_end.receive(line)
        self._plan.report(f"signed up for {joining.game} at {self._plan.address}; waiting for a game")
        return reply

    def _seated(self, game: str) -> JoiningPlayer:
        """Return the player for the host's game."""
        if self._joining and self._joining.game == game:
            return self._joining
        if self._joining:
            self._joining.close()
        self._joining = None
        try:
            self._plan.options.player(game)
        except UsageError as error:
            raise UsageError(f"{game} is played at {self._plan.address}: {error}") from None
        self._joining = self._plan.options.make(game, self._plan.report)
        return self._joining

    def _answer(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        """Answer a request.  A repeated request gets the same answer without asking the player again."""
        assert self._player_end is not None
        number = message.get("id")
        if self._last_answer and self._last_answer[0] == number:
            return self._last_answer[1]
        try:
            reply = self._ask_player(line)
        except PromptCancelled:
            return None
        if reply and isinstance(number, int):
            self._last_answer = number, reply
        return reply

    def _ask_player(self, line: bytes) -> bytes | None:
        assert self._player_end is not None
        if not self._player_end.is_human:
            return self._player_end.receive(line)
        with keyboard().watching(self._connection.fileno(), self._on_input):
            self._show_new_events()
            return self._player_end.receive(line)

    def _on_input(self) -> None:
        """Handle messages that arrive while a human thinks.  Raises PromptCancelled."""
        try:
            chunk = self._connection.receive(_INPUT_SECONDS)
        except TimeoutError:
            # Part of a message, or only a ping.
            return
        if not chunk:
            # The host repeats the request after the reconnection.
            raise PromptCancelled
        self._take(chunk)
        self._show_new_events()

    def _show_new_events(self) -> None:
        """Show new events to a human who thinks.  Any other message means that the host waits no longer."""
        while self._waiting:
            if _message(self._waiting[0]).get("type") != "event":
                self._plan.report("the host no longer waits for this answer")
                raise PromptCancelled
            self._handle(self._waiting.popleft())

    def _reconnect(self) -> None:
        """Reconnect to the same seat after the connection was lost, also if the host is restarted meanwhile."""
        self._connection.close()
        self._plan.transcript.closed("the connection is lost")
        self._buffer.clear()
        self._waiting.clear()
        if self._has_hello and time.monotonic() - self._connected_at > _LONGEST_DELAY:
            self._lost_at = None
        self._has_hello = False
        if self._token is None:
            raise OperationError(
                f"{self._plan.address} closed the connection without a message. Is the host still running?"
            )
        if self._lost_at is None:
            self._lost_at = time.monotonic()
            self._delay = _FIRST_DELAY
            self._plan.report(f"the connection is lost; trying to reconnect for {self._plan.limits.reconnect:g} s")
        self._connection = self._connect_again(self._lost_at + self._plan.limits.reconnect)
        self._connected_at = time.monotonic()
        self._plan.transcript.connected(self._plan.address)
        self._send(to_line({"type": "hello", "protocol": PROTOCOL, "token": self._token, "heard": self._received}))

    def _connect_again(self, deadline: float) -> Connection:
        """Return a new connection, after growing delays.  Raises OperationError at the deadline."""
        why = "it closes every connection"
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(self._delay, left))
            self._delay = min(2 * self._delay, _LONGEST_DELAY)
            try:
                return try_to_connect(self._plan.address, max(0.01, min(self._plan.limits.connect, left)))
            except OSError as error:
                why = error.strerror or str(error) or "no answer"
        raise OperationError(
            f"the connection to {self._plan.address} is lost, and it did not come back within "
            f"{self._plan.limits.reconnect:g} s: {why}. Use --reconnect-timeout to try longer."
        )

    def _report_progress(self, line: bytes, message: dict[str, Any]) -> None:
        """Report what the owner of the player wants to know."""
        match message:
            case {"type": "game", "seat": int(seat), "names": [*names]}:
                self._has_played = True
                self._game = _Game(Seat(seat), single_line(names[seat]), len(names))
                self._plan.report(f"a game begins: {self._game.name} is seat {seat + 1} of {len(names)}")
            case {"type": "notice", "notice": "thrown_out", "forfeit": {"message": str(why)}}:
                self._report_thrown_out(why)
            case {"type": "result"}:
                self._report_result(_field(line, message, "outcome", Outcome))
            case {"type": "bye", "reason": str(why)}:
                self._plan.report(f"the host said goodbye: {single_line(why)}")

    def _report_thrown_out(self, why: str) -> None:
        """Report once per game that the player was thrown out, as early as possible."""
        if self._game and not self._game.is_thrown_out:
            self._game.is_thrown_out = True
            self._plan.report(f"thrown out: {single_line(why)}")

    def _report_result(self, outcome: Outcome) -> None:
        assert self._player_end is not None
        if self._player_end.incident:
            self._plan.report(f"the player failed, too late to matter: {self._player_end.incident.message}")
        # A human has already seen the result.
        if self._game and not self._player_end.is_human:
            for thrown in outcome.thrown_out:
                if thrown.seat == self._game.seat:
                    self._report_thrown_out(thrown.forfeit.message)
            self._plan.report(self._game.describe(outcome))
        self._game = None


@dataclass
class _Game:
    """The current game of the player, for the reports."""

    seat: Seat
    name: str
    players: int
    is_thrown_out: bool = False

    def describe(self, outcome: Outcome) -> str:
        """Describe how the game ended for the player."""
        places = outcome.places()
        if self.seat in outcome.unranked or self.seat not in places:
            return f"the game is over ({single_line(outcome.reason)}): {self.name} is not ranked"
        place = places[self.seat]
        took = "shares" if [*places.values()].count(place) > 1 else "took"
        score = next((standing.score for standing in outcome.ranking if standing.seat == self.seat), None)
        with_score = "" if score is None else f" with a score of {score}"
        return f"the game is over: {self.name} {took} place {place} of {self.players}{with_score}"


def _message(line: bytes) -> dict[str, Any]:
    try:
        return read_message(line)
    except Unreadable as error:
        raise OperationError(f"the host sent a message that breaks the protocol: {error}.") from None


def _field(line: bytes, message: dict[str, Any], name: str, shape: Any, default: Any = None) -> Any:
    """Return a field of a message from the host, or `default` if the message omits it."""
    try:
        return msgspec.convert(message.get(name, default), shape)
    except msgspec.ValidationError as error:
        shown = line[:80].decode(errors="replace").strip()
        raise OperationError(
            f"the host sent a message that breaks the protocol: {shown!r} ({name}: {error})."
        ) from None
