"""Simulation of millions of complete games between compiled players."""

from __future__ import annotations

import contextlib
import functools
import math
import os
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.sim import sums as at
from wateringhole.sim.arguments import MOST_SEED, whole_number
from wateringhole.sim.cpu import simulation_loop
from wateringhole.sim.game import CompiledGame, compiled_game
from wateringhole.sim.game_ranges import CALL_SECONDS, GameRanges
from wateringhole.sim.kernel import DEVICES, require_cuda, require_device

__all__ = ["SimulationInterrupted", "SimulationResult", "devices", "simulate"]

MOST_GAMES = 1 << 40
"""A limit that keeps every sum of squares within 64 bits."""

MOST_THREADS = 1024
"""More than most machines have cores."""

LEARNING_DELAY = 1.0
"""Seconds after which `learning` is called."""

FIRST_RANGE = {"cpu": 64, "cuda": 1 << 17}
"""Games of the first call.  A CUDA device plays this many in parallel, so fewer games would not be faster."""


def devices() -> tuple[str, ...]:
    """Return the devices that can be used here."""
    try:
        require_cuda()
    except UsageError:
        return ("cpu",)
    return DEVICES


class Errors(msgspec.Struct, frozen=True):
    """Standard errors by seat."""

    wins: tuple[float, ...]
    """The errors of the shares of games won."""
    mean_scores: tuple[float, ...]


