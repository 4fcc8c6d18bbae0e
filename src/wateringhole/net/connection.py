"""One connection to a host: bytes in and out, always within limits.

Received bytes wait in a buffer until they are read.  When the buffer is full, TCP makes the other
side wait.  Writing waits for a slow reader, up to a time limit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, Protocol, cast

from wateringhole.facets import ValueReader
from wateringhole.protocol.messages import LONGEST_LINE

__all__ = ["Codec", "Connection", "ConnectionDropped", "ConnectionEnded", "Lines", "feed"]

MOST_UNREAD = 64 * 1024
"""Bytes that may wait in the buffer.  One more read from the operating system can be added."""


class ConnectionEnded(Exception):
    """The connection can no longer receive or send; the text is the reason."""


class ConnectionDropped(ConnectionEnded):
    """This side ended the connection, because of something that the other side did or failed to do."""

    def __init__(self, reason: Literal["late", "unreadable"], why: str) -> None:
        super().__init__(why)
        self.reason = reason


class Codec(Protocol):
    """A layer between the bytes of a connection and the lines that it carries (`net.websocket`)."""

    @property
    def ending(self) -> ConnectionEnded | None:
        """Reason why nothing more will come, or None if more may come."""
        ...

    def receive(self, chunk: bytes) -> bytes:
        """Take received bytes.  Return the lines that they complete."""
        ...

    def encode(self, line: bytes) -> bytes: ...

    def pending(self) -> bytes:
        """Return what the layer itself has to send, such as replies to pings."""
        ...

    def farewell(self) -> bytes:
        """Return what to send before the connection is closed."""
        ...


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
        self.local_address = "?"
        """The local address that accepted the connection."""
        self.ending: ConnectionEnded | None = None
        """Reason why the connection ended, or None while it is open."""
        self.ended_at = 0.0
        """When the connection ended, by the loop's clock."""
        self.codec: Codec | None = None
        self._write_seconds = write_seconds
        self._on_made = on_made
        self._on_lost = on_lost
        self._unread = bytearray()
        self._arrival: asyncio.Future[None] | None = None
        self._is_writable = asyncio.Event()
        self._is_writable.set()

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

    def wrap(self, codec: Codec, greeting: bytes) -> None:
        """Send the greeting, then pass all bytes through the codec, which may hold lines already."""
        self._transport.write(greeting)
        self.codec = codec
        self.data_received(b"")

    async def write(self, line: bytes) -> None:
        """Send a line.  Raises ConnectionEnded, also if the other side does not read."""
        if self.ending is None:
            self._transport.write(self.codec.encode(line) if self.codec else line)
            if not self._is_writable.is_set():
                await self._wait_until_writable()
        if self.ending is not None:
            raise self.ending

    def close(self, ending: ConnectionEnded | None = None) -> None:
        """Send what is pending and close the connection, without waiting for a reader that does not read."""
        if self.codec and not self.is_ended:
            self._transport.write(self.codec.farewell())
        self._end(ending or ConnectionEnded("the connection was closed here"))
        self._transport.close()
        asyncio.get_running_loop().call_later(self._write_seconds, self._transport.abort)

    async def _wait_until_writable(self) -> None:
        try:
            async with asyncio.timeout(self._write_seconds):
                await self._is_writable.wait()
        except TimeoutError:
            self._end(ConnectionDropped("late", f"what it was sent was not read for {self._write_seconds:g} s"))
            self._transport.abort()

    # Callbacks of asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.local_address = transport.get_extra_info("sockname")[0]
        peer = transport.get_extra_info("peername")
        if peer:
            self.address, self.peer = peer[0], f"{peer[0]}:{peer[1]}"
        self._on_made(self)

    def data_received(self, chunk: bytes) -> None:
        if self.is_ended:
            return
        if self.codec:
            chunk = self.codec.receive(chunk)
            if pending := self.codec.pending():
                self._transport.write(pending)
            if self.codec.ending:
                self._unread += chunk
                self.close(self.codec.ending)
                return
        self._unread += chunk
        if len(self._unread) > MOST_UNREAD:
            self._transport.pause_reading()
        if chunk:
            self._wake()

    def eof_received(self) -> None:
        self._end(ConnectionEnded("the connection has ended"))

    def connection_lost(self, error: Exception | None) -> None:
        self._end(ConnectionEnded("the connection was lost" if error else "the connection has ended"))
        self._is_writable.set()
        self._on_lost(self)

    def pause_writing(self) -> None:
        # A client that does not read must not cause more writes, for example by pinging.
        self._is_writable.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._is_writable.set()
        self._resume_reading()

    def _resume_reading(self) -> None:
        if self._is_writable.is_set() and len(self._unread) <= MOST_UNREAD and not self.is_ended:
            self._transport.resume_reading()

    def _end(self, ending: ConnectionEnded) -> None:
        if self.ending is None:
            self.ending = ending
            self.ended_at = asyncio.get_running_loop().time()
        self._wake()

    def _wake(self) -> None:
        if self._arrival and not self._arrival.done():
            self._arrival.set_result(None)


class Lines:
    """A connection that carries lines, directly or through a codec."""

    def __init__(self, connection: Connection, most_bytes: int = LONGEST_LINE) -> None:
        self.connection = connection
        self._most_bytes = most_bytes
        self._buffer = bytearray()
        self._seen = 0

    async def receive(self) -> bytes:
        """Return the next line that is not blank.  Raises ConnectionEnded, also if a line is too long."""
        while True:
            end = self._buffer.find(b"\n", self._seen)
            if max(end, len(self._buffer) if end < 0 else 0) > self._most_bytes:
                too_long = ConnectionDropped("unreadable", f"it sent a line of more than {self._most_bytes} bytes")
                self.connection.close(too_long)
                raise too_long
            if end < 0:
                self._seen = len(self._buffer)
                self._buffer += await self.connection.read()
                continue
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._seen = 0
            if line.strip():
                return line

    async def send(self, line: bytes) -> None:
        await self.connection.write(line)


async def feed(connection: Connection, reader: ValueReader, settle_seconds: float) -> None:
    """Feed the next bytes to a reader of frames.  Mark it idle after a pause, and close it at the end."""
    try:
        async with asyncio.timeout(settle_seconds if reader.is_unsettled else None):
            reader.feed(await connection.read())
    except TimeoutError:
        reader.mark_idle()
    except ConnectionEnded:
        reader.close()
