"""Interruptions lose no game and count none twice, on both kinds of store."""

from __future__ import annotations

import random
import shlex
import signal
import subprocess
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called, wateringhole
from tests.tournaments.long_tournaments import (
    MANY,
    PLAYERS,
    games_in,
    standings,
    started,
    tournaments_in,
    wait_for_games,
)
from tests.tournaments.tournaments import failing_bot, outcomes
from wateringhole.tournaments.store import Store


@pytest.mark.parametrize(("workers", "times"), [(1, 3), pytest.param(2, 8, marks=pytest.mark.slow)])
def test_a_killed_tournament_resumes_to_the_same_standings(
    workers: int, times: int, location: str, standings_of_many: Any
) -> None:
    chance = random.Random(workers)
    command: tuple[str | Path, ...] = MANY
    kills = 0
    for _ in range(times):
        before = games_in(location)
        with started(*command, "--store", location, "--workers", str(workers)) as process:
            wait_for_games(location, before, process)
            time.sleep(chance.uniform(0, 0.3))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
        command = ("tournament", "--resume", "1", "--json")
    assert kills > 1, "it was over too soon to be killed"
    assert standings(called(*command, "--store", location)) == standings_of_many
    assert games_in(location) == 1500


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "format"),
    [("evolution", "round-robin"), ("porrinha", "round-robin"), ("evolution", "swiss"), ("porrinha", "ladder")],
)
def test_a_kill_at_any_time_loses_no_committed_game(game: str, format: str, tmp_path: Path) -> None:
    players = PLAYERS if game == "porrinha" else ("silly", "random", "again=silly", "more=random")
    games = "600" if game == "porrinha" else "150"
    start = ("tournament", game, *players, "--games", games, "--format", format, "--table-size", "3", "--seed", "5")
    began = time.monotonic()
    expected = standings(wateringhole(*start, "--json", "--store", tmp_path / "uninterrupted.sqlite"))
    took = time.monotonic() - began
    location = tmp_path / "killed.sqlite"
    chance = random.Random(f"{game} {format}")
    kills = 0
    while kills < 5:
        begun = location.exists() and tournaments_in(location)
        command = ("tournament", "--resume", "1") if begun else start
        with started(*command, "--json", "--store", location) as process:
            # From before the store exists to the middle of the last games, on machines of any speed.
            time.sleep(chance.uniform(0, 0.8 * took))
            if process.poll() is not None:
                break
            process.send_signal(signal.SIGKILL)
            kills += 1
    assert kills > 0
    again = ("tournament", "--resume", "1") if tournaments_in(location) else start
    assert standings(wateringhole(*again, "--json", "--store", location)) == expected
    assert tournaments_in(location) == 1


RUNS, KILLS = 3, 10
"""The number of runs on each kind of store, and of kills in each run: sixty on both kinds."""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(RUNS))
def test_sixty_kills_lose_and_duplicate_no_game(seed: int, location: str, tmp_path: Path) -> None:
    players = ("random", "zero", "counter", failing_bot(tmp_path))
    rules = ("--games", "90", "--seed", str(seed), "--withdraw-after", "6")
    start = ("tournament", "porrinha", *players, *rules, "--json")
    began = time.monotonic()
    assert wateringhole(*start, "--store", tmp_path / "uninterrupted.sqlite").returncode == 0
    took = time.monotonic() - began
    with closing(Store(tmp_path / "uninterrupted.sqlite")) as store:
        expected = outcomes(store, 1)
    assert any("withdrawn" in result.thrown_out for result in expected)
    chance = random.Random(seed)
    kills = tournaments = 0
    while kills < KILLS:
        tournaments += 1
        is_killed = True
        while is_killed:
            command = start if tournaments_in(location) < tournaments else ("tournament", "--resume", str(tournaments))
            workers = str(chance.randint(1, 2))
            with started(*command, "--workers", workers, "--store", location) as process:
                try:
                    # From before the store is opened to the last games, on machines of any speed.
                    process.wait(chance.uniform(0, 1.2 * took))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                _, err = process.communicate()
            is_killed = process.returncode == -signal.SIGKILL
            kills += is_killed
            assert is_killed or process.returncode == 0, err
        with closing(Store(location)) as store:
            assert outcomes(store, tournaments) == expected
    assert called("standings", str(tournaments), "--verify", "--store", location).returncode == 0


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_interruption_prints_the_standings_and_the_resume_command(workers: int, location: str) -> None:
    words = [*MANY[:-1], "--store", location, *(["--workers", "2"] if workers == 2 else [])]
    for number in range(1, 6):
        with started(*words) as process:
            wait_for_games(location, 1500 * (number - 1), process)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=300)
        if process.returncode:
            break  # otherwise, on a busy machine, it ended before the signal arrived
    assert process.returncode == 130
    assert f"Tournament {number} of porrinha, unfinished" in out
    assert "Standings" in out
    reason, _, again = err.strip().rpartition("continue with: ")
    assert reason == "interrupted; "
    assert shlex.split(again)[:4] == ["wateringhole", "tournament", "--resume", str(number)]
    ran = called(*shlex.split(again)[1:])
    assert ran.returncode == 0
    assert f"Tournament {number} of porrinha, finished: 1500 games" in ran.stdout


@pytest.mark.slow
def test_several_processes_share_the_work_on_one_store(location: str, standings_of_many: Any) -> None:
    with started(*MANY, "--store", location) as first:
        wait_for_games(location, 0, first)
        second = wateringhole("tournament", "--resume", "1", "--json", "--store", location)
        _, err = first.communicate(timeout=300)
    assert first.returncode == 0, err
    assert standings(second) == standings_of_many
    assert games_in(location) == 1500
