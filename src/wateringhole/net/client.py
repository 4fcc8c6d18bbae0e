"""The client of a remote host: the player's end of every protocol, over a blocking socket.

A client has one player, so it does one thing at a time: it receives a message, asks the player and
sends the answer.  The operating system buffers what arrives meanwhile.  A human sees new messages
while thinking (`keyboard.watching`).
"""

from __future__ import annotations

import contextlib
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, PromptCancelled, UsageError
from wateringhole.facets import AnnouncedRanking, ClientEnd
from wateringhole.formatting import single_line
from wateringhole.game import Notice, Outcome, Request, Seat
from wateringhole.match.hooks import author_warnings
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.net.foreign import GameProtocol, foreign_protocols, games_of
from wateringhole.player import Player, SeatAssignment, forfeit_for
from wateringhole.protocol.frames import SETTLE_SECONDS, FrameError, FrameReader, Incomplete, StreamEnded
from wateringhole.protocol.messages import LONGEST_LINE, PROTOCOL, Unreadable, read_message, to_line
from wateringhole.protocol.player import PlayerEnd
from wateringhole.terminal.keyboard import keyboard

__all__ = ["DEFAULT_PORT", "JSON_PROTOCOL", "ConnectOptions", "JoinOptions", "join"]

DEFAULT_PORT = 45678
JSON_PROTOCOL: Final = "json"
"""The name of the JSON protocol; games name the foreign protocols."""
_CHUNK = 1 << 16
_LEAVING_SECONDS = 1.0
"""Longest wait for a host that does not read the player's last message."""


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """Address of a host, and how often to try to connect."""

    host: str
    port: int
    attempts: int = 4
    pause_seconds: float = 2.0
    """Pause between two attempts."""
    connect_seconds: float = 5.0
    hello_seconds: float = 3.0
    """Longest wait for the host's hello.  A host without one does not speak the JSON protocol."""

    @property
    def where(self) -> str:
        return f"{self.host} port {self.port}"

    def connect(self, report: Callable[[str], None]) -> socket.socket:
        """Connect to the host.  Raises OperationError if all attempts fail."""
        for attempt in range(1, self.attempts + 1):
            try:
                wire = socket.create_connection((self.host, self.port), self.connect_seconds)
            except OSError as error:
                why = error.strerror or str(error) or "no answer"
                if attempt < self.attempts:
                    if attempt == 1:
                        report(f"no connection to {self.where} yet: {why}; trying again")
                    time.sleep(self.pause_seconds)
                continue
            wire.settimeout(None)
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # A player may wait in a lobby for hours; keepalive detects a host that has disappeared.
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return wire
        tries = f"{self.attempts} attempts" if self.attempts > 1 else "one attempt"
        raise OperationError(f"no connection to {self.where} after {tries}: {why}. Is a host running there?")


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """The player that joins, and the protocol that it uses."""

    spec: str
    """The player as on the command line."""
    name: str | None = None
    """The name at the table, or None for the usual one."""
    protocol: str | None = None
    """The protocol, or None for the JSON protocol with a foreign one as the fallback."""
    dialect: str | None = None
    """The dialect of a server that speaks a foreign protocol."""

    def player(self, game: str) -> PlayerSpec:
        named = parse_specs(game, [self.spec])
        if len(named) != 1:
            raise UsageError(f"player {self.spec!r} is for {len(named)} seats; only one player can join.")
        return named[0]

    def foreign_protocols(self) -> list[GameProtocol]:
        """Return the foreign protocols that may be used.  Raises UsageError if no game has the chosen one."""
        known = foreign_protocols()
        found = [each for each in known if self.protocol in (None, each.name)]
        if not found and self.protocol is not None:
            names = dict.fromkeys([JSON_PROTOCOL, *(each.name for each in known)])
            raise UsageError(f"--protocol {self.protocol}: unknown protocol. Choose from: {', '.join(names)}.")
        if self.dialect is None:
            return found
        dialects = dict.fromkeys(dialect for each in found for dialect in each.protocol.dialects)
        if self.dialect not in dialects:
            raise UsageError(f"unknown server dialect {self.dialect!r}. Choose from: {', '.join(dialects)}.")
        return [each for each in found if self.dialect in each.protocol.dialects]

    def foreign_player(self) -> tuple[GameProtocol, PlayerSpec]:
        """Return the first foreign protocol for a game that the player knows.  Raises UsageError if there is none."""
        errors = [UsageError("no installed game has a foreign protocol.")]
        for each in self.foreign_protocols():
            try:
                return each, self.player(each.kind.name)
            except UsageError as error:
                errors.append(error)
        raise errors[-1]


