"""The lobby: all tables there are, within limits, and what is kept of them in the store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.errors import NotFound, OperationError, WateringHoleError
from wateringhole.match.match import RefereeSettings
from wateringhole.tournaments.store import LEASE_SECONDS
from wateringhole.tournaments.table_store import FinishedGame, TableStore
from wateringhole.web.plans import NewTable, TablePlan, TokenDigest, describe, plan_of, random_seed
from wateringhole.web.table import Table
from wateringhole.web.table_writer import TableWriter

__all__ = ["HouseLimits", "Lobby"]

BOT_SECONDS = 30.0
"""Longest time for one answer of a bot."""
ALONE_SECONDS = 1800.0
"""So long a person who plays with bots may be away."""
AWAITED_SECONDS = 300.0
"""So long a person may be away while other people wait."""
LOOK_ROUND_SECONDS = 5.0
RECENT_GAMES = 20


class HouseLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What strangers may do to a server."""

    tables: int = 200
    tables_per_address: int = 20
    spectators: int = 100
    """At one table."""
    connections_per_address: int = 100
    waiting_seconds: float = 1800.0
    """A table that waits for players is closed when no page has been open at it for so long."""
    away_seconds: float | None = None
    """Whoever plays and has no page open for so long is out; so a table nobody plays comes to its end.

    None: `ALONE_SECONDS` where nobody but bots waits, and `AWAITED_SECONDS` where other people do.
    """
    over_seconds: float = 600.0
    """So long a table stays after its game, so that those at it can talk about another one."""
    kept_games: int = 10_000
    """Games that are over and can be replayed; the oldest make room for new ones."""
    human_time_limit: float = 1800.0
    """Longest time for one answer of a person, so that a page left open does not stop a table for ever."""


