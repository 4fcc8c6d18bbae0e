"""Connections that carry the lines of the JSON protocol: over TCP, or as messages of a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, cast

from wateringhole.house.transports.connection import MOST_UNREAD, Connection, ConnectionDropped, ConnectionEnded
from wateringhole.protocol.messages import LONGEST_LINE

if TYPE_CHECKING:
    from starlette.websockets import WebSocket

__all__ = ["Lines", "TcpLines", "WebSocketLines"]


class Lines(Protocol):
    """A connection that carries lines."""

    @property
    def transport(self) -> str:
        """The name of the transport, for logs."""
        ...

    @property
    def address(self) -> str:
        """The address of the client."""
        ...

    @property
    def peer(self) -> str:
        """Address and port, for logs."""
        ...

    @property
    def is_ended(self) -> bool: ...

    @property
    def is_closed_here(self) -> bool:
        """True if this side ended the connection."""
        ...

    @property
    def ended_at(self) -> float:
        """When the connection ended, by the loop's clock."""
        ...

    async def receive(self) -> bytes:
        """Return the next line that is not blank.  Raises ConnectionEnded, also if a line is too long."""
        ...

    async def send(self, line: bytes) -> None:
        """Send a line.  Raises ConnectionEnded, also if the other side does not read."""
        ...

    def close(self, ending: ConnectionEnded | None = None) -> None:
        """Send what is pending and close the connection."""
        ...


class TcpLines:
    """Lines over TCP."""

    transport = "TCP"

    def __init__(self, connection: Connection, most_bytes: int = LONGEST_LINE) -> None:
        self._connection = connection
        self._most_bytes = most_bytes
        self._buffer = bytearray()
        self._seen = 0

    @property
    def address(self) -> str:
        return self._connection.address

    @property
    def peer(self) -> str:
        return self._connection.peer

    @property
    def is_ended(self) -> bool:
        return self._connection.is_ended

    @property
    def is_closed_here(self) -> bool:
        return self._connection.is_closed_here

    @property
    def ended_at(self) -> float:
        return self._connection.ended_at

    async def receive(self) -> bytes:
        while True:
            end = self._buffer.find(b"\n", self._seen)
            if max(end, len(self._buffer) if end < 0 else 0) > self._most_bytes:
                too_long = ConnectionDropped("unreadable", f"it sent a line of more than {self._most_bytes} bytes")
                self._connection.close(too_long)
                raise too_long
            if end < 0:
                self._seen = len(self._buffer)
                self._buffer += await self._connection.read()
                continue
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            self._seen = 0
            if line.strip():
                return line

    async def send(self, line: bytes) -> None:
        await self._connection.send(line)

    def close(self, ending: ConnectionEnded | None = None) -> None:
        self._connection.close(ending)


_UNREADABLE_CODES = frozenset({1002, 1003, 1007, 1009})
"""Codes with which this side closes a WebSocket after bytes that are no message."""


class WebSocketLines:
    """Lines over an accepted WebSocket, one in each message.  `run` must run as long as the connection."""

    transport = "WebSocket"

    def __init__(
        self, socket: WebSocket, connection: Connection, write_seconds: float, send_text: Callable[[bytes], None]
    ) -> None:
        """Use `send_text` while no bytes wait.  `connection` is the TCP connection that the WebSocket uses."""
        self._send_text = send_text
        self._socket = socket
        self._connection = connection
        self._write_seconds = write_seconds
        self._unread: deque[bytes] = deque()
        self._unread_bytes = 0
        self._arrival: asyncio.Future[None] | None = None
        """Done when a waiting `receive` can continue."""
        self._has_room = asyncio.Event()
        self._has_ended = asyncio.Event()
        self._ending: ConnectionEnded | None = None
        host, port = socket.client or ("?", 0)
        self.address = host
        self.peer = f"{host}:{port}" if port else host
        self.ended_at = 0.0
        self.is_closed_here = False

    @property
    def is_ended(self) -> bool:
        return self._ending is not None

    async def receive(self) -> bytes:
        while not self._unread:
            if self._ending is not None:
                raise self._ending
            self._arrival = asyncio.get_running_loop().create_future()
            try:
                await self._arrival
            finally:
                self._arrival = None
        line = self._unread.popleft()
        self._unread_bytes -= len(line)
        self._has_room.set()
        return line

    async def send(self, line: bytes) -> None:
        from starlette.websockets import WebSocketDisconnect

        if self._ending is None:
            text = line.rstrip(b"\n")
            try:
                if self._connection.has_unsent:
                    async with asyncio.timeout(self._write_seconds):
                        await self._socket.send_text(text.decode())
                else:
                    self._send_text(text)
            except TimeoutError:
                seconds = f"{self._write_seconds:g} s"
                self._end(ConnectionDropped("late", f"what it was sent was not read for {seconds}"), here=True)
                self._connection.abort(ConnectionEnded("the connection was closed here"))
            except (WebSocketDisconnect, RuntimeError, OSError):
                self._end(ConnectionEnded("the connection has ended"))
        if self._ending is not None:
            raise self._ending

    def close(self, ending: ConnectionEnded | None = None) -> None:
        self._end(ending or ConnectionEnded("the connection was closed here"), here=True)

    async def run(self) -> None:
        """Receive messages until the connection ends, then close it."""
        receiving = asyncio.ensure_future(self._receive_all())
        try:
            await self._has_ended.wait()
        finally:
            receiving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await receiving
            # A client that does not read or answer the closing handshake is not awaited.
            self._end(ConnectionEnded("the connection was closed here"), here=True)
            ended = cast(ConnectionEnded, self._ending)
            asyncio.get_running_loop().call_later(self._write_seconds, self._connection.abort, ended)
            with contextlib.suppress(Exception):
                async with asyncio.timeout(self._write_seconds):
                    await self._socket.close()

    async def _receive_all(self) -> None:
        while True:
            message = await self._socket.receive()
            if message["type"] == "websocket.disconnect":
                self._end(_ending_of(message.get("code"), message.get("reason")))
                return
            text = message.get("text")
            # JSON contains line ends only between tokens, where a blank is equivalent.
            line = (message["bytes"] if text is None else text.encode()).replace(b"\n", b" ")
            if line.strip():
                self._unread.append(line)
                self._unread_bytes += len(line)
                self._wake()
            while self._unread_bytes > MOST_UNREAD:
                self._has_room.clear()
                await self._has_room.wait()

    def _end(self, ending: ConnectionEnded, *, here: bool = False) -> None:
        if self._ending is None:
            self._ending = ending
            self.is_closed_here = here
            self.ended_at = asyncio.get_running_loop().time()
        self._has_ended.set()
        self._wake()

    def _wake(self) -> None:
        if self._arrival and not self._arrival.done():
            self._arrival.set_result(None)


def _ending_of(code: int | None, reason: str | None) -> ConnectionEnded:
    if code in _UNREADABLE_CODES:
        return ConnectionDropped("unreadable", f"its WebSocket broke off: {reason or f'code {code}'}")
    return ConnectionEnded("the connection has ended")
