"""Waits for conditions, for tests that cannot await an event itself.

A wait ends as soon as its condition holds.  The limit only ends a test that hangs.
"""

from __future__ import annotations

import asyncio
import inspect
import io
import subprocess
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar, overload

__all__ = ["LIMIT_SECONDS", "Log", "eventually", "until", "within"]

LIMIT_SECONDS = 120.0
"""Many times as long as any wait takes, on a very busy machine, too."""
_FIRST_PAUSE = 0.005
_LONGEST_PAUSE = 0.1
_GROWTH = 1.5

T = TypeVar("T")


def eventually(
    condition: Callable[[], T], seconds: float = LIMIT_SECONDS, process: subprocess.Popen[Any] | None = None
) -> T:
    """Wait until a condition is true, and return its value.  Fail if the process, if there is one, ends before."""
    __tracebackhide__ = True
    for pause in _pauses(seconds):
        has_ended = process is not None and process.poll() is not None
        if value := condition():
            return value
        assert not has_ended, f"the process ended before the condition was true: it was {value!r}"
        time.sleep(pause)
    raise AssertionError(f"the condition was not true within {seconds:g} s: it was {value!r}")


@overload
async def until(condition: Callable[[], Awaitable[T]], seconds: float = LIMIT_SECONDS) -> T: ...


@overload
async def until(condition: Callable[[], T], seconds: float = LIMIT_SECONDS) -> T: ...


async def until(condition: Callable[[], Any], seconds: float = LIMIT_SECONDS) -> Any:
    """Wait until a condition, which may be asynchronous, is true, and return its value."""
    __tracebackhide__ = True
    for pause in _pauses(seconds):
        value = condition()
        if inspect.isawaitable(value):
            value = await value
        if value:
            return value
        await asyncio.sleep(pause)
    raise AssertionError(f"the condition was not true within {seconds:g} s: it was {value!r}")


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of some work.  If it takes longer, cancel it and fail with the stacks of all tasks."""
    task = asyncio.create_task(work)
    await asyncio.wait({task}, timeout=seconds)
    if not task.done():
        stacks = io.StringIO()
        for each in asyncio.all_tasks():
            each.print_stack(file=stacks)
        task.cancel()
        await asyncio.wait({task})
        raise AssertionError(f"not done within {seconds:g} s:\n{stacks.getvalue()}")
    return task.result()


def _pauses(seconds: float) -> Iterator[float]:
    """Return the pauses between two looks.  They grow, so that a long wait takes little processor time."""
    end = time.monotonic() + seconds
    pause = _FIRST_PAUSE
    yield pause
    while time.monotonic() < end:
        pause = min(_GROWTH * pause, _LONGEST_PAUSE)
        yield pause


class Log(list[str]):
    """The lines that a server logs.  A test can wait for one of them."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    def append(self, line: str) -> None:
        """Add a line, from any thread."""
        super().append(line)
        for loop, event in [*self._waiting]:
            loop.call_soon_threadsafe(event.set)

    async def line_with(self, part: str, count: int = 1) -> str:
        """Wait until a number of lines contain a text, and return the first of them."""
        added = asyncio.Event()
        waiting = (asyncio.get_running_loop(), added)
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(LIMIT_SECONDS):
                while len(found := [line for line in self if part in line]) < count:
                    added.clear()
                    await added.wait()
        except TimeoutError:
            raise AssertionError(f"{part!r} was not logged {count} times within {LIMIT_SECONDS:g} s: {self}") from None
        finally:
            self._waiting.remove(waiting)
        return found[0]
