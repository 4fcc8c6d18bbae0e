"""Ranges of game numbers that are short enough to interrupt.

Compiled code neither reacts to Ctrl-C nor reports progress; Python does both between two calls of it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

__all__ = ["CALL_SECONDS", "GameRanges"]

CALL_SECONDS = 0.1
"""The intended duration of one call of compiled code."""


class GameRanges:
    """Consecutive ranges of games.  Several threads may iterate over one object and share its games."""

    def __init__(self, games: int, first: int) -> None:
        """Divide `games` games.  `first` is the length of the first range, before the speed is known, and the least."""
        self._games = games
        self._first = first
        self._next = 0
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield the start and stop of each range; the caller plays it before it takes the next."""
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

    def stop(self) -> None:
        """End the iteration of all threads."""
        with self._lock:
            self._games = self._next
