"""Rate limits for clients, by address."""

from __future__ import annotations

__all__ = ["RateLimiter", "RateLimiters"]

MOST_ADDRESSES = 10_000
"""Addresses whose rate is remembered."""


class RateLimiter:
    """A token bucket: a burst of `at_once` actions, refilled with `per_second`."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._left = float(at_once)
        self._since: float | None = None

    def allows(self, now: float) -> bool:
        """Count one more action.  Return whether it is allowed; `now` is in seconds, by any clock."""
        elapsed = 0.0 if self._since is None else now - self._since
        self._since = now
        self._left = min(self._at_once, self._left + elapsed * self._per_second)
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimiters:
    """A rate limiter for each address; all are forgotten when there are too many."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._limiters: dict[str, RateLimiter] = {}

    def allow(self, address: str, now: float) -> bool:
        """Count one more action of an address.  Return whether it is allowed."""
        if len(self._limiters) > MOST_ADDRESSES:
            self._limiters.clear()
        return self._limiters.setdefault(address, RateLimiter(self._at_once, self._per_second)).allows(now)
