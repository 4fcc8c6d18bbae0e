"""Kept messages and time to reconnect, for players who lose their connection and return.

Players on the page and remote players share both parts.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator

__all__ = ["Backlog", "Presence"]


class Backlog:
    """Numbered messages to one player.  The last ones are kept, so that the player can receive them again."""

    def __init__(self, most_bytes: int, sent: int = 0) -> None:
        """Keep at most `most_bytes`, but always the last message; `sent` messages came before."""
        self.sent = sent
        """The number of all messages, which is also that of the last one."""
        self._most_bytes = most_bytes
        self._kept: deque[bytes] = deque()
        self._bytes = 0

    @property
    def dropped(self) -> int:
        """The number of messages that are no longer kept."""
        return self.sent - len(self._kept)

    def add(self, message: bytes) -> None:
        self.sent += 1
        self._kept.append(message)
        self._bytes += len(message)
        while self._bytes > self._most_bytes and len(self._kept) > 1:
            self._bytes -= len(self._kept.popleft())

    def drop(self, more: int = 0) -> None:
        """Drop all kept messages, and count some `more` that cannot be kept."""
        self._kept.clear()
        self._bytes = 0
        self.sent += more

    def can_resume(self, heard: int | None) -> bool:
        """Return whether all messages after the last one that was received are still kept."""
        return heard is not None and self.dropped <= heard <= self.sent

    def after(self, number: int) -> Iterator[bytes]:
        """Yield the kept messages after a number, also those that are added meanwhile."""
        while (number := max(number, self.dropped)) < self.sent:
            yield self._kept[number - self.dropped]
            number += 1


class Presence:
    """The connection of a player: there, or lost for some time that the player has to reconnect."""

    def __init__(self, reconnect_seconds: float, away_since: Callable[[], float | None]) -> None:
        """`away_since` returns when the connection was lost, by the loop's clock, or None while there is one."""
        self.reconnect_seconds = reconnect_seconds
        self._away_since = away_since
        self._change = asyncio.Event()

    @property
    def seconds_left(self) -> float | None:
        """Seconds left to reconnect, or None while the player is connected."""
        away_since = self._away_since()
        if away_since is None:
            return None
        return max(0.0, away_since + self.reconnect_seconds - asyncio.get_running_loop().time())

    @property
    def is_lost(self) -> bool:
        """True if the player is disconnected and can no longer reconnect."""
        return self.seconds_left == 0

    def notify(self) -> None:
        """End the wait for a change: the player has come, gone or answered."""
        self._change.set()

    async def wait_for_change(self) -> None:
        """Wait until `notify` is called.  Raises TimeoutError if the time to reconnect is over first."""
        self._change.clear()
        async with asyncio.timeout(self.seconds_left):
            await self._change.wait()
