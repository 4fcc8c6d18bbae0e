"""A host: one port, many tables, players of every protocol.

Players who have signed up wait in a queue.  Each table takes players from there, plays a game and
takes the next players.  The host reads a connection when it asks its player.
"""

from __future__ import annotations

import asyncio
import functools
import traceback
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, cast

import msgspec

from wateringhole import fallbacks
from wateringhole.digests import digest
from wateringhole.errors import NotFound, OperationError, WateringHoleError
from wateringhole.facets import ServerEnd, Summary
from wateringhole.formatting import pluralize
from wateringhole.game import AnyKind, Forfeit, Outcome, Seat
from wateringhole.house.admission import Admission, BanList
from wateringhole.house.limits import HouseLimits
from wateringhole.house.local import BotPool
from wateringhole.house.names import clean_name, distinct_names
from wateringhole.house.plans import TablePlan, TableSeat, TokenDigest
from wateringhole.house.queue import SignUpQueue
from wateringhole.house.remote import ForeignPlayer, JsonPlayer, LostPlayer, RemotePlayer
from wateringhole.house.runs import RunOptions, SavedRun, open_run
from wateringhole.house.sign_up import NO_SEAT_KEPT, SignUp
from wateringhole.house.tables import SeatedPlayer, Table
from wateringhole.house.transports.connection import Connection
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Port
from wateringhole.house.writer import TableWriter
from wateringhole.match.match import RefereeSettings
from wateringhole.match.series import EventCounter, PlayedGame
from wateringhole.match.specs import PlayerSpec
from wateringhole.protocol.foreign import foreign_protocols, games_of
from wateringhole.protocol.messages import Hello
from wateringhole.seeds import Seed, game_seed

if TYPE_CHECKING:
    from wateringhole.house.store import TableStore

__all__ = ["NO_MORE_GAMES", "HostedGame", "HouseServer", "RecurringPlan", "open_saved_run"]

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


def open_saved_run(plan: RecurringPlan, store: TableStore, *, has_seed: bool) -> tuple[RecurringPlan, SavedRun]:
    """Take over an interrupted run with the options of a plan, or begin one.  Return the plan with the run's seed.

    Raises UsageError if an interrupted run has other options; `has_seed` means that the seed must be the same, too.
    """
    example = plan.kind.deal(plan.seats[0], plan.rules, 0, **plan.choices)
    options = RunOptions(
        game=plan.kind.name,
        rules=msgspec.json.decode(msgspec.json.encode(plan.rules)),
        players=(plan.seats[0], plan.seats[-1]),
        games=plan.games,
        bots=tuple(bot.spec for bot in plan.bots),
        deal=digest(msgspec.json.encode(plan.kind.codec.setup_to_json(example))),
    )
    saved = open_run(store, options, plan.seed if has_seed else None)
    return replace(plan, seed=saved.run.seed), saved


