"""The page of Porrinha: fists, sticks, and possible guesses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.games.porrinha.builders import CRASH, open_game, play_round, win_a_round
from wateringhole.facets import SceneBuilder
from wateringhole.game import Event, Notice, Seat
from wateringhole.games.porrinha.page.scene import PAGE as page
from wateringhole.games.porrinha.rules.answers import NotANumber
from wateringhole.games.porrinha.rules.violations import GuessTaken, HandRange

NAMES = ["Ada", "Bea", "Cyd"]


def _see(builder: SceneBuilder, events: Sequence[Event], seat: int | None = None) -> list[str]:
    lines: list[str] = []
    for event in events:
        seen = event.seen_by(None if seat is None else Seat(seat))
        if seen is not None and not isinstance(seen, Notice):
            lines += builder.see(seen)
    return lines


def test_a_round_is_drawn_from_its_start_to_the_open_hands() -> None:
    game = open_game(3)
    builder = page.scenes(NAMES, None)
    _see(builder, game.opening)
    start = builder.scene()
    assert (start["phase"], start["round"], start["sticks"], start["order"]) == ("hide", 1, [3, 3, 3], [0, 1, 2])
    lines = _see(builder, game.advance({Seat(0): 1, Seat(1): 2, Seat(2): 0}))
    assert lines == []
    lines = _see(builder, game.advance({Seat(0): 4}))
    assert (lines, builder.scene()["guesses"], builder.scene()["hands"]) == (
        ["Ada says 4."],
        [4, None, None],
        [None] * 3,
    )
    _see(builder, game.advance({Seat(1): 99}))
    assert (builder.scene()["void"], builder.scene()["guesses"]) == ([1], [4, None, None])
    events = game.advance({Seat(2): 3})
    settled = next(number for number, event in enumerate(events) if type(event).__name__ == "RoundSettled")
    _see(builder, events[: settled + 1])
    scene = builder.scene()
    assert (scene["phase"], scene["hands"], scene["total"], scene["winner"]) == ("open", [1, 2, 0], 3, 2)
    assert (scene["sticks"], scene["own_hand"]) == ([3, 3, 2], None)
    assert builder.scene()["table"] == 8
    _see(builder, events[settled + 1 :])
    assert (builder.scene()["round"], builder.scene()["lead"], builder.scene()["hands"]) == (2, 2, [None] * 3)


def test_hands_are_shown_before_the_result_and_without_seat_numbers() -> None:
    game = open_game(3)
    builder = page.scenes(NAMES, Seat(1))
    _see(builder, game.opening, 1)
    lines = _see(builder, play_round(game, [1, 2, 0], [4, 1, 3]), 1)
    assert lines[lines.index("Cyd says 3.") + 1 :][:4] == [
        "Ada showed 1 and said 4.",
        "Bea (you) showed 2 and said 1.",
        "Cyd showed 0 and said 3.",
        "Cyd was right with 3 and gives up a stick: 2 left.",
    ]


def test_a_seat_knows_its_own_hand_and_guess() -> None:
    game = open_game(2)
    builder = page.scenes(NAMES[:2], Seat(0))
    _see(builder, game.opening, 0)
    builder.answered(game.requests[Seat(0)], 2)
    assert builder.scene()["own_hand"] == 2
    _see(builder, game.advance({Seat(0): 2, Seat(1): 1}), 0)
    assert _see(builder, game.advance({Seat(0): 5}), 0)[0] == "You say 5."


def test_removed_players_are_out_and_players_without_sticks_are_not() -> None:
    game = open_game(3, sticks=1)
    builder = page.scenes(NAMES, None)
    _see(builder, game.opening)
    _see(builder, win_a_round(game, 1))
    assert (builder.scene()["active"], builder.scene()["out"]) == ([0, 2], [])
    events = play_round(game, [CRASH, 0, 0], [1])
    _see(builder, events)
    assert (builder.scene()["out"], builder.scene()["phase"]) == ([0], "end")
    assert [event.thrown_out.seat for event in events if event.thrown_out] == [0]


@pytest.mark.parametrize(
    ("number", "state", "by"),
    [(0, "bluff", None), (2, "free", None), (4, "taken", 0), (5, "free", None), (6, "bluff", None)],
)
def test_every_number_is_marked_free_taken_or_bluff(number: int, state: str, by: int | None) -> None:
    # Bea hides 2 of 3, and Ada owns 3 and has said 4: the sum is 2 to 5.
    game = open_game(2)
    game.advance({Seat(0): 1, Seat(1): 2})
    game.advance({Seat(0): 4})
    offers = page.offers(page.scenes(NAMES, Seat(1)), NAMES, game.requests[Seat(1)])
    assert offers["text"] == "You hold 2, so the sum is 2 to 5. Hatched numbers are bluffs."
    offered = offers["numbers"][number]
    assert (offered["number"], offered["state"], offered["by"]) == (number, state, by)
    assert offered["text"].endswith(".")


@pytest.mark.parametrize("answer", [-1, 4, True, NotANumber("x")])
def test_a_human_is_dissuaded_from_a_bad_hand(answer: Any) -> None:
    problem = page.dissuade(open_game(2).requests[Seat(0)], answer)
    assert problem == HandRange(0, 3)


def test_a_human_is_dissuaded_from_a_taken_guess() -> None:
    game = open_game(2)
    game.advance({Seat(0): 1, Seat(1): 2})
    game.advance({Seat(0): 4})
    problem = page.dissuade(game.requests[Seat(1)], 4)
    assert problem == GuessTaken(4)
    # A bluff is not a problem.
    assert page.dissuade(game.requests[Seat(1)], 6) is None
