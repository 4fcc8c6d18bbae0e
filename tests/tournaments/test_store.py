"""The store keeps each finished series exactly once, even if processes crash."""

from __future__ import annotations

import itertools
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import sqlalchemy as sql

from tests.tournaments.tournaments import outcomes, played, settings, small_plan
from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments import holders
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.store import VERSION, Progress, Store, database, default_store, leases, queries, schema


@pytest.fixture
def tournament(store: Store) -> int:
    """A tournament with four series of two games each."""
    number = store.create(settings())
    assert store.plan(number, small_plan())
    return number


def numbers(series: list[PlannedSeries]) -> list[int]:
    return [each.number for each in series]


def test_a_tournament_is_found_as_it_was_created(store: Store, other_store: Store) -> None:
    assert store.tournaments() == []
    number = store.create(settings(seed=2**32 - 1))
    stored = other_store.tournament(number)
    assert stored.settings == settings(seed=2**32 - 1)
    assert stored.progress == Progress(0, 0, 0, 0)
    assert stored.finished is None
    store.finish(number)
    assert other_store.tournament(number).finished is not None


def test_an_unknown_tournament_is_a_usage_error_that_lists_the_newest(store: Store, tournament: int) -> None:
    with pytest.raises(UsageError, match=rf"no tournament 99 in .*; the newest are {tournament}\.$"):
        store.tournament(99)


def test_two_holders_never_claim_the_same_series(store: Store, other_store: Store, tournament: int) -> None:
    assert numbers(store.claim(tournament, 3)) == [0, 1, 2]
    assert numbers(other_store.claim(tournament, 3)) == [3]
    assert other_store.claim(tournament, 3) == []


def test_claimed_series_are_those_that_were_planned(store: Store, tournament: int) -> None:
    assert store.claim(tournament, 9) == small_plan()


def test_released_series_can_be_claimed_by_others(store: Store, other_store: Store, tournament: int) -> None:
    store.claim(tournament, 3)
    store.release_claims()
    assert numbers(other_store.claim(tournament, 9)) == [0, 1, 2, 3]


def test_releasing_ends_no_leases_of_others_and_none_to_keep(store: Store, other_store: Store, tournament: int) -> None:
    store.claim(tournament, 3)
    other_store.claim(tournament, 1)
    store.release_claims(keep=[1])
    assert numbers(other_store.claim(tournament, 9)) == [0, 2]
    store.release_claims()
    assert numbers(other_store.claim(tournament, 9)) == [1]


def test_series_of_an_exited_process_can_be_claimed_at_once(store: Store, other_store: Store, tournament: int) -> None:
    code = "from wateringhole.tournaments.holders import new_holder_id; print(new_holder_id())"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert holders.has_exited(dead)
    assert not holders.has_exited(store.holder)
    store.holder = dead
    store.claim(tournament, 4)
    assert numbers(other_store.claim(tournament, 2)) == [0, 1]


def test_a_holder_on_another_machine_never_counts_as_dead(store: Store) -> None:
    assert not holders.has_exited(f"elsewhere {store.holder}")


def test_a_reused_process_id_does_not_hide_an_exit(store: Store) -> None:
    machine, pid, _, unique = store.holder.rsplit(" ", 3)
    assert holders.has_exited(f"{machine} {pid} 1 {unique}")


def test_a_lease_that_is_not_renewed_ends(
    store: Store, other_store: Store, tournament: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "LEASE_SECONDS", -1.0)
    store.claim(tournament, 4)
    monkeypatch.setattr(leases, "LEASE_SECONDS", 60.0)
    assert numbers(other_store.claim(tournament, 2)) == [0, 1]
    store.renew_claims()
    assert other_store.claim(tournament, 9) == []
    # Renewing moves the end of only the leases of the store that renews.
    monkeypatch.setattr(leases, "LEASE_SECONDS", -1.0)
    store.renew_claims()
    assert numbers(other_store.claim(tournament, 9)) == [2, 3]


def test_committed_games_come_back_with_their_records(store: Store, other_store: Store, tournament: int) -> None:
    (first, second) = store.claim(tournament, 2)
    # Committed in a different order than planned.
    for series in (second, first):
        record = f"record of series {series.number}\n".encode()
        games = played(series, record=record)
        assert store.commit(tournament, games) == [game.result for game in games]
    assert list(other_store.results(tournament)) == [game.result for game in played(first) + played(second)]
    assert other_store.record(tournament, 1, 0) == b"record of series 1\n"
    assert other_store.progress(tournament) == Progress(planned=8, finished=4, series=4, open_series=2)
    with pytest.raises(UsageError, match="no game 0 of series 3"):
        other_store.record(tournament, 3, 0)


def test_a_series_that_was_played_twice_counts_once(store: Store, other_store: Store, tournament: int) -> None:
    (series,) = store.claim(tournament, 1)
    assert other_store.commit(tournament, played(series, record=b"theirs"))
    assert store.commit(tournament, played(series, record=b"late")) == []
    assert len(outcomes(store, tournament)) == 2
    assert store.record(tournament, series.number, 0) == b"theirs"