class HouseServer(SignUp[None]):
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
        saved: SavedRun | None = None,
    ) -> None:
        """`log` gets one line for each important event.  With a `saved` run, all games survive a restart."""
        super().__init__(limits or HouseLimits())
        self._plan = plan
        self._saved_rules = msgspec.to_builtins(plan.rules)
        self._admission = admission or Admission()
        self._signed_up: dict[RemotePlayer, str] = {}
        """The players who have signed up, with their addresses, unless everyone may."""
        given = self._limits.reconnect_seconds
        self._reconnect_seconds = RECONNECT_SECONDS if given is None else given
        self._log = log
        least = 1 if plan.bots else plan.seats[0]
        self._queue = SignUpQueue(least, plan.seats[-1], plan.start_delay, self._forget_token)
        self._bot_pool = BotPool(plan.bots)
        self._protocols = fallbacks.protocols(plan.kind)
        self._forming_game = asyncio.Lock()
        self._planned = 0
        """The number of games whose players are chosen."""
        self._begun = 0
        """The number of games that were dealt."""
        self._numbers_used = 0
        self._players: dict[TokenDigest, JsonPlayer] = {}
        """The players who may reconnect, by their tokens."""
        self._restored: dict[JsonPlayer, Table] = {}
        """The tables to which players return after a restart."""
        self._tables: set[Table] = set()
        """The tables with a running game."""
        self._saved = saved
        self._writer = TableWriter(saved.store, log, self._limits) if saved else None
        self._left = plan.games
        """The number of games that are not reported yet."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._finished: asyncio.Queue[tuple[HostedGame, Table] | None] = asyncio.Queue()
        self._port = Port(self, self._limits, log)

    # The interface for the owner of a host

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listen, and return the address and port in use.  Port 0 selects a free port.  Raises OperationError."""
        if _has_web():
            from wateringhole.house.transports.http import Http, join_only_app

            self._port.http = Http(join_only_app(self._port), self._port)
        bound = await self._port.open(address, port)
        tables: list[Table] = []
        if self._saved:
            tables = self._restore(self._saved)
            self._save()
            self._start(self._renew_leases(self._saved.run.run))
        for number in range(max(len(tables), min(self._plan.tables, self._plan.games))):
            self._start(self._run_table(tables[number] if number < len(tables) else None))
        if self._admission.bans:
            self._start(self._enforce_bans(self._admission.bans))
        return bound

    async def games(self) -> AsyncIterator[HostedGame]:
        """Yield every game as it ends, until all have been played."""
        while self._left:
            finished = await self._finished.get()
            if finished is not None:
                game, table = finished
                yield game
                # Only now: a game that was not reported before a restart is reported after it.
                table.save_result(game.played.outcome)
            self._left -= 1

    async def close(self, reason: str = NO_MORE_GAMES) -> None:
        """Disconnect all players, stop listening and release everything.  Players of a saved run may return."""
        self._port.stop_listening()
        me = asyncio.current_task()
        tasks = [task for task in self._tasks if task is not me]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._writer is None or not self._left:
            remaining: list[RemotePlayer] = [*self._queue.clear(), *self._players.values()]
            await asyncio.gather(*(player.disconnect(reason) for player in dict.fromkeys(remaining)))
        await self._port.close()
        if self._writer:
            if self._saved and not self._left:
                self._writer.forget(self._saved.run.run)
            await asyncio.to_thread(self._writer.close)

    # Signing up

    def _places(self) -> Iterable[tuple[AnyKind, Any, None]]:
        return [(self._plan.kind, self._rules, None)]

    @functools.cached_property
    def _rules(self) -> Any:
        """The rules of all games, with what the deal adds to them."""
        plan = self._plan
        return plan.kind.deal(plan.seats[0], plan.rules, plan.seed, **plan.choices).rules

    @functools.cached_property
    def _no_place(self) -> str:
        others = [f"{title} is for {games}" for title, games in games_of(foreign_protocols()).items()]
        return "; ".join([*others, f"{self._plan.kind.name} is played here"])

    async def _admit_foreign(
        self, connection: Connection, end: ServerEnd[Any, Any, Any], protocol: str, place: None
    ) -> str:
        self._check_admission(end.name, connection.address, None)
        player = ForeignPlayer(connection, end, protocol, self._next_number())
        await player.welcome()
        return await self._enqueue(player, connection.address, protocol)

    async def _admit(self, lines: Lines, code: str | None, hello: Hello | None) -> str:
        player = JsonPlayer(self._plan.kind, self._reconnect_seconds, number=self._next_number())
        await player.greet(lines, hello)
        self._check_admission(player.name, lines.address, code or player.hello.code)
        self._remember(player)
        return await self._enqueue(player, lines.address, lines.transport)

    def _check_admission(self, name: str, address: str, code: str | None) -> None:
        """Raise OperationError if a player may not sign up."""
        if self._admission.is_open:
            return
        self._signed_up = {player: at for player, at in self._signed_up.items() if not player.is_lost}
        problem = self._admission.problem(name, address, code, [player.name for player in self._signed_up])
        if problem is not None:
            raise OperationError(problem)

    async def _enforce_bans(self, bans: BanList) -> None:
        """Remove banned players whenever the operator has changed the list."""
        async for _ in bans.changes():
            banned = [player for player, address in self._signed_up.items() if bans.bans(player.name, address)]
            for player in banned:
                del self._signed_up[player]
                if not player.is_lost:
                    self._log(f"{_shown(player.name)} was removed by the operator")
                    await self._disconnect(player, "you were removed by the operator")

    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        player = self._players.get(TokenDigest.of(token))
        if player is None or player.is_lost or self._admission.is_banned(player.name, lines.address):
            raise NotFound(NO_SEAT_KEPT)
        if table := self._restored.get(player):
            await table.wait_until_restored()
        await player.reconnect(lines, token, heard)
        if not self._admission.is_open:
            self._signed_up[player] = lines.address
        self._log(f"{_shown(player.name)} has reconnected from {lines.peer}")
        self._queue.notify_reconnected()
        if self._has_begun_all and player in self._queue.waiting:
            await self._clear_queue()
        return player.name

    def _next_number(self) -> int:
        self._numbers_used += 1
        return self._numbers_used - 1

    async def _enqueue(self, player: RemotePlayer, address: str, how: str) -> str:
        if not self._admission.is_open:
            self._signed_up[player] = address
        self._log(f"{_shown(player.name)} has signed up from {player.peer} ({how})")
        self._queue.sign_up(player)
        self._save()
        if self._has_begun_all:
            await self._clear_queue()
        return player.name

    # Saving

    def _restore(self, saved: SavedRun) -> list[Table]:
        """Restore the games and the players of an interrupted run.  Return its tables."""
        run = saved.run
        plans = [(msgspec.convert(each.plan, TablePlan), each) for each in saved.tables]
        self._planned = self._begun = max([run.begun, *(plan.number + 1 for plan, _ in plans)])
        self._left = self._plan.games - self._begun + len(plans)
        self._numbers_used = max([run.signed_up, *(seat.number + 1 for plan, _ in plans for seat in plan.seats)])
        tables = [self._table(plan, id=each.id, created=each.created, record=each.record) for plan, each in plans]
        over = [table for table in tables if table.was_over]
        # A player who was saved at several places is at a running game, or else in the queue.
        for table in tables:
            if table not in over:
                self._expect_players(table)
        for seat in run.waiting:
            if seat.token not in self._players:
                player = JsonPlayer(self._plan.kind, self._reconnect_seconds, seat)
                self._expect(player)
                self._queue.sign_up(player)
        for table in over:
            self._expect_players(table)
        if run.begun:
            self._log(f"continuing after {pluralize(self._plan.games - self._left, 'game')} of {self._plan.games}")
        return tables

    def _expect_players(self, table: Table) -> None:
        """Let the players of an interrupted game return to it, unless they are elsewhere."""
        for seat, player in table.remotes.items():
            if isinstance(player, JsonPlayer) and player.digest in self._players:
                table.remotes[seat] = LostPlayer(table.plan.seats[seat])
            elif isinstance(player, JsonPlayer):
                self._expect(player)
                self._restored[player] = table

    def _expect(self, player: JsonPlayer) -> None:
        """Let a player return after a restart.  Until then, no other player may use its name if names are checked."""
        self._remember(player)
        if not self._admission.is_open:
            self._signed_up[player] = player.peer

    def _save(self) -> None:
        """Save the run, but not its tables."""
        if self._saved is None or self._writer is None:
            return
        run = self._saved.run
        run.begun, run.signed_up, run.waiting = self._begun, self._numbers_used, []
        # After a restart, the players of a game without a deal are in the queue again, in front.
        chosen = [player for table in self._tables if not table.has_begun for player in table.remotes.values()]
        for player in (*chosen, *self._queue.waiting):
            seat = TableSeat("person", player.name)
            player.save_to(seat)
            if seat.token is not None:
                run.waiting.append(seat)
        self._writer.save(run.run, run.created, run)

    async def _renew_leases(self, run: str) -> None:
        from wateringhole.tournaments.store import LEASE_SECONDS

        assert self._writer is not None
        while True:
            self._writer.renew([run, *(table.id for table in self._tables)])
            await asyncio.sleep(LEASE_SECONDS / 4)

    # Tables

    async def _run_table(self, table: Table | None) -> None:
        """Play game after game at one table, first an interrupted one if there is any."""
        while True:
            if table is None:
                async with self._forming_game:
                    if self._has_begun_all:
                        return
                    table = self._new_table(await self._queue.next_players())
                    if self._has_begun_all:
                        self._start(self._clear_queue())
            finished = None
            self._tables.add(table)
            try:
                finished = await self._play(table), table
            except Exception as error:
                # A bug of the host must not end the other tables.
                known = isinstance(error, WateringHoleError)
                what = f"game {table.plan.number + 1} failed" if table.has_begun else "a game could not begin"
                self._log(f"{what}: {error if known else traceback.format_exc()}")
                table.forget()
                for player in table.remotes.values():
                    await self._disconnect(player, "the game was stopped by an error")
            finally:
                self._tables.discard(table)
                self._restored = {player: at for player, at in self._restored.items() if at is not table}
            self._finished.put_nowait(finished)
            table = None

    def _new_table(self, players: Sequence[RemotePlayer]) -> Table:
        """Return the table of the next game, without its bots, number and seed."""
        plan = TablePlan(
            game=self._plan.kind.name,
            profile="",
            rules=self._saved_rules,
            seed=0,
            public=self._admission.code is None,
            seats=[],
            run=self._saved.run.run if self._saved else None,
        )
        self._planned += 1
        table = self._table(plan)
        for seat, player in enumerate(players):
            plan.seats.append(TableSeat("person", clean_name(player.name, f"player {seat + 1}")))
            player.save_to(plan.seats[seat])
            table.remotes[seat] = player
        return table

    def _table(self, plan: TablePlan, **saved: Any) -> Table:
        return Table(
            self._plan.kind,
            plan,
            self._writer,
            referee=self._plan.referee,
            reconnect_seconds=self._reconnect_seconds,
            choices=self._plan.choices,
            log=self._log,
            keeps_record=self._plan.keeps_records,
            **saved,
        )

    async def _play(self, table: Table) -> HostedGame:
        plan, seats = self._plan, table.plan.seats
        remotes = list(table.remotes.values())
        summary = fallbacks.summary(plan.kind)
        counter = EventCounter(plan.kind)
        async with self._bot_pool.bots(plan.seats[0], len(remotes)) as bots:
            if table.saved_game is None:
                table.plan.number, table.plan.seed = self._begun, game_seed(plan.seed, self._begun)
                self._begun += 1
                # A bot of the house is a new player in every game.
                for bot in bots:
                    name = clean_name(bot.label, f"player {len(seats) + 1}")
                    seats.append(TableSeat("bot", name, number=self._next_number()))
            table.deal(self._identities, [seat.number for seat in seats])
            if table.saved_game is None:
                table.save_start()
                self._save()
            number = table.plan.number
            does = "begins" if table.saved_game is None else "continues"
            self._log(f"game {number + 1} {does}: {', '.join(map(_shown, table.names))}")
            if table.commitment:
                self._log(f"game {number + 1}: the deal is committed to {table.commitment.digest}")
            players = [SeatedPlayer(each, each.wants_events, each.is_human) for each in remotes]
            players += [SeatedPlayer(bot.player, bot.wants_events, bot.is_human) for bot in bots]
            match = await table.play(players, [summary.see, counter])
        outcome = cast(Outcome, match.outcome)
        self._log(f"game {number + 1} is over: {outcome.reason}")
        forfeits = {thrown.seat: thrown.forfeit for thrown in outcome.thrown_out}
        for seat, forfeit in forfeits.items():
            self._log(f"game {number + 1}: {_shown(table.names[seat])} was thrown out: {forfeit.message}")
        nonce = table.commitment.nonce if table.commitment else None
        if nonce:
            self._log(f"game {number + 1}: the nonce of the deal is {nonce}")
        await asyncio.gather(*(player.send_result(outcome, nonce) for player in remotes))
        await self._after_game(remotes, forfeits)
        played = PlayedGame.from_match(
            match,
            counter,
            table.recorder if plan.keeps_records else None,
            seed=table.plan.seed,
            entrants=tuple(range(len(players))),
            commitment=table.commitment,
            choices=plan.choices,
        )
        return HostedGame(number, table.names, played, summary)

    def _identities(self, names: Sequence[str], setup: Any) -> Sequence[str]:
        """Return the players' names, made distinct.  A foreign protocol may have its own way."""
        for protocol in self._protocols.values():
            return tuple(protocol.identities(names, setup))
        return distinct_names(names)

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
        self._save()

    @property
    def _has_begun_all(self) -> bool:
        """True if the players of the last game are chosen, so that no other one can play."""
        return self._planned == self._plan.games

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

    def _remember(self, player: JsonPlayer) -> None:
        """Let a player reconnect with its token."""
        assert player.digest is not None, "a player who has signed up has a token"
        self._players[player.digest] = player

    def _forget_token(self, player: RemotePlayer) -> None:
        """Forget the token of a player who may no longer reconnect."""
        if isinstance(player, JsonPlayer) and player.digest is not None:
            self._players.pop(player.digest, None)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _has_web() -> bool:
    """Return whether the packages for HTTP and WebSocket are installed."""
    return all(find_spec(name) for name in ("starlette", "uvicorn", "websockets"))


def _shown(name: str) -> str:
    return repr(clean_name(name, ""))