class SimulationResult(msgspec.Struct, frozen=True):
    """The result of a simulation.  Tuples are by seat; games that overflowed count in `overflowed` alone.

    If the game has features, a field with their name holds the share of games in which the winner had each.
    """

    game: str
    players: tuple[str, ...]
    seed: int
    device: str
    threads: int
    games: int
    """Games played, including those that overflowed."""
    seconds: float
    """Playing time, without compilation."""
    compile_seconds: float
    """Time for compiling, or for reading the cache."""
    games_per_second: float
    decisions_per_second: float
    decisions: int
    wins: tuple[int, ...]
    """First places.  A shared first place counts for each of its seats, also if the game was stopped."""
    mean_scores: tuple[float, ...]
    errors: Errors
    places: tuple[tuple[int, ...], ...]
    """By seat, the number of first, second, … places."""
    length: at.Mean
    """Turns or rounds of a game."""
    stopped: int
    """Games that a limit of the rules ended before all places were decided.  The seats still in share the first
    free place."""
    overflowed: int
    checksum: int
    """A digest of all games, independent of devices and threads."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> dict[str, float]:
            """Return the shares of a game's features."""


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation; `result` covers the games finished before it."""

    def __init__(self, result: SimulationResult) -> None:
        super().__init__()
        self.result = result


class Runner(Protocol):
    """A function that plays games by number on one device."""

    def __call__(self, start: int, stop: int) -> at.Sums: ...


def simulate(
    game: str,
    players: Iterable[str],
    games: int,
    *,
    seed: int = 0,
    rules: Any = None,
    device: str = "cpu",
    threads: int | None = None,
    progress: Callable[[int], None] = lambda done: None,
    learning: Callable[[], None] = lambda: None,
) -> SimulationResult:
    """Play games 0 to `games` - 1 of a seed between compiled players.

    The games do not depend on the device and the threads (all cores by default).  `progress` gets the
    number of finished games.  `learning` is called if computing a strategy that players look up takes long.
    Raises UsageError for what cannot be simulated, and SimulationInterrupted on Ctrl-C.
    """
    compiled = compiled_game(game)
    names = _listed(players)
    compiled.check_player_count(len(names))
    policies = compiled.numbers(names)
    chosen = compiled.rules(rules)
    setup = compiled.setup(chosen, len(names))
    games = whole_number("games", games, 1, MOST_GAMES)
    seed = whole_number("seed", seed, 0, MOST_SEED)
    workers = (os.cpu_count() or 1) if threads is None else whole_number("threads", threads, 1, MOST_THREADS)
    workers = min(workers, games)
    require_device(device)
    timer = threading.Timer(LEARNING_DELAY, learning)
    timer.start()
    try:
        strategy = compiled.strategy(chosen, len(names), names)
    finally:
        timer.cancel()
    shared = _SimulationSetup(compiled, names, setup, policies, strategy, np.uint64(seed))
    started = time.perf_counter()
    run, workers = _runner(device, shared, workers)
    compile_seconds = time.perf_counter() - started
    started = time.perf_counter()
    interrupted = False
    work = _Workers(GameRanges(games, FIRST_RANGE[device]), progress)
    try:
        work.share(run, workers)
    except KeyboardInterrupt:
        interrupted = True
    result = _result(
        compiled,
        work.sums,
        players=names,
        seed=seed,
        device=device,
        threads=workers,
        seconds=time.perf_counter() - started,
        compile_seconds=compile_seconds,
    )
    if interrupted:
        raise SimulationInterrupted(result)
    return result


def _listed(players: Iterable[str]) -> tuple[str, ...]:
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise UsageError(
            f"players must be a list of compiled players by seat, e.g. ['random', 'random'], not {short_repr(players)}."
        )
    return tuple(players)


class _SimulationSetup(msgspec.Struct, frozen=True):
    """The settings that all games of a simulation share."""

    game: CompiledGame
    players: tuple[str, ...]
    setup: npt.NDArray[Any]
    policies: npt.NDArray[np.int32]
    strategy: npt.NDArray[np.uint32]
    seed: np.uint64


def _runner(device: str, shared: _SimulationSetup, threads: int) -> tuple[Runner, int]:
    """Return a compiled runner for the device, and how many threads may call it."""
    seats = len(shared.players)
    if device == "cuda":
        from wateringhole.sim.cuda import Simulator

        # On the CPU, leaving players out would only add compile time.
        game = shared.game.with_policies(frozenset(shared.players))
        return Simulator(game, seats, shared.setup, shared.policies, shared.strategy, shared.seed), 1
    play = simulation_loop(shared.game.name)

    def run(start: int, stop: int) -> at.Sums:
        state, sums = np.zeros(shared.game.state, shared.game.dtype), np.zeros(at.SUMS, np.int64)
        play(start, stop, seats, state, shared.setup, shared.policies, shared.strategy, shared.seed, sums)
        return sums

    run(0, 0)
    return run, threads


class _Workers:
    """Threads that play games, and the sum of their results."""

    def __init__(self, ranges: GameRanges, progress: Callable[[int], None]) -> None:
        self.sums: at.Sums = np.zeros(at.SUMS, np.int64)
        self._ranges = ranges
        self._done = 0
        self._progress = progress
        self._lock = threading.Lock()

    def share(self, run: Runner, workers: int) -> None:
        """Play all games with this number of threads.  Ctrl-C stops them after their current ranges."""
        with ThreadPoolExecutor(workers) as pool:
            try:
                futures = [pool.submit(self._work, run) for _ in range(workers)]
                for future in futures:
                    while not future.done():
                        with contextlib.suppress(TimeoutError):
                            future.result(timeout=CALL_SECONDS)
                        self._progress(self._done)
                    future.result()
            except BaseException:
                self._ranges.stop()
                raise
        self._progress(self._done)

    def _work(self, run: Runner) -> None:
        for start, stop in self._ranges:
            sums = run(start, stop)
            with self._lock:
                self.sums += sums
                self._done += stop - start


def _result(
    compiled: CompiledGame, sums: at.Sums, *, players: tuple[str, ...], seconds: float, **how: Any
) -> SimulationResult:
    counted = int(sums[at.GAMES])
    games = counted + int(sums[at.OVERFLOWED])
    seats = at.by_seat(sums, len(players))
    wins = [at.mean(seat[at.FIRSTS], seat[at.FIRSTS], counted) for seat in seats]
    scores = [at.mean(seat[at.SCORES], seat[at.SCORES + 1], counted) for seat in seats]
    if compiled.features:
        name, labels, _ = compiled.features
        shares = zip(labels, sums[at.FEATURES :], strict=False)
        how[name] = {label: int(count) / (counted or math.nan) for label, count in shares}
    return (_result_with(compiled.features.name) if compiled.features else SimulationResult)(
        game=compiled.name,
        players=players,
        games=games,
        seconds=seconds,
        games_per_second=games / seconds,
        decisions_per_second=int(sums[at.DECISIONS]) / seconds,
        decisions=int(sums[at.DECISIONS]),
        wins=tuple(seat[at.FIRSTS] for seat in seats),
        mean_scores=tuple(score.mean for score in scores),
        errors=Errors(tuple(win.error for win in wins), tuple(score.error for score in scores)),
        places=tuple(tuple(seat[at.PLACES : at.PLACES + len(players)]) for seat in seats),
        length=at.mean(int(sums[at.LENGTH]), int(sums[at.LENGTH + 1]), counted),
        stopped=int(sums[at.STOPPED]),
        overflowed=int(sums[at.OVERFLOWED]),
        checksum=int(sums[at.CHECKSUM]),
        **how,
    )


@functools.cache
def _result_with(features: str) -> Any:
    """Return the class of results of games with features, which have a field of this name."""
    return msgspec.defstruct("SimulationResult", [(features, dict[str, float])], bases=(SimulationResult,), frozen=True)
