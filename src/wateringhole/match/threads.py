"""Players that block, made players that are waited for: each has a thread of its own.

asyncio's threads are few and shared, so some players that hang would keep all of them from
everybody else; and the interpreter waits for them when it ends, which it does not for these.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, ParamSpec, TypeVar

from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Violation
from wateringhole.match.loops import AsyncPlayer
from wateringhole.player import Player, PlayerFailed, SeatAssignment, forfeit_for

__all__ = ["PlayerThread", "in_thread"]

P = ParamSpec("P")
T = TypeVar("T")

RECOVERY_SECONDS = 1.0
"""How long a table waits for a player that was late to be able to listen again."""


class PlayerThread:
    """Makes one call after the other, for whoever waits for them in an event loop."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        """For those who share it, and must not be hurried while another one is asked."""
        calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._calls = calls
        self._abandoned: set[asyncio.Future[Any]] = set()
        """Calls that are not over, and that nobody waits for any more."""
        threading.Thread(target=_work, args=(calls,), daemon=True).start()
        self._end = weakref.finalize(self, calls.put, None)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns or raises.  Whoever stops waiting leaves it to itself."""
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()
        abandoned = self._abandoned  # not self: whoever is forgotten must not be kept by its last call

        def deliver(result: T | None, error: BaseException | None) -> None:
            if not done.cancelled():
                done.set_result((result, error))
            abandoned.discard(done)

        def call() -> None:
            result, error = None, None
            try:
                result = context.run(function, *args, **kwargs)
            except BaseException as raised:
                error = raised
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(deliver, result, error)

        self._calls.put(call)
        try:
            result, error = await done
        except asyncio.CancelledError:
            if done.cancelled():  # and not over already
                abandoned.add(done)
            raise
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # None only where that is a T

    @property
    def is_stuck(self) -> bool:
        """Whether it is still busy with a call that nobody waits for any more."""
        return bool(self._abandoned)

    def end(self) -> None:
        """No more calls; those that were asked for are still made."""
        self._end()


def _work(calls: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while call := calls.get():
        call()


class _Threaded:
    def __init__(self, player: Player, thread: PlayerThread) -> None:
        self._player = player
        self._thread = thread
        self._is_given_up = False
        """It was stuck for so long that nobody waits for it until it is not."""

    def turn(self) -> AbstractAsyncContextManager[None]:
        return self._thread.turn

    async def on_seated(self, assignment: SeatAssignment) -> None:
        await self._call(self._player.on_seated, assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return await self._call(self._player.answer, request, seconds)

    async def on_notice(self, notice: Notice) -> None:
        await self._call(self._player.on_notice, notice)

    async def on_event(self, event: Event) -> None:
        await self._call(self._player.on_event, event)

    async def on_violation(self, violation: Violation) -> None:
        await self._call(self._player.on_violation, violation)

    async def _call(self, method: Callable[..., T], *arguments: Any) -> T:
        def call() -> T:
            try:
                return method(*arguments)
            except BaseException as error:
                # Lest the loop take a player's own interrupt or timeout for one that is meant for it.
                raise PlayerFailed(forfeit_for(error)) from error

        await self._recover()
        return await self._thread.call(call)

    async def _recover(self) -> None:
        """Let a player that was late come back from its thoughts, but not keep its table waiting with each message."""
        if self._thread.is_stuck and not self._is_given_up:
            try:
                async with asyncio.timeout(RECOVERY_SECONDS):
                    await self._thread.call(_nothing)
            except TimeoutError:
                self._is_given_up = True
        if self._thread.is_stuck:
            raise PlayerFailed(Forfeit("late", "it is still busy with what it was asked before"))
        self._is_given_up = False


def _nothing() -> None: ...


def in_thread(player: Player, thread: PlayerThread | None = None) -> AsyncPlayer:
    """A player that blocks, made one that can be waited for.  Those who share a thread are asked in turn."""
    return _Threaded(player, thread or PlayerThread())
