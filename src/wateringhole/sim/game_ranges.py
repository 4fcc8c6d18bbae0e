"""Games by number in stretches that are short enough to be interrupted.

Compiled code does not hear Ctrl-C, and tells nobody how far it is; between two calls of it there is time for both.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

__all__ = ["CALL_SECONDS", "GameRanges"]

CALL_SECONDS = 0.1
"""How long one call of compiled code should take."""


class GameRanges:
    """Hands out games in order.  Many threads may go through it at the same time, and share them."""

    def __init__(self, games: int, first: int) -> None:
        """`first` is the length of the first stretch, before it is known how long games take, and the least."""
        self._games = games
        self._first = first
        self._next = 0
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Where each begins and ends; it should be played before the next is asked for."""
        size = self._first
        while True:
            with self._lock:
                start = self._next
                stop = self._next = min(start + size, self._games)
            if start >= stop:
                return
            started = time.perf_counter()
            yield start, stop
            elapsed = time.perf_counter() - started
            size = max(self._first, int(size * min(4.0, CALL_SECONDS / max(elapsed, 1e-6))))

    def end(self) -> None:
        """Hand out no more."""
        with self._lock:
            self._games = self._next
