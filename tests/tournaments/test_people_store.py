"""People of the house in the store, on SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from wateringhole.house import people_store
from wateringhole.house.people import SOMEONE, Person, PlayedSeat
from wateringhole.house.plans import TokenDigest
from wateringhole.house.store import TableStore
from wateringhole.house.writer import FinishedGame

ADA, BEA = Person("p1", "Ada", 1.0, 2.0), Person("p2", "Bea", 1.0, 3.0)


@pytest.fixture
def store(location: str) -> Iterator[TableStore]:
    with closing(TableStore(location)) as opened:
        for person in (ADA, BEA):
            assert opened.add_person(person, TokenDigest.of(person.name), 10)
        yield opened


def _finish(store: TableStore, id: str, *players: str, places: tuple[int, ...] = (1, 2), rated: bool = True) -> None:
    """Store a game of Porrinha; a player is the id of a person, or the name of a bot."""
    people = {"p1": "Ada", "p2": "Bea"}
    seats = [PlayedSeat(each, None) if each in people else PlayedSeat(None, each) for each in players]
    names = tuple(people.get(each, each) for each in players)
    game = FinishedGame(id, float(len(id)), "porrinha", names, places, (None,) * len(names), True)
    store.finish_game(game, b"record", seats, rated)


def test_person_is_found_by_key_only(store: TableStore) -> None:
    assert store.person(TokenDigest.of("Ada")) == ADA
    assert store.person(TokenDigest.of("ada")) is None
    assert not store.add_person(Person("p3", "Eve", 1.0, 1.0), TokenDigest.of("Eve"), 2)


def test_games_are_listed_with_all_seats_the_newest_first(store: TableStore) -> None:
    _finish(store, "a", "p1", "zero")
    _finish(store, "bb", "p2", "p1", places=(2, 1), rated=False)
    _finish(store, "ccc", "p2", "zero")
    newest, oldest = store.games_of("p1")
    assert (newest.game_id, newest.rated, oldest.game_id, oldest.rated) == ("bb", False, "a", True)
    assert [(seat.name, seat.place, seat.me) for seat in newest.seats] == [("Bea", 2, False), ("Ada", 1, True)]


def test_results_outlive_the_replay(store: TableStore) -> None:
    _finish(store, "a", "p1", "zero")
    store.forget_games(0)
    (game,) = store.games_of("p1")
    assert not game.replay


def test_people_rate_each_other_once_they_have_a_rating(store: TableStore) -> None:
    for number in range(10):
        _finish(store, f"a{number}", "p1", "p2")
    assert store.ratings_of("p1") == {}
    for number in range(10):
        _finish(store, f"b{number}", "p1", "counter")
    before = store.ratings_of("p1")["porrinha"]
    assert before.games == 10
    _finish(store, "c", "p1", "p2")
    # Bea has lost eleven games against a player who now has a rating.
    bea = store.ratings_of("p2")["porrinha"]
    assert bea.games == 11
    assert bea.rating < before.rating


def test_only_the_newest_results_of_a_person_are_kept(store: TableStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_store, "MOST_RESULTS", 2)
    for id in ("a", "bb", "ccc"):
        _finish(store, id, "p1", "p2" if id == "a" else "zero")
    assert [game.game_id for game in store.games_of("p1")] == ["ccc", "bb"]
    # The game stays one of the other person.
    (kept,) = store.games_of("p2")
    assert [seat.name for seat in kept.seats] == [SOMEONE, "Bea"]


def test_person_who_was_deleted_during_a_game_gets_no_result(store: TableStore) -> None:
    store.delete_person("p1")
    _finish(store, "a", "p1", "zero")
    _finish(store, "b", "p1", "p2")
    assert store.games_of("p1") == []
    assert [seat.me for seat in store.games_of("p2")[0].seats] == [False, True]


def test_game_whose_record_cannot_be_read_is_deleted_with_its_person(store: TableStore) -> None:
    _finish(store, "a", "p1", "zero")
    _finish(store, "b", "p2", "zero")
    store.delete_person("p1")
    assert store.game_record("a") is None
    assert store.game_record("b") == b"record"


def test_people_are_forgotten_by_their_last_visit(store: TableStore) -> None:
    store.forget_people(2.5)
    assert store.person(TokenDigest.of("Ada")) is None
    assert store.person(TokenDigest.of("Bea")) == BEA
    store.note_visit("p2", 9.0)
    store.forget_people(8.0)
    assert store.person(TokenDigest.of("Bea")) is not None
