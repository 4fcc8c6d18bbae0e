"""The few words that games and drivers share."""

from __future__ import annotations

from typing import Any

import pytest

from wateringhole.game import Event, Forfeit, Notice, Outcome, Seat, Standing, ThrownOut


class Rang(Event, frozen=True):
    """Everybody hears it."""

    times: int


class Called(Notice, frozen=True):
    """Only one player hears it."""

    def deliver(self, player: Any) -> None:
        player.append(self)


def _outcome(places: dict[int, int], thrown_out: list[int]) -> Outcome:
    forfeit = Forfeit("left", "has had enough")
    return Outcome(
        "the bell rang",
        tuple(Standing(Seat(seat), place) for seat, place in places.items()),
        tuple(ThrownOut(Seat(seat), forfeit) for seat in thrown_out),
    )


@pytest.mark.parametrize(
    ("ranking", "thrown_out", "places"),
    [
        ({2: 1, 0: 2, 1: 3}, [], {2: 1, 0: 2, 1: 3}),
        ({2: 1, 0: 1, 1: 3}, [], {2: 1, 0: 1, 1: 3}),
        ({2: 1}, [0, 1], {2: 1, 1: 2, 0: 3}),
        ({0: 1, 3: 1}, [2, 1], {0: 1, 3: 1, 1: 3, 2: 4}),
        ({}, [1, 0, 2], {2: 1, 0: 2, 1: 3}),
        ({}, [], {}),
    ],
    ids=["nobody left early", "a tie", "two left", "a tie before two", "all left", "nobody there"],
)
def test_whoever_is_thrown_out_comes_after_all_others_and_the_first_one_last(
    ranking: dict[int, int], thrown_out: list[int], places: dict[int, int]
) -> None:
    assert _outcome(ranking, thrown_out).places() == places


def test_those_still_in_when_a_game_is_stopped_share_the_first_free_place() -> None:
    outcome = Outcome("stopped", (Standing(Seat(2), 1), Standing(Seat(3), 4)), (), (Seat(0), Seat(1)))
    assert outcome.places() == {2: 1, 0: 2, 1: 2, 3: 4}


def test_an_event_is_for_everybody_unless_it_says_otherwise() -> None:
    rang = Rang(3)
    assert [rang.seen_by(seat) for seat in (Seat(0), Seat(1), None)] == [rang, rang, rang]


def test_a_notice_is_for_its_seat_alone() -> None:
    called = Called(Seat(1))
    assert [called.seen_by(seat) for seat in (Seat(0), Seat(1), None)] == [None, called, None]
    told: list[Called] = []
    called.deliver(told)
    assert told == [called]


def test_a_notice_must_say_whom_it_calls() -> None:
    with pytest.raises(NotImplementedError):
        Notice(Seat(0)).deliver(object())


@pytest.mark.parametrize("record", [Rang(1), Called(Seat(0)), Forfeit("late", ""), Standing(Seat(0), 1)])
def test_everything_that_crosses_the_border_is_frozen(record: Any) -> None:
    with pytest.raises(AttributeError):
        setattr(record, record.__struct_fields__[0], None)
