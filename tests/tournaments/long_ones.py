"""Tournaments that are long enough to do something to them, run as commands in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.cli.running import Ran
from wateringhole.tournaments.store import Store

__all__ = ["MANY", "PLAYERS", "games_in", "standings", "started", "tournaments_in", "wait_for_games"]

PLAYERS = ("random", "zero", "counter", "again=random")
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


def games_in(place: str | Path) -> int:
    """How many games count, as far as the store can be read yet."""
    if "://" not in str(place) and not Path(place).exists():
        return 0
    with closing(Store(place)) as store:
        return _games(store)


def tournaments_in(place: str | Path) -> int:
    """How many were begun, finished or not."""
    with closing(Store(place)) as store:
        return len(store.tournaments())


def wait_for_games(place: str | Path, more_than: int, process: subprocess.Popen[str]) -> None:
    """Wait a minute at most until more games count, as long as a process lives that plays them."""
    deadline = time.monotonic() + 60
    while "://" not in str(place) and not Path(place).exists():
        assert process.poll() is None, "it has ended"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    with closing(Store(place)) as store:
        while _games(store) <= more_than and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.02)


def _games(store: Store) -> int:
    return sum(each.progress.finished for each in store.tournaments())
