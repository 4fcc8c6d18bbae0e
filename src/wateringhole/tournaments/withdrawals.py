"""The rule that withdraws a player: it has forfeited many games in a row.

The rule follows the schedule, not the clock.  Games are counted in the order of the series, and a
series is counted when all earlier ones are finished.  So the same players are withdrawn at the same
point, in whatever order several workers or processes finish the games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from wateringhole.game import Forfeit

__all__ = ["WITHDRAWN", "ForfeitStreaks", "absent_from", "withdrawal"]

WITHDRAWN: Final = "withdrawn"
"""The reason of the forfeits of a withdrawn player."""


def withdrawal(forfeits: int | None) -> Forfeit:
    """Return what a player forfeits with after it was withdrawn."""
    return Forfeit(WITHDRAWN, f"it was withdrawn after {forfeits} forfeits in a row")


def absent_from(series: int, entrants: Collection[int], withdrawn: Mapping[int, int]) -> tuple[int, ...]:
    """Return the entrants of a series that do not play, given the first series that each withdrawn player misses."""
    if not withdrawn:
        return ()
    return tuple(sorted(entrant for entrant in entrants if withdrawn.get(entrant, series + 1) <= series))


class ForfeitStreaks:
    """How many games in a row each player has forfeited, over the first series of a tournament."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        """The number of forfeits in a row after which a player is withdrawn."""
        self.counted = 0
        """The number of series that are counted."""
        self.withdrawals = 0
        """The number of players that were withdrawn when their forfeits were counted."""
        self._streaks: Counter[int] = Counter()

    def copy(self) -> ForfeitStreaks:
        copied = ForfeitStreaks(self.limit)
        copied.take(self)
        return copied

    def take(self, other: ForfeitStreaks) -> None:
        """Take over the counts of another object."""
        self.counted, self.withdrawals, self._streaks = other.counted, other.withdrawals, other._streaks.copy()

    def add(self, entrants: Sequence[int], thrown_out: Sequence[str | None]) -> set[int]:
        """Count the next game of the schedule, and return the players whose forfeits reach the limit with it."""
        if thrown_out.count(WITHDRAWN) >= len(entrants) - 1:
            return set()  # the player without opponents was not asked anything
        reached = set()
        for player, reason in zip(entrants, thrown_out, strict=True):
            self._streaks[player] = 0 if reason is None else self._streaks[player] + 1
            if self._streaks[player] == self.limit:
                reached.add(player)
        return reached
