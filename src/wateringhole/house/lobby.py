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
from wateringhole.house.limits import ALONE_SECONDS, AWAITED_SECONDS, HouseLimits
from wateringhole.house.page import describe
from wateringhole.house.plans import NewTable, TablePlan, TokenDigest, plan_of
from wateringhole.house.remote import JsonPlayer
from wateringhole.house.store import TableStore
from wateringhole.house.tables import Table
from wateringhole.house.writer import FinishedGame, TableWriter
from wateringhole.match.match import RefereeSettings
from wateringhole.process.limits import ISOLATED, Isolation
from wateringhole.seeds import new_seed
from wateringhole.tournaments.store import LEASE_SECONDS

__all__ = ["Lobby"]

BOT_SECONDS = 30.0
"""Time limit for one answer of a bot."""
CLEAN_UP_SECONDS = 5.0
RECENT_GAMES = 20


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

    async def stop(self) -> None:
        """Stop all games."""
        if self._clean_up_task:
            self._clean_up_task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._clean_up_task
        for table in self.tables.values():
            await table.stop()

    async def close(self) -> None:
        """Write everything to the store.  The tables stay saved for the next start."""
        await asyncio.to_thread(self._writer.close)

    # Tables

    def table(self, id: str) -> Table:
        """Return a table.  Raises NotFound if there is none with this id."""
        if id not in self.tables:
            raise NotFound("There is no such table, or it was closed.")
        return self.tables[id]

    def open_seat(self, code: str | None, game: str | None = None) -> tuple[Table, int]:
        """Return the seat of a code, or without one the first open seat at a public table, perhaps of one game.

        Raises NotFound if there is none.
        """
        if code is None:
            for table in self.tables.values():
                seat = table.free_seat(None) if game in (None, table.kind.name) else None
                if seat is not None:
                    return table, seat
            raise NotFound("no public table has an open seat; open one on the page, or use the code of a seat")
        for table in self.tables.values():
            if table.invited_seat(code) is not None:
                seat = table.free_seat(code)
                if seat is None:
                    raise NotFound("the seat of this code is taken")
                return table, seat
        raise NotFound("no seat is reserved for this code")

    def remote(self, token: str) -> tuple[Table, JsonPlayer]:
        """Return the remote player with a token, and its table.  Raises NotFound if no seat is kept for it."""
        digest = TokenDigest.of(token)
        for table in self.tables.values():
            if remote := table.remote_of(digest):
                return table, remote
        raise NotFound("no seat is kept for this token; sign up again without it")

    def set_up(self, wanted: NewTable, address: str) -> tuple[Table, str | None, dict[int, str]]:
        """Return a new table, the token of the player who set it up, and the invitations by seat.

        Raises UsageError and OperationError.
        """
        self._check_table_limits(address)
        plan, token, invitations = plan_of(wanted)
        table = self._add(self._table(plan), address)
        self._writer.save(table.id, table.created, plan)
        table.start_if_full()
        return table, token, invitations

    def rematch(self, old: Table, seat: int, address: str) -> tuple[Table, str, dict[int, str]]:
        """Return a new table with the same players, the token of the seat, and new invitations for the others.

        The seats of the other players on the page are kept for them.
        """
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
            return successor, own_token, {}
        self._check_table_limits(address)
        plan = msgspec.convert(msgspec.to_builtins(old.plan), TablePlan)
        plan.seed = new_seed()
        invitations: dict[int, str] = {}
        for number, table_seat in enumerate(plan.seats):
            if table_seat.kind != "bot":
                table_seat.free()
                table_seat.invitation = None
                if number != seat:
                    invitations[number], table_seat.invitation = TokenDigest.new()
        table = self._add(self._table(plan), address)
        old.successor = table.id
        old.successor_tokens = {seat: table.take_seat(seat, name)}
        old.notify_others(seat, {"type": "rematch", "by": name, "link": f"/table/{table.id}"})
        table.start_if_full()
        return table, old.successor_tokens[seat], invitations

    def _check_table_limits(self, address: str) -> None:
        open_tables = [table for table in self.tables.values() if table.state != "over"]
        if len(open_tables) >= self.limits.tables:
            raise OperationError("The server has reached its limit of tables. Please try again later.")
        own = sum(self._addresses.get(table.id) == address for table in open_tables)
        if own >= self.limits.tables_per_address:
            raise OperationError(f"Your address already has {own} tables. Finish one of them first.")

    def _table(self, plan: TablePlan, **more: Any) -> Table:
        referee = RefereeSettings(time_limit=BOT_SECONDS, human_time_limit=self.limits.human_time_limit)
        guests = sum(table_seat.kind != "bot" for table_seat in plan.seats)
        reconnect_seconds = self.limits.reconnect_seconds or (AWAITED_SECONDS if guests > 1 else ALONE_SECONDS)
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
                table.check_remotes()
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
