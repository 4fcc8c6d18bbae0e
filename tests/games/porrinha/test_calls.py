"""Sections 3, 4, 7 and 8 of the rulebook: the order of calls, and the answers to queries in each.

A game of three players with sticks (1, 2, 2), calculated by hand:

======= ===== ================= ======================= =======================
round   lead  hands             guesses, in turn        settled
======= ===== ================= ======================= =======================
1       0     1 2 0, sum 3      0: 3, 1: 0, 2: 5        0 is right and leaves
2       1     - 1 1, sum 2      1: 4, 2: 2              2 is right
3       2     - 2 0, sum 2      2: 3, 1: 0              no player is right
4       1     - 1 1, sum 2      1: 1, 2: 2              2 is right and leaves
======= ===== ================= ======================= =======================
"""

from __future__ import annotations

from typing import Any

import pytest

from wateringhole.games.porrinha.harness import run_scenario

GAME = {
    "players": 3,
    "sticks": [1, 2, 2],
    "hands": [[1], [2, 1, 2, 1], [0, 1, 0, 1]],
    "guesses": [[3], [0, 4, 0, 1], [5, 2, 3, 2]],
}


def calls(method: str, **scenario: Any) -> list[dict[str, Any]]:
    return [event for event in run_scenario(GAME | scenario) if event.get("method") == method]


def order(method: str, **scenario: Any) -> list[int]:
    return [call["player"] for call in calls(method, **scenario)]


def seen(query: str, method: str, **scenario: Any) -> list[Any]:
    return [call["view"][query] for call in calls(method, **scenario)]


def test_the_game_matches_the_hand_calculation() -> None:
    settled = [event for event in run_scenario(GAME) if event["ev"] == "settled"]
    assert [(event["sum"], event["winner"], event["left"], event["next_first"]) for event in settled] == [
        (3, 0, True, 1),
        (2, 2, False, 2),
        (2, -1, False, 1),
        (2, 2, True, 1),
    ]
    assert [event["hands"] for event in settled] == [[1, 2, 0], [-1, 1, 1], [-1, 2, 0], [-1, 1, 1]]
    assert run_scenario(GAME)[-1] == {
        "ev": "result",
        "reason": "finished",
        "rounds": 4,
        "ranking": [0, 2, 1],
        "loser": 1,
        "chopsticks": [0, 2, 0],
    }


ORDERS: list[tuple[str, str, list[int]]] = [
    ("seed", "begin_game", [0, 1, 2]),
    ("seed", "hand", [0, 1, 2, 1, 2, 2, 1, 1, 2]),
    ("seed", "guess", [0, 1, 2, 1, 2, 2, 1, 1, 2]),
    ("seed", "end_round", [0, 1, 2, 1, 2, 0, 2, 0, 1, 1, 2, 0]),
    ("seed", "end_game", [0, 1, 2]),
    ("original", "begin_game", [0, 1, 2, 0, 1, 2]),
    ("original", "hand", [0, 1, 2, 1, 2, 2, 1, 1, 2]),
    ("original", "guess", [0, 1, 2, 1, 2, 2, 1, 1, 2]),
    ("original", "end_round", [1, 2, 0, 2, 1, 1, 2, 1, 2]),
    ("original", "end_game", []),
]


@pytest.mark.parametrize(("profile", "method", "seats"), ORDERS)
def test_order_of_calls(profile: str, method: str, seats: list[int]) -> None:
    assert order(method, profile=profile) == seats


@pytest.mark.parametrize(
    ("option", "value", "seats"),
    [
        ("end_round_to", "played", [0, 1, 2, 1, 2, 2, 1, 1, 2]),
        ("end_round_from", "next", [1, 2, 0, 2, 0, 1, 1, 2, 0, 1, 2, 0]),
    ],
)
def test_end_round_options_work_separately(option: str, value: str, seats: list[int]) -> None:
    assert order("end_round", **{option: value}) == seats


def test_calls_follow_the_phases() -> None:
    phases = [event.get("method", event["ev"]) for event in run_scenario(GAME)]
    without_repeats = [phase for phase, before in zip(phases, [None, *phases], strict=False) if phase != before]
    a_round = ["round", "hand", "guess", "settled", "end_round"]
    assert without_repeats == ["begin_game", *a_round * 4, "end_game", "result"]


