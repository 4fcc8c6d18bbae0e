"""The tables of a house as the workers of a tournament (`tournaments.executors.WorkerPool`).

The tournament runs in a thread of its own, because its store blocks.  Each series that it submits is played in the
event loop, at a table that pages can watch.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Collection, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from wateringhole.tournaments.jobs import CheckedPlayers, SeriesResult
from wateringhole.tournaments.results import PackedGame
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings

__all__ = ["TablePool"]

MOST_SUBMITTED = 64
"""Series that are submitted at once.  Many may wait for the same player, who plays one game at a time."""


class TablePool:
    """The tables of a house.  `play` is called in the event loop that makes this object."""

    job_seconds = 0.0
    """So short that each job has one series."""

    def __init__(self, play: Callable[[PlannedSeries], Awaitable[PackedGame]]) -> None:
        self._play = play
        self._loop = asyncio.get_running_loop()

    def capacity(self) -> int:
        return MOST_SUBMITTED

    def sandbox_problem(self) -> str | None:
        return None

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        """Return the names as they are: guests are here already, and each table makes its own bots."""
        return CheckedPlayers(settings.names, {})

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        yield _TableExecutor(self._play_job, self._loop)

    async def _play_job(self, series: Sequence[PlannedSeries]) -> SeriesResult:
        started = time.perf_counter()
        games = [await self._play(planned) for planned in series]
        return SeriesResult(games, time.perf_counter() - started)


class _TableExecutor(Executor):
    """Plays jobs in an event loop.  It takes the arguments of `jobs.play_job`, and calls no other function."""

    def __init__(self, play: Callable[[Sequence[PlannedSeries]], Any], loop: asyncio.AbstractEventLoop) -> None:
        self._play = play
        self._loop = loop

    def submit(self, fn: Callable[..., Any], /, *arguments: Any, **more: Any) -> Future[Any]:
        _, series, _ = arguments
        return asyncio.run_coroutine_threadsafe(self._play(series), self._loop)
