"""Rate limits for clients, by address."""

from __future__ import annotations

__all__ = ["RateLimiter", "RateLimiters"]

MOST_ADDRESSES = 10_000
"""Addresses whose rate is remembered."""


class RateLimiter:
    """How fast somebody may do something: a few at once, and then so many a second."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._left = float(at_once)
        self._since: float | None = None

    def allows(self, now: float) -> bool:
        """Whether it may be done once more; `now` is in seconds, by any clock."""
        gone = 0.0 if self._since is None else now - self._since
        self._since = now
        self._left = min(self._at_once, self._left + gone * self._per_second)
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimiters:
    """The pace of every address; those of long ago are forgotten."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._limiters: dict[str, RateLimiter] = {}

    def allow(self, address: str, now: float) -> bool:
        """Whether an address may do it once more."""
        if len(self._limiters) > MOST_ADDRESSES:
            self._limiters.clear()
        return self._limiters.setdefault(address, RateLimiter(self._at_once, self._per_second)).allows(now)
