"""The connection to one page, with a limited queue of messages to send."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import msgspec

from wateringhole.house.page_messages import ByeMessage

__all__ = ["PageTransport", "encode"]

MOST_WAITING = 16 << 20
"""Bytes that may wait.  A page that lets more wait does not read, and is disconnected."""


def encode(message: msgspec.Struct | dict[str, Any]) -> bytes:
    return msgspec.json.encode(message)


class PageTransport:
    """The messages for one page.  Any code may send; the owner of the connection takes them with `next`."""

    def __init__(self, address: str = "?", language: str = "en") -> None:
        """`address` is that of the client, and `language` that of the page."""
        self.address = address
        self.language = language
        self.is_closed = False
        self.is_paced = False
        """True if the page shows events at the user's own pace, and sends `seen` when it is asked for the last one."""
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._news = asyncio.Event()

    def send(self, message: msgspec.Struct | dict[str, Any] | bytes) -> None:
        """Send a message of `page_messages`, a game's reply to its view, or an encoded message."""
        if self.is_closed:
            return
        line = message if isinstance(message, bytes) else encode(message)
        self._waiting.append(line)
        self._bytes += len(line)
        if self._bytes > MOST_WAITING:
            self._waiting.clear()
            self.is_closed = True
        self._news.set()

    def bye(self, reason: str, *, final: bool, game_id: str | msgspec.UnsetType = msgspec.UNSET) -> None:
        """Send the last message.  After a final one, the page does not reconnect by itself."""
        self.send(ByeMessage(reason, final, game_id))
        self.is_closed = True
        self._news.set()

    async def next(self) -> bytes | None:
        """Wait for the next message.  Return None if the transport is closed."""
        while not self._waiting:
            if self.is_closed:
                return None
            self._news.clear()
            await self._news.wait()
        line = self._waiting.popleft()
        self._bytes -= len(line)
        return line
