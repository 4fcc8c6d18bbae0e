"""Section 2 of the rulebook: the effect of bad hands and guesses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.games.porrinha.builders import guess_asked, hands_asked, only, open_game, play_round, settled
from wateringhole.game import Seat, violation_of
from wateringhole.games.porrinha import INVALID_GUESS, AnswerRepaired, GuessSaid, NotANumber
from wateringhole.games.porrinha.rules.answers import HIGHEST, LOWEST, as_answer
from wateringhole.games.porrinha.rules.violations import AnswerShape

# Each row: the answer, the value used, the fault.  The player owns 3 of 6 sticks.
HANDS: list[tuple[Any, int, str | None]] = [
    (0, 0, None),
    (3, 3, None),
    (4, 0, "hand_range"),
    (-1, 0, "hand_range"),
    (-2, 0, "hand_range"),
    (-3, 0, "hand_range"),
    (HIGHEST, 0, "hand_range"),
    (NotANumber("'two'"), 0, "not_a_number"),
]


@pytest.mark.parametrize(("answer", "used", "fault"), HANDS)
def test_hands(answer: Any, used: int, fault: str | None) -> None:
    game = open_game()
    assert hands_asked(game)[Seat(0)].resolve(answer) == (used, fault)
    events = play_round(game, [answer, 0], [1, 2])
    assert settled(events).hands == (used, 0)
    expected = [] if fault is None else [AnswerRepaired(Seat(0), fault, answer, used)]  # type: ignore[arg-type]
    assert only(events, AnswerRepaired) == expected


def test_a_bad_hand_becomes_1_if_empty_hands_are_forbidden() -> None:
    events = play_round(open_game(opening_zero="forbidden"), [0, 4], [1, 2])
    assert settled(events).hands == (1, 1)
    assert [(fault.seat, fault.said) for fault in only(events, AnswerRepaired)] == [(0, 0), (1, 4)]


# Each row: the second guesser's answer, the value used, the fault.  The first guessed 2; the table is 6.
GUESSES: list[tuple[Any, int, str | None]] = [
    (0, 0, None),
    (6, 6, None),
    (7, INVALID_GUESS, "guess_high"),
    (-1, INVALID_GUESS, "guess_negative"),
    (-3, INVALID_GUESS, "guess_negative"),
    (2, INVALID_GUESS, "guess_taken"),
    (NotANumber("2.0"), INVALID_GUESS, "not_a_number"),
]


@pytest.mark.parametrize(("answer", "used", "fault"), GUESSES)
def test_guesses(answer: Any, used: int, fault: str | None) -> None:
    game = open_game()
    events = play_round(game, [3, 2], [2, answer])
    assert settled(events).guesses == (2, used)
    assert only(events, GuessSaid) == [GuessSaid(Seat(0), 2), GuessSaid(Seat(1), used)]
    expected = [] if fault is None else [AnswerRepaired(Seat(1), fault, answer, used)]  # type: ignore[arg-type]
    assert only(events, AnswerRepaired) == expected


def test_a_void_guess_is_never_right_even_with_the_right_number() -> None:
    assert settled(play_round(open_game(), [1, 1], [2, 2])).winner == 0
    assert settled(play_round(open_game(sticks=1), [-5, -5], [-1, 3])).winner == -1


def test_void_guesses_reserve_no_number() -> None:
    event = settled(play_round(open_game(4), [0, 0, 0, 0], [5, 5, 13, 13]))
    assert event.guesses == (5, INVALID_GUESS, INVALID_GUESS, INVALID_GUESS)
    event = settled(play_round(open_game(3), [0, 0, 0], [-3, -3, 4]))
    assert event.guesses == (INVALID_GUESS, INVALID_GUESS, 4)


def test_a_player_with_a_void_guess_stays_in() -> None:
    game = open_game()
    play_round(game, [0, 0], [-1, 9])
    assert set(game.requests) == {0, 1}


def test_with_again_a_taken_guess_is_requested_again() -> None:
    game = open_game(taken_guess="again")
    events = play_round(game, [0, 0], [3, 3, 3])
    assert [(fault.fault, fault.used) for fault in only(events, AnswerRepaired)] == [("guess_taken", None)] * 2
    assert guess_asked(game).seat == 1
    assert settled(list(game.advance({Seat(1): 0}))).guesses == (3, 0)


@pytest.mark.parametrize("guess", [-1, 7])
def test_with_again_other_bad_guesses_stay_void(guess: int) -> None:
    assert settled(play_round(open_game(taken_guess="again"), [0, 0], [3, guess])).guesses == (3, INVALID_GUESS)


def test_after_sixteen_refusals_in_a_row_a_taken_guess_is_void() -> None:
    game = open_game(taken_guess="again")
    play_round(game, [0, 0], [3] + [3] * 16)
    assert guess_asked(game).refused == 16
    events = list(game.advance({Seat(1): 3}))
    assert settled(events).guesses == (3, INVALID_GUESS)
    assert [fault.used for fault in only(events, AnswerRepaired)] == [INVALID_GUESS]


def test_refusals_are_counted_per_seat_and_round() -> None:
    game = open_game(3, taken_guess="again")
    play_round(game, [0, 0, 0], [3, *[3] * 16, 4])
    assert guess_asked(game).refused == 0


class Index:
    """An object that converts to a whole number, like the numbers of other libraries."""

    def __index__(self) -> int:
        return 2


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        (2, 2),
        (Index(), 2),
        (10**30, HIGHEST),
        (-(10**30), LOWEST),
        (2.0, NotANumber("2.0")),
        (True, NotANumber("True")),
        (None, NotANumber("None")),
        (int, NotANumber("<class 'int'>")),
        ("x" * 100, NotANumber("'" + "x" * 59)),
    ],
)
def test_answers_become_numbers_or_not_a_number(given: object, answer: Any) -> None:
    assert as_answer(given) == answer


def test_an_answer_without_a_repr_is_accepted() -> None:
    assert as_answer([10**5000]) == NotANumber("a list")


def test_every_answer_of_a_player_passes_check() -> None:
    request = hands_asked(open_game())[Seat(0)]
    assert violation_of(request, -7) is None
    assert violation_of(request, as_answer("two")) is None


@pytest.mark.parametrize("answer", [None, 2.0, True, "two"])
def test_unconverted_answers_are_refused_and_change_nothing(answer: Any) -> None:
    game = open_game()
    assert violation_of(hands_asked(game)[Seat(0)], answer) is not None
    with pytest.raises(ValueError, match="answer-shape"):
        game.advance({Seat(0): 1, Seat(1): answer})
    assert set(game.requests) == {0, 1}
    game.advance({Seat(0): 1, Seat(1): 1})
    with pytest.raises(ValueError, match="answer-shape"):
        game.advance({Seat(0): answer})
    assert game.view(None).guess == (-1, -1)


def test_a_bad_hand_is_reported_at_settling_to_its_player_and_spectators() -> None:
    game = open_game()
    assert not only(list(game.advance({Seat(0): 9, Seat(1): 0})), AnswerRepaired)
    (fault,) = only(play_round_of_guesses(game, [1, 2]), AnswerRepaired)
    assert fault.seen_by(Seat(0)) == fault.seen_by(None) == fault
    assert fault.seen_by(Seat(1)) is None


def play_round_of_guesses(game: Any, guesses: list[int]) -> list[Any]:
    events: list[Any] = []
    for guess in guesses:
        (seat,) = game.requests
        events += game.advance({seat: guess})
    return events


@pytest.mark.parametrize("answer", ["two", None, 2.0, [2]])
def test_an_answer_of_another_type_is_quoted_in_its_violation(answer: Any) -> None:
    guessing = open_game()
    list(guessing.advance({Seat(0): 0, Seat(1): 0}))
    for request in (hands_asked(open_game())[Seat(0)], guess_asked(guessing)):
        assert request.accept(answer) == AnswerShape(repr(answer))
        with pytest.raises(ValueError, match=re.escape(repr(AnswerShape(repr(answer))))):
            request.resolve(answer)


@pytest.mark.parametrize(("answer", "accepted"), [(LOWEST - 1, LOWEST), (HIGHEST + 1, HIGHEST)])
def test_a_number_beyond_the_limits_is_accepted_as_the_nearest_one(answer: int, accepted: int) -> None:
    assert hands_asked(open_game())[Seat(0)].accept(answer) == accepted
