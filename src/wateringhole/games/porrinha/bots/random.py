"""A player that draws its answers at random."""

from __future__ import annotations

import random

from wateringhole.games.porrinha.bots.player import Player

__all__ = ["Random"]


class Random(Player):
    """Hides any number of sticks and guesses any free sum, all equally likely."""

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed).random
        self._seat = 0

    def name(self) -> str:
        return "random"

    def begin_game(self) -> None:
        self._seat = self.core.index(self)

    def hand(self) -> int:
        view = self.core.view
        lowest = view.lowest_hand
        return lowest + int(self._random() * (view.chopsticks[self._seat] - lowest + 1))

    def guess(self) -> int:
        # At least two values are always free, so this loop ends.
        view = self.core.view
        values, said = view.chopstick_count + 1, view.guess
        while True:
            value = int(self._random() * values)
            if value not in said:
                return value
