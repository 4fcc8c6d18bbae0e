"""The player `expert`, which needs nothing but the standard library."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Final

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.games.porrinha.bots import two_players
from wateringhole.games.porrinha.bots.expert import exact
from wateringhole.games.porrinha.bots.expert.beliefs import hand_chances
from wateringhole.games.porrinha.bots.expert.opponents import Opponent, Round
from wateringhole.games.porrinha.bots.expert.strategy import plans
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.rules.view import View
from wateringhole.games.porrinha.solver import rounds as solver
from wateringhole.games.porrinha.solver.solution import Solution

__all__ = ["Expert"]

LARGEST_TABLE: Final = 24
"""The most sticks on a table for which the expert computes chances.  With more, its hands and guesses are plain."""


class Expert(Player):
    """Plays a trained strategy and learns how each opponent differs from it; exact between two players.

    It reads the guesses of a round for the hands behind them.  The more likely a later player does the same, the more
    often its own guess follows the strategy, which conceals its hand.  Otherwise it says the likeliest sum.
    """

    def __init__(self, seed: int | str | None = None, learns: bool = True) -> None:
        """With `learns=False`, play the strategy alone.  Raises UsageError if `learns` is not a truth value."""
        if not isinstance(learns, bool):
            raise UsageError(f"learns must be true or false, not {short_repr(learns)}.")
        self._random = random.Random(seed)
        self._learns = learns
        self._opponents: dict[int, Opponent] = {}
        """By number in the series."""
        self._solution: Solution
        """For the rounds in which only two players are left."""
        self._sticks: tuple[int, ...] = ()
        """The sticks of every seat in the current round."""

    def name(self) -> str:
        return "expert"

    def begin_game(self) -> None:
        self._sticks = self.core.chopsticks()
        self._solution = exact.two_player_solution(self.core.rules, self.core.player_count())

    def hand(self) -> int:
        view = self.core.view
        self._sticks = view.chopsticks
        seats = view.guessing_order()
        sticks, position = [view.chopsticks[seat] for seat in seats], seats.index(self.core.index(self))
        solved = self._solved(view, sticks)
        if solved:
            return two_players.draw_hand(self._random, solved, position)
        if view.chopstick_count > LARGEST_TABLE:
            return self._random.randint(view.lowest_hand, sticks[position])
        chances = hand_chances(sticks[position], view.lowest_hand, plans(sticks)[position].spread)
        return two_players.draw(self._random, chances)

    def guess(self) -> int:
        view = self.core.view
        seats = view.guessing_order()
        sticks, position = [view.chopsticks[seat] for seat in seats], seats.index(self.core.index(self))
        solved = self._solved(view, sticks)
        if solved:
            said = [guess for guess in view.guess if guess >= 0]
            return two_players.draw_guess(self._random, solved, position, view.own_hand, said)
        if view.chopstick_count > LARGEST_TABLE:
            half = view.own_hand + (view.chopstick_count - sticks[position]) // 2
            return next(value for value in _around(half) if view.valid_guess(value))
        opponents = self._opponents_at(seats)
        played = Round(sticks, view.lowest_hand, opponents)
        for before, seat in enumerate(seats[:position]):
            if view.guess[seat] >= 0:
                played.add_guess(before, view.guess[seat])
        # The strategy reads guesses.
        reads = max((after.reads if after else 1.0 for after in opponents[position + 1 :]), default=0.0)
        if self._random.random() < reads:
            return two_players.draw(self._random, played.guess_chances(position)[view.own_hand])
        others = played.others(position)
        free = [more for more in range(len(others)) if view.valid_guess(view.own_hand + more)]
        return view.own_hand + max(free, key=others.__getitem__)

    def end_round(self) -> None:
        view = self.core.view
        seats = [seat for seat in view.guessing_order() if self._sticks[seat]]
        # A player that is safe is not asked any more, but still gets this call.  The others may play thousands of
        # rounds, so it learns only from those that it plays.
        plays = self._sticks[self.core.index(self)] > 0
        if self._learns and plays and len(seats) > 2 and sum(self._sticks) <= LARGEST_TABLE:
            self._learn(view, seats)
        self._sticks = view.chopsticks

    def _solved(self, view: View, sticks: Sequence[int]) -> solver.Round | None:
        """Return the solution of this round, if there is one."""
        if len(sticks) != 2 or max(sticks) > self._solution.sticks:
            return None
        return self._solution.round((sticks[0], sticks[1]), opening=view.lowest_hand > 0)

    def _learn(self, view: View, seats: Sequence[int]) -> None:
        """Learn from the guesses of a round, now that its hands are open."""
        opponents = self._opponents_at(seats)
        played = Round([self._sticks[seat] for seat in seats], view.lowest_hand, opponents)
        for position, (seat, opponent) in enumerate(zip(seats, opponents, strict=True)):
            by_habit = played.add_guess(position, view.guess[seat]) if view.guess[seat] >= 0 else []
            if opponent:
                if by_habit:
                    opponent.add_guess([by_hand[view.hand[seat]] for by_hand in by_habit])
                opponent.add_hand(self._sticks[seat], view.hand[seat])

    def _opponents_at(self, seats: Sequence[int]) -> list[Opponent | None]:
        """Return the opponents in some seats: None in the seat of this player, or everywhere if it does not learn."""
        me = self.core.index(self)
        return [
            self._opponents.setdefault(self.core.player(seat).number, Opponent())
            if self._learns and seat != me
            else None
            for seat in seats
        ]


def _around(middle: int) -> Iterator[int]:
    """Return the numbers around another, the nearest first.

    >>> list(itertools.islice(_around(5), 4))
    [5, 6, 4, 7]
    """
    yield middle
    for step in itertools.count(1):
        yield middle + step
        yield middle - step
