"""HTTP and WebSocket on connections that a port hands over.  uvicorn does both."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.exceptions import InvalidState

from wateringhole.house.transports.batching import BatchingTransport
from wateringhole.house.transports.connection import Connection
from wateringhole.house.transports.forwarded import with_client_addresses
from wateringhole.house.transports.lines import WebSocketLines
from wateringhole.house.transports.origins import Origins
from wateringhole.house.transports.port import Port

if TYPE_CHECKING:
    import h11
    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn._types import ASGISendEvent

__all__ = ["Http", "client_of", "connection_of", "join", "join_only_app", "refuse_websocket"]

CLOSE_SECONDS = 2.0
"""How long open requests may take when the house is closed."""


class _HttpProtocol(H11Protocol):
    """uvicorn's HTTP protocol on a connection of a port."""

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        _connection(self).connection_lost(error)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        super().handle_websocket_upgrade(event)
        # Some clients send their first message together with the request.
        early, _ = self.conn.trailing_data
        if early:
            cast(asyncio.Protocol, self.transport.get_protocol()).data_received(early)


class _WebSocketProtocol(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol on a connection of a port."""

    _early = b""
    """The bytes that the client sent before its WebSocket was accepted."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(BatchingTransport(cast(asyncio.Transport, transport)))
        self.app_state["send_text"] = self.send_text

    def data_received(self, data: bytes) -> None:
        if self.handshake_initiated and not self.handshake_complete:
            # uvicorn fails if these bytes are no message, because it cannot close what it has not accepted.
            self._early += data
            self.transport.pause_reading()
        else:
            super().data_received(data)

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self._early and self.handshake_complete:
            early, self._early = self._early, b""
            self.transport.resume_reading()
            super().data_received(early)

    def send_text(self, text: bytes) -> None:
        """Send a message at once, without the layers of the application.  Raises OSError."""
        if self.disconnected or self.close_sent:
            raise ClientDisconnected
        try:
            self.conn.send_text(text)
        except InvalidState:
            raise ClientDisconnected from None
        self.transport.write(b"".join(self.conn.data_to_send()))

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        _connection(self).connection_lost(error)

    def shutdown(self) -> None:
        # uvicorn cannot send a second close frame after the answer to the client's.
        with contextlib.suppress(InvalidState):
            super().shutdown()
        self.transport.close()

    def send_receive_event_to_app(self) -> None:
        # uvicorn stops reading at every message until the application takes it.  These two system calls
        # are needed only if the application has not taken the message before.
        keeps_reading = self.queue.empty() and not self.read_paused
        if keeps_reading:
            self.read_paused = True
        # uvicorn cannot close because of an invalid text if the client has closed already, which it handles next.
        with contextlib.suppress(InvalidState):
            super().send_receive_event_to_app()
        if keeps_reading:
            self.read_paused = False

    def pause_writing(self) -> None:
        # A client that does not read must not cause more writes, for example by pinging.
        super().pause_writing()
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if not self.read_paused:
            self.transport.resume_reading()

    def start_keepalive(self) -> None:
        if not _connection(self).must_pong:
            self.ping_timeout = None
        super().start_keepalive()


def _connection(protocol: _HttpProtocol | _WebSocketProtocol) -> Connection:
    connection: Connection = protocol.app_state["connection"]
    return connection


class Http:
    """An ASGI application on the connections of a port."""

    def __init__(self, app: ASGIApp, port: Port, *, compresses: bool = False) -> None:
        """`compresses` allows compressed WebSocket messages."""
        limits = port.limits
        self._app = with_client_addresses(app, limits.proxies, port.is_proxy) if limits.proxies else app
        self._port = port
        self._config = uvicorn.Config(
            cast(Any, self._serve_request),
            http=_HttpProtocol,
            ws=_WebSocketProtocol,
            ws_max_size=limits.line_bytes,
            ws_per_message_deflate=compresses,
            interface="asgi3",
            lifespan="off",
            # The port logs refused connections, and `_serve_request` errors.
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,  # `_app` reads them
        )
        self._config.load()
        self._state = ServerState()

    def serve(self, connection: Connection) -> None:
        """Serve a connection from now on."""
        connection.hand_over(_HttpProtocol(self._config, self._state, {"connection": connection}))

    async def close(self) -> None:
        """End all connections, after a moment for their requests."""
        for protocol in [*self._state.connections]:
            protocol.shutdown()
        tasks = [*self._state.tasks]
        if tasks:
            _, late = await asyncio.wait(tasks, timeout=CLOSE_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    async def _serve_request(self, scope: Scope, receive: Receive, send: Send) -> None:
        connection = connection_of(scope)
        self._port.on_request(connection)
        try:
            await self._app(scope, receive, send)
        except OSError:
            # The client has disconnected.
            pass
        except Exception:
            self._port.log(f"unexpected error in a request from {connection.peer}: {traceback.format_exc()}")
        finally:
            if scope["type"] == "http" and not connection.is_ended:
                self._port.on_response(connection)


def connection_of(scope: Scope) -> Connection:
    """Return the TCP connection of a request."""
    connection: Connection = scope["state"]["connection"]
    return connection


def client_of(scope: Scope) -> str:
    """Return the address of the client, which a trusted proxy may have reported."""
    client = scope.get("client")
    return client[0] if client else "?"


async def refuse_websocket(socket: WebSocket, status: int, why: str) -> None:
    """Refuse a WebSocket before it is accepted."""
    await socket.send_denial_response(PlainTextResponse(f"{why}\n", status))


async def join(socket: WebSocket, port: Port) -> None:
    """Serve a WebSocket that carries the JSON protocol."""
    address = client_of(socket.scope)
    connection = connection_of(socket.scope)
    why = port.count_client(address)
    if why is not None:
        port.log(f"refused {connection.peer}: {why}")
        await refuse_websocket(socket, 503, why)
        return
    try:
        # A program may think longer than any browser stays silent.
        connection.must_pong = False
        await socket.accept()
        send_text = socket.scope["state"]["send_text"]
        await port.join(WebSocketLines(socket, connection, port.limits.write_seconds, send_text))
    finally:
        port.uncount_client(address)


def join_only_app(port: Port) -> Starlette:
    """Return the application of a house without a page: WebSockets of the JSON protocol, at any path."""
    origins = Origins(allowed=port.limits.origins, has_page=False)

    async def serve_websocket(socket: WebSocket) -> None:
        local, _ = socket.scope["server"]
        why = origins.problem(Headers(scope=socket.scope), local)
        if why is None:
            await join(socket, port)
        else:
            port.log(f"refused {connection_of(socket.scope).peer}: {why}")
            await refuse_websocket(socket, 403, why)

    async def refuse_request(request: Request) -> Response:
        why = "it sent an HTTP request that opens no WebSocket"
        port.log(f"refused {connection_of(request.scope).peer}: {why}")
        answer = "This host has no page. Join it with: wateringhole join ADDRESS PLAYER\n"
        return PlainTextResponse(answer, 426, {"Upgrade": "websocket", "Connection": "close"})

    methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"]
    return Starlette(
        routes=[
            WebSocketRoute("/{path:path}", serve_websocket),
            Route("/{path:path}", refuse_request, methods=methods),
        ]
    )
