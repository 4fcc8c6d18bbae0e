"""Deferred signals, and Ctrl-C that counts once while the keys are held down."""

from __future__ import annotations

import math
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["coalesce_ctrl_c", "defer_signals"]

_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

TOO_LONG_SECONDS = 3.0
"""A signal that is repeated after this time is no longer deferred."""

REPEAT_SECONDS = 2.0
"""A second Ctrl-C within this time counts as the same one."""


@contextmanager
def defer_signals() -> Iterator[None]:
    """Defer SIGINT, SIGTERM and SIGHUP until the block ends.

    An exception that a library does not expect may leave it in any state.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread handles signals
        return
    previous = {int(number): handler for number in _ENDINGS if callable(handler := signal.getsignal(number))}
    received: list[tuple[float, int]] = []
    is_over = False

    def defer(number: int, frame: FrameType | None) -> None:
        received.append((time.monotonic(), number))
        if is_over or received[-1][0] - received[0][0] > TOO_LONG_SECONDS:
            previous[number](number, frame)

    try:
        for number in previous:
            signal.signal(number, defer)
        yield
    finally:
        is_over = True  # a signal from now on may keep this block from restoring the other handlers
        for number, handler in previous.items():
            signal.signal(number, handler)
        if received:
            _, number = received[0]
            previous[number](number, None)


@contextmanager
def coalesce_ctrl_c() -> Iterator[None]:
    """Treat Ctrl-C keys that are held down as one Ctrl-C, so that the interrupted work has time to end."""
    previous = signal.getsignal(signal.SIGINT)
    if not callable(previous):
        yield  # it is ignored
        return
    last = -math.inf

    def handle(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last > REPEAT_SECONDS:
            last = time.monotonic()
            previous(number, frame)

    def ignore_lost_interrupt(lost: sys.UnraisableHookArgs) -> None:
        """Accept the next Ctrl-C at once if Python lost this one while it cleaned up."""
        nonlocal last
        if isinstance(lost.exc_value, KeyboardInterrupt):
            last = -math.inf
        else:
            previous_hook(lost)

    previous_hook, sys.unraisablehook = sys.unraisablehook, ignore_lost_interrupt
    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        sys.unraisablehook = previous_hook
        # Keep a handler that the block has set.
        if signal.getsignal(signal.SIGINT) is handle:
            signal.signal(signal.SIGINT, previous)
