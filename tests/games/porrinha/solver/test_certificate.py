"""The certificate finds errors in a solution."""

from __future__ import annotations

import msgspec
import pytest

from wateringhole.errors import OperationError
from wateringhole.games.porrinha.solver.certificate import exploitability
from wateringhole.games.porrinha.solver.rounds import Follower, Lead, Round, State
from wateringhole.games.porrinha.solver.solution import Solution, solve


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(2)


def _certify(solution: Solution, state: State, changed: Round) -> float:
    return exploitability({**solution.rounds, state: changed}, {}, solution.lead_after_win)


def test_a_wrong_value_is_found(solution: Solution) -> None:
    found = solution.rounds[2, 1]
    for error in (-0.01, 0.01):
        wrong = msgspec.structs.replace(found, value=found.value + error)
        assert _certify(solution, (2, 1), wrong) == pytest.approx(0.01)


def test_a_lead_who_always_shows_nothing_is_exploited(solution: Solution) -> None:
    found = solution.rounds[2, 2]
    naive = Lead(hands=(1.0, 0.0, 0.0), guesses=((0.25, 0.5, 0.25, 0.0, 0.0),) * 3)
    assert _certify(solution, (2, 2), msgspec.structs.replace(found, lead=naive)) > 0.05


def test_a_follower_who_always_shows_nothing_is_exploited() -> None:
    found = solve(1).rounds[1, 1]
    naive = msgspec.structs.replace(found.follower, hands=(1.0, 0.0))
    # The lead shows nothing and guesses 0: it is safe at once, instead of with a chance of one half.
    assert exploitability({(1, 1): msgspec.structs.replace(found, follower=naive)}, {}, "winner") == pytest.approx(0.5)


def test_an_exploitable_opening_is_found() -> None:
    solution = solve(2, opening_zero="forbidden")
    found = solution.openings[2, 2]
    naive = Lead(hands=(0.0, 0.0, 1.0), guesses=((0.0, 0.0, 0.0, 1.0, 0.0),) * 3)
    changed = {**solution.openings, (2, 2): msgspec.structs.replace(found, lead=naive)}
    assert exploitability(solution.rounds, changed, "winner") > 0.1


def test_strategies_without_right_guesses_are_rejected() -> None:
    lead = Lead(hands=(1.0, 0.0), guesses=((0.0, 0.0, 1.0),) * 2)
    misses = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
    follower = Follower(hands=(1.0, 0.0), guesses=(misses, misses))
    with pytest.raises(OperationError, match="without end"):
        exploitability({(1, 1): Round(0.5, lead, follower)}, {}, "winner")
