"""One connection to a host: bytes in and out, never without a limit.

What has come waits in a buffer until somebody asks for it; when too much waits, the other side
is made to wait by TCP itself.  Writing waits for a reader that is slow, but not for long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, Protocol, cast

from wateringhole.facets import ValueReader
from wateringhole.protocol.messages import LONGEST_LINE

__all__ = ["Codec", "Connection", "ConnectionDropped", "ConnectionEnded", "Lines", "feed"]

MOST_UNREAD = 64 * 1024
"""Bytes that may wait; one read of the operating system more can come on top."""


class ConnectionEnded(Exception):
    """Nothing more will come, or go.  The text says why."""


class ConnectionDropped(ConnectionEnded):
    """It was ended here, because of what the other side did or did not do."""

    def __init__(self, reason: Literal["late", "unreadable"], why: str) -> None:
        super().__init__(why)
        self.reason = reason


class Codec(Protocol):
    """A layer between the bytes of a connection and the lines that it carries (`net.websocket`)."""

    @property
    def ending(self) -> ConnectionEnded | None:
        """Why nothing more will come; None: more may."""
        ...

    def receive(self, chunk: bytes) -> bytes:
        """The whole lines that are in what has come so far, and were not given before."""
        ...

    def encode(self, line: bytes) -> bytes: ...

    def pending(self) -> bytes:
        """What the layer itself has to say: replies to pings, for instance."""
        ...

    def farewell(self) -> bytes:
        """What to say before the connection is closed."""
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
        self.near_address = "?"
        """Ours: where it was answered."""
        self.ending: ConnectionEnded | None = None
        """Why it has ended; None: it has not."""
        self.ended_at = 0.0
        """When it did, by the loop's clock."""
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
        """All that has come since the last time, at least a byte.  Raises ConnectionEnded."""
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
        self._read_on()
        return chunk

    def unread(self, chunk: bytes) -> None:
        """Put back what was read too far."""
        self._unread[:0] = chunk

    def put_under(self, codec: Codec, greeting: bytes) -> None:
        """From here on all goes through a codec, which may have taken lines already; its greeting goes first."""
        self._transport.write(greeting)
        self.codec = codec
        self.data_received(b"")

    async def write(self, line: bytes) -> None:
        """Raises ConnectionEnded, also when the other side does not read."""
        if self.ending is None:
            self._transport.write(self.codec.encode(line) if self.codec else line)
            if not self._is_writable.is_set():
                await self._wait_until_writable()
        if self.ending is not None:
            raise self.ending

    def close(self, ending: ConnectionEnded | None = None) -> None:
        """Send what is still to be sent, and end it; but do not wait for a reader that does not read."""
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

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self.near_address = transport.get_extra_info("sockname")[0]
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
        # Whoever does not read must not make us write more, by pinging for instance.
        self._is_writable.clear()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._is_writable.set()
        self._read_on()

    def _read_on(self) -> None:
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
        """The next line that is not blank.  Raises ConnectionEnded, also for one that is too long."""
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
    """Give a reader of frames what comes next; if nothing does for a while, or any more, tell it so."""
    try:
        async with asyncio.timeout(settle_seconds if reader.is_unsettled else None):
            reader.feed(await connection.read())
    except TimeoutError:
        reader.mark_idle()
    except ConnectionEnded:
        reader.close()
