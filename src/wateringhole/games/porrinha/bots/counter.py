"""A player that remembers the hands of its opponents."""

from __future__ import annotations

import random

from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.rules.view import NO_HAND

__all__ = ["Counter"]


class Counter(Player):
    """Counts the hands that each opponent showed, and guesses the most likely free sum given its own hand.

    It counts by player and by the sticks that player had, through all games of a series.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)
        self._hand = 0
        self._sticks: tuple[int, ...] = ()
        """The sticks of every seat in the current round."""
        self._seen: dict[tuple[int, int], list[int]] = {}
        """Counts of the hands 0, 1, 2, …, by number and sticks of the player.  Each count starts at 1."""

    def name(self) -> str:
        return "counter"

    def hand(self) -> int:
        self._sticks = self.core.chopsticks()
        self._hand = self._random.randint(self.core.view.lowest_hand, self._sticks[self.core.index(self)])
        return self._hand

    def guess(self) -> int:
        chances = self._sum_chances()
        # Every opponent owns at least one stick, so there are more possible sums than guesses before this one.
        free = [value for value in range(len(chances)) if self.core.valid_guess(value)]
        return max(free, key=chances.__getitem__)

    def end_round(self) -> None:
        hands = self.core.hand()
        for seat, sticks in enumerate(self._sticks):
            # A seat that sat the round out shows no hand, or an old one under `absent_hand: stale`.
            if sticks and NO_HAND < hands[seat] <= sticks:
                self._shown(seat, sticks)[hands[seat]] += 1
        # A player that is safe is not asked for a hand any more, but still gets this call.
        self._sticks = self.core.chopsticks()

    def _sum_chances(self) -> list[float]:
        """Return the probability of each sum, assuming that hands are independent."""
        me = self.core.index(self)
        chances = [0.0] * self._hand + [1.0]
        for seat, sticks in enumerate(self._sticks):
            if sticks and seat != me:
                shown = self._shown(seat, sticks)
                chances = _sum_of(chances, [times / sum(shown) for times in shown])
        return chances

    def _shown(self, seat: int, sticks: int) -> list[int]:
        return self._seen.setdefault((self.core.player(seat).number, sticks), [1] * (sticks + 1))


def _sum_of(left: list[float], right: list[float]) -> list[float]:
    """Return the distribution of the sum of two independent numbers."""
    sums = [0.0] * (len(left) + len(right) - 1)
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            sums[i + j] += p * q
    return sums