def join(host: ConnectOptions, options: JoinOptions, report: Callable[[str], None]) -> None:
    """Play at a host until it has no more games.  `report` gets a line for each important event.

    Raises OperationError if the host cannot be reached or breaks the protocol.
    """
    if options.protocol not in (None, JSON_PROTOCOL) or (options.protocol is None and options.dialect):
        _play_foreign(host.where, host.connect(report), options, report)
        return
    with contextlib.ExitStack() as stack:
        wire = stack.enter_context(host.connect(report))
        wire.sendall(to_line({"type": "knock"}))
        start = _first_bytes(wire, host.hello_seconds)
        if start and start.startswith(b"{"):
            connection = _HostConnection(host, options, report, wire, start)
            stack.pop_all()
            with _closing(connection.close):
                connection.play()
            return
        if start and not _may_be_foreign(start):
            shown = single_line(start[:40].decode(errors="replace"))
            raise OperationError(f"{host.where} does not speak a supported protocol: it sent {shown!r}.")
        if start and options.protocol is None:
            # The host took the first message for a sign-up and has answered it.
            report(f"this host speaks {options.foreign_player()[0].protocol.title}")
            stack.pop_all()
            _play_foreign(host.where, wire, options, report, start)
            return
    what = {None: "sent nothing", b"": "closed the connection without a message"}.get(
        start, "answered in another protocol"
    )
    if options.protocol == JSON_PROTOCOL:
        names = dict.fromkeys(each.name for each in foreign_protocols())
        hints = "".join(f"; for a {name} server, use --protocol {name}" for name in names)
        raise OperationError(f"{host.where} {what}{hints}.")
    try:
        found, _ = options.foreign_player()
    except UsageError:
        hints = "".join(
            f"; {title} supports {games} only, and {options.spec!r} is not a player for it"
            for title, games in games_of(foreign_protocols()).items()
        )
        raise OperationError(f"{host.where} {what}{hints}.") from None
    report(f"this host {what}; trying {found.protocol.title}")
    _play_foreign(host.where, host.connect(report), options, report)


def _first_bytes(wire: socket.socket, seconds: float) -> bytes | None:
    """Return the first bytes of a host, b"" if it closed the connection, or None if it sent nothing in time."""
    wire.settimeout(seconds)
    try:
        return wire.recv(_CHUNK)
    except TimeoutError:
        return None
    except OSError:
        return b""
    finally:
        wire.settimeout(None)


def _may_be_foreign(start: bytes) -> bool:
    """Return whether these bytes may come from a server with a foreign protocol.  A web server sends no JSON."""
    reader = FrameReader(may_greet=True)
    reader.feed(start)
    try:
        # The bytes may hold several values, and the last may be incomplete.
        while not isinstance(reader.take(), Incomplete):
            pass
    except FrameError:
        return False
    return True


def _make(spec: PlayerSpec, report: Callable[[str], None]) -> Player:
    """Return a new player, and report what its author should know before the first game."""
    player = spec.make()
    for warning in author_warnings(player):
        report(f"warning: {warning}")
    return player


@contextlib.contextmanager
def _blame_player() -> Iterator[None]:
    """Turn an exception of the player into an OperationError that names the player as the cause."""
    try:
        yield
    except OperationError:
        raise
    except (Exception, SystemExit) as error:
        forfeit = forfeit_for(error)
        did = "broke a rule" if forfeit.reason == "illegal" else "failed"
        raise OperationError(f"the player {did}: {forfeit.message}.") from None