# Each row: profile, query, call, and the answers of the query in order.
PENDING, OUT = -1, -2
SEEN: list[tuple[str, str, str, list[Any]]] = [
    ("seed", "chopsticks", "begin_game", [[1, 2, 2]] * 3),
    ("seed", "guess", "begin_game", [[PENDING] * 3] * 3),
    ("seed", "hand", "begin_game", [[-1, -1, -1]] * 3),
    ("seed", "last_winner", "begin_game", [-1] * 3),
    ("seed", "chopsticks", "hand", [[1, 2, 2]] * 3 + [[0, 2, 2]] * 2 + [[0, 2, 1]] * 4),
    ("seed", "chopstick_count", "hand", [5] * 3 + [4] * 2 + [3] * 4),
    ("seed", "active_player_count", "hand", [3] * 3 + [2] * 6),
    ("seed", "player_count", "hand", [3] * 9),
    ("seed", "guess", "hand", [[PENDING] * 3] * 3 + [[OUT, PENDING, PENDING]] * 6),
    ("seed", "hand", "hand", [[-1, -1, -1]] * 3 + [[1, 2, 0]] * 2 + [[-1, 1, 1]] * 2 + [[-1, 2, 0]] * 2),
    ("seed", "last_winner", "hand", [-1] * 3 + [0] * 2 + [2] * 2 + [-1] * 2),
    ("seed", "chopsticks", "guess", [[1, 2, 2]] * 3 + [[0, 2, 2]] * 2 + [[0, 2, 1]] * 4),
    (
        "seed",
        "guess",
        "guess",
        [
            *([PENDING] * 3, [3, PENDING, PENDING], [3, 0, PENDING]),
            *([OUT, PENDING, PENDING], [OUT, 4, PENDING]),
            *([OUT, PENDING, PENDING], [OUT, PENDING, 3]),
            *([OUT, PENDING, PENDING], [OUT, 1, PENDING]),
        ],
    ),
    ("seed", "hand", "guess", [[-1, -1, -1]] * 3 + [[1, 2, 0]] * 2 + [[-1, 1, 1]] * 2 + [[-1, 2, 0]] * 2),
    ("seed", "last_winner", "guess", [-1] * 3 + [0] * 2 + [2] * 2 + [-1] * 2),
    ("seed", "chopsticks", "end_round", [[0, 2, 2]] * 3 + [[0, 2, 1]] * 6 + [[0, 2, 0]] * 3),
    ("seed", "active_player_count", "end_round", [2] * 9 + [1] * 3),
    ("seed", "guess", "end_round", [[3, 0, 5]] * 3 + [[OUT, 4, 2]] * 3 + [[OUT, 0, 3]] * 3 + [[OUT, 1, 2]] * 3),
    ("seed", "hand", "end_round", [[1, 2, 0]] * 3 + [[-1, 1, 1]] * 3 + [[-1, 2, 0]] * 3 + [[-1, 1, 1]] * 3),
    ("seed", "last_winner", "end_round", [0] * 3 + [2] * 3 + [-1] * 3 + [2] * 3),
    ("seed", "chopsticks", "end_game", [[0, 2, 0]] * 3),
    ("seed", "guess", "end_game", [[OUT, 1, 2]] * 3),
    ("seed", "hand", "end_game", [[-1, 1, 1]] * 3),
    ("seed", "last_winner", "end_game", [2] * 3),
    ("original", "guess", "begin_game", [[0, 0, 0]] * 3 + [[OUT, 1, 2]] * 3),
    ("original", "chopsticks", "begin_game", [[1, 2, 2]] * 3 + [[0, 2, 0]] * 3),
    ("original", "last_winner", "begin_game", [-1] * 3 + [2] * 3),
    ("original", "hand", "end_round", [[1, 2, 0]] * 3 + [[-1, 1, 1]] * 2 + [[1, 2, 0]] * 2 + [[-1, 1, 1]] * 2),
    ("original", "hand", "guess", [[-1, -1, -1]] * 3 + [[1, 2, 0]] * 2 + [[-1, 1, 1]] * 2 + [[1, 2, 0]] * 2),
    ("original", "last_winner", "hand", [-1] * 3 + [0] * 2 + [2] * 2 + [-1] * 2),
    ("original", "last_winner", "guess", [-1, 0, 0] + [-1] * 6),
    ("original", "last_winner", "end_round", [0] * 3 + [2] * 2 + [-1] * 2 + [2] * 2),
]


@pytest.mark.parametrize(("profile", "query", "method", "answers"), SEEN)
def test_query_answers_by_call(profile: str, query: str, method: str, answers: list[Any]) -> None:
    assert seen(query, method, profile=profile) == answers


def test_a_stale_hand_alternates_between_the_last_two() -> None:
    # Seat 0 shows 1, then 0, and leaves in round 2.  Then three rounds have no right guess.
    hands = seen(
        "hand",
        "end_round",
        hands=[[1, 0], [0, 2, 1, 2, 1], [0, 0, 0, 0, 0]],
        guesses=[[5, 2], [4, 1, 3, 3, 3], [3, 3, 4, 4, 4]],
        absent_hand="stale",
        end_round_to="played",
    )
    assert [hand[0] for hand in hands] == [1] * 3 + [0] * 3 + [1] * 2 + [0] * 2 + [1] * 2


TWO_GAMES = {"games": 2, "hands": [[1, 1]] + [each * 2 for each in GAME["hands"][1:]], "guesses": GAME["guesses"]}  # type: ignore[index]


def test_a_later_game_starts_with_fresh_values() -> None:
    begun = calls("begin_game", **TWO_GAMES)[3:]
    assert [call["view"] for call in begun] == [
        {
            "player_count": 3,
            "active_player_count": 3,
            "chopstick_count": 5,
            "chopsticks": [1, 2, 2],
            "guess": [PENDING] * 3,
            "hand": [-1, -1, -1],
            "last_winner": -1,
        }
    ] * 3


def test_in_the_original_only_guesses_stay_from_the_game_before() -> None:
    begun = calls("begin_game", profile="original", **TWO_GAMES)[6:]
    assert [call["view"]["guess"] for call in begun] == [[OUT, 1, 2]] * 3
    assert [call["view"]["chopsticks"] for call in begun] == [[1, 2, 2]] * 3
    assert [call["view"]["hand"] for call in begun] == [[-1, -1, -1]] * 3
    assert [call["view"]["last_winner"] for call in begun] == [-1] * 3


def test_seat_0_leads_every_game() -> None:
    first = [event["first"] for event in run_scenario(GAME | TWO_GAMES) if event["ev"] == "round"]
    assert first == [0, 1, 2, 1, 0]
