"""Sums over finished games: whole numbers that can be added in any order.

| Words | Name | Holds |
|---|---|---|
| 0 | `GAMES` | games that count |
| 1 | `OVERFLOWED` | games that reached a bound, which count nowhere else |
| 2 | `STOPPED` | games that a limit of the rules ended before all places were decided |
| 3 | `DECISIONS` | answers given |
| 4, 5 | `LENGTH` | turns or rounds, and their squares |
| 6 | `CHECKSUM` | a digest of every game's end, the same on every device |
| 7 … | `SEATS` | by seat: first places, scores, their squares, and games by place |
| … | `FEATURES` | games whose winner had each feature |
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from wateringhole.sim.game import CompiledGame
from wateringhole.sim.kernel import force_inline

__all__ = [
    "CHECKSUM",
    "DECISIONS",
    "FEATURES",
    "FIRSTS",
    "GAMES",
    "LENGTH",
    "MOST_FEATURES",
    "MOST_PLAYERS",
    "OVERFLOWED",
    "PLACES",
    "SCORES",
    "SEAT",
    "SEATS",
    "STOPPED",
    "SUMS",
    "Mean",
    "Sums",
    "adding",
    "by_seat",
    "mean",
]

Sums = npt.NDArray[np.int64]

MOST_PLAYERS: Final = 8
MOST_FEATURES: Final = 32

GAMES: Final = 0
OVERFLOWED: Final = 1
STOPPED: Final = 2
DECISIONS: Final = 3
LENGTH: Final = 4
CHECKSUM: Final = 6
SEATS: Final = 7

FIRSTS: Final = 0
SCORES: Final = 1
PLACES: Final = 3
SEAT: Final = PLACES + MOST_PLAYERS

FEATURES: Final = SEATS + MOST_PLAYERS * SEAT
SUMS: Final = FEATURES + MOST_FEATURES


def adding(compiled: CompiledGame) -> Callable[..., Any]:
    """Return `add(sums, state, players, game)`, which adds a finished game to the sums."""
    place, score, length = compiled.place, compiled.score, compiled.length
    decisions, winning = compiled.decisions, compiled.winning
    stopped, overflowed = compiled.stopped, compiled.overflowed
    features = len(compiled.features.labels) if compiled.features else 0

    @force_inline
    def add(sums: Any, state: Any, players: Any, game: Any) -> None:
        if overflowed(state):
            sums[OVERFLOWED] += 1
            return
        taken, lasted = decisions(state), length(state)
        sums[GAMES] += 1
        sums[STOPPED] += stopped(state)
        sums[DECISIONS] += taken
        sums[LENGTH] += lasted
        sums[LENGTH + 1] += lasted * lasted
        digest = taken
        for seat in range(players):
            at = np.uint64(SEATS + seat * SEAT)
            came, points = place(state, seat), score(state, seat)
            sums[at + np.uint64(FIRSTS)] += came == 1
            sums[at + np.uint64(SCORES)] += points
            sums[at + np.uint64(SCORES + 1)] += points * points
            sums[at + np.uint64(PLACES - 1 + came)] += 1
            digest = digest * 31 + points * MOST_PLAYERS + came
        # Each game has its own odd factor, so that swapping two games changes the sum.
        sums[CHECKSUM] += digest * (2 * game + 1)
        if features:
            bits = winning(state)
            for feature in range(features):
                sums[np.uint64(FEATURES + feature)] += bits >> feature & 1

    return add


# ── read by Python ────────────────────────────────────────────────────────────────────────


class Mean(msgspec.Struct, frozen=True):
    """A mean and its standard error, each NaN if there are too few games."""

    mean: float
    error: float


def mean(total: int, squares: int, count: int) -> Mean:
    """Return the mean and its standard error for a sum, a sum of squares and a count."""
    if count < 2:
        return Mean(total / count if count else math.nan, math.nan)
    # Whole numbers up to the last step, because squares of millions of games exceed the precision of floats.
    variance = (squares * count - total * total) / (count * (count - 1))
    return Mean(total / count, math.sqrt(variance / count))


def by_seat(sums: Sums, players: int) -> list[list[int]]:
    """Return the sums of each seat as plain numbers."""
    seats: list[list[int]] = sums[SEATS : SEATS + players * SEAT].reshape(players, SEAT).tolist()
    return seats
