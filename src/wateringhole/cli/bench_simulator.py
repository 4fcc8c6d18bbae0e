"""The simulator's figures of `wateringhole bench`: its speed, its compile times and its memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from wateringhole import fallbacks
from wateringhole.cli.figures import RUNS, Figure, Measurement, best_rate
from wateringhole.game import AnyKind
from wateringhole.sim import Batch, SimulationResult, devices, simulate
from wateringhole.sim.game import compiled_game
from wateringhole.sim.kernel import require_cuda

__all__ = ["measurements", "simulated_tables"]

BATCH = 4096
"""Games in a batch: enough to hide the cost of calls, few enough for the CPU caches."""

FEWEST = 1000
"""The fewest games of a simulation, so that playing takes longer than starting."""

Play = Callable[[int], SimulationResult]
"""Simulates a number of games."""


def measurements(kinds: Sequence[AnyKind], seconds: float) -> list[Measurement]:
    """Return the measurements, each of about `seconds`, plus compilation.

    Games that are not compiled are skipped.
    """
    places: list[tuple[str, dict[str, Any]]] = [("one core", {"threads": 1})]
    if (os.cpu_count() or 1) > 1:
        places.append(("two cores", {"threads": 2}))
    if "cuda" in devices():
        places.append((require_cuda().get_current_device().name, {"device": "cuda"}))
    tables = [(kind.name, *row) for kind in kinds if kind.compiled for row in simulated_tables(kind)]
    made = []
    stepped: dict[str, int] = {}
    for game, player, seats in tables:
        stepped.setdefault(game, seats)
        for place, how in places:
            what = f"{game}, {seats} {player} players, simulated on {place}"
            play: Play = partial(simulate, game, [player] * seats, seed=1, **how)
            compiling = f"{what}: compiling, or reading the cache"
            made += [
                Measurement(compiling, partial(_compiled, compiling, play)),
                Measurement(what, partial(_simulated, what, play, seconds)),
            ]
    for game, seats in stepped.items():
        what = f"{game}, {seats} players, batch of {BATCH} stepped on one core, actions by"
        batch = partial(Batch, game, seats, games=BATCH, seed=1)
        made += [
            Measurement(f"{what} {how}", partial(_stepped, f"{what} {how}", batch, chooser, seconds))
            for how, chooser in (("choose('random')", _drawn_inside), ("NumPy from the masks", _drawn_by_numpy))
        ]
        made.append(Measurement(f"{game}, a game in progress", partial(_size, game)))
    return made


def simulated_tables(kind: AnyKind) -> Sequence[tuple[str, int]]:
    """Return the compiled players to simulate, each with a number of seats."""
    policies = compiled_game(kind.name).policies
    seats = fallbacks.usual_seats(kind)
    return fallbacks.benchmarks(kind).simulated or [
        (bot, seats) for bot in fallbacks.usual_bots(kind) if bot in policies
    ]


def _compiled(what: str, play: Play) -> list[Figure]:
    """Return the compile time of the first simulation, if it was noticeable."""
    waited = play(FEWEST).compile_seconds
    return [Figure(what, waited, "s")] if waited > 0.01 else []


def _simulated(what: str, play: Play, seconds: float) -> list[Figure]:
    """Return the best of five simulations of about `seconds` in total."""
    few = play(FEWEST)
    some = play(max(FEWEST, int(few.games_per_second * seconds / 50)))
    games = max(FEWEST, int(some.games_per_second * seconds / RUNS))
    best = max((play(games) for _ in range(RUNS)), key=lambda result: result.games_per_second)
    return [Figure(what, best.games_per_second, "games/s"), Figure(what, best.decisions_per_second, "answers/s")]


def _stepped(
    what: str, new_batch: Callable[[], Batch], chooser: Callable[[Batch], Callable[[], Any]], seconds: float
) -> list[Figure]:
    """Return the actions per second of a batch, in which finished games are dealt again."""
    batch = new_batch()
    choose = chooser(batch)

    def step() -> int:
        taken = 0
        for _ in range(16):
            taken += batch.games - int(batch.done.sum())
            batch.step(choose())
        batch.reset(batch.done)
        return taken

    return [Figure(what, best_rate(step, seconds), "actions/s")]


def _drawn_inside(batch: Batch) -> Callable[[], Any]:
    return partial(batch.choose, "random")


def _drawn_by_numpy(batch: Batch) -> Callable[[], Any]:
    import numpy as np

    rng = np.random.default_rng(1)

    def draw() -> Any:
        legal = np.flatnonzero(batch.action_masks)
        counts = np.count_nonzero(batch.action_masks, axis=1)
        starts = np.cumsum(counts) - counts
        # Games that are over have no legal action, and theirs is ignored.
        picked = np.minimum(starts + (rng.random(batch.games) * counts).astype(np.int64), len(legal) - 1)
        return legal[picked] % batch.action_masks.shape[1]

    return draw


def _size(game: str) -> list[Figure]:
    compiled = compiled_game(game)
    return [Figure(f"{game}, a game in progress", compiled.state * compiled.dtype().itemsize, "bytes")]
