"""The two loops that play a match: one that blocks, one for asyncio.

Both put errands to players and report what came of it.  Whatever a player raises becomes a
forfeit here; what that costs is for the game to say.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from wateringhole.arena.match import Errand, Match
from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Violation
from wateringhole.players.player import Place, Player, forfeit_for, is_interruption
from wateringhole.words import shown

__all__ = ["AsyncPlayer", "play", "play_async"]

Clock = Callable[[], float]


class AsyncPlayer(Protocol):
    """A player that is waited for; `arena.threads` makes one of a player that blocks."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        """Entered before it is asked and left when it has answered.  Waiting to enter is not its time."""
        return contextlib.nullcontext()

    async def take_seat(self, place: Place) -> None: ...

    async def answer(self, request: Request, seconds: float | None = None) -> Answer: ...

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


async def play_async(match: Match, players: Sequence[AsyncPlayer], clock: Clock = time.perf_counter) -> None:
    """Play a match to its end, waiting for everybody who is asked at the same time together."""

    async def carry_out(errand: Errand) -> tuple[Answer | Forfeit | None, float]:
        if errand.method == "answer":
            async with players[errand.seat].turn():
                return await put(errand)
        return await put(errand)

    async def put(errand: Errand) -> tuple[Answer | Forfeit | None, float]:
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

    while errands := match.errands:
        # What is told is told in order; whoever is asked at the same time thinks at the same time.
        if errands[0].method == "answer":
            results = await asyncio.gather(*map(carry_out, errands))
        else:
            results = [await carry_out(errand) for errand in errands]
        for errand, (result, seconds) in zip(errands, results, strict=True):
            match.report(errand, result, seconds)


def _no_answer(answer: Forfeit) -> Forfeit:
    """For a player that gives back a forfeit: whether it forfeits, and why, is for the referee to say."""
    return Forfeit("illegal", f"{shown(answer)} is not an answer")
