"""A transport that sends with fewer system calls."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["BatchingTransport"]

MOST_BATCHED = 64 * 1024
"""Bytes that are sent at once, without waiting for more."""


class BatchingTransport(asyncio.Transport):
    """A transport that sends everything that is written in one iteration of the event loop together.

    A game often has many events at once, and a page gets a short message for each of them.  The class has only
    the methods that uvicorn's WebSocket protocol uses.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        super().__init__()
        self._transport = transport
        self._batch: list[bytes] = []
        self._bytes = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        if not self._batch:
            asyncio.get_running_loop().call_soon(self._send)
        self._batch.append(bytes(data))
        self._bytes += len(data)
        if self._bytes > MOST_BATCHED:
            self._send()

    def _send(self) -> None:
        if self._batch:
            data = b"".join(self._batch)
            self._batch.clear()
            self._bytes = 0
            self._transport.write(data)

    def close(self) -> None:
        self._send()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def pause_reading(self) -> None:
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._transport.resume_reading()

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default)
