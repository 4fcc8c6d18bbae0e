"""A tournament of the house, which is played at its tables.

::

    OPEN ──start──► RUNNING ──► OVER
      │               │  ▲
      │             error continue
      │               ▼  │
      │            INTERRUPTED
      └──cancel──► CANCELLED ◄──cancel (running, interrupted)

`tournaments` does everything that does not concern tables: plans, results, withdrawals, ratings and the store.  So
the games, standings and records of such a tournament are those of any other.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import threading
import time
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wateringhole import registry
from wateringhole.digests import digest
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.formatting import sentence
from wateringhole.house.admission import BanList
from wateringhole.house.names import clean_name, distinct
from wateringhole.house.people import SOMEONE, Person, PlayedSeat
from wateringhole.house.plans import TablePlan, TableSeat, TokenDigest, TournamentGame
from wateringhole.house.remote import JsonPlayer
from wateringhole.house.table_pool import TablePool
from wateringhole.house.tournament_plans import MOST_ENTRANTS, TournamentPlan, check_open, settings_of
from wateringhole.house.tournament_tables import TournamentTable
from wateringhole.house.transports.lines import Lines
from wateringhole.house.writer import FinishedGame
from wateringhole.match.renaming import with_name
from wateringhole.match.series import PlayedGame
from wateringhole.tournaments.jobs import deal_seeds, nonces, players_seed
from wateringhole.tournaments.results import GameResult, PackedGame, result_of
from wateringhole.tournaments.retries import Retries
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.tournament import Tournament, games_in_all
from wateringhole.tournaments.withdrawals import withdrawal

if TYPE_CHECKING:
    from wateringhole.house.lobby import Lobby

__all__ = ["PageTournament"]

MOST_TABLES = 4
"""Tables of one tournament at which games are played at the same time."""
STORE_SECONDS = 30.0
"""How long to try again if the store is unavailable, before the tournament is interrupted."""
RECENT_GAMES = 8
"""Finished games that the page lists."""


class PageTournament:
    """A tournament of the house.  Call its methods from the event loop only."""

    def __init__(self, lobby: Lobby, id: str, created: float, plan: TournamentPlan) -> None:
        self.id = id
        """It is in the address of the tournament, and it is the code with which programs join."""
        self.created = created
        self.plan = plan
        self.kind = registry.game_kind(plan.game)
        self.played = 0
        """The number of games that count."""
        self.recent: deque[GameResult] = deque(maxlen=RECENT_GAMES)
        """The last finished games, the newest first."""
        self._lobby = lobby
        self._store = lobby.store.with_own_leases()
        self._settings: Settings | None = None
        """Everything that determines the games, once the tournament has started."""
        self._programs: dict[int, JsonPlayer] = {}
        """The programs that have joined, by entrant."""
        self._tables: dict[int, TournamentTable] = {}
        """The tables whose games are not taken over yet, by series."""
        self._finished: dict[int, TournamentTable] = {}
        """The tables whose games are not committed yet, by series."""
        self._table_free = asyncio.Event()
        self._is_stopping = False
        self._changing_state = asyncio.Lock()
        self._thread: threading.Thread | None = None
        self._running_since = 0.0
        self._played_before = 0
        """The games that were played before this run, which say nothing about its speed."""
        for number, entrant in enumerate(plan.entrants):
            if entrant.kind == "program":
                self._programs[number] = JsonPlayer(self.kind, self.guest_seconds, entrant)

    # Entering

    @property
    def names(self) -> tuple[str, ...]:
        return self._settings.names if self._settings else tuple(entrant.name for entrant in self.plan.entrants)

    @property
    def guest_seconds(self) -> float:
        """Seconds that a person has to come to a game, and a program to reconnect."""
        return self._lobby.limits.tournament_seconds

    def enter_person(self, person: Person) -> None:
        """Enter a person.  Raises OperationError if that is not possible."""
        check_open(self.plan)
        if not self.plan.people:
            raise OperationError("This tournament is for bots and programs.")
        if self.entrant_of(person) is not None:
            raise OperationError("You have entered this tournament already.")
        self._enter(TableSeat("person", person.name, person=person.id))

    def check_program(self) -> None:
        """Raise OperationError if no program can enter now."""
        check_open(self.plan)
        if not self.plan.programs:
            raise OperationError("No program can enter this tournament.")
        if len(self.plan.entrants) >= MOST_ENTRANTS:
            raise OperationError(f"This tournament has {MOST_ENTRANTS} players already.")

    def enter_program(self, player: JsonPlayer) -> str:
        """Enter a program that has signed up, and return its name.  Raises OperationError."""
        self.check_program()
        entrant = TableSeat("program", clean_name(player.name, "program"))
        player.save_to(entrant)
        self._enter(entrant)
        self._programs[len(self.plan.entrants) - 1] = player
        return entrant.name

    def _enter(self, entrant: TableSeat) -> None:
        if len(self.plan.entrants) >= MOST_ENTRANTS:
            raise OperationError(f"This tournament has {MOST_ENTRANTS} players already.")
        entrant.name = distinct(entrant.name, self.names)
        self.plan.entrants.append(entrant)
        self.save()

    def entrant_of(self, person: Person | None) -> int | None:
        """Return the number of a person among the players, or None."""
        entrants = enumerate(self.plan.entrants)
        return next((number for number, each in entrants if person and each.person == person.id), None)

    def leave(self, person: Person) -> None:
        """Let a person leave before the start.  Raises OperationError."""
        check_open(self.plan)
        number = self.entrant_of(person)
        if number is None:
            raise OperationError("You have not entered this tournament.")
        self._remove(number)

    def _remove(self, number: int) -> None:
        """Remove a player before the start."""
        del self.plan.entrants[number]
        later = {each - (each > number): player for each, player in self._programs.items() if each != number}
        self._programs = later
        self.save()

    def forget_person(self, person: Person) -> None:
        """Remove a deleted person, or let them forfeit the games that they have not played."""
        number = self.entrant_of(person)
        if number is None:
            return
        if self.plan.state == "open":
            self._remove(number)
        else:
            self.plan.entrants[number].person = None
            self.plan.entrants[number].name = SOMEONE
            self.save()
            if self._settings:
                # The store is changed later.  Games that end before then must not have the old name either.
                names = list(self._settings.names)
                names[number] = distinct(SOMEONE, names[:number] + names[number + 1 :])
                self._settings = msgspec.structs.replace(self._settings, names=tuple(names))

    def _is_deleted(self, entrant: int) -> bool:
        """Return whether a player is a person who was deleted after the start."""
        return self.plan.entrants[entrant].kind == "person" and self.plan.entrants[entrant].person is None

    def remove_banned(self, bans: BanList) -> None:
        """Remove players before the start whose names are banned."""
        if self.plan.state == "open":
            for number in reversed(range(len(self.plan.entrants))):
                entrant = self.plan.entrants[number]
                if entrant.kind != "bot" and bans.bans(entrant.name, "?"):
                    self._lobby.log(f"{entrant.name!r} was removed from tournament {self.id} by the operator")
                    self._remove(number)

    def check_programs(self) -> None:
        """Remove programs that have gone before the start."""
        if self.plan.state == "open":
            for number in [number for number, player in self._programs.items() if player.is_lost]:
                self._lobby.log(f"{self.names[number]!r} has left tournament {self.id}")
                self._remove(number)

    def remote_of(self, token: TokenDigest) -> JsonPlayer | None:
        """Return the program with a token that may reconnect, or None."""
        found = (player for player in self._programs.values() if player.digest == token and not player.is_lost)
        return next(found, None)

    async def reconnect(self, player: JsonPlayer, lines: Lines, token: str, heard: int | None) -> None:
        """Let a program continue over another connection.  Raises ConnectionEnded if that one fails, too."""
        await player.reconnect(lines, token, heard)

    # Running

    def save(self) -> None:
        """Save the plan."""
        self._lobby.writer.save(self.id, self.created, self.plan)

    def adopt(self, table: TournamentTable) -> None:
        """Take over a table that was saved before a restart of the house."""
        self._tables[table.game.series] = table
        for player in table.remotes.values():
            for number, waiting in self._programs.items():
                if isinstance(player, JsonPlayer) and player.digest == waiting.digest:
                    self._programs[number] = player

    async def load(self) -> None:
        """Read what the store knows about a tournament that has started."""
        if self.plan.number is not None:
            stored = await asyncio.to_thread(self._store.tournament, self.plan.number)
            results = await asyncio.to_thread(lambda: list(self._store.results(stored.id)))
            self._settings = stored.settings
            self.played = len(results)
            self.recent.extendleft(results[-RECENT_GAMES:])

    async def load_names(self) -> None:
        """Read the names of the players again."""
        if self.plan.number is not None:
            self._settings = (await asyncio.to_thread(self._store.tournament, self.plan.number)).settings

    async def start(self) -> None:
        """Start with the players who have entered.  Raises UsageError and OperationError."""
        async with self._changing_state:
            check_open(self.plan)
            settings = settings_of(self.plan, self._lobby.isolation)
            self.plan.state = "running"  # no player can enter or leave any more
            try:
                tournament = await asyncio.to_thread(Tournament.start, self._store, settings, self._pool())
            except WateringHoleError:
                self.plan.state = "open"
                raise
            self._settings, self.plan.number = settings, tournament.number
            self._lobby.log(f"tournament {self.id} ({self.plan.title!r}) has started")
            self._run(tournament)

    async def resume(self) -> None:
        """Continue after an interruption.  Raises OperationError."""
        async with self._changing_state:
            if self.plan.state not in ("running", "interrupted") or self._thread is not None:
                raise OperationError("This tournament is not interrupted.")
            assert self.plan.number is not None, "a tournament that was interrupted had started"
            tournament = await asyncio.to_thread(Tournament.resume, self._store, self.plan.number, self._pool())
            self._lobby.log(f"tournament {self.id} ({self.plan.title!r}) continues")
            self._run(tournament)

    def _pool(self) -> TablePool:
        return TablePool(self._play)

    def _run(self, tournament: Tournament) -> None:
        loop = asyncio.get_running_loop()
        self._is_stopping = False
        self.plan.state, self.plan.reason = "running", None
        self.save()
        self._running_since, self._played_before = loop.time(), self.played

        def work() -> None:
            problem: str | None = None
            try:
                listener = functools.partial(_call_soon, loop, self._commit)
                tournament.play(listener, Retries(STORE_SECONDS))
            except WateringHoleError as error:
                problem = sentence(str(error))
            except Exception as error:
                self._lobby.log(f"tournament {self.id} failed: {error!r}")
                problem = "It was an error of the server."
            _call_soon(loop, self._end, problem)

        self._thread = threading.Thread(target=work, name=f"tournament {self.id}", daemon=True)
        self._thread.start()

    def _commit(self, results: Sequence[GameResult]) -> None:
        """Take in that games count from now on."""
        for result in results:
            self.played += 1
            self.recent.appendleft(result)
            table = self._finished.pop(result.series, None)
            if table is not None:
                self._save_result(table, result)

    def _save_result(self, table: TournamentTable, result: GameResult) -> None:
        """Add a game to those of the people who played it.  The record is that of the tournament."""
        names = tuple(self.names[entrant] for entrant in result.entrants)
        finished = FinishedGame(
            table.id, time.time(), self.kind.name, names, result.places, result.scores, public=False
        )
        seats = [PlayedSeat(each.person, each.player) for each in table.plan.seats]
        self._lobby.writer.finish(finished, None, seats, rated=False)

    def _end(self, problem: str | None) -> None:
        """Take in that the tournament is over, or why it was interrupted."""
        self._thread = None
        if self.plan.state != "running" or self._is_stopping:
            return
        if problem is not None:
            self._lobby.log(f"tournament {self.id} was interrupted: {problem}")
            self.interrupt(problem)
            return
        self.plan.state = "over"
        self.save()
        self._lobby.log(f"tournament {self.id} is over")
        self._lobby.start(self._dismiss_programs("the tournament is over"))

    def interrupt(self, reason: str) -> None:
        """Take in why the tournament cannot continue by itself."""
        self.plan.state, self.plan.reason = "interrupted", sentence(reason)
        self.save()

    async def _dismiss_programs(self, reason: str) -> None:
        programs, self._programs = self._programs, {}
        await asyncio.gather(*(player.disconnect(reason) for player in programs.values()))

    async def cancel(self) -> None:
        """End the tournament.  Games that count stay.  Raises OperationError if it has ended."""
        async with self._changing_state:
            if self.plan.state in ("over", "cancelled"):
                raise OperationError("This tournament has ended.")
            self.plan.state, self.plan.reason = "cancelled", None
            self.save()
            tables = list(self._tables.values())
            await self.stop()
            for table in tables:
                await self._lobby.close_tournament_table(table)
            await self._dismiss_programs("the tournament was cancelled")
            self._lobby.log(f"tournament {self.id} was cancelled")

    async def stop(self) -> None:
        """Stop playing.  The tables stay saved, and another house can continue."""
        self._is_stopping = True
        self._table_free.set()
        for table in list(self._tables.values()):
            await table.stop()
        if thread := self._thread:
            await asyncio.to_thread(thread.join)

    # One series

    async def _play(self, planned: PlannedSeries) -> PackedGame:
        """Play the game of a series at a table, as soon as its guests are free."""
        table = self._tables.get(planned.number)
        if table is None:
            table = await self._seat(planned)
        try:
            played = await table.result()
        finally:
            self._tables.pop(planned.number, None)
            self._table_free.set()
        self._finished[planned.number] = table
        self._save_programs()
        record = self._record(planned, played)
        return PackedGame.pack(result_of(planned, 0, played), record, digest(record), planned.absent)

    def _record(self, planned: PlannedSeries, played: PlayedGame) -> bytes:
        """Return the record of a game, with the names as they are now: a person may have been deleted meanwhile."""
        assert played.record_bytes is not None, "tables keep records"
        record = played.record_bytes
        for seat, entrant in enumerate(planned.entrants):
            if played.names[seat] != self.names[entrant]:
                record = with_name(record, seat, self.names[entrant])
        return record

    async def _seat(self, planned: PlannedSeries) -> TournamentTable:
        """Open the table of a series, and begin its game."""
        guests = {each for each in planned.entrants if self.plan.entrants[each].kind != "bot"}
        guests.difference_update(planned.absent)
        while not self._can_play(guests):
            self._table_free.clear()
            await self._table_free.wait()
        deleted = {each for each in guests if self._is_deleted(each)}
        guests -= deleted
        settings = self._started
        seats = [self._table_seat(seat, entrant, planned) for seat, entrant in enumerate(planned.entrants)]
        reason = withdrawal(settings.withdraw_after).message
        plan = TablePlan(
            game=self.kind.name,
            profile=self.plan.profile,
            rules=self.plan.rules,
            seed=deal_seeds(settings, planned)[0],
            seats=seats,
            public=False,
            time_limit=int(min(self.guest_seconds, self._lobby.limits.human_time_limit)),
            tournament=TournamentGame(
                tournament=self.id,
                title=self.plan.title,
                series=planned.number,
                nonce=nonces(settings, planned)[0],
                players_seed=players_seed(settings, planned),
                pace=self.plan.pace,
                withdrawn={seat: reason for seat, entrant in enumerate(planned.entrants) if entrant in planned.absent},
                deleted=tuple(seat for seat, entrant in enumerate(planned.entrants) if entrant in deleted),
            ),
        )
        table = self._tables[planned.number] = await self._lobby.open_tournament_table(
            plan, f"{self.plan.number}-{planned.number}-0", saves=bool(guests)
        )
        for seat, entrant in enumerate(planned.entrants):
            if entrant in self._programs and entrant in guests:
                self._programs[entrant].save_to(seats[seat])
                table.remotes[seat] = self._programs[entrant]
        table.save_plan()
        table.begin()
        return table

    def _can_play(self, guests: set[int]) -> bool:
        """Return whether a table and these guests are free.  Raises OperationError if the tournament stops."""
        if self._is_stopping:
            raise OperationError("The tournament was stopped.")
        busy = [table for table in self._tables.values() if not table.is_done]
        names = {self.names[each] for each in guests}
        return len(busy) < MOST_TABLES and names.isdisjoint(name for table in busy for name in table.names)

    def _table_seat(self, seat: int, entrant: int, planned: PlannedSeries) -> TableSeat:
        player = self.plan.entrants[entrant]
        name = self.names[entrant]
        if entrant in planned.absent or self._is_deleted(entrant):
            return TableSeat("bot", name, key=seat)
        if player.kind == "person":
            # The person gets the token when they come.
            return TableSeat("person", name, person=player.person, token=TokenDigest.new()[1], key=seat)
        return TableSeat(player.kind, name, player.player, key=seat)

    def _save_programs(self) -> None:
        """Save how many messages the programs got, so that they can return after a restart."""
        if self._programs:
            for number, player in self._programs.items():
                player.save_to(self.plan.entrants[number])
            self.save()

    @property
    def _started(self) -> Settings:
        assert self._settings is not None, "the tournament has started"
        return self._settings

    # JSON for the page

    @property
    def planned(self) -> int | None:
        """The number of games that will be played, or None before the start."""
        return None if self._settings is None else games_in_all(self._settings) or self._settings.games

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the time until the end, or None if there is none."""
        recent = self.played - self._played_before
        if self.plan.state != "running" or not recent or self.planned is None:
            return None
        elapsed = asyncio.get_running_loop().time() - self._running_since
        return max(0.0, (self.planned - self.played) * elapsed / recent)

    def summary(self) -> dict[str, Any]:
        """Return the tournament for a list."""
        plan = self.plan
        return {
            "id": self.id,
            "link": f"/tournaments/{self.id}",
            "title": plan.title,
            "game": plan.game,
            "game_title": self.kind.display_name,
            "state": plan.state,
            "format": plan.format,
            "people": plan.people,
            "programs": plan.programs,
            "players": len(plan.entrants),
            "games": plan.games,
            "played": self.played,
            "planned": self.planned,
            "created": self.created,
        }

    def to_json(self, person: Person | None) -> dict[str, Any]:
        """Return the tournament for its screen, as a person sees it."""
        mine = self.entrant_of(person)
        table = None if mine is None else self._table_of(mine)
        playing = [table for table in self._tables.values() if table.state == "playing" and not table.is_done]
        return self.summary() | {
            "reason": self.plan.reason,
            "number": self.plan.number,
            "table_size": self._settings.table_size if self._settings else self.plan.table_size,
            "arrival_seconds": self.guest_seconds,
            "seconds_left": self.seconds_left,
            "entrants": [self._entrant_to_json(number) for number in range(len(self.plan.entrants))],
            "running": [table.to_json() for table in playing],
            "finished": [self._result_to_json(result) for result in self.recent],
            "me": None if person is None else {"name": person.name, "entrant": mine, "table": table},
        }

    def _table_of(self, entrant: int) -> dict[str, Any] | None:
        """Return the table at which a player is expected, or None."""
        name = self.names[entrant]
        for table in self._tables.values():
            if table.state == "playing" and not table.is_done and name in table.names:
                seat = table.names.index(name)
                return {**table.to_json(), "my_seat": seat, "my_turn": seat in table.open_requests}
        return None

    def _entrant_to_json(self, number: int) -> dict[str, Any]:
        entrant = self.plan.entrants[number]
        program = self._programs.get(number)
        return {
            "name": self.names[number],
            "kind": entrant.kind,
            "player": entrant.player,
            "here": program is None or program.is_connected,
        }

    def _result_to_json(self, result: GameResult) -> dict[str, Any]:
        return {
            "game_id": f"{self.plan.number}-{result.series}-{result.game}",
            "game": self.kind.name,
            "title": self.kind.display_name,
            "names": [self.names[entrant] for entrant in result.entrants],
            "places": result.places,
            "scores": result.scores,
        }


def _call_soon(loop: asyncio.AbstractEventLoop, call: Any, *arguments: Any) -> None:
    """Call something in the event loop, from another thread.  Do nothing if the house has been closed."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call, *arguments)