@contextlib.contextmanager
def _closing(close: Callable[[], None]) -> Iterator[None]:
    """Close a player at the end.  An error from closing is raised only if there was no earlier one."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OperationError), _blame_player():
            close()
        raise
    with _blame_player():
        close()


def _signed_up(game: str, where: str) -> str:
    return f"signed up for {game} at {where}; waiting for a game"


# The JSON protocol.


class _HostConnection:
    """A session with one host, over one or more connections."""

    def __init__(
        self,
        host: ConnectOptions,
        options: JoinOptions,
        report: Callable[[str], None],
        wire: socket.socket,
        start: bytes,
    ) -> None:
        self._host = host
        self._options = options
        self._report = report
        self._wire = wire
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
        self._reconnections = 0
        """Reconnections in a row that brought nothing but a hello."""
        self._last_answer: tuple[int, bytes] | None = None
        """The request number and the answer, kept because the answer may have been lost."""
        self._take(start)

    def play(self) -> None:
        """Play until the host says goodbye or the player leaves.  Ctrl-C leaves at once, so that no one else waits."""
        try:
            self._play()
        except KeyboardInterrupt:
            self._leave()
            raise

    def _play(self) -> None:
        while self._player_end is None or self._player_end.farewell is None:
            try:
                for line in self._lines():
                    reply = self._handle(line)
                    if reply:
                        # A host that closed the connection may have sent its reason before.
                        with contextlib.suppress(OSError):
                            self._wire.sendall(reply)
                    if self._player_end and (self._player_end.farewell is not None or self._player_end.has_left):
                        return
            except OSError:
                pass
            self._reconnect()

    def _leave(self) -> None:
        if self._player_end:
            self._report("interrupted: leaving")
            with contextlib.suppress(OSError):
                self._wire.settimeout(_LEAVING_SECONDS)
                self._wire.sendall(to_line({"type": "failed", "reason": "left", "message": "left the table"}))

    def close(self) -> None:
        self._wire.close()
        if self._player_end:
            self._player_end.close()

    def _lines(self) -> Iterator[bytes]:
        """Yield the host's messages until the connection ends."""
        while self._waiting or self._read():
            while self._waiting:
                yield self._waiting.popleft()

    def _read(self) -> bool:
        """Wait for more bytes.  Return whether any came."""
        chunk = self._wire.recv(_CHUNK)
        self._take(chunk)
        return bool(chunk)

    def _take(self, chunk: bytes) -> None:
        self._buffer += chunk
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer = bytearray(rest)
        if len(rest) > LONGEST_LINE:
            raise OperationError(f"the host sent a message of more than {LONGEST_LINE} bytes.")
        self._waiting.extend(line for line in lines if line.strip())

    def _handle(self, line: bytes) -> bytes | None:
        message = _message(line)
        type_ = message.get("type")
        if type_ == "hello":
            self._has_hello = True
            return self._on_hello(line, message)
        self._received += 1
        self._reconnections = 0
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
        self._token = _field(line, message, "token", str | None)
        if self._player_end is not None:
            self._received = _field(line, message, "resumed", Annotated[int, msgspec.Meta(ge=0)], self._received)
            return None
        kind = registry.game_kind(str(message.get("game")))
        try:
            named = self._options.player(kind.name)
        except UsageError as error:
            raise UsageError(f"{kind.name} is played at {self._host.where}: {error}") from None
        with contextlib.ExitStack() as on_error:
            player = _make(named, self._report)
            on_error.callback(player.close)
            self._player_end = PlayerEnd(lambda game: player, self._options.name or named.name_of(player))
            reply = self._player_end.receive(line)
            on_error.pop_all()
        self._report(_signed_up(kind.name, self._host.where))
        return reply

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
        with keyboard().watching(self._wire.fileno(), self._on_input):
            self._show_new_events()
            return self._player_end.receive(line)

    def _on_input(self) -> None:
        """Handle messages that arrive while a human thinks.  Raises PromptCancelled."""
        try:
            is_connected = self._read()
        except OSError:
            is_connected = False
        if not is_connected:
            # The host repeats the request after the reconnection.
            raise PromptCancelled
        self._show_new_events()

    def _show_new_events(self) -> None:
        """Show new events to a human who thinks.  Any other message means that the host waits no longer."""
        while self._waiting:
            if _message(self._waiting[0]).get("type") != "event":
                self._report("the host no longer waits for this answer")
                raise PromptCancelled
            self._handle(self._waiting.popleft())

    def _reconnect(self) -> None:
        """Reconnect to the same seat after the connection was lost."""
        self._wire.close()
        self._buffer.clear()
        self._waiting.clear()
        self._has_hello = False
        if self._token is None:
            raise OperationError("the host closed the connection without a message.")
        self._reconnections += 1
        if self._reconnections > self._host.attempts:
            raise OperationError(f"the host closed {self._reconnections} connections in a row without a message.")
        self._report("the connection is lost; trying to reconnect")
        time.sleep(self._host.pause_seconds)
        self._wire = self._host.connect(self._report)
        with contextlib.suppress(OSError):
            hello = {"type": "hello", "protocol": PROTOCOL, "token": self._token, "heard": self._received}
            self._wire.sendall(to_line(hello))

    def _report_progress(self, line: bytes, message: dict[str, Any]) -> None:
        """Report what the owner of the player wants to know."""
        match message:
            case {"type": "game", "seat": int(seat), "names": [*names]}:
                self._has_played = True
                self._game = _Game(Seat(seat), single_line(names[seat]), len(names))
                self._report(f"a game begins: {self._game.name} is seat {seat + 1} of {len(names)}")
            case {"type": "notice", "notice": "thrown_out", "forfeit": {"message": str(why)}}:
                self._report_thrown_out(why)
            case {"type": "result"}:
                self._report_result(_field(line, message, "outcome", Outcome))
            case {"type": "bye", "reason": str(why)}:
                self._report(f"the host said goodbye: {single_line(why)}")

    def _report_thrown_out(self, why: str) -> None:
        """Report once per game that the player was thrown out, as early as possible."""
        if self._game and not self._game.is_thrown_out:
            self._game.is_thrown_out = True
            self._report(f"thrown out: {single_line(why)}")

    def _report_result(self, outcome: Outcome) -> None:
        assert self._player_end is not None
        if self._player_end.incident:
            self._report(f"the player failed, too late to matter: {self._player_end.incident.message}")
        # A human has already seen the result.
        if self._game and not self._player_end.is_human:
            for thrown in outcome.thrown_out:
                if thrown.seat == self._game.seat:
                    self._report_thrown_out(thrown.forfeit.message)
            self._report(self._game.describe(outcome))
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


