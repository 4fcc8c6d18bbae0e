"""When Ctrl-C is heard: not in the middle of everything, and once however long the keys are held down."""

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
"""Whoever still wants us to end after so long is heard at once."""

CALM_SECONDS = 2.0
"""Whoever wants us to end is heard again after so long."""


@contextmanager
def defer_signals() -> Iterator[None]:
    """Hear Ctrl-C, and whoever ends us politely, only after this.

    An exception that a library does not expect may leave it in any state.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main one hears signals
        return
    usual = {int(number): handler for number in _ENDINGS if callable(handler := signal.getsignal(number))}
    heard: list[tuple[float, int]] = []

    def note(number: int, frame: FrameType | None) -> None:
        heard.append((time.monotonic(), number))
        if heard[-1][0] - heard[0][0] > TOO_LONG_SECONDS:
            usual[number](number, frame)

    try:
        for number in usual:
            signal.signal(number, note)
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)
        if heard:
            _, number = heard[0]
            usual[number](number, None)


@contextmanager
def coalesce_ctrl_c() -> Iterator[None]:
    """Take keys that are held down for one Ctrl-C, so that what it ends has the time to end."""
    usual = signal.getsignal(signal.SIGINT)
    if not callable(usual):
        yield  # it is ignored
        return
    heard = -math.inf

    def hear(number: int, frame: FrameType | None) -> None:
        nonlocal heard
        if time.monotonic() - heard > CALM_SECONDS:
            heard = time.monotonic()
            usual(number, frame)

    def forget(lost: sys.UnraisableHookArgs) -> None:
        """One that came while Python cleared something up, where it would be printed and forgotten."""
        nonlocal heard
        if isinstance(lost.exc_value, KeyboardInterrupt):
            heard = -math.inf
        else:
            told(lost)

    told, sys.unraisablehook = sys.unraisablehook, forget
    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        sys.unraisablehook = told
        # Unless somebody wants to hear no more of it.
        if signal.getsignal(signal.SIGINT) is hear:
            signal.signal(signal.SIGINT, usual)
