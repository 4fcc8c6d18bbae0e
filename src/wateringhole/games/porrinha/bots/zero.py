"""A player that mostly shows an empty hand."""

from __future__ import annotations

import random

from wateringhole.games.porrinha.bots.player import Player

__all__ = ["Zero"]


class Zero(Player):
    """Keeps its hand empty in 19 of 20 rounds, and expects the others to show half of their sticks."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)
        self._hand = 0

    def name(self) -> str:
        return "zero"

    def hand(self) -> int:
        own = self.core.chopsticks(self.core.index(self))
        # A game between players that always show empty hands would never end.
        surprise = self._random.random() < 0.05
        self._hand = self._random.randint(1, own) if surprise else self.core.view.lowest_hand
        return self._hand

    def guess(self) -> int:
        others = self.core.chopstick_count() - self.core.chopsticks(self.core.index(self))
        return _nearest_free(self.core.view.guess, self.core.chopstick_count(), self._hand + others / 2)


def _nearest_free(said: tuple[int, ...], table: int, target: float) -> int:
    """Return the free value nearest to a target."""
    free = [value for value in range(table + 1) if value not in said]
    return min(free, key=lambda value: abs(value - target))
