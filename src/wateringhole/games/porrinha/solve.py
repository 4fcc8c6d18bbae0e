"""The exact solution of two-player Porrinha, as the command `solve` prints it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from wateringhole.facets import TextTable
from wateringhole.games.porrinha.solver import solution
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin, Weights, positive
from wateringhole.games.porrinha.solver.solution import OpeningZero
from wateringhole.options import Rules, option

__all__ = ["SOLVER", "Options", "tables"]


class Options(Rules, frozen=True):
    """The game that is solved."""

    sticks: Annotated[
        int, option("Sticks of each player at the start.", values="whole numbers from 1 to 20", least=1, most=20)
    ] = 3
    lead_after_win: Annotated[LeadAfterWin, option("Player who leads after a right guess.")] = "winner"
    opening_zero: Annotated[OpeningZero, option("Whether the first hand of a game may be empty.")] = "allowed"


class _Solution(msgspec.Struct, frozen=True):
    """A solution in the forms that `solve` prints."""

    solved: solution.Solution

    def to_json(self) -> dict[str, Any]:
        return solution.to_json(self.solved)

    def tables(self) -> list[TextTable]:
        return tables(self.solved)

    def lines(self) -> list[str]:
        return [f"exploitability {self.solved.exploitability:.1e}, certified; solved in {self.solved.seconds:.2f} s"]


class _Solver:
    options = Options

    def solve(self, options: Options, progress: Callable[[int, int], None], /) -> _Solution:
        return _Solution(
            solution.solve(options.sticks, options.lead_after_win, options.opening_zero, progress=progress)
        )


SOLVER = _Solver()


def tables(solved: solution.Solution) -> list[TextTable]:
    """Return the values and the strategies of the start state as text tables."""
    sides = [str(sticks) for sticks in range(1, solved.sticks + 1)]
    values = [
        [str(lead), *(f"{solved.rounds[lead, follower].value:.6f}" for follower in range(1, solved.sticks + 1))]
        for lead in range(1, solved.sticks + 1)
    ]
    start = (solved.sticks, solved.sticks)
    found = solved.round(start, opening=True)
    lead, follower = found.lead, found.follower
    which = "first round, no empty hand" if solved.openings else "any round"
    return [
        TextTable(
            "Chance that the lead does not lose (rows: its sticks, columns: the follower's)", ["", *sides], values
        ),
        TextTable(
            f"The lead with {start[0]} against {start[1]}, {which}: guesses by own hand",
            ["hand", "shown", "guesses"],
            [[str(hand), _percent(chance), _spread(lead.guesses[hand])] for hand, chance in positive(lead.hands)],
        ),
        TextTable(
            f"The follower with {start[1]} against {start[0]}, {which}: guesses by the lead's guess and own hand",
            ["lead says", *(f"hand {hand} ({_percent(chance)})" for hand, chance in positive(follower.hands))],
            [
                [str(guess), *(_spread(follower.guesses[hand][guess]) for hand, _ in positive(follower.hands))]
                for guess in range(sum(start) + 1)
            ],
        ),
    ]


def _percent(chance: float) -> str:
    return f"{100 * chance:.4g} %"


def _spread(weights: Weights) -> str:
    """Return the values that occur, likeliest first: ``3 (75 %), 4 (25 %)``; a certain one without its chance."""
    # Chances below a millionth are rounding errors of the solver.
    likely = sorted((entry for entry in positive(weights) if entry[1] > 1e-6), key=lambda entry: -entry[1])
    if len(likely) == 1:
        return str(likely[0][0])
    return ", ".join(f"{value} ({_percent(weight)})" for value, weight in likely)
