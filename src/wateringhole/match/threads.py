"""Asynchronous players made from blocking ones: each runs in its own thread.

asyncio's own threads are few and shared, so a few hanging players would block all others.  The
interpreter also waits for those threads at exit, but not for these.
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
"""Seconds that a table waits for a late player to finish its call."""


class PlayerThread:
    """A thread that runs one call after the other for an event loop."""

    def __init__(self) -> None:
        self.turn = asyncio.Lock()
        """Held by the player that is asked, so that waiting for the shared thread does not count as its time."""
        calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._calls = calls
        self._abandoned: set[asyncio.Future[Any]] = set()
        """Unfinished calls whose callers have stopped waiting."""
        threading.Thread(target=_work, args=(calls,), daemon=True).start()
        self._end = weakref.finalize(self, calls.put, None)

    async def call(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function in the thread.  If the caller is cancelled, the function keeps running."""
        loop = asyncio.get_running_loop()
        context = contextvars.copy_context()
        done: asyncio.Future[tuple[T | None, BaseException | None]] = loop.create_future()
        abandoned = self._abandoned  # not self: its last call must not keep the thread object alive

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
            with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                loop.call_soon_threadsafe(deliver, result, error)

        self._calls.put(call)
        try:
            result, error = await done
        except asyncio.CancelledError:
            if done.cancelled():  # unless it is finished already
                abandoned.add(done)
            raise
        if error is not None:
            raise error
        return result  # type: ignore[return-value]  # None only if T allows it

    @property
    def is_stuck(self) -> bool:
        """Whether the thread still runs a call whose caller has stopped waiting."""
        return bool(self._abandoned)

    def end(self) -> None:
        """Stop the thread after the calls that are queued."""
        self._end()


def _work(calls: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while call := calls.get():
        call()


class _Threaded:
    def __init__(self, player: Player, thread: PlayerThread) -> None:
        self._player = player
        self._thread = thread
        self._is_given_up = False
        """Whether it was stuck for `RECOVERY_SECONDS`: no call waits for it until it is free again."""

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
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
                # The loop must not take a player's own interrupt or timeout for one of the loop's.
                raise PlayerFailed(forfeit_for(error)) from error

        await self._recover()
        return await self._thread.call(call)

    async def _recover(self) -> None:
        """Wait for a late player to finish its call, but only once and not for every message."""
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
    """Return an asynchronous player that runs a blocking one.  Players that share a thread are asked in turn."""
    return _Threaded(player, thread or PlayerThread())
