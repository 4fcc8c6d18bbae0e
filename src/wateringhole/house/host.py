"""A host: one port, many tables, players of every protocol.

Players who have signed up wait in a queue.  Each table takes players from there, plays a game and
takes the next players.  The host reads a connection when it asks its player.
"""

from __future__ import annotations

import asyncio
import functools
import secrets
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from wateringhole import fallbacks
from wateringhole.errors import WateringHoleError
from wateringhole.facets import Summary
from wateringhole.game import AnyKind, Forfeit, Seat
from wateringhole.house.admission import BAN_SECONDS, Admission, BanList
from wateringhole.house.limits import HouseLimits
from wateringhole.house.local import BotPool, LocalPlayer
from wateringhole.house.names import clean_name, distinct_names
from wateringhole.house.queue import SignUpQueue
from wateringhole.house.remote import ForeignPlayer, JsonPlayer, RemotePlayer
from wateringhole.house.transports.connection import Connection, feed
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Port, Refused
from wateringhole.match.commitments import commit, dealt_text
from wateringhole.match.loops import AsyncPlayer, play_async
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder
from wateringhole.match.series import EventCounter, PlayedGame
from wateringhole.match.specs import PlayerSpec
from wateringhole.protocol.foreign import foreign_protocols, games_of
from wateringhole.protocol.frames import SETTLE_SECONDS, FrameReader, Incomplete
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.messages import Unreadable
from wateringhole.seeds import Seed, derived_seed, game_seed

__all__ = ["NO_MORE_GAMES", "HostedGame", "HouseServer", "RecurringPlan"]

NO_MORE_GAMES = "the host has no more games"
RECONNECT_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class RecurringPlan:
    """The games that a host's tables play."""

    kind: AnyKind
    rules: Any
    seats: range
    """Possible numbers of players at a table."""
    games: int = 1
    """The total number of games."""
    tables: int = 1
    """The number of tables that play at the same time."""
    seed: Seed = 0
    start_delay: float = 10.0
    """A table that is not full starts after this many seconds without a new player."""
    referee: RefereeSettings = field(default_factory=lambda: RefereeSettings(time_limit=10.0, human_time_limit=300.0))
    bots: Sequence[PlayerSpec] = ()
    """Bots for empty seats, used in this order and then again from the first."""
    choices: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the game's `deal`."""
    keeps_records: bool = False


@dataclass(frozen=True)
class HostedGame:
    """One finished game."""

    number: int
    """Number in the order of the starts, from 0."""
    names: tuple[str, ...]
    """Distinct names, by seat."""
    played: PlayedGame
    summary: Summary


