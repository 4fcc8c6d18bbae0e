"""The harness: complete logs calculated by hand, missing answers, and malformed scenarios."""

from __future__ import annotations

import json
from typing import Any

import pytest

from wateringhole.errors import OperationError
from wateringhole.games.porrinha.harness import run_scenario


def view(sticks: list[int], guess: list[int], hand: list[int], winner: int = -1) -> dict[str, Any]:
    return {
        "player_count": len(sticks),
        "active_player_count": sum(own > 0 for own in sticks),
        "chopstick_count": sum(sticks),
        "chopsticks": sticks,
        "guess": guess,
        "hand": hand,
        "last_winner": winner,
    }


def call(method: str, player: int, view: dict[str, Any], **answered: Any) -> dict[str, Any]:
    return {"ev": "call", "method": method, "player": player, "view": view, **answered}


def test_complete_log_of_a_game_with_one_stick_each() -> None:
    start = view([1, 1], [-1, -1], [-1, -1])
    after = view([1, 0], [-3, 1], [0, 1], winner=1)
    assert run_scenario({"players": 2, "sticks": 1, "hands": [[5], [1]], "guesses": [[-4], [1]]}) == [
        call("begin_game", 0, start),
        call("begin_game", 1, start),
        {"ev": "round", "number": 1, "first": 0, "chopstick_count": 2, "chopsticks": [1, 1]},
        call("hand", 0, start, answer=5, used=0, fault="hand_range"),
        call("hand", 1, start, answer=1, used=1, fault=None),
        call("guess", 0, start, answer=-4, used=-3, fault="guess_negative"),
        call("guess", 1, view([1, 1], [-3, -1], [-1, -1]), answer=1, used=1, fault=None),
        {
            "ev": "settled",
            "sum": 1,
            "winner": 1,
            "left": True,
            "hands": [0, 1],
            "guesses": [-3, 1],
            "chopsticks": [1, 0],
            "chopstick_count": 1,
            "active_player_count": 1,
            "next_first": 0,
        },
        call("end_round", 0, after),
        call("end_round", 1, after),
        call("end_game", 0, after),
        call("end_game", 1, after),
        {"ev": "result", "reason": "finished", "rounds": 1, "ranking": [1, 0], "loser": 0, "chopsticks": [1, 0]},
    ]


def test_the_same_game_in_the_original() -> None:
    opening = view([1, 1], [0, 0], [-1, -1])
    start = view([1, 1], [-1, -1], [-1, -1])
    after = view([1, 0], [-3, 1], [0, 1], winner=1)
    events = run_scenario(
        {"players": 2, "profile": "original", "sticks": 1, "hands": [[5], [1]], "guesses": [[-4], [1]]}
    )
    calls = [event for event in events if event["ev"] == "call"]
    assert calls == [
        call("begin_game", 0, opening),
        call("begin_game", 1, opening),
        call("hand", 0, start, answer=5, used=0, fault="hand_range"),
        call("hand", 1, start, answer=1, used=1, fault=None),
        call("guess", 0, start, answer=-4, used=-3, fault="guess_negative"),
        call("guess", 1, view([1, 1], [-3, -1], [-1, -1]), answer=1, used=1, fault=None),
        call("end_round", 0, after),
        call("end_round", 1, after),
        call("begin_game", 0, after),
        call("begin_game", 1, after),
    ]


def test_a_missing_hand_ends_the_series_with_the_unanswered_call() -> None:
    events = run_scenario({"players": 2, "hands": [[1], []], "guesses": [[], []]})
    assert events[-2] == call("hand", 0, view([3, 3], [-1, -1], [-1, -1]), answer=1, used=1, fault=None)
    assert events[-1] == call("hand", 1, view([3, 3], [-1, -1], [-1, -1]))


def test_a_missing_guess_ends_the_series_with_the_unanswered_call() -> None:
    events = run_scenario({"players": 2, "hands": [[1], [1]], "guesses": [[4], []]})
    assert events[-1] == call("guess", 1, view([3, 3], [4, -1], [-1, -1]))


def test_with_again_a_refused_answer_has_no_used_value() -> None:
    scenario = {"players": 2, "hands": [[1], [1]], "guesses": [[4], [4, 2]], "taken_guess": "again"}
    guesses = [event for event in run_scenario(scenario) if event.get("method") == "guess" and "answer" in event]
    assert [(guess["player"], guess["answer"], guess["used"], guess["fault"]) for guess in guesses] == [
        (0, 4, 4, None),
        (1, 4, None, "guess_taken"),
        (1, 2, 2, None),
    ]


