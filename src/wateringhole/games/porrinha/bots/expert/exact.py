"""The exact solution of two-player Porrinha: in the package for few sticks, from the solver for more."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Final

from wateringhole.errors import OperationError
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.solver import solution
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin
from wateringhole.games.porrinha.solver.solution import OpeningZero, Solution

__all__ = ["MOST_SHIPPED_STICKS", "MOST_STICKS", "two_player_solution"]

MOST_SHIPPED_STICKS: Final = 3
"""The most sticks per player in `two_players.json`."""

MOST_STICKS: Final = 8
"""The most sticks per player that are solved, which takes three seconds, once."""


def two_player_solution(rules: Rules, players: int) -> Solution:
    """Return the solution for the rounds of a game in which only two players are left.

    It covers up to `MOST_SHIPPED_STICKS` sticks each.  It covers up to `MOST_STICKS` in games of two players, if the
    solver is installed, which is an extra.
    """
    most = max(starting_sticks(rules, players))
    if players == 2 and most > MOST_SHIPPED_STICKS:
        try:
            return _solved(min(most, MOST_STICKS), rules.lead_after_win, rules.opening_zero)
        except OperationError:
            pass
    return _shipped(rules.lead_after_win, rules.opening_zero)


# All players of a process share these.
_solved = functools.cache(solution.load_or_solve)


@functools.cache
def _shipped(lead_after_win: LeadAfterWin, opening_zero: OpeningZero) -> Solution:
    stored = json.loads((resources.files(__package__) / "two_players.json").read_bytes())
    return solution.from_json(stored[f"{lead_after_win},{opening_zero}"])