class HouseServer:
    """A server that accepts players, seats them and runs their games.

    ::

        host = HouseServer(plan)
        await host.open("127.0.0.1", 0)
        try:
            async for game in host.games():
                ...
        finally:
            await host.close()
    """

    def __init__(
        self,
        plan: RecurringPlan,
        limits: HouseLimits | None = None,
        log: Callable[[str], None] = print,
        admission: Admission | None = None,
    ) -> None:
        """`log` gets one line for each important event."""
        self._plan = plan
        self._admission = admission or Admission()
        self._signed_up: dict[RemotePlayer, str] = {}
        """The players who have signed up, with their addresses, unless everyone may."""
        self._limits = limits or HouseLimits()
        given = self._limits.reconnect_seconds
        self._reconnect_seconds = RECONNECT_SECONDS if given is None else given
        self._log = log
        least = 1 if plan.bots else plan.seats[0]
        self._queue = SignUpQueue(least, plan.seats[-1], plan.start_delay, self._forget_token)
        self._bot_pool = BotPool(plan.bots)
        self._protocols = fallbacks.protocols(plan.kind)
        self._forming_game = asyncio.Lock()
        self._begun = 0
        self._numbers_used = 0
        self._tokens: dict[str, JsonPlayer] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[HostedGame | None] = asyncio.Queue()
        self._port = Port(self, self._limits, log)

    # The interface for the owner of a host

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listen, and return the address and port in use.  Port 0 selects a free port.  Raises OperationError."""
        if _has_web():
            from wateringhole.house.transports.http import Http, join_only_app

            self._port.http = Http(join_only_app(self._port), self._port)
        bound = await self._port.open(address, port)
        for _ in range(min(self._plan.tables, self._plan.games)):
            self._start(self._run_table())
        if self._admission.bans:
            self._start(self._enforce_bans(self._admission.bans))
        return bound

    async def games(self) -> AsyncIterator[HostedGame]:
        """Yield every game as it ends, until all have been played."""
        for _ in range(self._plan.games):
            game = await self._finished.get()
            if game is not None:
                yield game

    async def close(self, reason: str = NO_MORE_GAMES) -> None:
        """Disconnect all players, stop listening and release everything."""
        self._port.stop_listening()
        me = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not me]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        remaining: list[RemotePlayer] = [*self._queue.clear(), *self._tokens.values()]
        await asyncio.gather(*(player.disconnect(reason) for player in dict.fromkeys(remaining)))
        await self._port.close()

    # Signing up

    async def sign_up_foreign(self, connection: Connection) -> str:
        reader = FrameReader(most_bytes=self._limits.value_bytes, may_greet=True)
        while isinstance(value := reader.take(), Incomplete):
            await feed(connection, reader, SETTLE_SECONDS)
        if not self._protocols:
            raise Refused(self._no_foreign_protocol)
        refusals = []
        for protocol in self._protocols.values():
            try:
                end = protocol.server_end(reader, value)
            except ValueError as error:
                refusals.append(str(error))
                continue
            reason = protocol.refuses(self._rules)
            if reason:
                raise Refused(f"{protocol.title} does not support these rules: {reason}")
            self._check_admission(end.name, connection.address, None)
            player = ForeignPlayer(connection, end, protocol.title, self._next_number())
            await player.welcome()
            await self._admit(player, connection.address, protocol.title)
            return player.name
        raise Refused("; ".join(refusals))

    @functools.cached_property
    def _rules(self) -> Any:
        """The rules of all games, with what the deal adds to them."""
        plan = self._plan
        return plan.kind.deal(plan.seats[0], plan.rules, plan.seed, **plan.choices).rules

    @functools.cached_property
    def _no_foreign_protocol(self) -> str:
        """Reason for refusing every protocol except JSON, if the game has no foreign one."""
        others = [f"{title} is for {games}" for title, games in games_of(foreign_protocols()).items()]
        return "; ".join([*others, f"{self._plan.kind.name} is played here"])

    async def sign_up(self, lines: Lines) -> str:
        kind = self._plan.kind
        host_end = HostEnd(kind)
        try:
            line = await lines.receive()
            hello = None if host_end.is_knock(line) else host_end.read_hello(line)
            if hello and hello.token is not None:
                return await self._reconnect(lines, hello.token, hello.heard)
            player = JsonPlayer(kind, self._reconnect_seconds, number=self._next_number())
            await player.greet(lines, secrets.token_urlsafe(24), hello)
            self._check_admission(player.name, lines.address, player.hello.code)
        except (Unreadable, Refused) as error:
            raise Refused(str(error), host_end.bye(str(error))) from None
        self._tokens[player.token] = player
        await self._admit(player, lines.address, lines.transport)
        return player.name

    def _check_admission(self, name: str, address: str, code: str | None) -> None:
        """Raise Refused if a player may not sign up."""
        if self._admission.is_open:
            return
        self._signed_up = {player: at for player, at in self._signed_up.items() if not player.is_lost}
        problem = self._admission.problem(name, address, code, [player.name for player in self._signed_up])
        if problem is not None:
            raise Refused(problem)

    async def _enforce_bans(self, bans: BanList) -> None:
        """Remove banned players whenever the operator has changed the list."""
        while True:
            await asyncio.sleep(BAN_SECONDS)
            if not bans.has_changed():
                continue
            banned = [player for player, address in self._signed_up.items() if bans.bans(player.name, address)]
            for player in banned:
                del self._signed_up[player]
                if not player.is_lost:
                    self._log(f"{_shown(player.name)} was removed by the operator")
                    await self._disconnect(player, "you were removed by the operator")

    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        player = self._tokens.get(token)
        if player is None or player.is_lost or self._admission.is_banned(player.name, lines.address):
            raise Unreadable("no seat is kept for this token; sign up again without it")
        await player.reconnect(lines, token, heard)
        self._log(f"{_shown(player.name)} has reconnected from {lines.peer}")
        self._queue.notify_reconnected()
        return player.name

    def _next_number(self) -> int:
        self._numbers_used += 1
        return self._numbers_used - 1

    async def _admit(self, player: RemotePlayer, address: str, how: str) -> None:
        if not self._admission.is_open:
            self._signed_up[player] = address
        self._log(f"{_shown(player.name)} has signed up from {player.peer} ({how})")
        self._queue.sign_up(player)
        if self._has_begun_all:
            await self._clear_queue()

    # Tables

    async def _run_table(self) -> None:
        """Play game after game at one table."""
        while True:
            async with self._forming_game:
                if self._has_begun_all:
                    return
                connected = await self._queue.next_players()
                number = self._begun
                self._begun += 1
                if self._has_begun_all:
                    self._start(self._clear_queue())
            game = None
            try:
                game = await self._play(number, connected)
            except Exception as error:
                # A bug of the host must not end the other tables.
                known = isinstance(error, WateringHoleError)
                self._log(f"game {number + 1} failed: {error if known else traceback.format_exc()}")
                for player in connected:
                    await self._disconnect(player, "the game was stopped by an error")
            self._finished.put_nowait(game)

    async def _play(self, number: int, connected: Sequence[RemotePlayer]) -> HostedGame:
        plan = self._plan
        async with self._bot_pool.bots(plan.seats[0], len(connected)) as bots:
            players: list[AsyncPlayer] = [*connected, *(bot.player for bot in bots)]
            seated: list[RemotePlayer | LocalPlayer] = [*connected, *bots]
            seed = game_seed(plan.seed, number)
            setup = plan.kind.deal(len(players), plan.rules, seed, **plan.choices)
            names = self._names(setup, [*(player.name for player in connected), *(bot.label for bot in bots)])
            # A bot of the house is a new player in every game.
            numbers = [*(player.number for player in connected), *(self._next_number() for _ in bots)]
            setup = plan.kind.next_setup(setup, list(zip(numbers, names, strict=True)), None)
            (commitment,) = commit([dealt_text(plan.kind, setup)], [derived_seed(seed, "nonce")])
            recorder = Recorder(plan.kind, setup, names, commitment=commitment) if plan.keeps_records else None
            summary = fallbacks.summary(plan.kind)
            counter = EventCounter(plan.kind)
            match = Match(
                plan.kind,
                setup,
                names,
                referee=plan.referee,
                recorder=recorder,
                observers=[summary.see, counter],
                event_seats=[Seat(seat) for seat, player in enumerate(seated) if player.wants_events],
                humans=[Seat(seat) for seat, player in enumerate(seated) if player.is_human],
                commitment=commitment,
            )
            self._log(f"game {number + 1} begins: {', '.join(map(_shown, names))}")
            if commitment:
                self._log(f"game {number + 1}: the deal is committed to {commitment.digest}")
            await play_async(match, players)
        assert match.outcome is not None, "a match without calls is over"
        self._log(f"game {number + 1} is over: {match.outcome.reason}")
        forfeits = {thrown.seat: thrown.forfeit for thrown in match.outcome.thrown_out}
        for seat, forfeit in forfeits.items():
            self._log(f"game {number + 1}: {_shown(names[seat])} was thrown out: {forfeit.message}")
        nonce = commitment.nonce if commitment else None
        if nonce:
            self._log(f"game {number + 1}: the nonce of the deal is {nonce}")
        await asyncio.gather(*(player.send_result(match.outcome, nonce) for player in connected))
        await self._after_game(connected, forfeits)
        played = PlayedGame.from_match(
            match,
            counter,
            recorder,
            seed=seed,
            entrants=tuple(range(len(players))),
            commitment=commitment,
            choices=plan.choices,
        )
        return HostedGame(number, names, played, summary)

    def _names(self, setup: Any, names: Sequence[str]) -> tuple[str, ...]:
        """Return the players' names, made distinct.  A foreign protocol may have its own way."""
        cleaned = [clean_name(name, f"player {seat + 1}") for seat, name in enumerate(names)]
        for protocol in self._protocols.values():
            return tuple(protocol.identities(cleaned, setup))
        return distinct_names(cleaned)

    async def _after_game(self, players: Sequence[RemotePlayer], forfeits: Mapping[Seat, Forfeit]) -> None:
        """Put the players who may continue back into the queue, and disconnect the others."""
        stay = []
        for seat, player in enumerate(players):
            reason = player.exclusion_reason(forfeits.get(Seat(seat)))
            if reason is None and not self._has_begun_all:
                stay.append(player)
            else:
                await self._disconnect(player, reason or NO_MORE_GAMES)
        self._queue.requeue(stay)

    @property
    def _has_begun_all(self) -> bool:
        """True if no more games will begin."""
        return self._begun == self._plan.games

    async def _clear_queue(self) -> None:
        """Disconnect the waiting players at once when the last games have begun."""
        waiting = self._queue.clear()
        for player in waiting:
            if player.is_connected:
                self._log(f"{_shown(player.name)} was disconnected: {NO_MORE_GAMES}")
        await asyncio.gather(*(self._disconnect(player, NO_MORE_GAMES) for player in waiting))

    async def _disconnect(self, player: RemotePlayer, reason: str) -> None:
        self._forget_token(player)
        await player.disconnect(reason)

    def _forget_token(self, player: RemotePlayer) -> None:
        """Forget the token of a player who may no longer reconnect."""
        if isinstance(player, JsonPlayer):
            self._tokens.pop(player.token, None)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _has_web() -> bool:
    """Return whether the packages for HTTP and WebSocket are installed."""
    return all(find_spec(name) for name in ("starlette", "uvicorn", "websockets"))


def _shown(name: str) -> str:
    return repr(clean_name(name, ""))
