"""One page's connection: what is to be sent waits here until it is, but never without a limit."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import msgspec

__all__ = ["PageTransport", "encode"]

MOST_WAITING = 16 << 20
"""Bytes; whoever lets more wait does not read, and is cut off."""


def encode(message: dict[str, Any]) -> bytes:
    return msgspec.json.encode(message)


class PageTransport:
    """What goes to one page.  Anybody may send; the one who owns the connection takes it from here."""

    def __init__(self) -> None:
        self.is_closed = False
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._news = asyncio.Event()

    def send(self, message: dict[str, Any] | bytes) -> None:
        if self.is_closed:
            return
        line = message if isinstance(message, bytes) else encode(message)
        self._waiting.append(line)
        self._bytes += len(line)
        if self._bytes > MOST_WAITING:
            self._waiting.clear()
            self.is_closed = True
        self._news.set()

    def bye(self, reason: str, *, final: bool, **more: Any) -> None:
        """Send this as the last thing.  After a final one the page does not come back by itself."""
        self.send({"type": "bye", "reason": reason, "final": final, **more})
        self.is_closed = True
        self._news.set()

    async def next(self) -> bytes | None:
        """What is to be sent next, waited for; None: nothing more will be."""
        while not self._waiting:
            if self.is_closed:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._waiting.popleft()
        self._bytes -= len(line)
        return line
