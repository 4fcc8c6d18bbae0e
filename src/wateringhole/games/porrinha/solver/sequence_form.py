"""One round of two-player Porrinha as a linear program in sequence form (SciPy's HiGHS).

The lead learns nothing between its hand and its guess, so its plan is a joint distribution
``x[h, g]``.  The follower learns the lead's guess in between: its plan is ``y[k]`` for the hand
and ``y[k, g, f]`` for the guess, with ``sum over f of y[k, g, f] = y[k]`` for every ``g``.

A round has three endings, so relative to "neither is right" the payoff of the lead is ::

    win * sum x[h, h+k] y[k]  +  lose * sum x[h, g] y[k, g, h+k]

This keeps the programs sparse: a row that compares two guesses has two entries.  They contain all
legal hands and guesses, including bluffs and sure misses.

This is the only module of the package that needs NumPy and SciPy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

from wateringhole.errors import OperationError
from wateringhole.games.porrinha.solver.rounds import Follower, Lead, Weights

__all__ = ["Shape", "Solved", "Stakes", "choose_plans", "solve_round"]

Array = NDArray[np.float64]

TOLERANCE = 1e-10
"""The tolerance of the solver: the smallest that HiGHS accepts."""

SLACK = 1e-12
"""The part of the value that a strategy may lose.  It keeps the second programs feasible in floating point."""

NOISE = 1e-11
"""Shares below this are rounding errors."""


class Shape(NamedTuple):
    """The legal hands and guesses of a round."""

    lead_sticks: int
    follower_sticks: int
    least_hand: int = 0
    """1 if an empty hand is forbidden."""

    @property
    def guesses(self) -> range:
        return range(self.lead_sticks + self.follower_sticks + 1)

    @property
    def lead_hands(self) -> range:
        return range(self.least_hand, self.lead_sticks + 1)

    @property
    def follower_hands(self) -> range:
        return range(self.least_hand, self.follower_sticks + 1)


class Stakes(NamedTuple):
    """The lead's chance not to lose the game after each ending of a round."""

    lead_right: float
    follower_right: float
    neither_right: float


class Solved(NamedTuple):
    """The value of a round, and the chance that no player is right in it."""

    value: float
    fruitless: float
    """The chance of that ending in this equilibrium, which is the slope of the value in its payoff."""


class _Program:
    """A linear program under construction.  Columns have names."""

    def __init__(self) -> None:
        self.columns: dict[tuple[Any, ...], int] = {}
        self.free: list[bool] = []
        self.at_most: list[tuple[dict[int, float], float]] = []
        self.equal: list[tuple[dict[int, float], float]] = []

    def column(self, *name: Any, free: bool = False) -> int:
        self.columns[name] = len(self.free)
        self.free.append(free)
        return self.columns[name]

    def solve(self, cost: dict[int, float]) -> Any:
        """Return the solution with the least cost, including the dual values of the rows."""
        width = len(self.free)
        costs = np.zeros(width)
        costs[list(cost)] = list(cost.values())
        bounds = np.column_stack([np.where(self.free, -np.inf, 0.0), np.full(width, np.inf)])
        upper, upper_bound = _matrix(self.at_most, width)
        equal, equal_bound = _matrix(self.equal, width)
        result = linprog(
            costs,
            A_ub=upper,
            b_ub=upper_bound,
            A_eq=equal,
            b_eq=equal_bound,
            bounds=bounds,
            method="highs-ds",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
        )
        if result.status:
            raise OperationError(f"the linear program of a round could not be solved: {result.message}")
        return result


def _matrix(rows: list[tuple[dict[int, float], float]], width: int) -> tuple[Any, Array]:
    entries = [(at, column, factor) for at, (row, _) in enumerate(rows) for column, factor in row.items()]
    at, columns, factors = zip(*entries, strict=True)
    return coo_array((factors, (at, columns)), shape=(len(rows), width)).tocsc(), np.array([bound for _, bound in rows])


def solve_round(shape: Shape, stakes: Stakes) -> Solved:
    """Solve a round for the lead.  The dual values of the lead's program are the follower's plan."""
    program, value, choices = _lead_program(shape, stakes)
    result = program.solve({value: -1.0})
    duals = -result.ineqlin.marginals
    x = result.x
    lead_right = follower_right = 0.0
    for (hand, said, guess), dual in zip(choices, duals, strict=True):
        if said is None:
            lead_right += dual * sum(x[column] for column in _lead_right(program, shape, hand))
        elif guess is not None:
            follower_right += dual * x[program.columns["x", guess - hand, said]]
    return Solved(float(x[value]) + stakes.neither_right, float(1 - lead_right - follower_right))


def choose_plans(shape: Shape, stakes: Stakes, value: float) -> tuple[Lead, Follower]:
    """Return optimal strategies for both players, given the value of the round.

    There are many optimal plans, and a vertex of the program may answer a bad guess badly.  So this
    chooses an optimal plan that gains most from an opponent with random hands and guesses.
    """
    return _choose_lead(shape, stakes, value), _choose_follower(shape, stakes, value)