class Lobby:
    """Lives in the loop; all its methods are called from there."""

    def __init__(self, store: TableStore, limits: HouseLimits, log: Callable[[str], None] = print) -> None:
        self.limits = limits
        self.store = store
        self.tables: dict[str, Table] = {}
        self._log = log
        self._addresses: dict[str, str] = {}
        """Who made which table."""
        self._descriptions: list[dict[str, Any]] = []
        self._writer = TableWriter(store, log, limits.kept_games)
        self._looking_round: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Bring back the tables of before, and look after all from now on."""
        kept = await asyncio.to_thread(self.store.adopt_tables)
        for each in kept:
            try:
                plan = msgspec.convert(each.plan, TablePlan)
                table = self._add(self._table(plan, id=each.id, created=each.created, record=each.record), "")
                table.start_if_full()
            except (msgspec.ValidationError, WateringHoleError) as error:
                self._log(f"table {each.id} cannot be brought back: {error}")
        if self.tables:
            self._log(f"{len(self.tables)} tables of before are back")
        for problem in registry.load_errors():
            self._log(problem)
        self._descriptions = await asyncio.to_thread(lambda: [describe(kind.name) for kind in registry.kinds()])
        self._looking_round = asyncio.get_running_loop().create_task(self._look_round())

    async def close(self) -> None:
        """Stop all games; the tables are kept for the next time."""
        if self._looking_round:
            self._looking_round.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._looking_round
        for table in self.tables.values():
            await table.stop()
        await asyncio.to_thread(self._writer.close)

    # Tables

    def table(self, id: str) -> Table:
        """Raises NotFound where there is none."""
        if id not in self.tables:
            raise NotFound("There is no such table, or not any more.")
        return self.tables[id]

    def set_up(self, wanted: NewTable, address: str) -> tuple[Table, str | None, list[str]]:
        """A new table; the token of whoever wants to sit there, and an invitation for every friend.

        Raises UsageError and OperationError with a sentence.
        """
        self._check_room(address)
        plan, token, invitations = plan_of(wanted)
        table = self._add(self._table(plan), address)
        links = [f"/table/{table.id}#invite={word}" for word in invitations]
        self._writer.keep(table.id, table.created, plan)
        table.start_if_full()
        return table, token, links

    def rematch(self, old: Table, seat: int, address: str) -> tuple[Table, str, list[str]]:
        """Return a new table with the same players; the other players' seats are kept for them."""
        if old.state != "over":
            raise OperationError("The game at this table is not over yet.")
        name = old.plan.seats[seat].name
        successor = self.tables.get(old.successor or "")
        if successor and successor.state != "over":
            held = old.heirs.get(seat)
            if held is None or successor.seat_of(held) != seat:
                if successor.plan.seats[seat].is_taken:
                    raise OperationError("Somebody else has taken your seat at the new table.")
                held = old.heirs[seat] = successor.sit_down(seat, name)
                successor.start_if_full()
            return successor, held, []
        self._check_room(address)
        plan = msgspec.convert(msgspec.to_builtins(old.plan), TablePlan)
        plan.seed = random_seed()
        links: list[str] = []
        for number, table_seat in enumerate(plan.seats):
            if table_seat.kind == "person":
                word, invitation = TokenDigest.new()
                table_seat.token, table_seat.name, table_seat.invitation = None, "", None
                if number != seat:
                    table_seat.invitation = invitation
                    links.append(word)
        table = self._add(self._table(plan), address)
        old.successor = table.id
        old.heirs = {seat: table.sit_down(seat, name)}
        old.tell_others(seat, {"type": "rematch", "by": name, "link": f"/table/{table.id}"})
        table.start_if_full()
        return table, old.heirs[seat], [f"/table/{table.id}#invite={word}" for word in links]

    def _check_room(self, address: str) -> None:
        open_tables = [table for table in self.tables.values() if table.state != "over"]
        if len(open_tables) >= self.limits.tables:
            raise OperationError("All tables are taken. Please try again later.")
        own = sum(self._addresses.get(table.id) == address for table in open_tables)
        if own >= self.limits.tables_per_address:
            raise OperationError(f"There are {own} tables from your address already. Finish one of them first.")

    def _table(self, plan: TablePlan, **more: Any) -> Table:
        referee = RefereeSettings(time_limit=BOT_SECONDS, human_time_limit=self.limits.human_time_limit)
        people = sum(table_seat.kind == "person" for table_seat in plan.seats)
        away = self.limits.away_seconds or (AWAITED_SECONDS if people > 1 else ALONE_SECONDS)
        return Table(plan, self._writer, referee=referee, away_seconds=away, **more)

    def _add(self, table: Table, address: str) -> Table:
        self.tables[table.id] = table
        self._addresses[table.id] = address
        return table

    async def _look_round(self) -> None:
        """Close the tables that nobody needs any more, and say that we host the others."""
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while True:
            await asyncio.sleep(LOOK_ROUND_SECONDS)
            for table in list(self.tables.values()):
                idle = 0.0 if table.idle_since is None else clock() - table.idle_since
                if table.state == "over" and idle > self.limits.over_seconds:
                    await self._remove(table)
                elif table.state == "waiting" and idle > self.limits.waiting_seconds:
                    self._writer.forget(table.id)
                    await self._remove(table)
                elif table.state == "waiting" and table.is_orphaned:
                    self._writer.forget(table.id)
                    await self._remove(table, "Whoever set up this table has left it, so it was closed.")
            over = [table for table in self.tables.values() if table.state == "over"]
            for table in over[: -self.limits.tables]:
                await self._remove(table)
            if clock() - renewed > LEASE_SECONDS / 4:
                renewed = clock()
                self._writer.renew([table.id for table in self.tables.values() if table.state != "over"])

    async def _remove(self, table: Table, reason: str = "This table was closed.") -> None:
        await table.close(reason)
        del self.tables[table.id]
        self._addresses.pop(table.id, None)

    # What is shown

    async def to_json(self) -> dict[str, Any]:
        shown = [table for table in self.tables.values() if table.plan.public]
        games = await asyncio.to_thread(self.store.finished_games, RECENT_GAMES)
        return {
            "open": [table.to_json() for table in shown if table.state == "waiting"],
            "running": [table.to_json() for table in shown if table.state == "playing"],
            "finished": [_finished_to_json(game) for game in games],
            "games": self._descriptions,
        }


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
