"""Copies of a store, and what can be restored from them."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import Ran, called
from tests.tournaments.long_tournaments import MANY, games_in, standings, started, wait_for_games
from wateringhole.tournaments.store.schema import VERSION

SHORT = ("tournament", "porrinha", "random", "zero", "--games", "20", "--seed", "5", "--json")


def backup(copy: Path, store: str | Path) -> Ran:
    return called("backup", copy, "--store", store)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A store with a short tournament."""
    store = tmp_path / "store.sqlite"
    assert called(*SHORT, "--store", store).returncode == 0
    return store


def test_a_copy_taken_while_a_tournament_is_played_can_be_continued(tmp_path: Path) -> None:
    store, copy = tmp_path / "store.sqlite", tmp_path / "copy.sqlite"
    with started(*MANY, "--store", store) as process:
        wait_for_games(store, 0, process)
        taken = backup(copy, store)
        out, err = process.communicate(timeout=300)
    assert taken.returncode == 0, taken.stderr
    assert taken.stdout.startswith(f"Copied the store {store} to {copy} (")
    assert 0 < games_in(copy) <= 1500
    assert called("standings", "1", "--verify", "--store", copy).returncode == 0
    resumed = called("tournament", "--resume", "1", "--store", copy, "--json")
    assert standings(resumed) == standings(Ran([], process.returncode, out, err))


def test_a_copy_is_one_file_that_only_its_owner_can_read(played: Path, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    assert backup(folder / "copy.sqlite", played).returncode == 0
    assert os.listdir(folder) == ["copy.sqlite"]
    assert (folder / "copy.sqlite").stat().st_mode & 0o777 == 0o600


def test_a_copy_has_the_version_of_its_store(played: Path, tmp_path: Path) -> None:
    # A store is copied before it is upgraded.
    with closing(sqlite3.connect(played)) as connection, connection:
        connection.execute("UPDATE wateringhole_schema SET version = ?", (VERSION - 1,))
    assert backup(tmp_path / "copy.sqlite", played).returncode == 0
    for file in (played, tmp_path / "copy.sqlite"):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("SELECT version FROM wateringhole_schema").fetchall() == [(VERSION - 1,)]


def test_a_file_is_never_replaced(played: Path, tmp_path: Path) -> None:
    before = played.read_bytes()
    refused = backup(played, played)
    assert refused.returncode == 2
    assert refused.stderr == f"wateringhole: {played} exists already. Choose the name of a new file.\n"
    assert played.read_bytes() == before


@pytest.mark.parametrize(
    ("store", "copy", "status", "message"),
    [
        ("none.sqlite", "copy.sqlite", 1, "there is no store none.sqlite yet"),
        ("text.sqlite", "copy.sqlite", 1, "the store text.sqlite cannot be copied: file is not a database."),
        ("store.sqlite", "nowhere/copy.sqlite", 1, "nowhere/copy.sqlite cannot be written: No such file or directory."),
        ("postgresql://me:secret@there/games", "copy.sqlite", 2, "is on a PostgreSQL server. Copy it with pg_dump."),
    ],
)
def test_a_copy_that_fails_leaves_nothing(
    store: str, copy: str, status: int, message: str, played: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.sqlite").write_text("This is not a database. " * 100)
    before = sorted(os.listdir(tmp_path))
    failed = called("backup", copy, "--store", store, folder=tmp_path)
    assert failed.returncode == status
    assert message in failed.stderr
    assert "secret" not in failed.stderr
    assert [name for name in sorted(os.listdir(tmp_path)) if not name.endswith(("-wal", "-shm"))] == before


@pytest.mark.parametrize("location", ["postgresql"], indirect=True)
def test_a_store_on_a_server_is_restored_with_its_own_programs(location: str, tmp_path: Path) -> None:
    assert (first := called(*SHORT, "--store", location)).returncode == 0
    dump = tmp_path / "store.dump"
    subprocess.run(["pg_dump", "--format=custom", f"--file={dump}", f"--dbname={location}"], check=True)
    subprocess.run(["pg_restore", "--clean", "--if-exists", "--no-owner", f"--dbname={location}", dump], check=True)
    assert called("standings", "1", "--verify", "--store", location).returncode == 0
    assert standings(called("standings", "1", "--json", "--store", location)) == standings(first)
