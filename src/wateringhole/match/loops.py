"""The two loops that play a match: one that blocks, one for asyncio.

Both make the match's calls on players and report the results.  An exception raised by a player
becomes a forfeit here; the game decides what it costs.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable, Collection, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, cast

from wateringhole.formatting import short_repr
from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Seat, Violation
from wateringhole.match.match import Match, PlayerCall
from wateringhole.player import Player, SeatAssignment, forfeit_for, is_interruption

__all__ = ["AsyncPlayer", "play", "play_async"]

Clock = Callable[[], float]
Result = tuple[Answer | Forfeit | None, float]
"""The result of a call, and the seconds that it took."""


class AsyncPlayer(Protocol):
    """A player whose methods are awaited; `match.threads` wraps a blocking player as one."""

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        """Return a context for the player's answer to a request.  The time to enter it does not count."""
        return contextlib.nullcontext()

    async def on_seated(self, assignment: SeatAssignment) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer: ...

    async def on_notice(self, notice: Notice) -> None: ...

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...


def play(match: Match, players: Sequence[Player], clock: Clock = time.perf_counter) -> None:
    """Play a match to its end with players that are called directly."""
    while calls := match.pending_calls:
        for call in calls:
            player = players[call.seat]
            is_request = call.method == "answer"
            started = clock() if is_request else 0.0
            try:
                # Not by call.invoke(player), whose call would take longer than most players think.
                if is_request:
                    result = player.answer(call.argument, call.seconds)  # type: ignore[arg-type]
                else:
                    result = getattr(player, call.method)(call.argument)
                # An untrusted object can claim any class, or fail here; both are the player's mistake.
                if result.__class__ is Forfeit:
                    result = _no_answer(result)
            except BaseException as error:  # also a player's own SystemExit or GeneratorExit
                if is_interruption(error):
                    raise
                result = forfeit_for(error)
            match.report(call, result, clock() - started if is_request else 0.0)


async def play_async(
    match: Match, players: Sequence[AsyncPlayer], clock: Clock = time.perf_counter, *, early: Collection[Seat] = ()
) -> None:
    """Play a match to its end, and await players who are asked at the same time together.

    The players of the `early` seats get requests that are certain to follow while others
    before them still think.  The referee still gets the answers in turn.
    """

    async def carry_out(call: PlayerCall) -> Result:
        if call.method == "answer":
            async with players[call.seat].turn(cast(Request[Any], call.argument)):
                return await invoke(call)
        return await invoke(call)

    async def invoke(call: PlayerCall) -> Result:
        started = clock()
        result: Answer | Forfeit | None
        try:
            if call.seconds is None:
                result = await call.invoke(players[call.seat])
            else:
                async with asyncio.timeout(call.seconds):
                    result = await call.invoke(players[call.seat])
            if isinstance(result, Forfeit):
                result = _no_answer(result)
        except TimeoutError:
            result = Forfeit("late", f"no answer within the referee's patience of {call.seconds or 0:g} s")
        except (KeyboardInterrupt, asyncio.CancelledError):
            raise
        except BaseException as error:
            result = forfeit_for(error)
        return result, clock() - started

    prefetch = _Prefetch(carry_out)
    try:
        while calls := match.pending_calls:
            # Deliveries are made in order.  Players who are asked at the same time think at the same time.
            if calls[0].method == "answer":
                if early:
                    await prefetch.ask(calls, [call for call in match.upcoming if call.seat in early])
                if len(calls) == 1:  # without a task of its own, which costs time
                    results = [await prefetch.carry_out(calls[0])]
                else:
                    results = await asyncio.gather(*map(prefetch.carry_out, calls))
            else:
                results = [await carry_out(call) for call in calls]
            for call, (result, seconds) in zip(calls, results, strict=True):
                match.report(call, result, seconds)
    finally:
        await prefetch.ask([], [])


class _Prefetch:
    """Requests that players get before the referee makes them."""

    def __init__(self, carry_out: Callable[[PlayerCall], Coroutine[Any, Any, Result]]) -> None:
        self._carry_out = carry_out
        self._under_way: dict[Seat, tuple[PlayerCall, asyncio.Task[Result]]] = {}

    async def ask(self, now: Sequence[PlayerCall], upcoming: Sequence[PlayerCall]) -> None:
        """Make the `upcoming` requests.  Cancel those under way that are neither upcoming nor open `now`."""
        void = [seat for seat, (call, _) in self._under_way.items() if call not in (*now, *upcoming)]
        tasks = [self._under_way.pop(seat)[1] for seat in void]
        for task in tasks:
            task.cancel()
        # A player gets one request at a time.
        await asyncio.gather(*tasks, return_exceptions=True)
        for call in upcoming:
            if call.seat not in self._under_way:
                self._under_way[call.seat] = call, asyncio.ensure_future(self._carry_out(call))

    async def carry_out(self, call: PlayerCall) -> Result:
        """Return the result of an open request, which may be under way, or answered."""
        _, task = self._under_way.pop(call.seat, (None, None))
        if task is None or (task.done() and isinstance(task.result()[0], Forfeit)):
            # A player that failed before it counted, e.g. while disconnected, may be back.
            return await self._carry_out(call)
        return await task


def _no_answer(answer: Forfeit) -> Forfeit:
    """Return the forfeit of a player that returned a forfeit: only the referee decides who forfeits, and why."""
    return Forfeit("illegal", f"{short_repr(answer)} is not an answer")
