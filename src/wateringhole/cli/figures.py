"""What `wateringhole bench` tells, and how the parts of it measure."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import msgspec

__all__ = ["STRETCHES", "Figure", "Measurement", "best_rate"]

STRETCHES = 5


class Figure(msgspec.Struct, frozen=True):
    """Something that was measured."""

    what: str
    value: float
    unit: str
    """A plural, ``games/s`` for instance; ``times``: how two things compare that were measured together."""

    def __str__(self) -> str:
        # What it is stands last: it is long, and all numbers stand below each other however long it is.
        number = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.2f}"
        return f"{number:>13} {self.unit:<11} {self.what}"


class Measurement(NamedTuple):
    """What can be measured in one go."""

    what: str
    """For whoever waits."""
    measure: Callable[[], list[Figure]]


def best_rate(work: Callable[[], int], seconds: float) -> float:
    """Units of work a second: the best of five stretches, since a busy machine only ever slows us down."""
    work()  # The first time may compile or import something.
    best = 0.0
    for _ in range(STRETCHES):
        done = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds / STRETCHES:
            done += work()
        best = max(best, done / elapsed)
    return best
