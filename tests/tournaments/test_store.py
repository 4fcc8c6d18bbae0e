"""The store keeps what was finished, once, whoever works on it and however they end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sql

from tests.tournaments.tournaments import outcomes, played, settings, small_plan
from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments import leases
from wateringhole.tournaments import store as store_module
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.store import VERSION, Progress, Store, default_store


@pytest.fixture
def tournament(store: Store) -> int:
    """One with four series of two games each."""
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


def test_an_unknown_tournament_is_misuse_that_names_those_there_are(store: Store, tournament: int) -> None:
    with pytest.raises(UsageError, match=rf"no tournament 99 in .*; the newest are {tournament}\.$"):
        store.tournament(99)


def test_two_who_claim_never_get_the_same_series(store: Store, other_store: Store, tournament: int) -> None:
    assert numbers(store.claim(tournament, 3)) == [0, 1, 2]
    assert numbers(other_store.claim(tournament, 3)) == [3]
    assert other_store.claim(tournament, 3) == []


def test_claimed_series_are_those_that_were_planned(store: Store, tournament: int) -> None:
    assert store.claim(tournament, 9) == small_plan()


def test_released_claims_are_free_for_others(store: Store, other_store: Store, tournament: int) -> None:
    store.claim(tournament, 3)
    store.release_claims()
    assert numbers(other_store.claim(tournament, 9)) == [0, 1, 2, 3]


def test_claims_of_a_process_that_died_are_taken_over_at_once(
    store: Store, other_store: Store, tournament: int
) -> None:
    code = "from wateringhole.tournaments.leases import new_holder_id; print(new_holder_id())"
    dead = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert leases.is_dead(dead)
    assert not leases.is_dead(store.holder)
    store.holder = dead
    store.claim(tournament, 4)
    assert numbers(other_store.claim(tournament, 2)) == [0, 1]


def test_nothing_is_known_of_processes_elsewhere(store: Store) -> None:
    assert not leases.is_dead(f"elsewhere {store.holder}")


def test_a_number_that_went_to_another_process_does_not_hide_a_death(store: Store) -> None:
    machine, pid, _, unique = store.holder.rsplit(" ", 3)
    assert leases.is_dead(f"{machine} {pid} 1 {unique}")


def test_a_claim_that_is_not_renewed_runs_out(
    store: Store, other_store: Store, tournament: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "LEASE_SECONDS", -1.0)
    store.claim(tournament, 4)
    monkeypatch.setattr(store_module, "LEASE_SECONDS", 60.0)
    assert numbers(other_store.claim(tournament, 2)) == [0, 1]
    store.renew_claims()
    assert other_store.claim(tournament, 9) == []


def test_committed_games_come_back_with_their_records(store: Store, other_store: Store, tournament: int) -> None:
    (first, second) = store.claim(tournament, 2)
    # Committed in another order than they were planned in.
    for series in (second, first):
        record = f"record of series {series.number}\n".encode()
        games = played(series, record=record)
        assert store.commit(tournament, games) == [game.result for game in games]
    assert list(other_store.results(tournament)) == [game.result for game in played(first) + played(second)]
    assert other_store.record(tournament, 1, 0) == b"record of series 1\n"
    assert other_store.progress(tournament) == Progress(planned=8, finished=4, series=4, open_series=2)
    with pytest.raises(UsageError, match="no game 0 of series 3"):
        other_store.record(tournament, 3, 0)


def test_a_series_that_two_have_played_counts_once(store: Store, other_store: Store, tournament: int) -> None:
    (series,) = store.claim(tournament, 1)
    assert other_store.commit(tournament, played(series, record=b"theirs"))
    assert store.commit(tournament, played(series, record=b"ours")) == []
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


def test_of_two_who_plan_the_same_round_one_does(store: Store, other_store: Store, tournament: int) -> None:
    later = [PlannedSeries(4, (2, 1, 0), 2, 5)]
    assert store.plan(tournament, later, after=4)
    assert not other_store.plan(tournament, later, after=4)
    assert store.progress(tournament).series == 5


def test_a_long_plan_is_stored_in_parts_and_as_a_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "ROWS_AT_A_TIME", 3)
    number = store.create(settings())
    assert store.plan(number, small_plan(7))
    assert store.claim(number, 9) == small_plan(7)


def test_tournaments_do_not_touch_each_other(store: Store, tournament: int) -> None:
    other = store.create(settings(seed=8))
    store.plan(other, small_plan(1))
    store.commit(tournament, played(store.claim(tournament, 1)[0]))
    assert numbers(store.claim(other, 9)) == [0]
    assert outcomes(store, other) == []
    assert [each.progress.finished for each in store.tournaments()] == [2, 0]


def test_a_store_of_a_newer_program_is_refused(
    store: Store, tournament: int, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "VERSION", VERSION - 1)
    with pytest.raises(OperationError, match=f"has version {VERSION}; this program knows {VERSION - 1} and earlier"):
        Store(place)


def test_a_store_of_an_older_program_is_brought_up_to_date(
    store: Store, tournament: int, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def add_remarks(connection: sql.Connection) -> None:
        connection.execute(sql.text("ALTER TABLE tournaments ADD COLUMN remark TEXT"))

    monkeypatch.setattr(store_module, "VERSION", VERSION + 1)
    monkeypatch.setitem(store_module.MIGRATIONS, VERSION, add_remarks)
    for _ in range(2):
        upgraded = Store(place)
        assert upgraded.tournament(tournament).settings == settings()
        upgraded.close()
    monkeypatch.setattr(store_module, "VERSION", VERSION)
    with pytest.raises(OperationError, match=f"has version {VERSION + 1}"):
        Store(place)


def test_games_from_before_highlights_were_counted_have_none(store: Store, tournament: int, place: str) -> None:
    store.commit(tournament, played(store.claim(tournament, 1)[0]))
    before = outcomes(store, tournament)
    with store._writing() as connection:
        connection.execute(sql.text("ALTER TABLE games DROP COLUMN highlights"))
        connection.execute(sql.text("UPDATE wateringhole_schema SET version = 1"))
    upgraded = Store(place)
    assert outcomes(upgraded, tournament) == before
    assert {result.highlights for result in upgraded.results(tournament)} == {None}
    upgraded.close()


def test_a_file_that_is_no_store_is_told_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("These are my notes, and not a database at all.\n" * 100)
    with pytest.raises(OperationError, match=r"notes\.txt cannot be used: file is not a database\.$"):
        Store(path)


def test_a_reader_makes_no_file(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match=r"there is no store .*none\.sqlite yet"):
        Store(tmp_path / "none.sqlite", makes_file=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://me@there/games", "cannot be kept in mysql"),
        ("postgresql://me@there:port/games", "cannot be read"),
        ("sqlite://", "a store is kept in a file, and sqlite:// is none"),
        ("sqlite:///:memory:", "a store is kept in a file"),
        (":memory:", "a store is kept in a file"),
        ("sqlite:///file:games?mode=memory&uri=true", "a store is kept in a file"),
    ],
)
def test_an_address_of_something_else_is_misuse(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Store(url)


def test_a_file_may_be_named_by_url(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "games.sqlite"
    with pytest.raises(OperationError, match="there is no store"):
        Store(f"sqlite:///{path}", makes_file=False)
    store = Store(f"sqlite:///{path}")
    assert store.name == str(path)
    store.close()
    assert path.exists()


def test_a_password_is_never_told() -> None:
    with pytest.raises(OperationError, match="cannot be used") as told:
        Store("postgresql://me:secret@127.0.0.1:1/games")
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("variable", "expected"), [("/somewhere", "/somewhere/wateringhole"), ("", ".local/share/wateringhole")]
)
def test_tournaments_are_kept_among_the_users_files(
    variable: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", variable)
    assert str(default_store().parent).endswith(expected)
