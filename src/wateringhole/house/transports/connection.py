"""One TCP connection: bytes in and out, always within limits.

Received bytes wait in a buffer until they are read.  When the buffer is full, TCP makes the other
side wait.  Writing waits for a slow reader, up to a time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, cast

from wateringhole.facets import ValueReader

__all__ = ["MOST_UNREAD", "Connection", "ConnectionDropped", "ConnectionEnded", "feed"]

MOST_UNREAD = 64 * 1024
"""Bytes that may wait in the buffer.  One more read from the operating system can be added."""


class ConnectionEnded(Exception):
    """The connection can no longer receive or send; the text is the reason."""


class ConnectionDropped(ConnectionEnded):
    """This side ended the connection, because of something that the other side did or failed to do."""

    def __init__(self, reason: Literal["late", "unreadable"], why: str) -> None:
        super().__init__(why)
        self.reason = reason


class Connection(asyncio.Protocol):
    """The near end of a TCP connection.  asyncio sends small messages at once (`TCP_NODELAY`)."""

    def __init__(
        self,
        write_seconds: float,
        on_made: Callable[[Connection], None] = lambda connection: None,
        on_lost: Callable[[Connection], None] = lambda connection: None,
    ) -> None:
        self.address = "?"
        self.peer = "?"
        """Address and port, for logs."""
        self.ending: ConnectionEnded | None = None
        """Reason why the connection ended, or None while it is open."""
        self.ended_at = 0.0
        """When the connection ended, by the loop's clock."""
        self.is_closed_here = False
        """True if this side ended the connection."""
        self.must_pong = True
        """For WebSockets: whether the client must answer pings in time."""
        self._write_seconds = write_seconds
        self._on_made = on_made
        self._on_lost = on_lost
        self._unread = bytearray()
        self._arrival: asyncio.Future[None] | None = None
        self._is_writable = asyncio.Event()
        self._is_writable.set()

    @property
    def has_unsent(self) -> bool:
        """True while bytes wait for the other side to read earlier ones."""
        return self._transport.get_write_buffer_size() > 0

    @property
    def is_ended(self) -> bool:
        return self.ending is not None

    async def read(self) -> bytes:
        """Return all bytes since the last read, at least one.  Raises ConnectionEnded."""
        while not self._unread:
            if self.ending is not None:
                raise self.ending
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        chunk = bytes(self._unread)
        self._unread.clear()
        self._resume_reading()
        return chunk

    def unread(self, chunk: bytes) -> None:
        """Put back bytes that the next reader needs."""
        self._unread[:0] = chunk

    async def send(self, line: bytes) -> None:
        """Send bytes.  Raises ConnectionEnded, also if the other side does not read."""
        if self.ending is None:
            self._transport.write(line)
            if not self._is_writable.is_set():
                await self._wait_until_writable()
        if self.ending is not None:
            raise self.ending

    def hand_over(self, protocol: asyncio.Protocol) -> None:
        """Let another protocol take over, with the bytes that are still unread.

        It must call `connection_lost` of this object when it loses the connection.
        """
        transport, chunk = self._transport, bytes(self._unread)
        self._unread.clear()
        transport.set_protocol(protocol)
        protocol.connection_made(transport)
        transport.resume_reading()
        if chunk:
            protocol.data_received(chunk)

    def close(self, ending: ConnectionEnded | None = None) -> None:
        """Send what is pending and close the connection, without waiting for a reader that does not read."""
        self._end(ending or ConnectionEnded("the connection was closed here"), here=True)
        self._transport.close()
        if self.has_unsent:
            asyncio.get_running_loop().call_later(self._write_seconds, self._transport.abort)

    def abort(self, ending: ConnectionEnded) -> None:
        """End the connection at once, without sending what is pending."""
        self._end(ending, here=True)
        self._transport.abort()

    async def _wait_until_writable(self) -> None:
        try:
            async with asyncio.timeout(self._write_seconds):
                await self._is_writable.wait()
        except TimeoutError:
            self.abort(ConnectionDropped("late", f"what it was sent was not read for {self._write_seconds:g} s"))

    # Callbacks of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        if peer:
            self.address, self.peer = peer[0], f"{peer[0]}:{peer[1]}"
        self._on_made(self)

    def data_received(self, chunk: bytes) -> None:
        if self.is_ended:
            return
        self._unread += chunk
        if len(self._unread) > MOST_UNREAD:
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._end(ConnectionEnded("the connection has ended"))

    def connection_lost(self, error: Exception | None) -> None:
        self._end(ConnectionEnded("the connection was lost" if error else "the connection has ended"))
        self._is_writable.set()
        self._on_lost(self)

    def pause_writing(self) -> None:
        # A client that does not read must not cause more writes.
        self._is_writable.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._is_writable.set()
        self._resume_reading()

    def _resume_reading(self) -> None:
        if self._is_writable.is_set() and len(self._unread) <= MOST_UNREAD and not self.is_ended:
            self._transport.resume_reading()

    def _end(self, ending: ConnectionEnded, *, here: bool = False) -> None:
        if self.ending is None:
            self.ending = ending
            self.is_closed_here = here
            self.ended_at = asyncio.get_running_loop().time()
        self._wake()

    def _wake(self) -> None:
        if self._arrival and not self._arrival.done():
            self._arrival.set_result(None)


async def feed(connection: Connection, reader: ValueReader, settle_seconds: float) -> None:
    """Feed the next bytes to a reader of frames.  Mark it idle after a pause, and close it at the end."""
    try:
        if reader.is_unsettled:
            async with asyncio.timeout(settle_seconds):
                reader.feed(await connection.read())
        else:
            reader.feed(await connection.read())
    except TimeoutError:
        reader.mark_idle()
    except ConnectionEnded:
        reader.close()
