"""Imagined games, played in other processes, so that neither compiling nor rollouts stop the event loop.

A job contains only what its seats had seen; the setup of the real game never leaves this process.  Both ends send
pickled values, because they are the same code.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, BinaryIO

from wateringhole import fallbacks, registry
from wateringhole.analysis import Method
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.facets import Analysis, Decision, Evaluation

__all__ = ["Imagination", "work"]

_LENGTH = 8
"""Bytes of the length before each message."""
_NICE = 5
"""Lowers the priority: games are played before games are imagined."""


class Imagination:
    """Imagines games.  Each kind of game has its own process.  Call the methods from the event loop only."""

    def __init__(self) -> None:
        self._ready: set[str] = set()
        self._workers: dict[str, _Worker] = {}

    def is_ready(self, game: str) -> bool:
        """Return whether a game's code is compiled, so that an evaluation takes less than a second."""
        return game in self._ready

    async def evaluate(
        self,
        game: str,
        rules: Any,
        players: int,
        decisions: Sequence[Decision],
        which: Collection[int],
        games: int,
        seed: int,
    ) -> Mapping[int, Evaluation]:
        """Evaluate decisions as the game's analysis does.  Raises OperationError if that is not possible."""
        found: Mapping[int, Evaluation] = await self._worker(game).call(
            _evaluate, game, rules, players, list(decisions), tuple(which), games, seed
        )
        self._ready.add(game)
        return found

    async def method(self, game: str, rules: Any, players: int) -> Method:
        """Return how a game is analysed.  Raises OperationError if it cannot be analysed."""
        method: Method = await self._worker(game).call(_method, game, rules, players)
        return method

    async def close(self) -> None:
        """Stop all processes."""
        await asyncio.gather(*(worker.close() for worker in self._workers.values()))

    def _worker(self, game: str) -> _Worker:
        return self._workers.setdefault(game, _Worker())


class _Worker:
    """A process that answers jobs in their order.  It starts with the first job, and again if it has exited."""

    def __init__(self) -> None:
        self._jobs: asyncio.Queue[tuple[bytes, asyncio.Future[Any]]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the process.  Raises OperationError if it fails."""
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._jobs.put_nowait((pickle.dumps((function, arguments)), future))
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())
        return await future

    async def close(self) -> None:
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        while not self._jobs.empty():
            self._jobs.get_nowait()[1].cancel()

    async def _run(self) -> None:
        """Pass the jobs to the process, one at a time."""
        process = await _start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while True:
                job, future = await self._jobs.get()
                if future.done():
                    continue
                try:
                    process.stdin.write(len(job).to_bytes(_LENGTH) + job)
                    length = int.from_bytes(await process.stdout.readexactly(_LENGTH))
                    is_found, value = pickle.loads(await process.stdout.readexactly(length))
                except (OSError, asyncio.IncompleteReadError):
                    # The next job starts another process.
                    _fail(future, "the process of the coach exited")
                    return
                except asyncio.CancelledError:
                    future.cancel()
                    raise
                if is_found and not future.done():
                    future.set_result(value)
                elif not is_found:
                    _fail(future, value)
        finally:
            process.stdin.close()
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def _fail(future: asyncio.Future[Any], reason: str) -> None:
    if not future.done():
        future.set_exception(OperationError(reason))


async def _start() -> Process:
    command = f"from {__name__} import work; work()"
    return await asyncio.create_subprocess_exec(sys.executable, "-c", command, stdin=PIPE, stdout=PIPE)


# The other process


def work() -> None:
    """Answer jobs from standard input until it ends."""
    # Ctrl-C at the terminal is for the house, which then closes standard input.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.nice(_NICE)
    results = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # a print must not damage the results
    while header := sys.stdin.buffer.read(_LENGTH):
        result = pickle.dumps(_result(_read(sys.stdin.buffer, int.from_bytes(header))))
        results.write(len(result).to_bytes(_LENGTH) + result)
        results.flush()


def _read(stream: BinaryIO, length: int) -> Any:
    return pickle.loads(stream.read(length))


def _result(job: Any) -> tuple[bool, Any]:
    """Return whether a job succeeded, and its result or the reason."""
    function, arguments = job
    try:
        return True, function(*arguments)
    except WateringHoleError as error:
        return False, str(error)
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"


def _evaluate(
    game: str, rules: Any, players: int, decisions: Sequence[Decision], which: Collection[int], games: int, seed: int
) -> dict[int, Evaluation]:
    # Any setup with these rules will do: an estimate starts from what a seat had seen.
    setup = registry.game_kind(game).deal(players, rules, 0)
    return dict(_analysis(game, rules, players).evaluate(setup, decisions, which, games, seed))


def _method(game: str, rules: Any, players: int) -> Method:
    analysis = _analysis(game, rules, players)
    return Method(analysis.best_player, analysis.rollout_player, analysis.chance_of(rules))


def _analysis(game: str, rules: Any, players: int) -> Analysis:
    analysis: Analysis = fallbacks.require(registry.game_kind(game).analysis, f"{game} has no analysis.")
    if why := analysis.refuses(rules, players):
        raise OperationError(f"the game cannot be analysed: {why}.")
    return analysis
