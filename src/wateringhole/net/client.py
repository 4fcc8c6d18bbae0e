"""A player of ours at a host somewhere else: the client's ends of all protocols, over a blocking socket.

One player plays here, so there is nothing to do at the same time: a message comes, the player
thinks, an answer goes.  What comes meanwhile waits in the operating system, unless a person
thinks, who wants to see it at once (`keyboard.watching`).
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
from wateringhole.errors import OperationError, UsageError
from wateringhole.facets import AnnouncedRanking, ClientEnd
from wateringhole.formatting import single_line
from wateringhole.game import Notice, Outcome, Request, Seat
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.net.foreign import GameProtocol, foreign_protocols, games_of
from wateringhole.player import Player, SeatAssignment, forfeit_for
from wateringhole.protocol.frames import SETTLE_SECONDS, FrameError, FrameReader, Incomplete, StreamEnded
from wateringhole.protocol.messages import LONGEST_LINE, PROTOCOL, Unreadable, read_message, to_line
from wateringhole.protocol.player import PlayerEnd
from wateringhole.terminal.keyboard import PromptCancelled, keyboard

__all__ = ["DEFAULT_PORT", "OURS", "ConnectOptions", "JoinOptions", "join"]

DEFAULT_PORT = 45678
OURS: Final = "ours"
"""The name of our protocol; foreign ones have the names that games give them."""
_CHUNK = 1 << 16
_LEAVING_SECONDS = 1.0
"""How long a host that does not read is given to hear that we leave."""


@dataclass(frozen=True, kw_only=True)
class ConnectOptions:
    """Where a host is, and how hard to try."""

    host: str
    port: int
    attempts: int = 4
    pause_seconds: float = 2.0
    """Between two attempts."""
    connect_seconds: float = 5.0
    hello_seconds: float = 3.0
    """How long a host may take to say hello before it counts as one that does not speak our protocol."""

    @property
    def where(self) -> str:
        return f"{self.host} port {self.port}"

    def connect(self, tell: Callable[[str], None]) -> socket.socket:
        """Raises OperationError when nobody answers, however often one tries."""
        for attempt in range(1, self.attempts + 1):
            try:
                wire = socket.create_connection((self.host, self.port), self.connect_seconds)
            except OSError as error:
                why = error.strerror or str(error) or "no answer"
                if attempt < self.attempts:
                    if attempt == 1:
                        tell(f"no connection to {self.where} yet: {why}; trying again")
                    time.sleep(self.pause_seconds)
                continue
            wire.settimeout(None)
            wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            # Somebody may wait for hours in a lobby; this notices a host that is gone.
            wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            return wire
        tries = f"{self.attempts} attempts" if self.attempts > 1 else "one attempt"
        raise OperationError(f"no connection to {self.where} after {tries}: {why}. Is a host running there?")


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """Who plays, and over which protocol."""

    spec: str
    """The player as one names it on the command line."""
    name: str | None = None
    """At the table; None: its usual one."""
    protocol: str | None = None
    """None for ours, or a foreign one if the host does not speak ours."""
    dialect: str | None = None
    """The server that this is, if it speaks a foreign protocol."""

    def player(self, game: str) -> PlayerSpec:
        named = parse_specs(game, [self.spec])
        if len(named) != 1:
            raise UsageError(f"player {self.spec!r} is for {len(named)} seats; one can join.")
        return named[0]

    def foreign_protocols(self) -> list[GameProtocol]:
        """Return the foreign protocols that may be spoken.  Raises UsageError if no game has such a one."""
        known = foreign_protocols()
        found = [each for each in known if self.protocol in (None, each.name)]
        if not found and self.protocol is not None:
            names = dict.fromkeys([OURS, *(each.name for each in known)])
            raise UsageError(f"--protocol {self.protocol}: there are {' and '.join(names)}.")
        if self.dialect is None:
            return found
        dialects = dict.fromkeys(dialect for each in found for dialect in each.protocol.dialects)
        if self.dialect not in dialects:
            raise UsageError(f"there is no server dialect {self.dialect!r}; there are {', '.join(dialects)}.")
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


def join(dial: ConnectOptions, joined: JoinOptions, tell: Callable[[str], None]) -> None:
    """Play at a host until it has no more games; `tell` gets a line for what is worth knowing.

    Raises OperationError when the host cannot be reached or says what cannot be understood.
    """
    if joined.protocol not in (None, OURS) or (joined.protocol is None and joined.dialect):
        _play_foreign(dial.where, dial.connect(tell), joined, tell)
        return
    with contextlib.ExitStack() as stack:
        wire = stack.enter_context(dial.connect(tell))
        wire.sendall(to_line({"type": "knock"}))
        start = _first_bytes(wire, dial.hello_seconds)
        if start and start.startswith(b"{"):
            conversation = _HostConnection(dial, joined, tell, wire, start)
            stack.pop_all()
            with _closing(conversation.close):
                conversation.play()
            return
        if start and not _may_be_foreign(start):
            shown = single_line(start[:40].decode(errors="replace"))
            raise OperationError(f"{dial.where} speaks no protocol of ours: it said {shown!r}.")
        if start and joined.protocol is None:
            # It took our first message for a sign-up and has answered it.
            tell(f"this host speaks {joined.foreign_player()[0].protocol.title}")
            stack.pop_all()
            _play_foreign(dial.where, wire, joined, tell, start)
            return
    what = {None: "said nothing", b"": "closed the connection without a word"}.get(
        start, "answered in another protocol"
    )
    if joined.protocol == OURS:
        names = dict.fromkeys(each.name for each in foreign_protocols())
        hints = "".join(f"; for a {name} server there is --protocol {name}" for name in names)
        raise OperationError(f"{dial.where} {what}{hints}.")
    try:
        found, _ = joined.foreign_player()
    except UsageError:
        hints = "".join(
            f"; and for {title}, which knows {games} alone, {joined.spec!r} is no player"
            for title, games in games_of(foreign_protocols()).items()
        )
        raise OperationError(f"{dial.where} {what}{hints}.") from None
    tell(f"this host {what}; trying {found.protocol.title}")
    _play_foreign(dial.where, dial.connect(tell), joined, tell)


def _first_bytes(wire: socket.socket, seconds: float) -> bytes | None:
    """What a host says first; empty: it has closed the connection; None: nothing."""
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
    """Return whether this may come from a server with a foreign protocol; web servers and the like send no JSON."""
    reader = FrameReader(may_greet=True)
    reader.feed(start)
    try:
        # More than one value may have come, and the last may be cut off.
        while not isinstance(reader.take(), Incomplete):
            pass
    except FrameError:
        return False
    return True


@contextlib.contextmanager
def _players_doing() -> Iterator[None]:
    """Whatever a player raises is told in words, as its own fault."""
    try:
        yield
    except OperationError:
        raise
    except (Exception, SystemExit) as error:
        forfeit = forfeit_for(error)
        did = "broke a rule" if forfeit.reason == "illegal" else "gave up"
        raise OperationError(f"the player {did}: {forfeit.message}.") from None


@contextlib.contextmanager
def _closing(close: Callable[[], None]) -> Iterator[None]:
    """Close a player at the end; what goes wrong then is told if nothing did before."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OperationError), _players_doing():
            close()
        raise
    with _players_doing():
        close()