def test_a_finished_series_is_not_claimed_again(store: Store, tournament: int) -> None:
    store.commit(tournament, played(store.claim(tournament, 1)[0]))
    store.release_claims()
    assert numbers(store.claim(tournament, 9)) == [1, 2, 3]


def test_a_commit_that_fails_leaves_nothing_behind(store: Store, tournament: int) -> None:
    first, second = store.claim(tournament, 2)
    with pytest.raises(OperationError, match="cannot be used"):
        store.commit(tournament, [*played(first), *played(second), *played(second)])
    assert outcomes(store, tournament) == []
    assert store.progress(tournament).open_series == 4


def test_a_round_is_planned_once_by_two_processes(store: Store, other_store: Store, tournament: int) -> None:
    later = [PlannedSeries(4, (2, 1, 0), 2, 5)]
    assert store.plan(tournament, later, after=4)
    assert not other_store.plan(tournament, later, after=4)
    assert store.progress(tournament).series == 5


def test_a_long_plan_is_stored_in_parts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "ROWS_AT_A_TIME", 3)
    number = store.create(settings())
    assert store.plan(number, small_plan(7))
    assert store.claim(number, 9) == small_plan(7)


def test_tournaments_are_independent(store: Store, tournament: int) -> None:
    other = store.create(settings(seed=8))
    store.plan(other, small_plan(1))
    store.commit(tournament, played(store.claim(tournament, 1)[0]))
    assert numbers(store.claim(other, 9)) == [0]
    assert outcomes(store, other) == []
    assert [each.progress.finished for each in store.tournaments()] == [2, 0]


def test_a_store_of_a_newer_program_is_refused(
    store: Store, tournament: int, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "VERSION", VERSION - 1)
    with pytest.raises(
        OperationError, match=f"has version {VERSION}; this program supports versions up to {VERSION - 1}"
    ):
        Store(location)


