"""The fields that Porrinha adds to a result."""

from __future__ import annotations

from typing import Any

from tests.games.porrinha.builders import CRASH, open_game, play_round, win_a_round
from wateringhole import fallbacks
from wateringhole.game import Event
from wateringhole.games.porrinha import KIND, NotANumber


def summarized(events: list[Event]) -> dict[str, Any]:
    summary = fallbacks.summary(KIND)
    for event in events:
        summary.see(event)
    return summary.to_json(lambda seat: seat + 1)


def test_a_finished_game_has_rounds_and_a_loser() -> None:
    assert summarized(win_a_round(open_game(2, sticks=1), 0)) == {"rounds": 1, "loser": 2, "faults": []}


def test_a_stopped_game_has_no_loser() -> None:
    assert summarized(win_a_round(open_game(2, max_rounds=1), 0))["loser"] is None


def test_faults_contain_seat_kind_and_value() -> None:
    game = open_game(3, on_failure="repair")
    assert summarized(play_round(game, [7, NotANumber("2.5"), CRASH], [1, 1, -4]))["faults"] == [
        {"seat": 2, "fault": "guess_taken", "said": 1, "used": -3},
        {"seat": 3, "fault": "guess_negative", "said": -4, "used": -3},
        {"seat": 1, "fault": "hand_range", "said": 7, "used": 0},
        {"seat": 2, "fault": "not_a_number", "said": "2.5", "used": 0},
        {"seat": 3, "fault": "exception", "said": "it broke", "used": None},
    ]


def test_a_removed_player_is_not_among_the_faults() -> None:
    assert summarized(play_round(open_game(2), [0, CRASH], [1]))["faults"] == []
