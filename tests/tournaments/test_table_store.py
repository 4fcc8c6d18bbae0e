"""Tables and games of the house in the store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import msgspec
import pytest

from wateringhole.house.people import Person
from wateringhole.house.plans import TokenDigest
from wateringhole.house.store import TableStore
from wateringhole.house.writer import FinishedGame
from wateringhole.tournaments import store as stores

PLAN = {"game": "porrinha", "chairs": [{"name": "Ada"}]}
GAME = FinishedGame("a1", 5.0, "porrinha", ("Ada", "Bea"), (2, 1), (None, None), True)

ADA = Person("p1", "Ada", 1.0, 2.0)


@pytest.fixture
def store(location: str) -> Iterator[TableStore]:
    with closing(TableStore(location)) as opened:
        yield opened


def _keep_as(holder: str, location: str, *tables: str) -> None:
    """Save tables for another holder."""
    with closing(TableStore(location)) as other:
        other.holder = holder
        for number, table in enumerate(tables):
            other.keep(table, float(number), PLAN)


def test_a_table_of_an_exited_host_is_taken_over_with_its_record(store: TableStore, location: str) -> None:
    # As if the process had exited: no process has this ID and this start time.
    machine = store.holder.rsplit(" ", 3)[0]
    _keep_as(f"{machine} 999999999 1 x", location, "a1", "b2")
    for number, text in enumerate([b"header\n", b"one\ntwo\n"]):
        store.add_lines("a1", number, text)
    first, second = store.adopt_tables()
    assert (first.id, first.created, first.plan, first.record) == ("a1", 0.0, PLAN, b"header\none\ntwo\n")
    assert (second.id, second.record) == ("b2", b"")
    with closing(TableStore(location)) as other:
        assert other.adopt_tables() == []


def test_a_hosted_table_is_not_taken_over(store: TableStore, location: str) -> None:
    _keep_as("elsewhere - 1 - x", location, "a1")
    assert store.adopt_tables() == []


def test_a_table_whose_lease_has_ended_is_taken_over(
    store: TableStore, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.house.store.LEASE_SECONDS", -1.0)
    _keep_as("elsewhere - 1 - x", location, "a1", "b2")
    monkeypatch.undo()
    store.renew_tables(["b2"])
    with closing(TableStore(location)) as other:
        assert [kept.id for kept in other.adopt_tables()] == ["a1"]


def test_a_released_table_is_taken_over_at_once(store: TableStore, location: str) -> None:
    store.keep("a1", 1.0, PLAN)
    store.release_tables()
    with closing(TableStore(location)) as other:
        assert [kept.id for kept in other.adopt_tables()] == ["a1"]


def test_keeping_a_table_again_changes_its_plan(store: TableStore) -> None:
    store.keep("a1", 1.0, PLAN)
    store.keep("a1", 2.0, {**PLAN, "public": False})
    store.release_tables()
    (kept,) = store.adopt_tables()
    assert (kept.created, kept.plan["public"]) == (1.0, False)


def test_a_finished_game_replaces_its_table(store: TableStore) -> None:
    store.keep("a1", 1.0, PLAN)
    store.add_lines("a1", 0, b"header\n")
    store.finish_game(GAME, b"the record")
    store.release_tables()
    assert store.adopt_tables() == []
    assert store.finished_games(10) == [GAME]
    assert store.game_record("a1") == b"the record"


def test_private_games_are_not_listed_but_can_be_read_by_id(store: TableStore) -> None:
    store.finish_game(FinishedGame("b2", 6.0, "porrinha", ("Ada",), (1,), (None,), False), b"record")
    assert store.finished_games(10) == []
    assert store.game_record("b2") == b"record"
    assert store.game_record("c3") is None


def test_the_oldest_games_are_deleted_first(store: TableStore) -> None:
    for name, finished in (("old", 1.0), ("new", 3.0), ("middle", 2.0)):
        store.finish_game(msgspec.structs.replace(GAME, id=name, finished=finished), b"record\n")
    store.forget_games(2)
    assert [game.id for game in store.finished_games(9)] == ["new", "middle"]
    assert store.game_record("old") is None
    store.forget_games(2)
    assert store.game_record("middle") == b"record\n"


def test_the_limit_of_kept_games_can_be_the_largest_database_integer(store: TableStore) -> None:
    store.finish_game(GAME, b"record")
    store.forget_games(2**63 - 1)
    assert store.finished_games(1) == [GAME]


def test_a_closed_table_is_deleted(store: TableStore) -> None:
    store.keep("a1", 1.0, PLAN)
    store.add_lines("a1", 0, b"header\n")
    store.forget("a1")
    store.release_tables()
    assert store.adopt_tables() == []


def test_an_older_store_is_upgraded_to_hold_tables(location: str) -> None:
    with closing(TableStore(location)) as old, old._writing() as connection:
        people = ("page_ratings", "page_results", "page_people")
        for table in ("page_lines", "page_tables", "page_games", "failing_players", *people):
            connection.exec_driver_sql(f"DROP TABLE {table}")
        for table, column in (
            ("games", "repaired_answers"),
            ("games", "digest"),
            ("tournaments", "head"),
            ("tournaments", "versions"),
        ):
            connection.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        connection.exec_driver_sql("UPDATE wateringhole_schema SET version = 2")
    with closing(TableStore(location)) as upgraded:
        upgraded.keep("a1", 1.0, PLAN)
        upgraded.finish_game(GAME, b"record")
        assert upgraded.finished_games(1) == [GAME]
        with upgraded._reading() as connection:
            found = connection.exec_driver_sql("SELECT version FROM wateringhole_schema").scalar()
        assert found == stores.VERSION


def test_a_store_from_before_there_were_people_is_upgraded(location: str) -> None:
    with closing(TableStore(location)) as old:
        old.finish_game(GAME, b"record")
        with old._writing() as connection:
            for table in ("page_ratings", "page_results", "page_people"):
                connection.exec_driver_sql(f"DROP TABLE {table}")
            connection.exec_driver_sql("UPDATE wateringhole_schema SET version = 7")
    with closing(TableStore(location)) as upgraded:
        assert upgraded.finished_games(1) == [GAME]
        assert upgraded.add_person(ADA, TokenDigest.of("key"), 10)
        assert upgraded.person(TokenDigest.of("key")) == ADA
