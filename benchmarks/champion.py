"""Measure the processor time of the champion's answers.

    OPENBLAS_NUM_THREADS=1 python benchmarks/champion.py --games 10

The champion plays with `greedy` in all other seats, at tables of 3, 4, 5 and 8.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

import wateringhole as wh
from wateringhole.games.evolution.bots.champion.player import Champion

SPENT: dict[str, list[float]] = defaultdict(list)
"""The seconds of each answer, by its type."""


def timed(name: str, answer: Callable[[Any], Any], request: Any) -> Any:
    started = time.process_time()
    given = answer(request)
    SPENT[name].append(time.process_time() - started)
    return given


class Timed(Champion):
    def choose(self, request: Any) -> Any:
        return timed("declaration", super().choose, request)

    def feed_next(self, request: Any) -> Any:
        return timed("feeding", super().feed_next, request)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--games", type=int, default=10, help="at each table")
    games = parser.parse_args().games
    for seed in range(games):
        for players in (3, 4, 5, 8):
            wh.play("evolution", [Timed, *["greedy"] * (players - 1)], seed=seed)
    for name, seconds in SPENT.items():
        mean, most = np.mean(seconds) * 1000, np.percentile(seconds, [50, 95, 100]) * 1000
        print(f"{len(seconds)} of type {name}: mean {mean:.2f} ms, median, 95 % and longest:", most.round(2))


if __name__ == "__main__":
    main()
