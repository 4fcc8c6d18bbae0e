"""The exact equilibrium of two-player Porrinha.

A state is (sticks of the lead, sticks of the follower).  Its value is the chance that the lead
does not lose the game.  A right guess leads to a smaller table, which is already solved.  A round
without a winner leads to the swapped state, so a pair of states depends on itself: ::

    V(a, b) = round(a, b) with 1 - V(b, a) for "neither"      and the same with a and b exchanged

Plain iteration of this equation converges slowly, because most rounds have no winner.  Instead the
strategies for the current values are evaluated as if they never changed.  This is Newton's method on
the pair, and it takes a few linear programs.  `certificate` then measures the result.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Literal, get_args

import msgspec

from wateringhole.errors import OperationError, UsageError
from wateringhole.games.porrinha.solver import cache
from wateringhole.games.porrinha.solver.certificate import exploitability
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin, Right, Round, State, follow_up

__all__ = [
    "OpeningZero",
    "Solution",
    "from_json",
    "load_or_solve",
    "require_solver",
    "solve",
    "to_json",
]

OpeningZero = Literal["allowed", "forbidden"]

FORMAT = 1
"""The version of stored solutions.  Increase it when their meaning or the choice of strategies changes."""

PRECISION = 1e-12
"""The largest change of a pair of values that counts as solved.  The certificate measures the effect."""

MOST_STEPS = 60
"""The most steps for a pair; five are usual.  More mean that the linear programs have become unreliable."""


class Solution(msgspec.Struct, frozen=True):
    """The values and strategies of every state up to a number of sticks, with their exploitability."""

    sticks: int
    lead_after_win: LeadAfterWin
    opening_zero: OpeningZero
    rounds: dict[State, Round]
    openings: dict[State, Round]
    """First rounds without empty hands; empty if the rules allow empty hands there."""
    exploitability: float
    """The most that any deviation gains, over all states and both roles."""
    seconds: float

    @property
    def values(self) -> dict[State, float]:
        """The chance that the lead does not lose, by (its sticks, the follower's)."""
        return {state: solved.value for state, solved in self.rounds.items()}

    def round(self, state: State, *, opening: bool = False) -> Round:
        """Return the solution of a round.  `opening` marks the first round of a game."""
        return (self.openings if opening and self.openings else self.rounds)[state]


def solve(
    sticks: int,
    lead_after_win: LeadAfterWin = "winner",
    opening_zero: OpeningZero = "allowed",
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Solve every state with up to `sticks` sticks per player.

    It calls `progress(done, total)` after each pair of states.  Raises UsageError for rules that do
    not exist, and OperationError if the solver is not installed or fails.
    """
    _check_rules(sticks, lead_after_win, opening_zero)
    require_solver()
    from wateringhole.games.porrinha.solver import sequence_form

    started = time.perf_counter()
    values: dict[State, float] = {}
    rounds: dict[State, Round] = {}
    openings: dict[State, Round] = {}

    def stakes(state: State) -> sequence_form.Stakes:
        return sequence_form.Stakes(*(_after(state, right, lead_after_win, values) for right in get_args(Right)))

    def strategies(state: State, least_hand: int = 0) -> Round:
        shape, played_for = sequence_form.Shape(*state, least_hand), stakes(state)
        value = sequence_form.solve_round(shape, played_for).value
        return Round(value, *sequence_form.choose_plans(shape, played_for, value))

    pairs = sorted(((a, b) for a in range(1, sticks + 1) for b in range(1, a + 1)), key=sum)
    for done, state in enumerate(pairs, start=1):
        swapped = state[1], state[0]
        values |= {state: 0.5, swapped: 0.5}
        for _ in range(MOST_STEPS):
            here, there = (sequence_form.solve_round(sequence_form.Shape(*at), stakes(at)) for at in (state, swapped))
            if max(abs(here.value - values[state]), abs(there.value - values[swapped])) < PRECISION:
                break
            # With constant strategies, v = settled + fruitless * (1 - w), and the same for w.
            settled = here.value - here.fruitless * (1 - values[swapped])
            settled_there = there.value - there.fruitless * (1 - values[state])
            value = (settled + here.fruitless * (1 - settled_there - there.fruitless)) / (
                1 - here.fruitless * there.fruitless
            )
            values[state], values[swapped] = value, settled_there + there.fruitless * (1 - value)
        else:
            raise OperationError(f"the values of {state} and {swapped} did not settle in {MOST_STEPS} steps")
        for at in {state, swapped}:
            rounds[at] = strategies(at)
            if opening_zero == "forbidden":
                openings[at] = strategies(at, least_hand=1)
        if progress:
            progress(done, len(pairs))
    return Solution(
        sticks=sticks,
        lead_after_win=lead_after_win,
        opening_zero=opening_zero,
        rounds=dict(sorted(rounds.items())),
        openings=dict(sorted(openings.items())),
        exploitability=exploitability(rounds, openings, lead_after_win),
        seconds=time.perf_counter() - started,
    )


def require_solver() -> None:
    """Raise OperationError if NumPy or SciPy is not installed, without importing them."""
    missing = [name for name in ("numpy", "scipy") if find_spec(name) is None]
    if missing:
        raise OperationError(
            f"the Porrinha equilibrium needs {' and '.join(missing)}, not installed here; "
            "install the extra with: pip install 'wateringhole[solve]'"
        )


def load_or_solve(
    sticks: int,
    lead_after_win: LeadAfterWin = "winner",
    opening_zero: OpeningZero = "allowed",
    progress: Callable[[int, int], None] | None = None,
) -> Solution:
    """Return the solution from the user's cache, or solve and store it.  A cached one needs no solver."""
    _check_rules(sticks, lead_after_win, opening_zero)
    name = f"porrinha-exact-{sticks}-{lead_after_win}-{opening_zero}"
    try:
        found = from_json(cache.load(name))
        if (found.sticks, found.lead_after_win, found.opening_zero) == (sticks, lead_after_win, opening_zero):
            return found
    except ValueError:
        pass
    solution = solve(sticks, lead_after_win, opening_zero, progress)
    cache.store(name, to_json(solution))
    return solution


def to_json(solution: Solution) -> dict[str, Any]:
    """Return a solution as JSON, with states written as ``"a,b"``."""
    return {
        "format": FORMAT,
        "game": "porrinha",
        "sticks": solution.sticks,
        "lead_after_win": solution.lead_after_win,
        "opening_zero": solution.opening_zero,
        "exploitability": solution.exploitability,
        "seconds": solution.seconds,
        "values": {_state_to_text(state): value for state, value in solution.values.items()},
        "strategies": {_state_to_text(state): msgspec.to_builtins(found) for state, found in solution.rounds.items()},
        "openings": {_state_to_text(state): msgspec.to_builtins(found) for state, found in solution.openings.items()},
    }


class _Stored(msgspec.Struct, frozen=True):
    """The shape of a stored solution."""

    format: Literal[1]
    game: Literal["porrinha"]
    sticks: int
    lead_after_win: LeadAfterWin
    opening_zero: OpeningZero
    exploitability: float
    seconds: float
    strategies: dict[str, Round]
    openings: dict[str, Round]


def from_json(content: Any) -> Solution:
    """Return a solution from its JSON.  Raises ValueError unless every state has legal strategies."""
    try:
        stored = msgspec.convert(content, _Stored)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"not a stored solution: {wrong}") from None
    states = [(a, b) for a in range(1, stored.sticks + 1) for b in range(1, stored.sticks + 1)]
    rounds = _rounds_from_json(stored.strategies, states, least_hand=0)
    openings = _rounds_from_json(stored.openings, states if stored.opening_zero == "forbidden" else [], least_hand=1)
    return Solution(
        sticks=stored.sticks,
        lead_after_win=stored.lead_after_win,
        opening_zero=stored.opening_zero,
        rounds=rounds,
        openings=openings,
        exploitability=stored.exploitability,
        seconds=stored.seconds,
    )


def _check_rules(sticks: int, lead_after_win: str, opening_zero: str) -> None:
    if sticks < 1:
        raise UsageError(f"sticks {sticks}: every player needs at least one.")
    for name, value, known in (
        ("lead_after_win", lead_after_win, get_args(LeadAfterWin)),
        ("opening_zero", opening_zero, get_args(OpeningZero)),
    ):
        if value not in known:
            raise UsageError(f"{name} {value!r} does not exist. Choose from: {', '.join(known)}.")


def _after(state: State, right: Right, lead_after_win: LeadAfterWin, values: Mapping[State, float]) -> float:
    """Return the lead's chance not to lose after this ending of a round."""
    after = follow_up(state, right, lead_after_win)
    if after is None:
        return float(right == "lead")
    following, same_leads = after
    return values[following] if same_leads else 1 - values[following]


def _state_to_text(state: State) -> str:
    return f"{state[0]},{state[1]}"


def _rounds_from_json(stored: Mapping[str, Round], states: list[State], least_hand: int) -> dict[State, Round]:
    if stored.keys() != {_state_to_text(state) for state in states}:
        raise ValueError("not a stored solution: its states do not match its number of sticks")
    rounds = {state: stored[_state_to_text(state)] for state in states}
    for state, found in rounds.items():
        found.check(*state, least_hand)
    return rounds
