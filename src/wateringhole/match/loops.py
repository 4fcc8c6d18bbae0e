"""The two loops that play a match: one that blocks, one for asyncio.

Both put errands to players and report what came of it.  Whatever a player raises becomes a
forfeit here; what that costs is for the game to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from wateringhole.formatting import shown
from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Seat, Violation
from wateringhole.match.match import Errand, Match
from wateringhole.player import Place, Player, forfeit_for, is_interruption

__all__ = ["AsyncPlayer", "play", "play_async"]

Clock = Callable[[], float]
Result = tuple[Answer | Forfeit | None, float]
"""What came of an errand, and the seconds that it took."""


class AsyncPlayer(Protocol):
    """A player that is waited for; `match.threads` makes one of a player that blocks."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Entered before it is asked and left when it has answered.  Waiting to enter is not its time."""
        return contextlib.nullcontext()

    async def take_seat(self, place: Place) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer: ...

    async def notice(self, notice: Notice) -> None: ...

    async def see(self, event: Event) -> None: ...

    async def refused(self, violation: Violation) -> None: ...


def play(match: Match, players: Sequence[Player], clock: Clock = time.perf_counter) -> None:
    """Play a match to its end with players that are called directly."""
    while errands := match.errands:
        for errand in errands:
            started = clock()
            try:
                result = errand.put_to(players[errand.seat])
                if isinstance(result, Forfeit):
                    result = _no_answer(result)
            except BaseException as error:  # also a player's own SystemExit or GeneratorExit
                if is_interruption(error):
                    raise
                result = forfeit_for(error)
            match.report(errand, result, clock() - started)


async def play_async(
    match: Match, players: Sequence[AsyncPlayer], clock: Clock = time.perf_counter, *, early: Collection[Seat] = ()
) -> None:
    """Play a match to its end, waiting for everybody who is asked at the same time together.

    The players of the `early` seats are asked what is certain to be asked of them while others
    before them still think.  The referee gets the answers in turn all the same.
    """

    async def carry_out(errand: Errand) -> Result:
        if errand.method == "answer":
            async with players[errand.seat].turn():
                return await put(errand)
        return await put(errand)

    async def put(errand: Errand) -> Result:
        started = clock()
        result: Answer | Forfeit | None
        try:
            async with asyncio.timeout(errand.seconds):
                result = await errand.put_to(players[errand.seat])
                if isinstance(result, Forfeit):
                    result = _no_answer(result)
        except TimeoutError:
            result = Forfeit("late", f"no answer within the referee's patience of {errand.seconds or 0:g} s")
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:
            result = forfeit_for(error)
        return result, clock() - started

    ahead = _Ahead(carry_out)
    try:
        while errands := match.errands:
            # What is told is told in order; whoever is asked at the same time thinks at the same time.
            if errands[0].method == "answer":
                if early:
                    await ahead.ask(errands, [errand for errand in match.upcoming if errand.seat in early])
                results = await asyncio.gather(*map(ahead.carry_out, errands))
            else:
                results = [await carry_out(errand) for errand in errands]
            for errand, (result, seconds) in zip(errands, results, strict=True):
                match.report(errand, result, seconds)
    finally:
        await ahead.ask([], [])


class _Ahead:
    """Questions that are put to players before the referee asks them."""

    def __init__(self, carry_out: Callable[[Errand], Coroutine[Any, Any, Result]]) -> None:
        self._carry_out = carry_out
        self._under_way: dict[Seat, tuple[Errand, asyncio.Task[Result]]] = {}

    async def ask(self, now: Sequence[Errand], foreseen: Sequence[Errand]) -> None:
        """Ask what is foreseen.  What was foreseen and is neither that nor asked `now` is no question any more."""
        void = [seat for seat, (errand, _) in self._under_way.items() if errand not in (*now, *foreseen)]
        tasks = [self._under_way.pop(seat)[1] for seat in void]
        for task in tasks:
            task.cancel()
        # A player is asked one thing at a time.
        await asyncio.gather(*tasks, return_exceptions=True)
        for errand in foreseen:
            if errand.seat not in self._under_way:
                self._under_way[errand.seat] = errand, asyncio.ensure_future(self._carry_out(errand))

    async def carry_out(self, errand: Errand) -> Result:
        """What comes of a question that the referee asks now; it may be under way, or answered."""
        _, task = self._under_way.pop(errand.seat, (None, None))
        if task is None or (task.done() and isinstance(task.result()[0], Forfeit)):
            # Whoever failed before it counted, by being away for instance, may be back.
            return await self._carry_out(errand)
        return await task


def _no_answer(answer: Forfeit) -> Forfeit:
    """For a player that gives back a forfeit: whether it forfeits, and why, is for the referee to say."""
    return Forfeit("illegal", f"{shown(answer)} is not an answer")