def test_with_again_the_seventeenth_taken_answer_is_void() -> None:
    scenario = {"players": 2, "hands": [[1], [1]], "guesses": [[4], [4] * 17], "taken_guess": "again"}
    events = run_scenario(scenario)
    used = [event["used"] for event in events if event.get("player") == 1 and event.get("fault") == "guess_taken"]
    assert used == [None] * 16 + [-3]
    assert [event["guesses"] for event in events if event["ev"] == "settled"] == [[4, -3]]


def test_max_rounds_stops_with_closing_calls() -> None:
    scenario = {"players": 2, "hands": [[1], [1]], "guesses": [[4], [5]], "max_rounds": 1}
    events = run_scenario(scenario)
    assert [event.get("method") for event in events[-3:-1]] == ["end_game", "end_game"]
    assert events[-1] == {
        "ev": "result",
        "reason": "max_rounds",
        "rounds": 1,
        "ranking": [],
        "loser": None,
        "chopsticks": [3, 3],
    }


def test_first_out_wins_alone() -> None:
    scenario = {"players": 3, "sticks": 1, "hands": [[0]] * 3, "guesses": [[1], [0], [2]], "finish": "first_out_wins"}
    result = run_scenario(scenario)[-1]
    assert (result["reason"], result["ranking"], result["loser"]) == ("finished", [1], None)


def test_later_games_continue_the_lists_of_answers() -> None:
    scenario = {
        "players": 2,
        "sticks": 1,
        "games": 3,
        "hands": [[0, 0, 1], [0, 0, 1]],
        "guesses": [[0, 1, 2], [1, 0, 0]],
    }
    results = [event for event in run_scenario(scenario) if event["ev"] == "result"]
    assert [result["loser"] for result in results] == [1, 0, 1]


def test_null_means_no_limit_of_rounds() -> None:
    scenario = {"players": 2, "hands": [[1], [1]], "guesses": [[4], [5]], "max_rounds": None}
    assert run_scenario(scenario)[-1]["method"] == "hand"


def test_events_are_plain_json() -> None:
    events = run_scenario({"players": 3, "hands": [[9, 1], [2, 1], [3, 1]], "guesses": [[1, 1], [2, 1], [3, 1]]})
    assert json.loads(json.dumps(events)) == events


GOOD = {"players": 2, "hands": [[1], [1]], "guesses": [[1], [1]]}


@pytest.mark.parametrize(
    "scenario",
    [
        None,
        [],
        {},
        {"players": 2, "hands": [[], []]},
        {"players": 2, "guesses": [[], []]},
        {"hands": [[], []], "guesses": [[], []]},
        {"players": 1, "hands": [[]], "guesses": [[]]},
        GOOD | {"players": "2"},
        GOOD | {"players": 2.0},
        GOOD | {"players": True},
        GOOD | {"players": 3},
        GOOD | {"hands": [[1], [1], [1]]},
        GOOD | {"hands": [1, 1]},
        GOOD | {"hands": {"0": [1]}},
        GOOD | {"hands": [[1], [1.0]]},
        GOOD | {"guesses": [[1], [None]]},
        GOOD | {"guesses": [[1], [True]]},
        GOOD | {"guesses": [[1], ["1"]]},
        GOOD | {"games": 0},
        GOOD | {"games": None},
        GOOD | {"profile": "course"},
        GOOD | {"profile": None},
        GOOD | {"profile": []},
        GOOD | {"sticks": 0},
        GOOD | {"sticks": None},
        GOOD | {"sticks": "3"},
        GOOD | {"sticks": []},
        GOOD | {"sticks": [3]},
        GOOD | {"sticks": [3, 0]},
        GOOD | {"opening_zero": "never"},
        GOOD | {"lead_after_win": True},
        GOOD | {"finish": None},
        GOOD | {"taken_guess": "again?"},
        GOOD | {"max_rounds": 0},
        GOOD | {"max_rounds": "none"},
        GOOD | {"speed": 3},
    ],
    ids=str,
)
def test_malformed_scenarios_fail_with_a_message(scenario: Any) -> None:
    with pytest.raises(OperationError):
        run_scenario(scenario)
