"""The exact equilibrium: its values, its certificate and its JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest

from wateringhole.errors import OperationError, UsageError
from wateringhole.games.porrinha.solve import tables
from wateringhole.games.porrinha.solver import solution as solving
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin, Right, Round, State, follow_up, positive
from wateringhole.games.porrinha.solver.solution import OpeningZero, Solution, solve

GOOD_ENOUGH = 1e-9

VARIANTS = [
    pytest.param(lead_after_win, opening_zero, id=f"{lead_after_win}-{opening_zero}")
    for lead_after_win in get_args(LeadAfterWin)
    for opening_zero in get_args(OpeningZero)
]


@pytest.fixture(scope="module", params=get_args(LeadAfterWin))
def solution(request: pytest.FixtureRequest) -> Solution:
    return solve(3, request.param, "forbidden")


def test_one_stick_each_is_fair() -> None:
    # The lead shows a random hand and guesses 1.  It is right half the time; otherwise the follower
    # knows the sum.  A follower with a random hand allows the lead no more than that.
    assert solve(1).values == {(1, 1): pytest.approx(0.5, abs=1e-12)}


def test_the_lead_is_right_if_both_must_show_their_only_stick() -> None:
    opening = solve(1, opening_zero="forbidden").round((1, 1), opening=True)
    assert opening.value == pytest.approx(1)
    assert opening.lead.guesses[1][2] == pytest.approx(1)


def test_equal_sticks_are_fair_if_the_winner_leads() -> None:
    # A random hand and the middle of the table are right once in N + 1 rounds, and no answer is right more often.
    values = solve(3, "winner").values
    assert [values[sticks, sticks] for sticks in (1, 2, 3)] == pytest.approx([0.5] * 3, abs=1e-12)


def test_fewer_sticks_are_better(solution: Solution) -> None:
    for lead in (1, 2, 3):
        row = [solution.values[lead, follower] for follower in (1, 2, 3)]
        column = [solution.values[follower, lead] for follower in (1, 2, 3)]
        assert row == sorted(row)
        assert column == sorted(column, reverse=True)


@pytest.mark.parametrize(("lead_after_win", "opening_zero"), VARIANTS)
@pytest.mark.parametrize("sticks", [1, 2, 3])
def test_no_deviation_gains(sticks: int, lead_after_win: LeadAfterWin, opening_zero: OpeningZero) -> None:
    assert solve(sticks, lead_after_win, opening_zero).exploitability <= GOOD_ENOUGH


@pytest.mark.slow
@pytest.mark.parametrize(("lead_after_win", "opening_zero"), VARIANTS)
@pytest.mark.parametrize("sticks", [4, 5, 6, 8])
def test_no_deviation_gains_with_many_sticks(
    sticks: int, lead_after_win: LeadAfterWin, opening_zero: OpeningZero
) -> None:
    assert solve(sticks, lead_after_win, opening_zero).exploitability <= GOOD_ENOUGH


def test_each_value_follows_from_the_next_ones(solution: Solution) -> None:
    for opening, rounds in ((False, solution.rounds), (True, solution.openings)):
        for state in rounds:
            expected = _value_of_a_round(solution, state, solution.round(state, opening=opening))
            assert rounds[state].value == pytest.approx(expected, abs=GOOD_ENOUGH)


def _value_of_a_round(solution: Solution, state: State, played: Round) -> float:
    """Return the value of one round with both strategies, given the values of the next states."""
    value = 0.0
    for lead_hand, p in positive(played.lead.hands):
        for lead_guess, q in positive(played.lead.guesses[lead_hand]):
            for hand, r in positive(played.follower.hands):
                for guess, s in positive(played.follower.guesses[hand][lead_guess]):
                    total = lead_hand + hand
                    right: Right = "lead" if lead_guess == total else "follower" if guess == total else "neither"
                    after = follow_up(state, right, solution.lead_after_win)
                    if after is None:
                        following_value = float(right == "lead")
                    else:
                        following_value = solution.values[after[0]] if after[1] else 1 - solution.values[after[0]]
                    value += p * q * r * s * following_value
    return value


def test_strategies_are_probabilities_of_legal_moves(solution: Solution) -> None:
    assert solution.rounds.keys() == solution.openings.keys() == {(a, b) for a in (1, 2, 3) for b in (1, 2, 3)}
    for state in solution.rounds:
        solution.rounds[state].check(*state)
        solution.openings[state].check(*state, least_hand=1)


def test_the_opening_is_a_normal_round_if_empty_hands_are_allowed() -> None:
    solution = solve(2)
    assert solution.round((2, 2), opening=True) is solution.round((2, 2))


def test_progress_is_reported_to_the_end() -> None:
    calls: list[tuple[int, int]] = []
    solve(2, progress=lambda done, total: calls.append((done, total)))
    assert calls == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0,), "at least one"),
        ((2, "loser"), "lead_after_win 'loser' does not exist. Choose from: winner, rotate"),
        ((2, "winner", "maybe"), "opening_zero 'maybe'"),
    ],
)
def test_unknown_rules_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        solve(*arguments)


def test_a_missing_solver_is_reported_with_the_command_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solving, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"numpy and scipy.*pip install 'wateringhole\[solve\]'"):
        solve(1)


def test_json_round_trip(solution: Solution) -> None:
    text = json.dumps(solving.to_json(solution))
    assert solving.from_json(json.loads(text)) == solution


def test_json_has_the_values_by_state() -> None:
    written = solving.to_json(solve(2))
    assert list(written["values"]) == ["1,1", "1,2", "2,1", "2,2"]
    assert written["exploitability"] <= GOOD_ENOUGH


def _break_format(content: dict[str, Any]) -> None:
    content["format"] = 0


def _lose_a_state(content: dict[str, Any]) -> None:
    del content["strategies"]["1,2"]


def _repeat_a_guess(content: dict[str, Any]) -> None:
    content["strategies"]["1,1"]["follower"]["guesses"][0][0] = [1.0, 0.0, 0.0]


def _show_too_much(content: dict[str, Any]) -> None:
    content["strategies"]["1,1"]["lead"]["hands"] = [0.5, 0.0, 0.5]


def _sum_to_two(content: dict[str, Any]) -> None:
    content["strategies"]["1,1"]["lead"]["hands"] = [1.0, 1.0]


def _forget_a_hand(content: dict[str, Any]) -> None:
    content["strategies"]["1,1"]["lead"]["guesses"].pop()


def _exceed_certainty(content: dict[str, Any]) -> None:
    content["strategies"]["1,1"]["value"] = 1.5


BROKEN = [
    _break_format,
    _lose_a_state,
    _repeat_a_guess,
    _show_too_much,
    _sum_to_two,
    _forget_a_hand,
    _exceed_certainty,
]


@pytest.mark.parametrize("damage", BROKEN, ids=lambda damage: damage.__name__.strip("_"))
def test_a_damaged_solution_is_refused(damage: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads(json.dumps(solving.to_json(solve(2))))
    damage(content)
    with pytest.raises(ValueError, match=r"."):
        solving.from_json(content)


def test_tables_show_values_and_start_strategies() -> None:
    values, lead, follower = tables(solve(2))
    assert values.rows[0] == ["1", "0.500000", "0.697224"]
    assert [row[0] for row in lead.rows] == ["0", "1", "2"]
    assert [row[0] for row in follower.rows] == ["0", "1", "2", "3", "4"]
    for table in (values, lead, follower):
        assert {len(row) for row in table.rows} == {len(table.columns)}
