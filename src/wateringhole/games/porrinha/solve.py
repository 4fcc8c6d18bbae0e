"""The exact solution of two-player Porrinha, as the command `solve` prints it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import msgspec

from wateringhole.facets import TextTable
from wateringhole.games.porrinha.solver import solution
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin
from wateringhole.games.porrinha.solver.solution import OpeningZero
from wateringhole.options import Rules, option

__all__ = ["SOLVER", "Options"]


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
        return solution.tables(self.solved)

    def lines(self) -> list[str]:
        return [f"exploitability {self.solved.exploitability:.1e}, certified; solved in {self.solved.seconds:.2f} s"]


class _Solver:
    options = Options

    def solve(self, options: Options, progress: Callable[[int, int], None], /) -> _Solution:
        return _Solution(
            solution.solve(options.sticks, options.lead_after_win, options.opening_zero, progress=progress)
        )


SOLVER = _Solver()
