"""A player that plays an equilibrium against one opponent, and an approximation against more."""

from __future__ import annotations

import functools
import random
from typing import Literal

from wateringhole.games.porrinha.bots import two_players
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.queries import QueryUnavailable
from wateringhole.games.porrinha.rules.options import starting_sticks
from wateringhole.games.porrinha.rules.view import View
from wateringhole.games.porrinha.solver import cfr, solution
from wateringhole.games.porrinha.solver.rounds import Round

__all__ = ["MOST_EXACT_STICKS", "Equilibrium"]

MOST_EXACT_STICKS = 8
"""The most sticks per player for which two players are solved exactly.

Solving 8 takes three seconds, once.  Solving 12 takes five times as long."""

# All players of a process share these, because strategies do not depend on the player.
_solution = functools.cache(solution.load_or_solve)
_approximation = functools.cache(cfr.load_or_train)


class Equilibrium(Player):
    """Plays the exact equilibrium between two players, and an approximation with more players.

    The exact strategy covers any lead and up to `MOST_EXACT_STICKS` sticks each.  With more sticks,
    the approximation also covers two players.  Both are computed on first use and kept in the
    user's cache directory.  `name` contains the strategy that the game starts with, `describe`
    returns the current one.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        """Raise OperationError if the solver is not installed."""
        solution.require_solver()
        self._random = random.Random(seed)
        try:
            self._kind: Literal["exact", "approximate"] | None = (
                "exact" if self.core.global_player_count() == 2 else "approximate"
            )
        except QueryUnavailable:
            self._kind = None

    def name(self) -> str:
        return f"equilibrium ({self._kind})" if self._kind else "equilibrium"

    def describe(self) -> str:
        """Return a description of the current strategy."""
        players = self.core.active_player_count()
        if self._is_exact(self.core.view):
            solution = self._solution()
            return f"exact two-player equilibrium, exploitable by at most {solution.exploitability:.1e}"
        iterations = self._approximation(players).iterations
        if not iterations:
            return f"approximate: the table of {players} players is too large for anything but plain random hands"
        return f"approximate strategy for {players} players by {iterations} iterations of regret minimisation"

    def begin_game(self) -> None:
        view = self.core.view
        # Under some rules this call also ends a game, when there is nothing to prepare.
        if view.active_player_count > 1:
            self._kind = "exact" if self._is_exact(view) else "approximate"
            self.describe()

    def hand(self) -> int:
        view = self.core.view
        order, position = self._order(view)
        if self._is_exact(view):
            return two_players.draw_hand(self._random, self._solved(view, order), position)
        return self._approximation(len(order)).hand(self._random, order, position, view.lowest_hand)

    def guess(self) -> int:
        view = self.core.view
        order, position = self._order(view)
        said = [guess for guess in view.guess if guess >= 0]
        if self._is_exact(view):
            return two_players.draw_guess(self._random, self._solved(view, order), position, view.own_hand, said)
        return self._approximation(len(order)).guess(self._random, order, position, view.own_hand, said)

    def _order(self, view: View) -> tuple[list[int], int]:
        """Return the sticks of the players in this round, in guessing order, and our position in that order."""
        order = view.guessing_order()
        return [view.chopsticks[seat] for seat in order], order.index(self.core.index(self))

    def _is_exact(self, view: View) -> bool:
        return view.active_player_count == 2 and max(view.chopsticks) <= MOST_EXACT_STICKS

    def _solved(self, view: View, order: list[int]) -> Round:
        return self._solution().round((order[0], order[1]), opening=view.lowest_hand > 0)

    def _solution(self) -> solution.Solution:
        rules = self.core.rules
        most = min(self._most_sticks(), MOST_EXACT_STICKS)
        return _solution(most, rules.lead_after_win, rules.opening_zero)

    def _approximation(self, players: int) -> cfr.Approximation:
        return _approximation(players, self._most_sticks(), self.core.rules.finish)

    def _most_sticks(self) -> int:
        """Return the most sticks that any player started with, so that one strategy serves the whole game."""
        return max(starting_sticks(self.core.rules, self.core.player_count()))
