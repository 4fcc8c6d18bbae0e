"""The lobby: all tables, their limits, and their saved state in the store."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.errors import NotFound, OperationError, WateringHoleError
from wateringhole.formatting import pluralize
from wateringhole.house.page import describe
from wateringhole.house.plans import NewTable, TablePlan, TokenDigest, plan_of
from wateringhole.house.store import TableStore
from wateringhole.house.tables import Table
from wateringhole.house.writer import FinishedGame, TableWriter
from wateringhole.match.match import RefereeSettings
from wateringhole.process.limits import ISOLATED, Isolation
from wateringhole.seeds import new_seed
from wateringhole.tournaments.store import LEASE_SECONDS

__all__ = ["HouseLimits", "Lobby"]

BOT_SECONDS = 30.0
"""Time limit for one answer of a bot."""
ALONE_SECONDS = 1800.0
"""How long a human who plays with bots may be away."""
AWAITED_SECONDS = 300.0
"""How long a human may be away while other humans wait."""
CLEAN_UP_SECONDS = 5.0
RECENT_GAMES = 20


class HouseLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of what clients may do to a server."""

    tables: int = 200
    tables_per_address: int = 20
    spectators: int = 100
    """Spectators of one table."""
    connections_per_address: int = 100
    waiting_seconds: float = 1800.0
    """A table that waits for players is closed after this time without an open page."""
    reconnect_seconds: float | None = None
    """A player without an open page for this long is thrown out, so that abandoned games end.

    None means `ALONE_SECONDS` if only bots wait, and `AWAITED_SECONDS` if other humans do.
    """
    over_seconds: float = 600.0
    """Time that a table stays open after its game, so that its players can agree on a rematch."""
    kept_games: int = 10_000
    """Finished games that are kept for replays.  The oldest are deleted first."""
    human_time_limit: float = 1800.0
    """Time limit for one answer of a human, so that a page left open does not block a table."""