def test_a_store_of_an_older_program_is_upgraded(
    store: Store, tournament: int, location: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_remarks(connection: sql.Connection) -> None:
        connection.execute(sql.text("ALTER TABLE tournaments ADD COLUMN remark TEXT"))

    monkeypatch.setattr(schema, "VERSION", VERSION + 1)
    monkeypatch.setitem(schema.MIGRATIONS, VERSION, add_remarks)
    for _ in range(2):
        upgraded = Store(location)
        assert upgraded.tournament(tournament).settings == settings()
        upgraded.close()
    monkeypatch.setattr(schema, "VERSION", VERSION)
    with pytest.raises(OperationError, match=f"has version {VERSION + 1}"):
        Store(location)


def drop_newest(connection: sql.Connection) -> None:
    """Remove what versions 5 to 7 added."""
    connection.execute(sql.text("DROP TABLE failing_players"))
    for table, column in (("games", "digest"), ("tournaments", "head"), ("tournaments", "versions")):
        connection.execute(sql.text(f"ALTER TABLE {table} DROP COLUMN {column}"))


@pytest.mark.parametrize(
    ("version", "later_columns"), [(1, ["highlights", "repaired_answers"]), (3, ["repaired_answers"])]
)
def test_games_of_an_older_store_lack_what_was_not_counted_then(
    store: Store, tournament: int, location: str, version: int, later_columns: list[str]
) -> None:
    store.commit(tournament, played(store.claim(tournament, 1)[0]))
    before = outcomes(store, tournament)
    with store._writing() as connection:
        for column in later_columns:
            connection.execute(sql.text(f"ALTER TABLE games DROP COLUMN {column}"))
        drop_newest(connection)
        connection.execute(sql.text(f"UPDATE wateringhole_schema SET version = {version}"))
    upgraded = Store(location)
    assert outcomes(upgraded, tournament) == before
    for column in later_columns:
        assert {getattr(result, column) for result in upgraded.results(tournament)} == {None}
    counted = [
        msgspec.structs.replace(
            game, result=msgspec.structs.replace(game.result, highlights=4, repaired_answers=(0, 2, 1))
        )
        for game in played(upgraded.claim(tournament, 1)[0])
    ]
    upgraded.commit(tournament, counted)
    assert outcomes(upgraded, tournament)[len(before) :] == [
        msgspec.structs.replace(game.result, seconds=()) for game in counted
    ]
    upgraded.close()


def test_the_chain_of_an_older_store_is_made_from_its_records(store: Store, tournament: int, location: str) -> None:
    first, second = store.claim(tournament, 2)
    store.commit(tournament, played(first, record=b"a record\n"))
    before = store.chain(tournament)
    with store._writing() as connection:
        drop_newest(connection)
        connection.execute(sql.text("UPDATE wateringhole_schema SET version = 4"))
    upgraded = Store(location)
    assert upgraded.chain(tournament).head == before.head
    upgraded.commit(tournament, played(second, record=b"another\n"))
    after = upgraded.chain(tournament)
    assert (before.games, after.games) == (2, 4)
    assert after.head != before.head
    upgraded.close()


def test_ctrl_c_while_a_connection_is_closed_is_reported_after_it_is_closed(
    store: Store, tournament: int, caplog: pytest.LogCaptureFixture
) -> None:
    sql.event.listen(store._engine, "reset", lambda *_: signal.raise_signal(signal.SIGINT), once=True)
    with pytest.raises(KeyboardInterrupt):
        store.tournaments()
    assert caplog.text == ""  # a command prints it with a traceback
    assert [found.id for found in store.tournaments()] == [tournament]


@pytest.mark.parametrize("read", [Store.results, Store.stored_series])
def test_signals_are_not_deferred_while_a_caller_processes_games(
    store: Store, tournament: int, read: Callable[[Store, int], Generator[Any, None, None]]
) -> None:
    (first,) = store.claim(tournament, 1)
    store.commit(tournament, played(first))
    handler = signal.getsignal(signal.SIGINT)
    reading = read(store, tournament)
    assert next(reading)
    assert signal.getsignal(signal.SIGINT) is handler
    # As the garbage collector does, which may run in any thread.
    with ThreadPoolExecutor(1) as threads:
        threads.submit(reading.close).result()
    assert signal.getsignal(signal.SIGINT) is handler
    assert [found.id for found in store.tournaments()] == [tournament]


def test_an_error_in_the_middle_of_reading_returns_the_connection(store: Store, tournament: int) -> None:
    (first,) = store.claim(tournament, 1)
    store.commit(tournament, played(first))
    with store._writing() as connection:
        connection.exec_driver_sql("UPDATE games SET scores = '7'")
    with pytest.raises(OperationError, match="is damaged") as caught:
        next(store.stored_series(tournament))
    pool = store._engine.pool
    assert isinstance(pool, sql.QueuePool)
    assert pool.checkedout() == 0
    del caught  # whose traceback holds what was left open


def test_ctrl_c_that_makes_the_driver_fail_while_it_connects_is_an_interrupt(store: Store, tournament: int) -> None:
    def fail(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGINT)
        finally:
            raise sqlite3.ProgrammingError("can't change 'autocommit' now")

    sql.event.listen(store._engine, "checkout", fail, once=True)
    with pytest.raises(KeyboardInterrupt):
        store.tournaments()
    assert [found.id for found in store.tournaments()] == [tournament]


def test_a_new_file_that_another_process_is_using_is_opened_as_soon_as_it_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process that is about to create the store, too.
    other = sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    waits: list[float] = []

    def end_other(seconds: float) -> None:
        waits.append(seconds)
        other.close()

    monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=lambda: 0.0, sleep=end_other))
    with closing(Store(tmp_path / "store.sqlite")) as store:
        assert store.tournaments() == []
    assert len(waits) == 1


def test_a_new_file_that_is_in_use_for_too_long_is_an_operation_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "store.sqlite", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        times = itertools.count(step=database.BUSY_SECONDS)
        monkeypatch.setattr(database, "time", SimpleNamespace(monotonic=lambda: next(times), sleep=lambda _: None))
        with pytest.raises(OperationError, match="cannot be used: database is locked"):
            Store(tmp_path / "store.sqlite")


def test_a_file_that_is_no_store_is_an_operation_error(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes, and not a database at all.\n" * 100)
    with pytest.raises(OperationError, match=r"notes\.txt cannot be used: file is not a database\.$"):
        Store(path)


def test_a_reader_creates_no_file(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match=r"there is no store .*none\.sqlite yet"):
        Store(tmp_path / "none.sqlite", makes_file=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://me@there/games", "cannot be in mysql"),
        ("postgresql://me@there:port/games", "is malformed"),
        ("sqlite://", "a store must be a file, and sqlite:// is none"),
        ("sqlite:///:memory:", "a store must be a file"),
        (":memory:", "a store must be a file"),
        ("sqlite:///file:games?mode=memory&uri=true", "a store must be a file"),
    ],
)
def test_unsupported_urls_are_usage_errors(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Store(url)


def test_a_file_can_be_given_as_a_url(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "games.sqlite"
    with pytest.raises(OperationError, match="there is no store"):
        Store(f"sqlite:///{path}", makes_file=False)
    store = Store(f"sqlite:///{path}")
    assert store.name == str(path)
    store.close()
    assert path.exists()


def test_a_password_is_never_shown() -> None:
    with pytest.raises(OperationError, match="cannot be used") as raised:
        Store("postgresql://me:secret@127.0.0.1:1/games")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("variable", "expected"), [("/somewhere", "/somewhere/wateringhole"), ("", ".local/share/wateringhole")]
)
def test_the_default_store_is_in_the_users_data_folder(
    variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", variable)
    assert str(default_store().parent).endswith(expected)
