"""Analyses of finished games, made in the background one after another, and kept in memory.

An analysis takes seconds, and a minute if the game is not compiled yet, so a page asks again until it is done.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict
from typing import Final

from wateringhole.analysis import SIMULATIONS, GameAnalysis, analysis_steps
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.formatting import sentence
from wateringhole.game import JsonObject
from wateringhole.house.imagination import Imagination
from wateringhole.match.record import Record

__all__ = ["Reviews"]

MOST_KEPT: Final = 200
"""The analyses that are kept."""
MOST_WAITING: Final = 20
"""The analyses that may be under way or wait.  A page that asks for one more has to try again."""
MOST_ANSWERS: Final = 1000
"""The most answers of a game that is analysed."""


class Reviews:
    """The analyses of finished games by their IDs.  Call its methods from the event loop only."""

    def __init__(self, imagination: Imagination) -> None:
        self._imagination = imagination
        self._done: OrderedDict[str, GameAnalysis | str] = OrderedDict()
        """The analyses, or the reasons why there is none."""
        self._progress: dict[str, float] = {}
        """The share that is done of each analysis that is under way or waits."""
        self._tasks: set[asyncio.Task[None]] = set()

    def status(self, id: str, language: str) -> JsonObject | None:
        """Return the analysis of a game or its progress, or None if it is not under way."""
        if id in self._done:
            self._done.move_to_end(id)
            found = self._done[id]
            return {"refused": found} if isinstance(found, str) else {"analysis": found.to_page(language)}
        if id in self._progress:
            return {"progress": self._progress[id], "simulations": SIMULATIONS}
        return None

    def start(self, id: str, record: Record) -> JsonObject:
        """Start the analysis of a game, unless too many wait.  Return its status."""
        if len(self._progress) < MOST_WAITING:
            self._progress[id] = 0.0
            task = asyncio.get_running_loop().create_task(self._analyse(id, record))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        return {"progress": 0.0, "simulations": SIMULATIONS}

    async def close(self) -> None:
        """Stop all analyses."""
        for task in list(self._tasks):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _analyse(self, id: str, record: Record) -> None:
        try:
            self._keep(id, await self._analysis(id, record))
        except WateringHoleError as error:
            self._keep(id, sentence(str(error)))
        finally:
            self._progress.pop(id, None)

    async def _analysis(self, id: str, record: Record) -> GameAnalysis:
        game, rules, players = record.kind.name, record.setup.rules, record.setup.players
        method = await self._imagination.method(game, rules, players)
        steps = analysis_steps(record, method)
        # The first step replays the record, which is the only one that takes long in this process.
        work = await asyncio.to_thread(lambda: next(steps, None))
        if work is None or len(work.decisions) > MOST_ANSWERS:
            raise OperationError(f"only games of 1 to {MOST_ANSWERS} answers are analysed.")
        while True:
            self._progress[id] = work.done
            found = await self._imagination.evaluate(
                game, rules, players, work.decisions, work.which, work.games, work.seed
            )
            try:
                work = steps.send(found)
            except StopIteration as finished:
                analysis: GameAnalysis = finished.value
                return analysis

    def _keep(self, id: str, result: GameAnalysis | str) -> None:
        self._done[id] = result
        while len(self._done) > MOST_KEPT:
            self._done.popitem(last=False)
