"""Players who crash, hang or leave."""

from __future__ import annotations

import pytest

from tests.games.porrinha.builders import (
    CRASH,
    lose_a_round,
    only,
    open_game,
    play_round,
    ranking,
    settled,
    win_a_round,
)
from wateringhole.game import Forfeit, Seat
from wateringhole.games.porrinha import (
    INVALID_GUESS,
    NOT_PLAYING,
    PENDING_GUESS,
    BeginGame,
    Core,
    EndGame,
    EndRound,
    PlayerForfeited,
    RoundStarted,
)

LATE = Forfeit("late", "it took too long")


def thrown_out(game: Core) -> list[int]:
    assert game.outcome is not None
    return [thrown.seat for thrown in game.outcome.thrown_out]


def test_a_missing_hand_is_empty_and_its_guess_is_void() -> None:
    game = open_game(3)
    events = play_round(game, [1, CRASH, 2], [4, 3])
    event = settled(events)
    assert (event.hands, event.guesses, event.winner) == ((1, 0, 2), (4, INVALID_GUESS, 3), 2)
    assert only(events, PlayerForfeited) == [PlayerForfeited(Seat(1), CRASH, removed=True)]


def test_a_missing_hand_is_empty_even_if_empty_hands_are_forbidden() -> None:
    assert settled(play_round(open_game(3, opening_zero="forbidden"), [1, CRASH, 2], [4, 3])).hands == (1, 0, 2)


def test_a_missing_guess_is_void_and_the_hand_counts() -> None:
    event = settled(play_round(open_game(3), [1, 2, 0], [4, CRASH, 3]))
    assert (event.sum, event.guesses, event.winner) == (3, (4, INVALID_GUESS, 3), 2)


def test_a_removed_seat_and_its_sticks_leave_the_table() -> None:
    game = open_game(3)
    play_round(game, [0, CRASH, 0], [4, 3])
    view = game.view(None)
    assert (view.chopsticks, view.chopstick_count, view.active_player_count) == ((3, 0, 3), 6, 2)
    assert view.guess == (PENDING_GUESS, NOT_PLAYING, PENDING_GUESS)
    assert list(game.requests) == [2, 0]


def test_a_missing_hand_is_reported_at_settling() -> None:
    game = open_game(3)
    assert game.advance({Seat(0): 1, Seat(1): CRASH, Seat(2): 2}) == []


def test_a_removed_seat_gets_no_calls_in_this_game() -> None:
    game = open_game(3, sticks=1)
    events = play_round(game, [0, CRASH, 0], [1, 0])
    assert [notice.seat for notice in only(events, EndRound)] == [0, 2]
    assert [notice.seat for notice in only(events, EndGame)] == [0, 2]


def test_removed_seats_rank_last_in_reverse_order() -> None:
    game = open_game(4, sticks=1)
    play_round(game, [0, CRASH, 0, 0], [1, 2, 3])  # no player is right, and 2 leads next
    play_round(game, [0, 0, 0, 0], [1, 0, CRASH])  # 3 is right and leaves, 0 fails
    assert ranking(game) == [3, 2, 0, 1]
    assert thrown_out(game) == [1, 0]
    assert game.outcome is not None
    assert game.outcome.loser == 1


def test_the_only_player_not_removed_is_first() -> None:
    game = open_game(2)
    play_round(game, [0, 0], [1, CRASH])
    assert (ranking(game), thrown_out(game)) == ([0, 1], [1])


def test_seats_that_fail_in_one_round_are_removed_in_the_order_of_calls() -> None:
    game = open_game(4)
    win_a_round(game, 2)  # now 2 leads: 2 3 0 1
    play_round(game, [CRASH, 0, 0, LATE], [1, CRASH])
    assert thrown_out(game) == [3, 0, 1]
    assert ranking(game) == [2, 1, 0, 3]


def test_if_all_are_removed_the_last_removed_is_first() -> None:
    game = open_game(3)
    play_round(game, [CRASH] * 3, [])
    assert (ranking(game), thrown_out(game)) == ([2, 1, 0], [0, 1, 2])
    assert game.outcome is not None
    assert game.outcome.loser == 0


def test_a_failure_in_begin_game_removes_before_the_first_round() -> None:
    game = open_game(3)
    events = game.advance({Seat(0): CRASH})
    assert only(list(events), RoundStarted) == [RoundStarted(1, Seat(1), 6, (0, 3, 3))]
    assert list(game.requests) == [1, 2]


def test_a_game_in_which_players_fail_at_once_has_no_rounds() -> None:
    game = open_game(3)
    events = list(game.advance({Seat(0): CRASH, Seat(2): CRASH}))
    assert game.outcome is not None
    assert (ranking(game), game.outcome.rounds) == ([1, 2, 0], 0)
    (closing,) = only(events, EndGame)
    assert closing.view.guess == (PENDING_GUESS,) * 3
    assert closing.view.chopsticks == (0, 3, 0)


