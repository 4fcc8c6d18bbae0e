"""`wateringhole tournament` and `wateringhole standings`, as somebody at a keyboard meets them."""

from __future__ import annotations

import csv
import json
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, wateringhole
from wateringhole.arena.store import Store

PLAYERS = ("random", "zero", "counter", "again=random")
FEW = ("tournament", "porrinha", *PLAYERS, "--games", "24", "--seed", "5")
MANY = ("tournament", "porrinha", *PLAYERS, "--games", "1500", "--seed", "5", "--json")


def standings(ran: Ran) -> Any:
    """The standings that a command has told, without the times, which are never the same twice."""
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)["standings"]
    for line in told["players"]:
        del line["seconds"]
    return told


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """A command that goes on while the test does something to it."""
    with subprocess.Popen(
        [sys.executable, "-m", "wateringhole", *map(str, words)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def games_in(path: Path) -> int:
    """How many games count, as far as the store can be read yet."""
    if not path.exists():
        return 0
    store = Store(path)
    try:
        return sum(each.progress.finished for each in store.tournaments())
    finally:
        store.close()


def wait_for_games(path: Path, more_than: int, process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 60
    while games_in(path) <= more_than and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            children.append(int(stat.parent.name))
    return children


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_after_every_kill_it_goes_on_to_the_same_standings(workers: int, tmp_path: Path) -> None:
    undisturbed = standings(wateringhole(*MANY, "--store", tmp_path / "undisturbed.sqlite"))
    path = tmp_path / "store.sqlite"
    chance = random.Random(workers)
    command: tuple[str | Path, ...] = MANY
    kills = 0
    for _ in range(5):
        before = games_in(path)
        with started(*command, "--store", path, "--workers", str(workers)) as process:
            wait_for_games(path, before, process)
            time.sleep(chance.uniform(0, 0.3))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
        command = ("tournament", "--resume", "1", "--json")
    assert kills > 1, "it was over too soon to be killed"
    assert standings(wateringhole(*command, "--store", path)) == undisturbed
    assert games_in(path) == 1500


def test_workers_do_not_outlive_a_process_that_was_killed(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with started(*MANY, "--store", path, "--workers", "2") as process:
        wait_for_games(path, 0, process)
        workers = children_of(process.pid)
        assert len(workers) >= 2
        process.send_signal(signal.SIGKILL)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline, f"still there: {workers}"
        time.sleep(0.05)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interruption_tells_the_standings_and_the_command_that_goes_on(workers: int, tmp_path: Path) -> None:
    path = tmp_path / "a store.sqlite"
    words = [*MANY[:-1], "--store", str(path), *(["--workers", "2"] if workers == 2 else [])]
    with started(*words) as process:
        wait_for_games(path, 0, process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Tournament 1 of porrinha, unfinished" in out
    assert "Standings" in out
    said, _, again = err.strip().rpartition("go on with: ")
    assert said == "interrupted; "
    assert shlex.split(again)[:4] == ["wateringhole", "tournament", "--resume", "1"]
    ran = wateringhole(*shlex.split(again)[1:])
    assert ran.returncode == 0
    assert "Tournament 1 of porrinha, finished: 1500 games" in ran.stdout


def test_several_processes_share_the_work_on_one_store(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    undisturbed = standings(wateringhole(*MANY, "--store", tmp_path / "undisturbed.sqlite"))
    with started(*MANY, "--store", path) as first:
        wait_for_games(path, 0, first)
        second = wateringhole("tournament", "--resume", "1", "--json", "--store", path)
        _, err = first.communicate(timeout=60)
    assert first.returncode == 0, err
    assert standings(second) == undisturbed
    assert games_in(path) == 1500


def test_the_same_seed_gives_the_same_standings(tmp_path: Path) -> None:
    one, other = (standings(wateringhole(*FEW, "--json", "--store", tmp_path / name)) for name in "ab")
    assert one == other
    assert one["games"] == 24


def test_a_tournament_is_told_listed_and_shown(tmp_path: Path) -> None:
    path, table = tmp_path / "store.sqlite", tmp_path / "standings.csv"
    ran = wateringhole(*FEW, "--games", "25", "--store", path, "--csv", table)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert f"27 games (25 made up to whole series), seed 5; kept in {path}" in ran.stdout
    shown = wateringhole("standings", "1", "--store", path)
    # The announcement is not part of the standings.
    assert ran.stdout.partition("\n")[2] == shown.stdout
    assert "Ahead of the other" in shown.stdout
    assert "thrown out" in shown.stdout
    listed = wateringhole("standings", "--store", path)
    assert "porrinha" in listed.stdout
    assert "27/27" in listed.stdout
    (told,) = json.loads(wateringhole("standings", "--store", path, "--json").stdout)
    assert told["games"] == {"planned": 27, "played": 27}
    assert told["settings"]["names"] == ["random", "zero", "counter", "again"]
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["player"] for row in rows} == {"random", "zero", "counter", "again"}
    assert [float(row["rating"]) for row in rows] == sorted((float(row["rating"]) for row in rows), reverse=True)


def test_a_store_nobody_named_is_among_the_users_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert wateringhole(*FEW).returncode == 0
    assert (tmp_path / "wateringhole" / "tournaments.sqlite").exists()
    assert "24/24" in wateringhole("standings").stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["porrinha"], 2, "name a game and its players"),
        ([], 2, "name a game and its players"),
        (["porrinha", "random"], 2, "porrinha is for 2 to"),
        (["porrinha", *PLAYERS, "--table-size", "5"], 2, "4 players cannot fill a table of 5"),
        (["porrinha", *PLAYERS, "--format", "knockout"], 2, "there are round-robin, gauntlet, swiss, ladder"),
        (["porrinha", *PLAYERS, "--patience", "0"], 2, "the referee needs some"),
        (["porrinha", "cmd*2:./mine", "random"], 2, "a program that plays several seats"),
        (["porrinha", *PLAYERS, "--resume", "1"], 2, "--resume ID goes without game and players"),
        (["--resume", "1"], 1, "there is no store"),
        (["porrinha", *PLAYERS, "--rules", "nonsense"], 2, "there is no such profile"),
    ],
)
def test_mistakes_are_answered_in_a_sentence(words: list[str], status: int, message: str, tmp_path: Path) -> None:
    ran = wateringhole("tournament", *words, "--store", tmp_path / "store.sqlite")
    assert (ran.returncode, ran.stdout) == (status, "")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_standings_of_a_tournament_that_is_not_there_are_misuse(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).close()
    ran = wateringhole("standings", "3", "--store", path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "there is no tournament 3" in ran.stderr
