"""The lobby: all tables, their limits, and their saved state in the store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Coroutine, Mapping
from typing import Any, NamedTuple

import msgspec

from wateringhole import registry
from wateringhole.errors import NotFound, OperationError, WateringHoleError
from wateringhole.formatting import pluralize
from wateringhole.house.admission import Admission, BanList
from wateringhole.house.imagination import Imagination
from wateringhole.house.limits import ALONE_SECONDS, AWAITED_SECONDS, HouseLimits
from wateringhole.house.page import describe
from wateringhole.house.page_messages import RematchMessage
from wateringhole.house.page_tables import PageTable
from wateringhole.house.page_tournaments import PageTournament
from wateringhole.house.people import People, Person
from wateringhole.house.plans import NewTable, TablePlan, TokenDigest, first_game_of, plan_of
from wateringhole.house.remote import JsonPlayer
from wateringhole.house.reviews import Reviews
from wateringhole.house.runs import is_of_host
from wateringhole.house.store import TableStore
from wateringhole.house.tournament_hall import TournamentHall
from wateringhole.house.tournament_plans import is_tournament
from wateringhole.house.tournament_tables import TournamentTable
from wateringhole.house.writer import FinishedGame, TableWriter
from wateringhole.match.match import RefereeSettings
from wateringhole.process.limits import ISOLATED, Isolation
from wateringhole.seeds import new_seed
from wateringhole.tournaments.store import LEASE_SECONDS

__all__ = ["Lobby", "OpenedTable"]

BOT_SECONDS = 30.0
"""Time limit for one answer of a bot."""
CLEAN_UP_SECONDS = 5.0
RECENT_GAMES = 20
REMOVED_BY_OWNER = "removed by the player who opened the table"
"""The reason of a forfeit, which the record keeps."""
REMOVED_BY_OPERATOR = "removed by the operator"


class OpenedTable(NamedTuple):
    """A table, and the secrets that the player who opened it gets."""

    table: PageTable
    token: str | None
    """The token of the player's seat, if they have one."""
    owner: str | None
    """The token that allows to remove players, or None if another player opened the table."""
    invitations: dict[int, str]
    """The invitations by seat."""


