"""Figures of `wateringhole bench`, and how they are measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

__all__ = ["RUNS", "Figure", "Measurement", "best_rate"]

RUNS = 5


class Figure(msgspec.Struct, frozen=True):
    """A measured value."""

    what: str
    value: float
    unit: str
    """A plural such as ``games/s``, or ``times`` for a ratio of two values that were measured together."""

    def __str__(self) -> str:
        # The description comes last, so that all numbers are aligned.
        number = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.2f}"
        return f"{number:>13} {self.unit:<11} {self.what}"


class Measurement(NamedTuple):
    """One measurement, which may yield several figures."""

    what: str
    """A description, shown while it is measured."""
    measure: Callable[[], list[Figure]]


def best_rate(work: Callable[[], int], seconds: float) -> float:
    """Return units of work per second: the best of five runs, because other load can only slow them down."""
    work()  # The first time may compile or import something.
    best = 0.0
    for _ in range(RUNS):
        done = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds / RUNS:
            done += work()
        best = max(best, done / elapsed)
    return best
