"""What the author of a Porrinha player derives from.

::

    class Cautious(Player):
        def hand(self):
            return 0

        def guess(self):
            values = range(self.core.chopstick_count() + 1)
            return next(value for value in values if self.core.valid_guess(value))
"""

from __future__ import annotations

from typing import Any, Self

from wateringhole.games.porrinha.bots.queries import Queries
from wateringhole.player import InProcess

__all__ = ["Player"]


class Player(InProcess):
    """A player of Porrinha.  One object lives through all games of a series and may learn.

    It is called as the rulebook says: `begin_game`, then for every round `hand`, `guess` and
    `end_round`, then `end_game`.  What it may know it asks `self.core`, from the constructor on.
    """

    core: Queries

    def __new__(cls, *_args: Any, **_options: Any) -> Self:
        # Here, so that a constructor can ask its core without having called ours.
        player = super().__new__(cls)
        player.core = Queries()
        return player

    def name(self) -> str:
        """What to call this player in reports."""
        return type(self).__name__

    def begin_game(self) -> None:
        """A game begins; sticks and seats are known."""

    def hand(self) -> int:
        """How many of your sticks to hide."""
        raise NotImplementedError(f"{type(self).__name__} does not say how many sticks it hides: define hand()")

    def guess(self) -> int:
        """How many sticks all hands hold together."""
        raise NotImplementedError(f"{type(self).__name__} does not guess: define guess()")

    def end_round(self) -> None:
        """A round is settled: hands are open, the winner has given up a stick."""

    def end_game(self) -> None:
        """A game is over; what was learned may be kept for the next."""
