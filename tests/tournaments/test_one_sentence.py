"""Damage to a tournament's surroundings is reported in one sentence, without a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sql

from tests.cli.running import called
from wateringhole.tournaments.store import Store

FEW = ("tournament", "porrinha", "random", "zero", "counter", "--games", "6", "--seed", "5")


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """A store with a tournament."""
    path = tmp_path / "folder" / "store.sqlite"
    assert called(*FEW, "--store", path).returncode == 0
    return path


@pytest.mark.parametrize(
    ("column", "value", "place"),
    [
        ("games.entrants", "'[0, 1'", "game 0 of series 0"),
        ("games.places", "'[1]'", "game 0 of series 0"),
        ("games.thrown_out", "'{}'", "game 0 of series 0"),
        ("games.scores", "x'ff00'", "game 0 of series 0"),
        ("games.record", "x'0102'", "game "),
        ("games.record", f"x'{zlib.compress(bytes(65 << 20)).hex()}'", "game "),
        ("games.seconds", "'[1e308, 0.0, 0.0]'", "game 0 of series 0: its times cannot be those of a game"),
        ("tournaments.created", "1e308", "its start"),
        ("tournaments.settings", "'{'", "its settings: Expected `object`, got `DamagedJson`"),
        ("tournaments.settings", "'[1, 2]'", "its settings"),
        ("tournaments.settings", "json_set(settings, '$.format', 'x')", "its settings: the format 'x' does not exist"),
        ("tournaments.settings", "json_set(settings, '$.life', 0)", "its settings: tables of 3 and lives of 0 games"),
        ("tournaments.created", "'yesterday'", "its start"),
        ("tournaments.finished", "'today'", "its end"),
    ],
)
def test_damaged_columns_are_named(column: str, value: str, place: str, stored: Path, tmp_path: Path) -> None:
    table, name = column.split(".")
    with closing(Store(stored)) as store, store._writing() as connection:
        connection.execute(sql.text(f"UPDATE {table} SET {name} = {value}"))
    ran = called("standings", "1", "--store", stored, "--report", tmp_path / "out.html")
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert line.startswith(f"wateringhole: the store {stored} is damaged: tournament 1, {place}")


def test_a_damaged_text_is_not_printed_raw(stored: Path) -> None:
    with closing(Store(stored)) as store, store._writing() as connection:
        connection.execute(sql.text("UPDATE games SET record = CAST(x'1b5b33316dff9b0a' AS TEXT)"))
    ran = called("standings", "1", "--store", stored, "--verify")
    assert ran.returncode == 1
    message = ran.stderr.strip()
    assert message.startswith(f"wateringhole: the store {stored} cannot be used: Could not decode to UTF-8")
    assert message.isprintable()


def test_a_store_without_its_version_is_damaged(stored: Path) -> None:
    with closing(Store(stored)) as store, store._writing() as connection:
        connection.execute(sql.text("DELETE FROM wateringhole_schema"))
    ran = called("standings", "1", "--store", stored)
    assert (ran.returncode, ran.stderr) == (
        1,
        f"wateringhole: the store {stored} is damaged: its version is missing.\n",
    )


def test_a_damaged_plan_stops_a_resumed_tournament(stored: Path) -> None:
    with closing(Store(stored)) as store, store._writing() as connection:
        connection.execute(sql.text("DELETE FROM games WHERE series = 0"))
        connection.execute(sql.text("UPDATE series SET entrants = '[0', finished = NULL WHERE number = 0"))
    ran = called("tournament", "--resume", "1", "--store", stored)
    assert ran.returncode == 1
    assert f"wateringhole: the store {stored} is damaged: tournament 1, series 0: " in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.fixture
def read_only(stored: Path) -> Iterator[Path]:
    """A store in a folder that no user can write to, not even root."""
    if os.geteuid() != 0:
        stored.parent.chmod(0o555)
        yield stored
        stored.parent.chmod(0o755)
        return
    folder = str(stored.parent)
    if subprocess.run(["mount", "--bind", folder, folder], capture_output=True, check=False).returncode:
        pytest.skip("root needs to mount a read-only folder, which is not allowed here")
    subprocess.run(["mount", "-o", "remount,ro,bind", folder], check=True)
    yield stored
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.parametrize("words", [("standings",), ("standings", "1"), FEW, ("tournament", "--resume", "1")])
def test_a_read_only_store_is_reported(words: tuple[str, ...], read_only: Path) -> None:
    ran = called(*words, "--store", read_only)
    assert ran.returncode == 1
    assert ran.stderr == (
        f"wateringhole: the store {read_only} cannot be used: it or its folder is read-only. "
        "Copy it to a place that you can write to, even to show standings.\n"
    )


@pytest.mark.parametrize("player", ["counter", "file"])
def test_workers_that_are_killed_while_they_start_are_reported(player: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import os, signal, sys\n"
        "if any('spawn_main' in word for word in sys.orig_argv):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    bot = tmp_path / "bot.py"
    bot.write_text("from wateringhole.games.porrinha.bots.zero import Zero\nclass Bot(Zero): pass\n")
    third = f"{bot}:Bot" if player == "file" else player
    words = [sys.executable, "-m", "wateringhole", *FEW[:4], third, *FEW[5:], "--trust", "--workers", "2", "--json"]
    ran = subprocess.run(
        [*words, "--store", str(tmp_path / "store.sqlite")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 1
    *resume, line = ran.stderr.splitlines()
    assert line == (
        "wateringhole: a worker process was killed while it started. Check that the machine has enough memory."
    )
    # If the check of players in the workers fails, there is no tournament to resume yet.
    assert len(resume) == (player == "counter")
    assert all(each.startswith("stopped; continue with: ") for each in resume)