class Lobby:
    """The tables of the server.  Call its methods from the event loop only."""

    def __init__(
        self,
        store: TableStore,
        limits: HouseLimits,
        log: Callable[[str], None] = print,
        choices: Mapping[str, Mapping[str, Any]] | None = None,
        isolation: Isolation = ISOLATED,
    ) -> None:
        """`choices` are further arguments of each game's `deal`, by the name of the game; `isolation` is for bots."""
        self.limits = limits
        self.choices = choices or {}
        self.isolation = isolation
        self.store = store
        self.tables: dict[str, Table] = {}
        self._log = log
        self._addresses: dict[str, str] = {}
        """The address that set up each table."""
        self._descriptions: list[dict[str, Any]] = []
        self._writer = TableWriter(store, log, limits.kept_games)
        self._clean_up_task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Restore the saved tables, and start the regular clean-up."""
        saved = await asyncio.to_thread(self.store.adopt_tables)
        for each in saved:
            try:
                plan = msgspec.convert(each.plan, TablePlan)
                table = self._add(self._table(plan, id=each.id, created=each.created, record=each.record), "")
                table.start_if_full()
            except (msgspec.ValidationError, WateringHoleError) as error:
                self._log(f"table {each.id} cannot be restored: {error}")
        if self.tables:
            self._log(f"restored {pluralize(len(self.tables), 'table')}")
        for problem in registry.load_errors():
            self._log(problem)
        self._descriptions = await asyncio.to_thread(lambda: [describe(kind.name) for kind in registry.kinds()])
        self._clean_up_task = asyncio.get_running_loop().create_task(self._clean_up())

    async def close(self) -> None:
        """Stop all games.  The tables stay saved for the next start."""
        if self._clean_up_task:
            self._clean_up_task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._clean_up_task
        for table in self.tables.values():
            await table.stop()
        await asyncio.to_thread(self._writer.close)

    # Tables

    def table(self, id: str) -> Table:
        """Return a table.  Raises NotFound if there is none with this id."""
        if id not in self.tables:
            raise NotFound("There is no such table, or it was closed.")
        return self.tables[id]

    def set_up(self, wanted: NewTable, address: str) -> tuple[Table, str | None, list[str]]:
        """Return a new table, the token of the player who set it up, and an invitation for each friend.

        Raises UsageError and OperationError.
        """
        self._check_table_limits(address)
        plan, token, invitations = plan_of(wanted)
        table = self._add(self._table(plan), address)
        links = [f"/table/{table.id}#invite={secret}" for secret in invitations]
        self._writer.save(table.id, table.created, plan)
        table.start_if_full()
        return table, token, links

    def rematch(self, old: Table, seat: int, address: str) -> tuple[Table, str, list[str]]:
        """Return a new table with the same players; the other players' seats are kept for them."""
        if old.state != "over":
            raise OperationError("The game at this table is not over yet.")
        name = old.plan.seats[seat].name
        successor = self.tables.get(old.successor or "")
        if successor and successor.state != "over":
            own_token = old.successor_tokens.get(seat)
            if own_token is None or successor.seat_of(own_token) != seat:
                if successor.plan.seats[seat].is_taken:
                    raise OperationError("Another player has taken your seat at the new table.")
                own_token = old.successor_tokens[seat] = successor.take_seat(seat, name)
                successor.start_if_full()
            return successor, own_token, []
        self._check_table_limits(address)
        plan = msgspec.convert(msgspec.to_builtins(old.plan), TablePlan)
        plan.seed = new_seed()
        links: list[str] = []
        for number, table_seat in enumerate(plan.seats):
            if table_seat.kind == "person":
                secret, invitation = TokenDigest.new()
                table_seat.token, table_seat.name, table_seat.invitation = None, "", None
                if number != seat:
                    table_seat.invitation = invitation
                    links.append(secret)
        table = self._add(self._table(plan), address)
        old.successor = table.id
        old.successor_tokens = {seat: table.take_seat(seat, name)}
        old.notify_others(seat, {"type": "rematch", "by": name, "link": f"/table/{table.id}"})
        table.start_if_full()
        return table, old.successor_tokens[seat], [f"/table/{table.id}#invite={secret}" for secret in links]

    def _check_table_limits(self, address: str) -> None:
        open_tables = [table for table in self.tables.values() if table.state != "over"]
        if len(open_tables) >= self.limits.tables:
            raise OperationError("The server has reached its limit of tables. Please try again later.")
        own = sum(self._addresses.get(table.id) == address for table in open_tables)
        if own >= self.limits.tables_per_address:
            raise OperationError(f"Your address already has {own} tables. Finish one of them first.")

    def _table(self, plan: TablePlan, **more: Any) -> Table:
        referee = RefereeSettings(time_limit=BOT_SECONDS, human_time_limit=self.limits.human_time_limit)
        humans = sum(table_seat.kind == "person" for table_seat in plan.seats)
        reconnect_seconds = self.limits.reconnect_seconds or (AWAITED_SECONDS if humans > 1 else ALONE_SECONDS)
        choices = self.choices.get(plan.game, {})
        return Table(
            plan,
            self._writer,
            referee=referee,
            reconnect_seconds=reconnect_seconds,
            choices=choices,
            isolation=self.isolation,
            **more,
        )

    def _add(self, table: Table, address: str) -> Table:
        self.tables[table.id] = table
        self._addresses[table.id] = address
        return table

    async def _clean_up(self) -> None:
        """Close abandoned tables, and renew the leases of the others."""
        clock = asyncio.get_running_loop().time
        renewed = clock()
        while True:
            await asyncio.sleep(CLEAN_UP_SECONDS)
            for table in list(self.tables.values()):
                idle = 0.0 if table.idle_since is None else clock() - table.idle_since
                if table.state == "over" and idle > self.limits.over_seconds:
                    await self._remove(table)
                elif table.state == "waiting" and idle > self.limits.waiting_seconds:
                    self._writer.forget(table.id)
                    await self._remove(table)
                elif table.state == "waiting" and table.cannot_fill:
                    self._writer.forget(table.id)
                    await self._remove(table, "The player who set up this table has left, so it was closed.")
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

    # JSON for the page

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