def _lead_program(shape: Shape, stakes: Stakes) -> tuple[_Program, int, list[tuple[int, int | None, int | None]]]:
    """Return the lead's program, the column of its value, and the follower's choice behind each row.

    The columns are x[h, g], z[k, g] (the value of the follower's best guess after `g`) and the value.
    A choice is (hand, None, None) for the hand itself, or (hand, lead's guess, own guess).  Its
    own guess is None for all values that the hand rules out, because these do not differ.
    """
    program = _Program()
    for hand in shape.lead_hands:
        for guess in shape.guesses:
            program.column("x", hand, guess)
    for hand in shape.follower_hands:
        for said in shape.guesses:
            program.column("z", hand, said, free=True)
    value = program.column("value", free=True)
    win, lose = _relative(stakes)
    choices: list[tuple[int, int | None, int | None]] = []
    for hand in shape.follower_hands:
        row = {value: 1.0}
        row.update({program.columns["z", hand, said]: -1.0 for said in shape.guesses})
        row.update(dict.fromkeys(_lead_right(program, shape, hand), -win))
        program.at_most.append((row, 0.0))
        choices.append((hand, None, None))
        for said in shape.guesses:
            bound = program.columns["z", hand, said]
            possible = [guess for guess in _possible(hand, shape.lead_hands) if guess != said]
            for guess in possible:
                program.at_most.append(({bound: 1.0, program.columns["x", guess - hand, said]: -lose}, 0.0))
                choices.append((hand, said, guess))
            if len(possible) < len(shape.guesses) - 1:
                program.at_most.append(({bound: 1.0}, 0.0))
                choices.append((hand, said, None))
    program.equal.append(({column: 1.0 for name, column in program.columns.items() if name[0] == "x"}, 1.0))
    return program, value, choices


def _choose_lead(shape: Shape, stakes: Stakes, value: float) -> Lead:
    program, bound, _ = _lead_program(shape, stakes)
    program.at_most.append(({bound: -1.0}, SLACK + stakes.neither_right - value))
    win, lose = _relative(stakes)
    cost = {}
    for hand in shape.lead_hands:
        for guess in shape.guesses:
            # Against random hands and guesses: the chance to be right, or that the follower is.
            right = (guess - hand in shape.follower_hands) / len(shape.follower_hands)
            cost[program.columns["x", hand, guess]] = -(win * right + lose * (1 - right) / (len(shape.guesses) - 1))
    x = program.solve(cost).x
    plan = {hand: [float(x[program.columns["x", hand, guess]]) for guess in shape.guesses] for hand in shape.lead_hands}
    hands = _weights(sum(plan.get(hand, [])) for hand in range(shape.lead_sticks + 1))
    return Lead(
        hands=hands,
        guesses=tuple(
            _weights(plan[hand]) if weight else _uniform(shape, _possible(hand, range(shape.follower_sticks + 1)))
            for hand, weight in enumerate(hands)
        ),
    )


def _choose_follower(shape: Shape, stakes: Stakes, value: float) -> Follower:
    """Solve the follower's program: no answer of the lead may exceed the value."""
    program = _Program()
    win, lose = _relative(stakes)
    payoff: dict[tuple[int, int], dict[int, float]] = {
        (hand, guess): {} for hand in shape.lead_hands for guess in shape.guesses
    }
    for hand in shape.follower_hands:
        shown = program.column("y", hand)
        for said in shape.guesses:
            if said - hand in shape.lead_hands:
                payoff[said - hand, said][shown] = win
            row = {shown: -1.0}
            for guess in shape.guesses:
                if guess != said:
                    column = program.column("y", hand, said, guess)
                    row[column] = 1.0
                    if guess - hand in shape.lead_hands:
                        payoff[guess - hand, said][column] = lose
            program.equal.append((row, 0.0))
    program.equal.append(({program.columns["y", hand]: 1.0 for hand in shape.follower_hands}, 1.0))
    cost: dict[int, float] = {}
    for row in payoff.values():
        program.at_most.append((row, SLACK + value - stakes.neither_right))
        for column, factor in row.items():
            cost[column] = cost.get(column, 0.0) + factor / len(payoff)
    y = program.solve(cost).x
    hands = _weights(
        float(y[program.columns["y", hand]]) if hand in shape.follower_hands else 0.0
        for hand in range(shape.follower_sticks + 1)
    )
    return Follower(hands=hands, guesses=tuple(_answers(shape, program, y, hand, hands) for hand in range(len(hands))))


def _answers(shape: Shape, program: _Program, y: Array, hand: int, hands: Weights) -> tuple[Weights, ...]:
    def answer(said: int) -> Weights:
        if not hands[hand]:
            return _uniform(shape, set(_possible(hand, range(shape.lead_sticks + 1))) - {said})
        columns = program.columns
        return _weights(0.0 if guess == said else float(y[columns["y", hand, said, guess]]) for guess in shape.guesses)

    return tuple(answer(said) for said in shape.guesses)


def _relative(stakes: Stakes) -> tuple[float, float]:
    return stakes.lead_right - stakes.neither_right, stakes.follower_right - stakes.neither_right


def _lead_right(program: _Program, shape: Shape, follower_hand: int) -> Iterator[int]:
    return (program.columns["x", hand, hand + follower_hand] for hand in shape.lead_hands)


def _possible(own_hand: int, other_hands: range) -> range:
    """Return the sums that are possible with an own hand."""
    return range(own_hand + other_hands.start, own_hand + other_hands.stop)


def _weights(masses: Iterable[float]) -> Weights:
    positive = [max(mass, 0.0) for mass in masses]
    noise = NOISE * sum(positive)
    kept = [mass if mass > noise else 0.0 for mass in positive]
    return tuple(mass / sum(kept) for mass in kept)


def _uniform(shape: Shape, values: Iterable[int]) -> Weights:
    """Return equal weights for values.  It covers hands that are never shown, so that every answer is defined."""
    masses = [0.0] * len(shape.guesses)
    for value in values:
        masses[value] = 1.0
    return _weights(masses)
