"""Calls that are repeated, with increasing delays, while the store is unavailable."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from wateringhole.errors import OperationError
from wateringhole.tournaments.store import StoreUnavailable

__all__ = ["STORE_SECONDS", "Retries"]

T = TypeVar("T")

STORE_SECONDS = 600.0
"""The default time to wait for a store."""
FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
"""The seconds before the second attempt, and the most between two attempts; each delay is twice the one before."""


class Retries:
    """Repeats a call until it succeeds or the time is over.  The user is informed once, not at every attempt."""

    def __init__(
        self,
        seconds: float = 0.0,
        inform: Callable[[str], None] = lambda message: None,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Wait `seconds` in all for one call.  By default, every call has one attempt."""
        self._seconds = seconds
        self._inform = inform
        self._sleep = sleep
        self._clock = clock

    def call(self, attempt: Callable[[], T]) -> T:
        """Return the result.  Raises OperationError if the store is still unavailable at the end."""
        try:
            return attempt()
        except StoreUnavailable as error:
            if self._seconds <= 0:
                raise
            failed = error
        self._inform(f"{failed} Trying again for up to {self._seconds:g} s.")
        deadline = self._clock() + self._seconds
        delay = FIRST_DELAY
        while (left := deadline - self._clock()) > 0:
            self._sleep(min(delay, left))
            delay = min(2 * delay, LONGEST_DELAY)
            try:
                result = attempt()
            except StoreUnavailable as error:
                failed = error
            else:
                self._inform("The store can be used again.")
                return result
        raise OperationError(f"{failed} It was unavailable for {self._seconds:g} s.")
