"""The types that all games share: events, notices and outcomes."""

from __future__ import annotations

from typing import Any

import pytest

from wateringhole.game import Event, Forfeit, Notice, Outcome, Seat, Standing, ThrownOut


class Rang(Event, frozen=True):
    """An event that all seats see."""

    times: int


class Called(Notice, frozen=True):
    """A notice to one seat."""

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
    ids=["none thrown out", "a tie", "two left", "a tie before two", "all left", "no players"],
)
def test_thrown_out_players_come_last_the_first_one_lowest(
    ranking: dict[int, int], thrown_out: list[int], places: dict[int, int]
) -> None:
    assert _outcome(ranking, thrown_out).places() == places


def test_unranked_players_of_a_stopped_game_share_the_first_free_place() -> None:
    outcome = Outcome("stopped", (Standing(Seat(2), 1), Standing(Seat(3), 4)), (), (Seat(0), Seat(1)))
    assert outcome.places() == {2: 1, 0: 2, 1: 2, 3: 4}


def test_an_event_is_seen_by_all_seats_by_default() -> None:
    rang = Rang(3)
    assert [rang.seen_by(seat) for seat in (Seat(0), Seat(1), None)] == [rang, rang, rang]


def test_a_notice_is_seen_by_its_seat_only() -> None:
    called = Called(Seat(1))
    assert [called.seen_by(seat) for seat in (Seat(0), Seat(1), None)] == [None, called, None]
    received: list[Called] = []
    called.deliver(received)
    assert received == [called]


def test_a_notice_must_implement_deliver() -> None:
    with pytest.raises(NotImplementedError):
        Notice(Seat(0)).deliver(object())


@pytest.mark.parametrize("record", [Rang(1), Called(Seat(0)), Forfeit("late", ""), Standing(Seat(0), 1)])
def test_values_passed_to_players_are_frozen(record: Any) -> None:
    with pytest.raises(AttributeError):
        setattr(record, record.__struct_fields__[0], None)
