"""Tournaments that are long enough to be interrupted, run as commands in their own processes."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from tests.cli.running import Ran
from tests.preloaded_command import preloaded_command
from tests.waiting import eventually
from wateringhole.tournaments.store import Store

__all__ = ["MANY", "PLAYERS", "games_in", "standings", "started", "tournaments_in", "wait_for_games"]

PLAYERS = ("random", "zero", "counter", "again=random")
MANY = ("tournament", "porrinha", *PLAYERS, "--games", "1500", "--life", "1", "--seed", "5", "--json")


def standings(ran: Ran) -> Any:
    """Return the standings that a command has printed, without the times, which vary."""
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)["standings"]
    for line in printed["players"]:
        del line["seconds"]
    return printed


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Run a command in the background."""
    with subprocess.Popen(
        [preloaded_command(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
            process.communicate()  # returns after the command and its workers have ended


def games_in(location: str | Path) -> int:
    """Return the number of committed games, or 0 if there is no store yet."""
    if "://" not in str(location) and not Path(location).exists():
        return 0
    with closing(Store(location)) as store:
        return _games(store)


def tournaments_in(location: str | Path) -> int:
    """Return the number of tournaments, finished or not."""
    with closing(Store(location)) as store:
        return len(store.tournaments())


def wait_for_games(location: str | Path, more_than: int, process: subprocess.Popen[str]) -> None:
    """Wait for more committed games, as long as the process runs."""
    if "://" not in str(location):
        eventually(Path(location).exists, process=process)
    with closing(Store(location)) as store:
        eventually(lambda: _games(store) > more_than or process.poll() is not None)


def _games(store: Store) -> int:
    return sum(each.progress.finished for each in store.tournaments())
