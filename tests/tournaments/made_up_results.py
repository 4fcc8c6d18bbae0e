"""Made-up results of games, for tests that process results."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.schedule import PlannedSeries

__all__ = ["a_result", "by_strength", "in_order"]


def a_result(
    entrants: Sequence[int],
    places: Sequence[int] | None = None,
    *,
    series: int = 0,
    game: int = 0,
    scores: Sequence[int | None] | None = None,
    thrown_out: Sequence[str | None] | None = None,
    seconds: float = 0.5,
) -> GameResult:
    """Return a result that the first entrant has won, unless `places` are given."""
    size = len(entrants)
    return GameResult(
        series,
        game,
        tuple(entrants),
        tuple(places or range(1, size + 1)),
        tuple(scores or [None] * size),
        tuple(thrown_out or [None] * size),
        (seconds,) * size,
        6,
    )


def in_order(planned: Sequence[PlannedSeries]) -> list[GameResult]:
    """Return all games of a plan, won by the lower numbers."""
    return [
        a_result(sorted(series.entrants), series=series.number, game=game)
        for series in planned
        for game in range(series.games)
    ]


def by_strength(planned: Sequence[PlannedSeries], strengths: Sequence[float], seed: int) -> list[GameResult]:
    """Return all games of a plan with outcomes drawn from a Plackett–Luce model."""
    rng = random.Random(seed)
    results = []
    for series in planned:
        for game in range(series.games):
            shown = [strengths[player] - math.log(rng.expovariate(1.0)) for player in series.entrants]
            places = [1 + sum(other > own for other in shown) for own in shown]
            results.append(a_result(series.entrants, places, series=series.number, game=game))
    return results