def _signed_up(game: str, where: str) -> str:
    return f"signed up for {game} at {where}; waiting for a game"


# Our own protocol.


class _HostConnection:
    """With one host, over as many connections as it takes."""

    def __init__(
        self, dial: ConnectOptions, joined: JoinOptions, tell: Callable[[str], None], wire: socket.socket, start: bytes
    ) -> None:
        self._dial = dial
        self._joined = joined
        self._tell = tell
        self._wire = wire
        self._buffer = bytearray()
        self._waiting: deque[bytes] = deque()
        """Messages that have come and not been heard."""
        self._guest: PlayerEnd | None = None
        self._is_let_in = False
        """Whether the host has said hello over this connection."""
        self._has_played = False
        self._game: _Game | None = None
        """The one that is played."""
        self._token: str | None = None
        self._heard = 0
        """Messages of the host, its hellos apart."""
        self._returns = 0
        """How often in a row we came back and heard nothing but a hello."""
        self._last_answer: tuple[int, bytes] | None = None
        """To which question, and what; it may have got lost on the way."""
        self._take(start)

    def play(self) -> None:
        """Until the host says goodbye, or the player leaves.  Who is interrupted does not keep the others waiting."""
        try:
            self._play()
        except KeyboardInterrupt:
            self._leave()
            raise

    def _play(self) -> None:
        while self._guest is None or self._guest.farewell is None:
            try:
                for line in self._lines():
                    reply = self._hear(line)
                    if reply:
                        # Whoever has hung up may have said why before.
                        with contextlib.suppress(OSError):
                            self._wire.sendall(reply)
                    if self._guest and (self._guest.farewell is not None or self._guest.has_left):
                        return
            except OSError:
                pass
            self._return()

    def _leave(self) -> None:
        if self._guest:
            self._tell("interrupted: leaving")
            with contextlib.suppress(OSError):
                self._wire.settimeout(_LEAVING_SECONDS)
                self._wire.sendall(to_line({"type": "failed", "reason": "left", "message": "left the table"}))

    def close(self) -> None:
        self._wire.close()
        if self._guest:
            self._guest.close()

    def _lines(self) -> Iterator[bytes]:
        """The host's messages, until the connection ends."""
        while self._waiting or self._read():
            while self._waiting:
                yield self._waiting.popleft()

    def _read(self) -> bool:
        """Wait for more; whether there is any."""
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

    def _hear(self, line: bytes) -> bytes | None:
        message = _message(line)
        type_ = message.get("type")
        if type_ == "hello":
            self._is_let_in = True
            return self._greet(line, message)
        self._heard += 1
        self._returns = 0
        if self._guest is None or not self._is_let_in:
            why = single_line(str(message.get("reason", "it did not say hello")))
            raise OperationError(f"the host does not let us {'in' if self._guest is None else 'back in'}: {why}.")
        if type_ == "request":
            return self._answer(line, message)
        if type_ == "bye" and (self._game or not self._has_played):
            when = "in the middle of a game" if self._game else "before a game began"
            raise OperationError(f"the host said goodbye {when}: {single_line(str(message.get('reason', '')))}.")
        reply = self._guest.hear(line)
        self._note_news(line, message)
        return reply

    def _greet(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        self._token = _field(line, message, "token", str | None)
        if self._guest is not None:
            self._heard = _field(line, message, "resumed", Annotated[int, msgspec.Meta(ge=0)], self._heard)
            return None
        kind = registry.game_kind(str(message.get("game")))
        try:
            named = self._joined.player(kind.name)
        except UsageError as error:
            raise UsageError(f"{kind.name} is played at {self._dial.where}: {error}") from None
        self._guest = PlayerEnd(lambda game: named.make(), self._joined.name or named.label)
        reply = self._guest.hear(line)
        self._tell(_signed_up(kind.name, self._dial.where))
        return reply

    def _answer(self, line: bytes, message: dict[str, Any]) -> bytes | None:
        """Nobody is asked the same question twice: the answer is merely sent again."""
        assert self._guest is not None
        serial = message.get("id")
        if self._last_answer and self._last_answer[0] == serial:
            return self._last_answer[1]
        try:
            reply = self._let_answer(line)
        except PromptCancelled:
            return None
        if reply and isinstance(serial, int):
            self._last_answer = serial, reply
        return reply

    def _let_answer(self, line: bytes) -> bytes | None:
        assert self._guest is not None
        if not self._guest.is_human:
            return self._guest.hear(line)
        with keyboard().watching(self._wire.fileno(), self._look):
            self._tell_meanwhile()
            return self._guest.hear(line)

    def _look(self) -> None:
        """Something comes while a person thinks.  Raises PromptCancelled."""
        try:
            is_connected = self._read()
        except OSError:
            is_connected = False
        if not is_connected:
            # The question comes again when we are back.
            raise PromptCancelled
        self._tell_meanwhile()

    def _tell_meanwhile(self) -> None:
        """A person sees events while it thinks.  Anything else means that its answer is not waited for any more."""
        while self._waiting:
            if _message(self._waiting[0]).get("type") != "event":
                self._tell("the host does not wait for this answer any more")
                raise PromptCancelled
            self._hear(self._waiting.popleft())

    def _return(self) -> None:
        """The connection is lost: try to get back to our seat."""
        self._wire.close()
        self._buffer.clear()
        self._waiting.clear()
        self._is_let_in = False
        if self._token is None:
            raise OperationError("the host has closed the connection without a word.")
        self._returns += 1
        if self._returns > self._dial.attempts:
            raise OperationError(f"the host has closed the connection {self._returns} times in a row without a word.")
        self._tell("the connection is lost; trying to come back")
        time.sleep(self._dial.pause_seconds)
        self._wire = self._dial.connect(self._tell)
        with contextlib.suppress(OSError):
            hello = {"type": "hello", "protocol": PROTOCOL, "token": self._token, "heard": self._heard}
            self._wire.sendall(to_line(hello))

    def _note_news(self, line: bytes, message: dict[str, Any]) -> None:
        """What the owner of the player wants to know."""
        match message:
            case {"type": "game", "seat": int(seat), "names": [*names]}:
                self._has_played = True
                self._game = _Game(Seat(seat), single_line(names[seat]), len(names))
                self._tell(f"a game begins: {self._game.name} is seat {seat + 1} of {len(names)}")
            case {"type": "notice", "notice": "thrown_out", "forfeit": {"message": str(why)}}:
                self._tell_out(why)
            case {"type": "result"}:
                self._tell_result(_field(line, message, "outcome", Outcome))
            case {"type": "bye", "reason": str(why)}:
                self._tell(f"the host says goodbye: {single_line(why)}")

    def _tell_out(self, why: str) -> None:
        """Once in a game, as soon as it is known."""
        if self._game and not self._game.is_out:
            self._game.is_out = True
            self._tell(f"thrown out: {single_line(why)}")

    def _tell_result(self, outcome: Outcome) -> None:
        assert self._guest is not None
        if self._guest.mishap:
            self._tell(f"the player failed, too late to matter: {self._guest.mishap.message}")
        # A person has seen it all.
        if self._game and not self._guest.is_human:
            for thrown in outcome.thrown_out:
                if thrown.seat == self._game.seat:
                    self._tell_out(thrown.forfeit.message)
            self._tell(self._game.in_words(outcome))
        self._game = None


@dataclass
class _Game:
    """A game that our player is in, as its owner sees it."""

    seat: Seat
    name: str
    players: int
    is_out: bool = False

    def in_words(self, outcome: Outcome) -> str:
        """How it ended for our player."""
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
        raise OperationError(f"the host sent what is not of the protocol: {error}.") from None


def _field(line: bytes, message: dict[str, Any], name: str, shape: Any, default: Any = None) -> Any:
    """A field of a message of the host; `default` where it is left out."""
    try:
        return msgspec.convert(message.get(name, default), shape)
    except msgspec.ValidationError as error:
        shown = line[:80].decode(errors="replace").strip()
        raise OperationError(f"the host sent what is not of the protocol: {shown!r} ({name}: {error}).") from None


# Foreign protocols.


def _play_foreign(
    where: str, wire: socket.socket, joined: JoinOptions, tell: Callable[[str], None], start: bytes | None = None
) -> None:
    """Play one game; `start` is what the server answered if we have signed up already."""
    with wire:
        found, named = joined.foreign_player()
        dialect = joined.dialect or next(iter(found.protocol.dialects))
        end = found.protocol.client_end(joined.name or named.label, dialect)
        player = named.make()
        with _closing(player.close):
            if start is None:
                wire.sendall(end.sign_up())
            else:
                end.reader.feed(start)
            with _players_doing():
                player.on_seated(SeatAssignment(end.seat, end.names, end.rules))
            _ForeignGame(where, wire, found, end, player, tell).play()


class _ForeignGame:
    def __init__(
        self,
        where: str,
        wire: socket.socket,
        found: GameProtocol,
        end: ClientEnd[Any, Any],
        player: Player,
        tell: Callable[[str], None],
    ) -> None:
        self._where = where
        self._wire = wire
        self._found = found
        self._end = end
        self._player = player
        self._tell = tell

    def play(self) -> None:
        is_welcome = has_begun = has_result = False
        while True:
            try:
                news = self._end.take()
            except StreamEnded:
                if not has_begun:
                    raise OperationError("the server has closed the connection before the game began.") from None
                # That is how games end here, and also how players are thrown out.
                untold = "" if has_result else f"; {self._found.protocol.title} tells no result"
                self._tell(f"the server has closed the connection: the game is over{untold}")
                return
            if self._end.is_welcome and not is_welcome:
                is_welcome = True
                self._tell(_signed_up(self._found.kind.name, self._where))
            if news is None:
                self._read()
                continue
            if not has_begun:
                has_begun = True
                self._tell("a game begins")
            if isinstance(news, AnnouncedRanking):
                has_result = True
                for rank, identity, score in news.rows:
                    self._tell(f"{rank} player id: {identity} score: {score}")
            elif isinstance(news, Notice):
                with _players_doing():
                    self._player.on_notice(news)
            else:
                with contextlib.suppress(OSError, PromptCancelled):
                    self._wire.sendall(self._decide(news))

    def _decide(self, request: Request[Any]) -> bytes:
        with _players_doing(), keyboard().watching(self._wire.fileno(), self._look):
            return self._end.reply(request, self._player.answer(request))

    def _look(self) -> None:
        """Something comes while a person thinks: the game goes on without it, or is over."""
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
