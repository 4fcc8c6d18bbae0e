"""WebSocket on a host's port: text messages as lines, without input or output.

The `websockets` library, an extra, does the handshake and the framing.  Without it, the host runs
but refuses WebSockets with a reason.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from wateringhole.formatting import short_repr
from wateringhole.net.connection import ConnectionDropped, ConnectionEnded
from wateringhole.protocol.messages import LONGEST_LINE

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.server import ServerProtocol

__all__ = ["WebSocket", "WebSocketRefused", "open_websocket", "refusal"]

_MISSING = "WebSocket needs an extra on the host: pip install 'wateringhole[web]'"


class WebSocketRefused(Exception):
    """A refused WebSocket: the text is the reason, and `response` must be sent."""

    def __init__(self, why: str, response: bytes) -> None:
        super().__init__(why)
        self.response = response


def refusal(status: HTTPStatus, why: str) -> bytes:
    """Return the HTTP response that refuses a WebSocket."""
    body = f"{why}\n".encode()
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body


def open_websocket(address: str, origins: Sequence[str] = ()) -> WebSocket:
    """Return a WebSocket at a local address, before its request has arrived.

    A web page can make the browser connect to any host, also on the user's own machine.  So only
    pages of this machine and of the listed origins may connect, and programs other than browsers,
    which send no origin.  Raises WebSocketRefused if the library is missing.
    """
    try:
        from websockets.server import ServerProtocol
    except ModuleNotFoundError:
        raise WebSocketRefused(_MISSING, refusal(HTTPStatus.NOT_IMPLEMENTED, _MISSING)) from None
    allowed: Any = None if "*" in origins else [None, _own_origins(address), *origins]
    # No extensions: a compressed message could be larger than it looks.
    return WebSocket(ServerProtocol(max_size=LONGEST_LINE, origins=allowed))


def _own_origins(address: str) -> re.Pattern[str]:
    """Return a pattern for the origins of pages from the address itself, on any port.

    Host names are not trusted, because their owners can point them to this address.  The exception
    is localhost, which has no owner.
    """
    own = [f"[{address}]" if ":" in address else address]
    if ip_address(address.partition("%")[0]).is_loopback:
        own.append("localhost")
    return re.compile(rf"https?://({'|'.join(map(re.escape, own))})(:\d+)?")


class WebSocket:
    """The host's end of a WebSocket, which turns text messages into lines."""

    def __init__(self, protocol: ServerProtocol) -> None:
        self._protocol = protocol
        self._part = bytearray()
        """The start of an incomplete message.  The library limits its length."""
        self._early = bytearray()
        """Lines that arrived together with the request."""

    @property
    def ending(self) -> ConnectionEnded | None:
        if self._protocol.parser_exc is not None:
            return ConnectionDropped("unreadable", f"its WebSocket broke off: {self._protocol.parser_exc}")
        return ConnectionEnded("the connection has ended") if self._protocol.close_expected() else None

    def shake_hands(self, chunk: bytes) -> bytes | None:
        """Take bytes of the request.  Return the response once the request is complete, or None before.

        Raises WebSocketRefused if the request is for anything else.
        """
        from websockets.exceptions import InvalidOrigin
        from websockets.http11 import Request

        protocol = self._protocol
        protocol.receive_data(chunk)
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
            else:
                self._early += self._line(event)  # type: ignore[arg-type]  # only frames follow a handshake
        response = b"".join(protocol.data_to_send())
        if isinstance(protocol.handshake_exc, InvalidOrigin):
            origin = short_repr(protocol.handshake_exc.value)
            raise WebSocketRefused(f"a page from {origin} may not connect; --allow-origin would allow it", response)
        if protocol.handshake_exc is not None:
            raise WebSocketRefused(f"no WebSocket: {protocol.handshake_exc}", response)
        return response or None

    def receive(self, chunk: bytes) -> bytes:
        self._protocol.receive_data(chunk)
        lines, self._early = self._early, bytearray()
        for event in self._protocol.events_received():
            lines += self._line(event)  # type: ignore[arg-type]
        return bytes(lines)

    def encode(self, line: bytes) -> bytes:
        self._protocol.send_text(line.rstrip(b"\n"))
        return self.pending()

    def pending(self) -> bytes:
        return b"".join(self._protocol.data_to_send())

    def farewell(self) -> bytes:
        from websockets.protocol import State

        if self._protocol.state is State.OPEN:
            self._protocol.send_close()
        return self.pending()

    def _line(self, frame: Frame) -> bytes:
        """Return the line that a frame completes, or b"" if it completes none."""
        from websockets.frames import Opcode

        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return b""
        self._part += frame.data
        if not frame.fin:
            return b""
        # JSON contains line ends only between tokens, where a blank is equivalent.
        message = bytes(self._part).replace(b"\n", b" ")
        self._part.clear()
        return message + b"\n"