# Foreign protocols.


def _play_foreign(
    where: str, wire: socket.socket, options: JoinOptions, report: Callable[[str], None], start: bytes | None = None
) -> None:
    """Play one game.  `start` is the server's answer if the player has already signed up."""
    with wire:
        found, named = options.foreign_player()
        dialect = options.dialect or next(iter(found.protocol.dialects))
        player = _make(named, report)
        with _closing(player.close):
            end = found.protocol.client_end(options.name or named.name_of(player), dialect)
            if start is None:
                wire.sendall(end.sign_up())
            else:
                end.reader.feed(start)
            with _blame_player():
                player.on_seated(SeatAssignment(end.seat, end.names, end.rules))
            _ForeignGame(where, wire, found, end, player, report).play()


class _ForeignGame:
    def __init__(
        self,
        where: str,
        wire: socket.socket,
        found: GameProtocol,
        end: ClientEnd[Any, Any],
        player: Player,
        report: Callable[[str], None],
    ) -> None:
        self._where = where
        self._wire = wire
        self._found = found
        self._end = end
        self._player = player
        self._report = report

    def play(self) -> None:
        is_welcome = has_begun = has_result = False
        while True:
            try:
                received = self._end.take()
            except StreamEnded:
                if not has_begun:
                    raise OperationError("the server closed the connection before the game began.") from None
                # The server ends games and throws players out this way.
                no_result = "" if has_result else f"; {self._found.protocol.title} sends no result"
                self._report(f"the server closed the connection: the game is over{no_result}")
                return
            if self._end.is_welcome and not is_welcome:
                is_welcome = True
                self._report(_signed_up(self._found.kind.name, self._where))
            if received is None:
                self._read()
                continue
            if not has_begun:
                has_begun = True
                self._report("a game begins")
            if isinstance(received, AnnouncedRanking):
                has_result = True
                for rank, identity, score in received.rows:
                    self._report(f"{rank} player id: {identity} score: {score}")
            elif isinstance(received, Notice):
                with _blame_player():
                    self._player.on_notice(received)
            else:
                with contextlib.suppress(OSError, PromptCancelled):
                    self._wire.sendall(self._answer(received))

    def _answer(self, request: Request[Any]) -> bytes:
        with _blame_player(), keyboard().watching(self._wire.fileno(), self._on_input):
            return self._end.reply(request, self._player.answer(request))

    def _on_input(self) -> None:
        """Handle a message that arrives while a human thinks: the game continues without the answer, or is over."""
        self._read()
        raise PromptCancelled

    def _read(self) -> None:
        reader = self._end.reader
        self._wire.settimeout(SETTLE_SECONDS if reader.is_unsettled else None)
        try:
            chunk = self._wire.recv(_CHUNK)
        except TimeoutError:
            reader.mark_idle()
            return
        except OSError:
            chunk = b""
        finally:
            self._wire.settimeout(None)
        if chunk:
            reader.feed(chunk)
        else:
            reader.close()
