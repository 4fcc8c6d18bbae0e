"""Section 1 of the rulebook: hands, guesses, settling, lead, end and ranking."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.porrinha.builders import (
    asked,
    guess_asked,
    hands_asked,
    lose_a_round,
    only,
    open_game,
    play_round,
    ranking,
    settled,
    win_a_round,
)
from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.porrinha import GameEnded, RoundStarted, Rules, SeriesPlayer, deal, next_setup


def test_all_players_start_with_three_sticks_and_seat_0_leads() -> None:
    game = open_game(3)
    assert game.view(None).chopsticks == (3, 3, 3)
    assert only(game.opening, RoundStarted) == [RoundStarted(1, Seat(0), 9, (3, 3, 3))]


def test_hands_are_requested_at_once_and_guesses_in_turn() -> None:
    game = open_game(3)
    assert asked(game) == {0: "hand", 1: "hand", 2: "hand"}
    game.advance({Seat(0): 1, Seat(1): 0, Seat(2): 2})
    for seat, guess in ((0, 5), (1, 4), (2, 6)):
        assert asked(game) == {seat: "guess"}
        game.advance({Seat(seat): guess})
    assert list(asked(game).values()) == ["hand", "hand", "hand"]


def test_requests_start_with_the_lead_and_continue_clockwise() -> None:
    game = open_game(3)
    win_a_round(game, 1)
    assert list(game.requests) == [1, 2, 0]


@pytest.mark.parametrize("guess", [0, 6])
def test_both_ends_of_the_table_are_legal_guesses(guess: int) -> None:
    game = open_game()
    game.advance({Seat(0): 0, Seat(1): 0})
    assert guess in guess_asked(game).options
    assert guess_asked(game).resolve(guess) == (guess, None)


def test_an_impossible_guess_is_legal() -> None:
    event = settled(play_round(open_game(), [3, 0], [0, 1]))
    assert event.guesses == (0, 1)


def test_a_right_guess_costs_a_stick_and_shrinks_the_table() -> None:
    event = settled(play_round(open_game(), [2, 1], [4, 3]))
    assert (event.sum, event.winner, event.left) == (3, 1, False)
    assert (event.chopsticks, event.chopstick_count) == ((3, 2), 5)


def test_a_round_without_a_winner_costs_nothing() -> None:
    event = settled(play_round(open_game(), [2, 1], [4, 5]))
    assert (event.winner, event.chopsticks) == (-1, (3, 3))


def test_a_player_may_repeat_its_guess_of_an_earlier_round() -> None:
    game = open_game()
    play_round(game, [0, 0], [4, 5])
    assert settled(play_round(game, [0, 0], [4, 5])).guesses == (5, 4)


# Each row: sticks, the winners of earlier rounds (or None), options, the next lead.
LEADS: list[tuple[str, Any, list[int | None], dict[str, Any], int]] = [
    ("a winner who is still in leads", (3, 3, 3), [2], {}, 2),
    ("without a winner the lead moves to the next seat", (3, 3, 3), [None], {}, 1),
    ("the lead wraps around", (3, 3, 3), [None, None, None], {}, 0),
    ("after a winner who left, the next seat leads", (3, 1, 3), [1], {}, 2),
    ("the next seat after the winner leads, not after the old lead", (3, 3, 1, 3), [2], {}, 3),
    ("safe seats are skipped clockwise from the winner", (3, 1, 1, 3), [2, 1], {}, 3),
    ("safe seats are skipped clockwise from the lead", (3, 1, 3), [1, 0, None], {}, 2),
    ("with rotate a winner does not lead", (3, 3, 3), [2], {"lead_after_win": "rotate"}, 1),
    ("with rotate safe seats are skipped", (3, 1, 3), [1], {"lead_after_win": "rotate"}, 2),
    ("with rotate the seat after a lead that left leads", (1, 3, 3), [0], {"lead_after_win": "rotate"}, 1),
]


@pytest.mark.parametrize(
    ("sticks", "winners", "options", "lead"), [row[1:] for row in LEADS], ids=[r[0] for r in LEADS]
)
def test_next_lead(sticks: tuple[int, ...], winners: list[int | None], options: dict[str, Any], lead: int) -> None:
    game = open_game(len(sticks), sticks=sticks, **options)
    for winner in winners:
        events = lose_a_round(game) if winner is None else win_a_round(game, winner)
    assert settled(events).next_lead == lead
    assert game.view(None).lead == lead
    assert next(iter(game.requests)) == lead


def test_a_player_without_sticks_has_left_and_is_not_asked() -> None:
    game = open_game(3, sticks=(1, 2, 2))
    assert settled(win_a_round(game, 0)).left
    assert list(game.requests) == [1, 2]


def test_the_last_player_in_loses_and_players_rank_in_the_order_they_left() -> None:
    game = open_game(3, sticks=1)
    win_a_round(game, 2)
    events = win_a_round(game, 0)
    assert game.outcome is not None
    assert (game.outcome.reason, game.outcome.loser, game.outcome.rounds) == ("finished", 1, 2)
    assert [(standing.seat, standing.place) for standing in game.outcome.ranking] == [(2, 1), (0, 2), (1, 3)]
    assert only(events, GameEnded) == [GameEnded(game.outcome, (0, 1, 0))]
    assert game.requests == {}


def test_first_out_wins_has_no_loser() -> None:
    game = open_game(3, sticks=(2, 1, 2), finish="first_out_wins")
    win_a_round(game, 0)
    win_a_round(game, 1)
    assert game.outcome is not None
    assert (ranking(game), game.outcome.loser, game.outcome.reason) == ([1], None, "finished")


def test_max_rounds_has_no_loser_and_leaves_active_players_unranked() -> None:
    game = open_game(3, sticks=(2, 1, 2), max_rounds=2)
    win_a_round(game, 1)
    lose_a_round(game)
    assert game.outcome is not None
    assert (ranking(game), game.outcome.loser, game.outcome.reason) == ([1], None, "max_rounds")
    assert game.outcome.rounds == 2


def test_a_game_that_finishes_in_its_last_allowed_round_is_finished() -> None:
    game = open_game(2, sticks=1, max_rounds=1)
    win_a_round(game, 1)
    assert game.outcome is not None
    assert (game.outcome.reason, game.outcome.loser) == ("finished", 0)


def test_sticks_may_differ_by_seat() -> None:
    assert open_game(3, sticks=(1, 2, 5)).view(None).chopsticks == (1, 2, 5)


def test_an_empty_hand_may_be_forbidden_in_the_first_round_only() -> None:
    game = open_game(2, opening_zero="forbidden")
    assert hands_asked(game)[Seat(0)].options == range(1, 4)
    play_round(game, [1, 1], [0, 1])
    assert hands_asked(game)[Seat(0)].options == range(0, 4)


def test_forbidding_empty_hands_allows_all_guesses() -> None:
    game = open_game(2, opening_zero="forbidden")
    game.advance({Seat(0): 1, Seat(1): 1})
    assert guess_asked(game).options == tuple(range(7))


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (1, {}, "at least 2 players"),
        (2, {"sticks": 0}, "1 to"),
        (3, {"sticks": (3, 3)}, "is for 2 seats, but there are 3 players"),
        (2, {"sticks": (3, 0)}, "1 to"),
        (2, {"max_rounds": 0}, "at least one round"),
    ],
)
def test_unplayable_rules_are_refused(players: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        deal(players, Rules(**options))


def test_the_next_setup_contains_players_and_last_guesses() -> None:
    game = open_game(3, sticks=1, finish="first_out_wins")
    guests = [(1, "Bia"), (2, "Caio"), (0, "Ada")]
    assert next_setup(game.setup, guests, None).stale_guesses == ()
    play_round(game, [0, 0, 0], [1, 0, 3])
    setup = next_setup(game.setup, guests, game)
    assert setup.guests == (SeriesPlayer(1, "Bia"), SeriesPlayer(2, "Caio"), SeriesPlayer(0, "Ada"))
    assert setup.stale_guesses == (1, 0, 3)
