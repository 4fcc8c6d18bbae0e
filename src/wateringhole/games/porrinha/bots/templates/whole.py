"""My player of Porrinha.

Run it:  wateringhole play porrinha mine.py:Mine random zero
"""

import random

from wateringhole.games.porrinha import Player


class Mine(Player):
    # `self.core` answers queries: `chopsticks()` returns the sticks that each player owns, `guess()` the
    # guesses of this round, `hand()` the hands shown in the last round.  `Queries` lists them all.

    def hand(self) -> int:
        """Return how many of my sticks to hide."""
        me = self.core.index(self)
        self.hidden = random.randint(self.core.view.lowest_hand, self.core.chopsticks(me))
        return self.hidden

    def guess(self) -> int:
        """Guess the sum of all hands: my own hand, and half of the sticks that the others own."""
        others = self.core.chopstick_count() - self.core.chopsticks(self.core.index(self))
        likely = self.hidden + others // 2

        # A guess may not be repeated, so take the nearest free value.
        free = [value for value in range(self.core.chopstick_count() + 1) if self.core.valid_guess(value)]
        return min(free, key=lambda value: abs(value - likely))

    def end_round(self) -> None:
        """Learn from the open hands.  This object plays all games of a series."""
