"""One port for all transports, or one for HTTP and one for the raw protocols.

The first bytes of a connection choose what it speaks::

    {, or a knock      the JSON protocol, one object per line (`docs/reference/protocol.md`)
    an HTTP method     HTTP: the page, and WebSockets that carry the JSON protocol (`transports.http`)
    anything else      a foreign protocol of the game, whose first value signs up (`facets.ForeignProtocol`)

No connection delays another: each one has its own task until it has signed up.  Connections that do
not sign up in time are closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import os
from collections import Counter
from collections.abc import Callable, Coroutine
from errno import EADDRINUSE
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal, Protocol

from wateringhole.errors import OperationError
from wateringhole.house.limits import ConnectionCounter, HouseLimits
from wateringhole.house.transports.connection import Connection, ConnectionEnded
from wateringhole.house.transports.lines import Lines, TcpLines, WebSocketLines
from wateringhole.protocol.frames import FrameError
from wateringhole.protocol.messages import is_named_knock, to_line

if TYPE_CHECKING:
    from wateringhole.house.transports.http import Http

__all__ = ["Door", "Port", "Refused"]

MOST_REASONS = 100
"""How many refused connections get a reason at the same time; the others are closed without a message."""
METHOD_SECONDS = 0.5
"""How long to wait for the rest of an HTTP method, which may arrive in pieces."""
REASON_SECONDS = 1.0
"""How long to wait for the first bytes of a refused connection, which select the protocol of the reason."""
METHODS = (b"GET ", b"HEAD ", b"POST ", b"PUT ", b"DELETE ", b"CONNECT ", b"OPTIONS ", b"TRACE ", b"PATCH ")
NO_HTTP = "HTTP and WebSocket need an extra on the host: pip install 'wateringhole[web]'"

Speaks = Literal["all", "http", "raw"]
"""What a listening port accepts.  The raw protocols are those without HTTP: JSON lines and foreign ones."""


class Refused(Exception):
    """A refused connection: the text is the reason, and `reply` must be sent first."""

    def __init__(self, why: str, reply: bytes = b"") -> None:
        super().__init__(why)
        self.reply = reply


class Door(Protocol):
    """The sign-up of a house.  Both functions return the name of the player, and raise Refused and ConnectionEnded."""

    async def sign_up(self, lines: Lines) -> str:
        """Sign up a player of the JSON protocol."""
        ...

    async def sign_up_foreign(self, connection: Connection) -> str:
        """Sign up a player of a foreign protocol."""
        ...


class Port:
    """The listening port of a house, and perhaps a second one for the raw protocols (`HouseLimits.raw_port`).

    It passes connections to the door of the house, and those of HTTP to `http`, if any.
    """

    def __init__(self, door: Door, limits: HouseLimits, log: Callable[[str], None]) -> None:
        self.limits = limits
        self.log = log
        self.http: Http | None = None
        self.raw_port: int | None = None
        """The number of the second port, if it is open."""
        self._door = door
        self._counter = ConnectionCounter(limits.connections_per_address, limits.signups_per_second)
        self._proxies = [ipaddress.ip_network(proxy) for proxy in limits.proxies]
        self._connections: set[Connection] = set()
        self._counted: set[Connection] = set()
        """Connections that count for their address."""
        self._waiting: set[Connection] = set()
        """Connections that have neither signed up nor sent an HTTP request."""
        self._deadlines: dict[Connection, asyncio.TimerHandle] = {}
        """The end of the wait for an HTTP request."""
        self._requests: Counter[Connection] = Counter()
        """HTTP requests that are being served.  The next one of a connection may begin before the last one ends."""
        self._names: dict[Connection, str] = {}
        """The names of the players who have signed up."""
        self._sending_reasons = 0
        """Refused connections that are getting their reason."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._listeners: list[asyncio.Server] = []

    async def open(self, address: str, port: int) -> tuple[str, int]:
        """Listen, and return the address and port in use.  Port 0 selects a free port.  Raises OperationError."""
        raw_port = self.limits.raw_port
        if raw_port is None:
            return await self._listen(address, port, "all")
        if self.http is None:
            raise OperationError(f"--raw-port {raw_port}: nothing is left for the other port. {NO_HTTP}.")
        bound = await self._listen(address, port, "http")
        raw_address, self.raw_port = await self._listen(address, raw_port, "raw")
        self.log(f"JSON lines and foreign protocols on {raw_address} port {self.raw_port}")
        return bound

    async def _listen(self, address: str, port: int, speaks: Speaks) -> tuple[str, int]:
        loop = asyncio.get_running_loop()
        try:
            listener = await loop.create_server(functools.partial(self._accept, speaks), address, port, backlog=1024)
        except (OSError, UnicodeError) as error:
            number = getattr(error, "errno", None) or 0
            # The loop replaces the system's message with its own; an unknown host name has a number below 0.
            why = os.strerror(number) if number > 0 else getattr(error, "strerror", None) or str(error)
            option = "--raw-port" if speaks == "raw" else "--port"
            hint = f" Another program listens there; {option} 0 selects a free port." if number == EADDRINUSE else ""
            raise OperationError(f"cannot listen on {address} port {port}: {why}.{hint}") from None
        self._listeners.append(listener)
        bound = listener.sockets[0].getsockname()
        return bound[0], bound[1]

    def stop_listening(self) -> None:
        """Accept no more connections."""
        for listener in self._listeners:
            listener.close()

    async def close(self) -> None:
        """Stop listening and close all connections."""
        self.stop_listening()
        tasks = [*self._tasks]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self.http:
            await self.http.close()
        for connection in [*self._connections]:
            connection.close()
        for listener in self._listeners:
            await listener.wait_closed()

    # New connections

    def _accept(self, speaks: Speaks) -> Connection:
        on_connection = functools.partial(self._on_connection, speaks)
        return Connection(self.limits.write_seconds, on_connection, self._on_connection_lost)

    def _on_connection(self, speaks: Speaks, connection: Connection) -> None:
        why = None
        # A proxy has the connections of all its clients; they are counted when their addresses are known.
        if not self.is_proxy(connection.address):
            why = self._counter.start(connection.address, asyncio.get_running_loop().time())
            if why is None:
                self._counted.add(connection)
        if why is None and len(self._waiting) >= self.limits.waiting_connections:
            why = f"{self.limits.waiting_connections} connections wait for their sign-up already"
        self._connections.add(connection)
        if why is None:
            self._waiting.add(connection)
            self._start(self._settle(connection, self._choose(connection, speaks)))
        elif self._sending_reasons < MOST_REASONS:
            self._start(self._refuse_with_reason(connection, why))
        else:
            self._refuse(connection, why)

    def _on_connection_lost(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._uncount(connection)
        self._requests.pop(connection, None)
        if deadline := self._deadlines.pop(connection, None):
            deadline.cancel()
            if connection in self._waiting:
                self.log(f"refused {connection.peer}: it sent no valid HTTP request")
        self._waiting.discard(connection)
        name = self._names.pop(connection, None)
        if name is not None:
            self._log_departure(name, connection)

    def _uncount(self, connection: Connection) -> None:
        if connection in self._counted:
            self._counted.remove(connection)
            self._counter.remove(connection.address)

    def is_proxy(self, address: str) -> bool:
        """Return whether the operator has named a proxy with this address."""
        return bool(self._proxies) and any(
            ipaddress.ip_address(address.partition("%")[0]) in network for network in self._proxies
        )

    # Signing up

    async def _choose(self, connection: Connection, speaks: Speaks) -> None:
        """Pass a connection on, as its first bytes demand."""
        start = await _first_bytes(connection)
        self._check_protocol(start, speaks)
        if is_named_knock(start):
            start = to_line({"type": "knock"})
        connection.unread(start)
        if start.startswith(METHODS):
            self._serve_http(connection)
            return
        if start.startswith(b"{"):
            name = await self._door.sign_up(TcpLines(connection, self.limits.line_bytes))
        else:
            name = await self._door.sign_up_foreign(connection)
        self._waiting.discard(connection)
        self._names[connection] = name

    def _check_protocol(self, start: bytes, speaks: Speaks) -> None:
        """Raise Refused if a connection that starts like this belongs to the other port."""
        is_http = start.startswith(METHODS)
        if speaks == "http" and not is_http:
            why = f"this port is for HTTP and WebSocket; port {self.raw_port} is for JSON lines and foreign protocols"
            raise Refused(why, to_line({"type": "bye", "reason": why}) if start.startswith(b"{") else b"")
        if speaks == "raw" and is_http:
            why = "this port is not for HTTP and WebSocket"
            raise Refused(why, _response(HTTPStatus.MISDIRECTED_REQUEST, why))

    async def _settle(self, end: Connection | Lines, sign_up: Coroutine[Any, Any, None]) -> None:
        """Wait for a sign-up, and refuse the connection if it fails or takes too long."""
        seconds = self.limits.signup_timeout
        try:
            async with asyncio.timeout(seconds):
                await sign_up
        except TimeoutError:
            self._refuse(end, f"no sign-up within {seconds:g} s")
        except Refused as refused:
            if refused.reply:
                with contextlib.suppress(ConnectionEnded):
                    await end.send(refused.reply)
            self._refuse(end, str(refused))
        except (FrameError, ConnectionEnded) as error:
            self._refuse(end, str(error))

    async def _refuse_with_reason(self, connection: Connection, why: str) -> None:
        """Refuse a connection with a reason.  Foreign protocols have no message for this."""
        self._sending_reasons += 1
        try:
            async with asyncio.timeout(REASON_SECONDS):
                start = await _first_bytes(connection)
                if start.startswith(b"{"):
                    await connection.send(to_line({"type": "bye", "reason": why}))
                elif start.startswith(METHODS):
                    await connection.send(_response(HTTPStatus.SERVICE_UNAVAILABLE, why))
        except (TimeoutError, ConnectionEnded):
            pass
        finally:
            self._sending_reasons -= 1
            self._refuse(connection, why)

    def _refuse(self, end: Connection | Lines, why: str) -> None:
        self.log(f"refused {end.peer}: {why}")
        end.close()

    def _log_departure(self, name: str, end: Connection | Lines) -> None:
        if not end.is_closed_here:
            self.log(f"{name!r} has disconnected from {end.peer}")

    # HTTP and WebSocket

    def _serve_http(self, connection: Connection) -> None:
        """Let HTTP take over.  Only its WebSockets count for the address, because pages use many short connections."""
        if self.http is None:
            raise Refused(NO_HTTP, _response(HTTPStatus.NOT_IMPLEMENTED, NO_HTTP))
        self._uncount(connection)
        self._await_request(connection)
        self.http.serve(connection)

    def _await_request(self, connection: Connection) -> None:
        """Close a connection of HTTP unless a complete request arrives in time."""

        def give_up() -> None:
            del self._deadlines[connection]
            if connection in self._waiting:
                self.log(f"refused {connection.peer}: no HTTP request within {self.limits.signup_timeout:g} s")
            connection.close()

        loop = asyncio.get_running_loop()
        self._deadlines[connection] = loop.call_later(self.limits.signup_timeout, give_up)

    def on_request(self, connection: Connection) -> None:
        """Note that a complete request has arrived."""
        self._waiting.discard(connection)
        if connection in self._connections:
            self._requests[connection] += 1
        if deadline := self._deadlines.pop(connection, None):
            deadline.cancel()

    def on_response(self, connection: Connection) -> None:
        """Note that a request has been served."""
        self._requests[connection] -= 1
        if not self._requests[connection]:
            self._await_request(connection)

    def count_client(self, address: str) -> str | None:
        """Count a WebSocket for its client's address.  Return the reason if it is refused, or None."""
        return self._counter.add(address)

    def uncount_client(self, address: str) -> None:
        self._counter.remove(address)

    async def join(self, lines: WebSocketLines) -> None:
        """Sign up a player of the JSON protocol over a WebSocket, and stay until it ends."""
        name = None

        async def sign_up() -> None:
            nonlocal name
            name = await self._door.sign_up(lines)

        running = asyncio.ensure_future(lines.run())
        try:
            await self._settle(lines, sign_up())
            await running
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            if name is not None:
                self._log_departure(name, lines)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def _first_bytes(connection: Connection) -> bytes:
    """Return the first bytes after leading blanks, enough to distinguish the protocols."""
    start = b""
    while not start:
        start = (await connection.read()).lstrip()
    while any(len(start) < len(method) and method.startswith(start) for method in METHODS):
        try:
            async with asyncio.timeout(METHOD_SECONDS):
                start += await connection.read()
        except (TimeoutError, ConnectionEnded):
            break
    return start


def _response(status: HTTPStatus, why: str) -> bytes:
    """Return an HTTP response without the help of HTTP's libraries."""
    body = f"{why}\n".encode()
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body