class Lobby:
    """The tables of the server.  Call its methods from the event loop only."""

    def __init__(
        self,
        store: TableStore,
        limits: HouseLimits,
        log: Callable[[str], None] = print,
        choices: Mapping[str, Mapping[str, Any]] | None = None,
        isolation: Isolation = ISOLATED,
        admission: Admission | None = None,
        operator: str | None = None,
    ) -> None:
        """`choices` are further arguments of each game's `deal`, by the name of the game; `isolation` is for bots.

        `operator` is the token with which tournaments are started.
        """
        self.admission = admission or Admission()
        self.limits = limits
        self.choices = choices or {}
        self.isolation = isolation
        self.store = store
        self.imagination = Imagination()
        self.reviews = Reviews(self.imagination)
        self.people = People(store, limits)
        self.tables: dict[str, PageTable] = {}
        self.log = log
        self._addresses: dict[str, str] = {}
        """The address that set up each table."""
        self._descriptions: list[dict[str, Any]] = []
        self.writer = TableWriter(store, log, limits)
        self.tournaments = TournamentHall(self, None if operator is None else TokenDigest.of(operator))
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Restore the saved tables, and start the regular clean-up."""
        saved = await asyncio.to_thread(self.store.adopt_tables, lambda plan: not is_of_host(plan))
        self.tournaments.restore([each for each in saved if is_tournament(each.plan)])
        for each in saved:
            if is_tournament(each.plan):
                continue
            try:
                plan = msgspec.convert(each.plan, TablePlan)
                table = self._add(self._table(plan, id=each.id, created=each.created, record=each.record), "")
                table.start_if_full()
            except (msgspec.ValidationError, WateringHoleError) as error:
                self.log(f"table {each.id} cannot be restored: {error}")
        if self.tables:
            self.log(f"restored {pluralize(len(self.tables), 'table')}")
        for problem in registry.load_errors():
            self.log(problem)
        self._descriptions = await asyncio.to_thread(lambda: [describe(kind.name) for kind in registry.kinds()])
        await self.tournaments.open([table for table in self.tables.values() if isinstance(table, TournamentTable)])
        self.start(self._clean_up())
        if self.admission.bans:
            self.start(self._enforce_bans(self.admission.bans))

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background until it is done or the house stops."""
        self._tasks = [task for task in self._tasks if not task.done()]
        self._tasks.append(asyncio.get_running_loop().create_task(work))

    async def stop(self) -> None:
        """Stop all games."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        await self.tournaments.stop()
        stopped: set[PageTable] = set()
        # Requests that arrived before may still open and remove tables.
        while tables := [table for table in self.tables.values() if table not in stopped]:
            for table in tables:
                await table.stop()
            stopped.update(tables)
        await self.reviews.close()
        await self.imagination.close()

    async def close(self) -> None:
        """Write everything to the store.  The tables stay saved for the next start."""
        await asyncio.to_thread(self.writer.close)

    # Tables

    def table(self, id: str) -> PageTable:
        """Return a table.  Raises NotFound if there is none with this id."""
        if id not in self.tables:
            raise NotFound("There is no such table, or it was closed.")
        return self.tables[id]

    def open_seat(self, code: str | None, name: str, address: str, game: str | None = None) -> tuple[PageTable, int]:
        """Return the seat of a code, or without one the first open seat at a public table, perhaps of one game.

        Raises NotFound if there is none for a player with this name and address.
        """
        if code is None:
            for table in self._listed():
                seat = table.free_seat(None) if game in (None, table.kind.name) else None
                if seat is not None and not table.bans(name, address):
                    return table, seat
            raise NotFound("no public table has an open seat; open one on the page, or use the code of a seat")
        for table in self.tables.values():
            if table.invited_seat(code) is not None:
                seat = table.free_seat(code)
                if seat is None:
                    raise NotFound("the seat of this code is taken")
                return table, seat
        raise NotFound("no seat is reserved for this code")

    def remote(self, token: str) -> tuple[PageTable | PageTournament, JsonPlayer]:
        """Return the remote player with a token, and its table, or the tournament in which it waits for a game.

        Raises NotFound if no seat is kept for it.
        """
        digest = TokenDigest.of(token)
        for table in self.tables.values():
            if remote := table.remote_of(digest):
                return table, remote
        if found := self.tournaments.remote(digest):
            return found
        raise NotFound("no seat is kept for this token; sign up again without it")

    def check_admission(self, name: str, address: str, table: PageTable, present: Collection[str]) -> None:
        """Raise OperationError if a player may not take a seat at a table where players with these names are."""
        self.check_house_admission(name, address, present)
        if table.bans(name, address):
            raise OperationError("you are banned from this table by the player who opened it")

    def check_house_admission(self, name: str, address: str, present: Collection[str] = ()) -> None:
        """Raise OperationError if a player may not play in this house."""
        # The house has no code: private tables do.
        if problem := self.admission.problem(name, address, None, present):
            raise OperationError(problem)

    def set_up(self, wanted: NewTable, address: str, person: Person | None = None) -> OpenedTable:
        """Set up a new table, perhaps for a person with their own name.  Raises UsageError and OperationError."""
        if person is not None:
            wanted = msgspec.structs.replace(wanted, name=person.name)
        if wanted.first_game:
            wanted = first_game_of(wanted)
        if any(occupant.kind == "me" for occupant in wanted.seats) or self.admission.is_banned(wanted.name, address):
            self.check_house_admission(wanted.name, address)
        self._check_table_limits(address)
        wanted.check(self.limits.human_time_limit)
        plan, token, invitations = plan_of(wanted)
        owner, plan.owner = TokenDigest.new() if token is None else (token, TokenDigest.of(token))
        for table_seat in plan.seats:
            if person is not None and table_seat.is_on_page:
                table_seat.person = person.id
        table = self._add(self._table(plan), address)
        self.writer.save(table.id, table.created, plan)
        table.start_if_full()
        return OpenedTable(table, token, owner, invitations)

    def answer_seat_request(self, table: PageTable, token: str, id: int, accepts: bool) -> None:
        """Give a spectator a seat, or decline, for the host of a table, who has this token.  Raises OperationError."""
        table.check_host(token, "give seats")
        request = table.seat_requests.get(id)
        if request is None:
            raise OperationError("This player no longer asks for a seat.")
        if not accepts:
            table.decline_seat_request(request)
            return
        address = request.transport.address
        self.check_admission(request.name, address, table, table.names)
        seat = table.seat_to_give()
        if seat is None:
            raise OperationError("There is no free seat, and no bot that could be replaced.")
        table.accept_seat_request(request, seat)
        self.log(f"{table.names[seat]!r} has taken a seat at table {table.id} from {address} (page)")
        table.start_if_full()

    async def remove_player(self, table: PageTable, token: str, seat: int, bans: bool, address: str) -> OpenedTable:
        """Remove a player for the owner of a table, who has this token and address, and perhaps ban the player there.

        Raises OperationError if that is not allowed.
        """
        if not table.is_owner(token):
            raise OperationError("Only the player who opened this table can remove players.")
        if table.state == "over":
            raise OperationError("The game at this table is over.")
        if seat not in table.guests():
            raise OperationError("There is no player to remove at this seat.")
        if table.seat_of(token) == seat:
            raise OperationError("This is your own seat. Leave the table instead.")
        if bans:
            table.ban(seat, address)
        invitation = await table.remove(seat, REMOVED_BY_OWNER)
        return OpenedTable(table, None, None, {} if invitation is None else {seat: invitation})

    def rematch(self, old: PageTable, seat: int, address: str, person: Person | None = None) -> OpenedTable:
        """Return a new table with the same players, and new invitations for the others.

        The seats of the other players on the page are kept for them.
        """
        if old.state != "over":
            raise OperationError("The game at this table is not over yet.")
        if isinstance(old, TournamentTable):
            raise OperationError("The tournament decides who plays the next game.")
        name = old.plan.seats[seat].name
        self.check_admission(name, address, old, ())
        successor = self.tables.get(old.successor or "")
        if successor and successor.state != "over":
            own_token = old.successor_tokens.get(seat)
            if own_token is None or successor.seat_of(own_token) is None:
                # The order of the seats may have changed since.
                key = old.plan.seats[seat].key
                own = next((number for number, each in enumerate(successor.plan.seats) if each.key == key), None)
                if own is None or successor.plan.seats[own].is_taken:
                    raise OperationError("Another player has taken your seat at the new table.")
                own_token = old.successor_tokens[seat] = successor.take_seat(own, name, address, person)
                successor.start_if_full()
            return OpenedTable(successor, own_token, None, {})
        self._check_table_limits(address)
        plan = msgspec.convert(msgspec.to_builtins(old.plan), TablePlan)
        plan.seed = new_seed()
        plan.first_game = False
        invitations: dict[int, str] = {}
        for number, table_seat in enumerate(plan.seats):
            if table_seat.kind != "bot":
                table_seat.free()
                table_seat.invitation = None
                if number != seat:
                    invitations[number], table_seat.invitation = TokenDigest.new()
        table = self._add(self._table(plan), address)
        old.successor = table.id
        token = table.take_seat(seat, name, address, person)
        plan.owner = TokenDigest.of(token)
        self.writer.save(table.id, table.created, plan)
        old.successor_tokens = {seat: token}
        old.notify_others(seat, RematchMessage(name, f"/table/{table.id}"))
        table.start_if_full()
        return OpenedTable(table, token, token, invitations)

    def tables_of(self, person: Person) -> list[tuple[PageTable, int]]:
        """Return the tables of a person whose game is not over, each with the seat."""
        seats = [(table, table.seat_of_person(person)) for table in self.tables.values() if table.state != "over"]
        return [(table, seat) for table, seat in seats if seat is not None]

    async def delete_person(self, person: Person) -> None:
        """Delete a person, who plays on at running tables as a player without one."""
        for table in self.tables.values():
            table.forget_person(person)
        entries = self.tournaments.entries_of(person)
        self.tournaments.forget_person(person)
        await self.people.delete(person, entries)
        await self.tournaments.load_names()

    def _check_table_limits(self, address: str) -> None:
        open_tables = [table for table in self.tables.values() if table.state != "over"]
        if len(open_tables) >= self.limits.tables:
            raise OperationError("The server has reached its limit of tables. Please try again later.")
        own = sum(self._addresses.get(table.id) == address for table in open_tables)
        if own >= self.limits.tables_per_address:
            raise OperationError(f"Your address already has {own} tables. Finish one of them first.")

    def _table(self, plan: TablePlan, *, saves: bool = True, **more: Any) -> PageTable:
        referee = RefereeSettings(time_limit=BOT_SECONDS, human_time_limit=self.limits.human_time_limit)
        guests = sum(table_seat.kind != "bot" for table_seat in plan.seats)
        reconnect_seconds = self.limits.reconnect_seconds or (AWAITED_SECONDS if guests > 1 else ALONE_SECONDS)
        if plan.tournament is not None:
            reconnect_seconds = self.limits.tournament_seconds
        choices = self.choices.get(plan.game, {})
        table_class = PageTable if plan.tournament is None else TournamentTable
        return table_class(
            plan,
            self.writer if saves else None,
            referee=referee,
            reconnect_seconds=reconnect_seconds,
            choices=choices,
            isolation=self.isolation,
            imagination=self.imagination,
            log=self.log,
            **more,
        )

    async def open_tournament_table(self, plan: TablePlan, id: str, *, saves: bool) -> TournamentTable:
        """Open the table of a tournament's game, in place of an earlier table of the same game."""
        if old := self.tables.get(id):
            await self.close_tournament_table(old)
        table = self._add(self._table(plan, id=id, saves=saves), "")
        assert isinstance(table, TournamentTable)
        return table

    async def close_tournament_table(self, table: PageTable) -> None:
        """Close and forget a table whose game does not count."""
        self.writer.forget(table.id)
        await self._remove(table)

    def _add(self, table: PageTable, address: str) -> PageTable:
        self.tables[table.id] = table
        self._addresses[table.id] = address
        return table

    async def _enforce_bans(self, bans: BanList) -> None:
        """Remove banned players whenever the operator has changed the list."""
        async for _ in bans.changes():
            self.tournaments.remove_banned(bans)
            for table in list(self.tables.values()):
                for seat, (name, address) in table.guests().items():
                    if bans.bans(name, address):
                        await table.remove(seat, REMOVED_BY_OPERATOR)
                        table.dismiss_pages(seat, f"You were {REMOVED_BY_OPERATOR}.")

    async def _clean_up(self) -> None:
        """Close abandoned tables, and renew the leases of the others."""
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while True:
            await asyncio.sleep(CLEAN_UP_SECONDS)
            await self._close_abandoned()
            self.tournaments.check_programs()
            if clock() - renewed > LEASE_SECONDS / 4:
                renewed = clock()
                tables = [table.id for table in self.tables.values() if table.state != "over"]
                self.writer.renew([*tables, *self.tournaments.leased])

    async def _close_abandoned(self) -> None:
        clock = asyncio.get_running_loop().time
        for table in list(self.tables.values()):
            table.check_remotes()
            idle = 0.0 if table.idle_since is None else clock() - table.idle_since
            if table.state == "over" and idle > _seconds_after_game(table, self.limits):
                await self._remove(table)
            elif table.state == "waiting" and idle > self.limits.waiting_seconds:
                self.writer.forget(table.id)
                await self._remove(table)
            elif table.state == "waiting" and table.cannot_fill:
                self.writer.forget(table.id)
                await self._remove(table, "The player who set up this table has left, so it was closed.")
        over = [table for table in self.tables.values() if table.state == "over"]
        for table in over[: -self.limits.tables]:
            await self._remove(table)

    async def _remove(self, table: PageTable, reason: str = "This table was closed.") -> None:
        await table.close(reason)
        del self.tables[table.id]
        self._addresses.pop(table.id, None)

    def _listed(self) -> list[PageTable]:
        """Return the public tables where someone is, or was a while ago."""
        since = asyncio.get_running_loop().time() - self.limits.listed_seconds
        tables = [table for table in self.tables.values() if table.plan.public]
        return [table for table in tables if table.absent_since is None or table.absent_since >= since]

    # JSON for the page

    async def to_json(self) -> dict[str, Any]:
        shown = self._listed()
        games = await asyncio.to_thread(self.store.finished_games, RECENT_GAMES)
        return {
            "open": [table.to_json() for table in shown if table.state == "waiting"],
            "running": [table.to_json() for table in shown if table.state == "playing"],
            "finished": [_finished_to_json(game) for game in games],
            "games": self._descriptions,
            "tournaments": self.tournaments.listed_in_lobby(),
        }


def _seconds_after_game(table: PageTable, limits: HouseLimits) -> float:
    """Return how long a table without a page stays open after its game.  A tournament has many, and no rematch."""
    return 0.0 if isinstance(table, TournamentTable) else limits.over_seconds


def _finished_to_json(game: FinishedGame) -> dict[str, Any]:
    return {
        "game_id": game.id,
        "game": game.game,
        "title": registry.display_name(game.game),
        "names": game.names,
        "places": game.places,
        "scores": game.scores,
        "when": game.finished,
    }
