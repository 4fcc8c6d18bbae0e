"""Measure the memory of a long tournament: play it as the command does, and print the memory from time to time.

python benchmarks/tournament_memory.py --games 100000 --workers 2
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from wateringhole import registry
from wateringhole.tournaments.executors import IN_PROCESS, Processes
from wateringhole.tournaments.ratings import standings
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

PLAYERS = ("random", "a=random", "b=random", "c=random")
"""They answer quickly, and their games are short."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--workers", type=int, default=2)
    chosen = parser.parse_args()
    kind = registry.game_kind("porrinha")
    settings = Settings(
        game="porrinha",
        rules=msgspec.to_builtins(kind.default_rules),
        rules_version=kind.rules_version,
        players=PLAYERS,
        names=PLAYERS,
        format="round-robin",
        table_size=2,
        games=chosen.games,
        seed=1,
        life=2,
    )
    print("games      seconds  this process MiB  largest worker MiB  store MiB")
    with tempfile.TemporaryDirectory() as folder, closing(Store(f"{folder}/long.sqlite")) as store:
        meter = _MemoryMeter(Path(folder), chosen.games // 10)
        pool = IN_PROCESS if chosen.workers == 1 else Processes(chosen.workers)
        tournament = Tournament.start(store, settings, pool)
        tournament.play(meter.see)
        meter.print()
        standings(settings.sums(store.results(tournament.number)), PLAYERS)
        print(f"after the standings: this process {_resident(os.getpid()):.0f} MiB")


class _MemoryMeter:
    """Prints the memory after every `every` games."""

    def __init__(self, folder: Path, every: int) -> None:
        self._folder = folder
        self._every = every
        self._games = 0
        self._printed = 0
        self._started = time.monotonic()

    def see(self, results: Sequence[GameResult]) -> None:
        self._games += len(results)
        if self._games >= self._printed + self._every:
            self._printed = self._games
            self.print()

    def print(self) -> None:
        workers = max(map(_resident, _children(os.getpid())), default=0.0)
        stored = sum(path.stat().st_size for path in self._folder.iterdir()) / 2**20
        seconds = time.monotonic() - self._started
        print(
            f"{self._games:<10,} {seconds:7.0f}  {_resident(os.getpid()):16.0f}  {workers:18.0f}  {stored:9.0f}",
            flush=True,
        )


def _resident(pid: int) -> float:
    """Return the resident memory of a process in MiB."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


if __name__ == "__main__":
    main()
