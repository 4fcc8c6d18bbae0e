"""The waiting room of a table: what its host can do before the game starts.

Every change happens at once in the event loop, so two changes never mix.  Seats are named by their keys, which stay
the same when the order changes.  A request that was made for another state of the table is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import pluralize
from wateringhole.house.names import distinct
from wateringhole.house.page_tables import PageTable
from wateringhole.house.plans import SeatOccupant, TableSeat, TokenDigest, bots, check_bot, check_count, check_seats
from wateringhole.house.remote import RemotePlayer
from wateringhole.house.settings import TableSettings
from wateringhole.levels import HIGHEST, levels
from wateringhole.seeds import new_seed

__all__ = ["Room"]

_CHANGED = "The seats have changed meanwhile. Look at them and try again."
_REPLACED = "the player who opened the table started without you"


class Room:
    """The waiting room of a table, for its host."""

    def __init__(self, table: PageTable, token: str) -> None:
        """Raise OperationError unless the token is that of the table's host and the game has not begun."""
        table.check_host(token, "change it")
        self._table = table
        self._host_seat = table.seat_of(token)

    def change_settings(self, changes: Mapping[str, Any], longest: float) -> None:
        """Change some settings; `longest` is the house's time limit for one decision.

        Raises UsageError if a value is not possible.
        """
        plan = self._table.plan
        try:
            settings = msgspec.convert({**msgspec.to_builtins(TableSettings.of(plan)), **changes}, TableSettings)
        except msgspec.ValidationError as error:
            raise UsageError(f"These settings are not valid: {error}.") from None
        if settings.rated != plan.rated:
            raise UsageError("A table is opened as rated or not, and stays so. Open another table.")
        settings.check(longest)
        settings.apply_to(plan)
        self._table.save_and_show()

    def reorder(self, keys: Sequence[int]) -> None:
        """Put the seats into this order."""
        seats = {table_seat.key: seat for seat, table_seat in enumerate(self._table.plan.seats)}
        if sorted(keys) != sorted(seats):
            raise OperationError(_CHANGED)
        self._table.arrange([seats[key] for key in keys])

    async def occupy(self, key: int, occupant: SeatOccupant) -> dict[int, str]:
        """Give a seat to a bot, or reserve it for a friend or a program, unless a player is there.

        Return the new invitation by seat, if there is one.
        """
        table, seat = self._table, self._absent_seat(key)
        secret: str | None = None
        if occupant.kind == "bot":
            new = self._bot(seat, check_bot(table.kind.name, occupant.player))
        elif occupant.kind == "me":
            raise UsageError("Only a bot, a friend or a program can get this seat.")
        else:
            secret, digest = TokenDigest.new()
            new = TableSeat("program" if occupant.kind == "program" else "person", "", invitation=digest)
            # The host may have chosen the seed of a table with bots alone, and so know every hand.
            table.plan.seed = new_seed()
        gone = table.replace_seat(seat, new)
        table.save_and_show()
        table.start_if_full()
        await _disconnect(gone)
        return {} if secret is None else {seat: secret}

    def add_seat(self) -> dict[int, str]:
        """Add a seat for a friend after the others.  Return its invitation by seat.

        Raises UsageError if the game cannot have one more player.
        """
        table = self._table
        seats = table.plan.seats
        check_count(table.kind, len(seats) + 1)
        check_seats(table.kind, table.rules, len(seats) + 1)
        secret, digest = TokenDigest.new()
        key = max(each.key for each in seats) + 1
        seats.append(TableSeat("person", "", invitation=digest, key=key))
        table.plan.seed = new_seed()
        table.save_and_show()
        return {len(seats) - 1: secret}

    async def remove_seat(self, key: int) -> None:
        """Remove a seat, unless a player is there.  The game begins if all others are taken.

        Raises UsageError if the game cannot have one player less.
        """
        table, seat = self._table, self._absent_seat(key)
        others = [each for each in range(len(table.names)) if each != seat]
        check_count(table.kind, len(others))
        check_seats(table.kind, table.rules, len(others))
        gone = table.arrange(others)
        table.start_if_full()
        await _disconnect(gone)

    async def start(self, absent: Sequence[int], *, with_bots: bool) -> None:
        """Start the game now, with bots at the seats with these keys, or without these seats."""
        table, seats = self._table, [self._absent_seat(key) for key in absent]
        others = [seat for seat in range(len(table.names)) if seat not in seats]
        if not all(table.plan.seats[seat].is_taken for seat in others):
            raise OperationError(_CHANGED)
        if with_bots:
            gone = []
            for seat in seats:
                gone += table.replace_seat(seat, self._bot(seat, self._next_bot()))
            table.save_and_show()
        else:
            least = table.kind.seats[0]
            if len(others) < least:
                needed = pluralize(least, "player")
                raise OperationError(f"{table.kind.display_name} needs {needed}, and only {len(others)} would be left.")
            check_seats(table.kind, table.rules, len(others))
            gone = table.arrange(others)
        table.start_if_full()
        await _disconnect(gone)

    def _absent_seat(self, key: int) -> int:
        """Return the number of a seat.  Raise OperationError if it is the host's, or a player is there."""
        table = self._table
        seat = next((seat for seat, each in enumerate(table.plan.seats) if each.key == key), None)
        if seat is None:
            raise OperationError(_CHANGED)
        if seat == self._host_seat:
            raise OperationError("This is your own seat. Leave the table instead.")
        if table.is_here(seat) and table.plan.seats[seat].kind != "bot":
            raise OperationError(f"{table.names[seat]} is at this seat. Look at the table and try again.")
        return seat

    def _bot(self, seat: int, player: str) -> TableSeat:
        names = [name for other, name in enumerate(self._table.names) if other != seat]
        return TableSeat("bot", distinct(player, names), player)

    def _next_bot(self) -> str:
        """Return a bot for an empty seat: among the bots that are least often at the table, the weakest."""
        rated = levels(self._table.kind).players
        seated = [table_seat.player for table_seat in self._table.plan.seats]

        def preference(name: str) -> tuple[int, int]:
            return seated.count(name), rated[name].level if name in rated else HIGHEST + 1

        return min(bots(self._table.kind.name), key=preference)


async def _disconnect(players: Sequence[RemotePlayer]) -> None:
    await asyncio.gather(*(player.disconnect(_REPLACED) for player in players))
