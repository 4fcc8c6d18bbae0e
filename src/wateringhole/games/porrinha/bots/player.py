"""The base class of Porrinha players.

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

from wateringhole.game import Notice
from wateringhole.games.porrinha.bots.queries import Queries
from wateringhole.games.porrinha.rules.events import EndRound
from wateringhole.player import InProcess, inherited_notices

__all__ = ["Player"]


class Player(InProcess):
    """A player of Porrinha.  One object plays all games of a series and may learn.

    The calls follow the rulebook: `begin_game`, then `hand`, `guess` and `end_round` for every
    round, then `end_game`.  `self.core` answers queries, from the constructor on.
    """

    core: Queries

    def __new__(cls, *_args: Any, **_options: Any) -> Self:
        # Set here, so that a constructor can use it without calling super().__init__.
        player = super().__new__(cls)
        player.core = Queries()
        return player

    @property
    def ignored_notices(self) -> frozenset[type[Notice]]:
        return inherited_notices(self, Player, EndRound)

    def name(self) -> str:
        """Return the name of this player in reports."""
        return type(self).__name__

    def begin_game(self) -> None:
        """Prepare for a game.  Sticks and seats are known."""

    def hand(self) -> int:
        """Return how many of your sticks to hide."""
        raise NotImplementedError(f"{type(self).__name__} does not choose a hand: define hand()")

    def guess(self) -> int:
        """Return how many sticks all hands hold together."""
        raise NotImplementedError(f"{type(self).__name__} does not guess: define guess()")

    def end_round(self) -> None:
        """Learn from a round.  Hands are open, and the winner has given up a stick."""

    def end_game(self) -> None:
        """Learn from a game.  The object may keep what it learned for the next game."""
