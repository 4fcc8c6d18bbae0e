"""My player of Porrinha.

Run it:  wateringhole play porrinha mine.py:Mine random zero
"""

import random

from wateringhole.games.porrinha import Player


class Mine(Player):
    # What I may know I ask `self.core`: `chopsticks()` is what everybody owns, `guess()` what was
    # said in this round, `hand()` what was shown, once a round is over.  See `Queries` for all.

    def hand(self) -> int:
        """How many of my sticks to hide."""
        me = self.core.index(self)
        self.hidden = random.randint(self.core.view.lowest_hand, self.core.chopsticks(me))
        return self.hidden

    def guess(self) -> int:
        """How many sticks are in all hands together: my own, and half of what the others own."""
        others = self.core.chopstick_count() - self.core.chopsticks(self.core.index(self))
        likely = self.hidden + others // 2

        # Nobody may repeat what was said before: take the nearest that is free.
        free = [value for value in range(self.core.chopstick_count() + 1) if self.core.valid_guess(value)]
        return min(free, key=lambda value: abs(value - likely))

    def end_round(self) -> None:
        """Hands are open now: a place to learn.  I live through all games of a series."""