def test_a_failure_in_end_round_removes_before_the_next_round() -> None:
    game = open_game(3)
    lose_a_round(game)  # 1 leads next
    events = list(game.advance({Seat(1): CRASH}))
    assert only(events, RoundStarted) == [RoundStarted(2, Seat(2), 6, (3, 0, 3))]
    assert list(game.requests) == [2, 0]


@pytest.mark.parametrize(("end_round_from", "order"), [("this", [1, 2]), ("next", [2, 1])])
def test_seats_that_fail_in_end_round_are_removed_in_the_order_of_calls(end_round_from: str, order: list[int]) -> None:
    game = open_game(3, end_round_from=end_round_from)
    win_a_round(game, 2)  # led by 0; 2 leads next
    game.advance({Seat(2): CRASH, Seat(1): CRASH})
    assert thrown_out(game) == order


def test_a_game_that_ends_between_rounds_closes_with_the_view_of_the_last_round() -> None:
    game = open_game(2)
    play_round(game, [1, 1], [2, 5])
    (closing,) = only(list(game.advance({Seat(1): CRASH})), EndGame)
    assert (closing.view.guess, closing.view.hand, closing.view.last_winner) == ((2, 5), (1, 1), 0)
    assert closing.view.chopsticks == (2, 0)
    assert game.view(None) == closing.view


def test_a_safe_player_cannot_be_removed() -> None:
    game = open_game(3, sticks=(1, 2, 2))
    win_a_round(game, 0)
    before = dict(game.requests)
    assert game.advance({Seat(0): CRASH}) == [PlayerForfeited(Seat(0), CRASH, removed=False)]
    assert game.requests == before
    game.advance(dict.fromkeys(game.requests, 0))
    assert game.advance({Seat(0): CRASH}) == [PlayerForfeited(Seat(0), CRASH, removed=False)]


def test_a_seat_that_fails_out_of_turn_keeps_its_hand_and_does_not_guess() -> None:
    game = open_game(3)
    play_round(game, [1, 2, 3], [4])
    assert game.advance({Seat(2): CRASH}) == []
    event = settled(list(game.advance({Seat(1): 6})))
    assert (event.hands, event.guesses, event.winner) == ((1, 2, 3), (4, 6, INVALID_GUESS), 1)
    assert event.chopsticks == (3, 2, 0)


def test_a_seat_that_fails_after_its_right_guess_is_removed() -> None:
    game = open_game(3, sticks=1)
    play_round(game, [0, 0, 0], [0, 1])
    event = settled(list(game.advance({Seat(0): CRASH, Seat(2): CRASH})))
    assert (event.winner, event.left) == (0, False)
    assert (ranking(game), thrown_out(game)) == ([1, 2, 0], [0, 2])


def test_removed_seats_rank_last_in_a_stopped_game() -> None:
    game = open_game(4, max_rounds=1)
    play_round(game, [0, CRASH, 0, 0], [1, 2, 3])
    assert game.outcome is not None
    assert [(standing.seat, standing.place) for standing in game.outcome.ranking] == [(1, 4)]
    assert game.outcome.loser is None


def test_with_repair_a_failed_seat_stays_in() -> None:
    game = open_game(2, on_failure="repair", opening_zero="forbidden")
    events = play_round(game, [2, CRASH], [4, CRASH])
    assert (settled(events).hands, settled(events).guesses) == ((2, 1), (4, INVALID_GUESS))
    assert only(events, PlayerForfeited) == [PlayerForfeited(Seat(1), CRASH, removed=False)]
    assert set(game.requests) == {0, 1}
    assert game.view(None).chopsticks == (3, 3)


def test_with_repair_a_failure_between_rounds_costs_nothing() -> None:
    game = open_game(2, on_failure="repair")
    before = dict(game.requests)
    assert game.advance({Seat(1): CRASH}) == [PlayerForfeited(Seat(1), CRASH, removed=False)]
    assert game.requests == before


@pytest.mark.parametrize(
    "answers",
    [{}, {Seat(0): 1}, {Seat(0): 1, Seat(1): 1, Seat(2): 1}, {Seat(0): 1, Seat(2): CRASH}, {Seat(7): CRASH}],
    ids=str,
)
def test_answers_without_a_request_are_refused(answers: dict[Seat, object]) -> None:
    game = open_game(2)
    before = dict(game.requests)
    with pytest.raises(ValueError, match="the seats asked are 0, 1"):
        game.advance(answers)
    assert game.requests == before


def test_no_seat_can_forfeit_after_the_end() -> None:
    game = open_game(2, sticks=1)
    win_a_round(game, 0)
    with pytest.raises(ValueError, match="over"):
        game.advance({Seat(1): CRASH})


def test_every_seat_gets_begin_game_in_order() -> None:
    assert [notice.seat for notice in only(open_game(4).opening, BeginGame)] == [0, 1, 2, 3]
