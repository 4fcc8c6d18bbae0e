"""The simulator's figures of `wateringhole bench`: what it plays, how fast, and at what price."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["TABLES", "figures", "games_per_second"]

TABLES = (
    ("evolution", "silly", 4),
    ("evolution", "random", 4),
    ("porrinha", "random", 2),
    ("porrinha", "random", 5),
)
"""What is simulated: the game, who plays all seats, and how many of them."""

STEPPED = (("evolution", 4), ("porrinha", 2))
"""What is stepped from outside: the game and the number of players."""

BATCH = 4096
"""Games of a batch: large enough for calls not to matter, small enough for the caches."""

Row = dict[str, Any]


def figures(seconds: float) -> list[Callable[[], list[Row]]]:
    """Measurements to be made one by one; each gives rows as `bench` shows them."""
    from wateringhole.sim import devices

    places: list[tuple[str, dict[str, Any]]] = [("one core", {"threads": 1})]
    if (os.cpu_count() or 1) > 1:
        places.append(("two cores", {"threads": 2}))
    if "cuda" in devices():
        places.append(("CUDA", {"device": "cuda"}))
    work = [partial(_simulated, *table, place, how, seconds) for table in TABLES for place, how in places]
    stepping = [partial(_stepped, game, seats, seconds) for game, seats in STEPPED]
    return [*work, *stepping, *(partial(_size, game) for game, _ in STEPPED)]


def games_per_second(game: str, players: list[str], seconds: float, **how: Any) -> Any:
    """The best of five simulations of about so long together, and the first one, which compiled."""
    from wateringhole.sim import simulate

    first = simulate(game, players, 1000, seed=1, **how)
    warm = simulate(game, players, max(1000, int(first.games_per_second * seconds / 50)), seed=1, **how)
    games = max(1000, int(warm.games_per_second * seconds / 5))
    tries = [simulate(game, players, games, seed=1, **how) for _ in range(5)]
    return max(tries, key=lambda result: result.games_per_second), first


def _simulated(game: str, player: str, seats: int, place: str, how: dict[str, Any], seconds: float) -> list[Row]:
    best, first = games_per_second(game, [player] * seats, seconds, **how)
    what = f"{game}, {seats} {player} players, simulated on {place}"
    rows: list[Row] = [
        {"what": what, "unit": "games", "per_second": best.games_per_second},
        {"what": what, "unit": "decisions", "per_second": best.decisions_per_second},
    ]
    if first.compile_seconds > 0.01:
        rows.append({"what": f"{what}: compiling, or reading the cache", "unit": "s", "value": first.compile_seconds})
    return rows


def _size(game: str) -> list[Row]:
    from wateringhole.sim.game import compiled_game

    compiled = compiled_game(game)
    return [
        {"what": f"{game}, a game in progress", "unit": "bytes", "value": compiled.state * compiled.dtype().itemsize}
    ]


def _stepped(game: str, seats: int, seconds: float) -> list[Row]:
    """A batch stepped from NumPy with random choices: drawn inside, and by NumPy from the masks."""
    import numpy as np

    from wateringhole.sim import Batch

    batch = Batch(game, seats, games=BATCH, seed=1)
    rng = np.random.default_rng(1)

    def drawn_by_numpy() -> Any:
        legal = np.flatnonzero(batch.masks)
        counts = np.count_nonzero(batch.masks, axis=1)
        starts = np.cumsum(counts) - counts
        # Games that are over have no legal choice, and theirs is not looked at.
        picked = np.minimum(starts + (rng.random(BATCH) * counts).astype(np.int64), len(legal) - 1)
        return legal[picked] % batch.masks.shape[1]

    rows = []
    for how, choose in (
        ("choose('random')", partial(batch.choose, "random")),
        ("NumPy from the masks", drawn_by_numpy),
    ):
        rate = _stepping_rate(batch, choose, seconds)
        what = f"{game}, {seats} players, batch of {BATCH} stepped on one core, choices by {how}"
        rows.append({"what": what, "unit": "decisions", "per_second": rate})
    return rows


def _stepping_rate(batch: Any, choose: Callable[[], Any], seconds: float) -> float:
    """Choices given a second, the best of five stretches; games that are over are dealt anew."""
    best = 0.0
    for _ in range(6):  # the first one compiles
        taken = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds / 5:
            for _ in range(16):
                taken += batch.games - int(batch.done.sum())
                batch.step(choose())
            batch.reset(batch.done)
        best = max(best, taken / elapsed)
    return best
