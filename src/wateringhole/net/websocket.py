"""WebSocket on a host's port: text messages as lines, without input or output.

The handshake and the framing are the `websockets` library's, which is an extra: without it the
host plays on, and refuses WebSockets with a reason.
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

_MISSING = "WebSocket needs an extra here: pip install 'wateringhole[web]'"


class WebSocketRefused(Exception):
    """There will be no WebSocket; the text says why, and `response` is to be sent."""

    def __init__(self, why: str, response: bytes) -> None:
        super().__init__(why)
        self.response = response


def refusal(status: HTTPStatus, why: str) -> bytes:
    """What a browser hears where there is no WebSocket."""
    body = f"{why}\n".encode()
    return (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    ).encode() + body


def open_websocket(address: str, origins: Sequence[str] = ()) -> WebSocket:
    """A WebSocket at an address of ours, whose request is still to come.

    Whoever opens a web page lets it call hosts in its name, also on its own machine.  So pages of
    this machine may come, those of the origins listed, and programs that are no browser, which
    name no origin.  Raises WebSocketRefused where there can be no WebSocket.
    """
    try:
        from websockets.server import ServerProtocol
    except ModuleNotFoundError:
        raise WebSocketRefused(_MISSING, refusal(HTTPStatus.NOT_IMPLEMENTED, _MISSING)) from None
    allowed: Any = None if "*" in origins else [None, _own_origins(address), *origins]
    # No extensions: a compressed message could be larger than it looks.
    return WebSocket(ServerProtocol(max_size=LONGEST_LINE, origins=allowed))


def _own_origins(address: str) -> re.Pattern[str]:
    """Pages from the address itself, on any port.

    Names are not believed, as whoever owns one may let it point to us; localhost cannot be owned.
    """
    own = [f"[{address}]" if ":" in address else address]
    if ip_address(address.partition("%")[0]).is_loopback:
        own.append("localhost")
    return re.compile(rf"https?://({'|'.join(map(re.escape, own))})(:\d+)?")


class WebSocket:
    """The host's end.  Whole text messages come out as lines."""

    def __init__(self, protocol: ServerProtocol) -> None:
        self._protocol = protocol
        self._part = bytearray()
        """Of a message that is not whole yet; the library sees to it that it does not grow too long."""
        self._early = bytearray()
        """Lines that came together with the request."""

    @property
    def ending(self) -> ConnectionEnded | None:
        if self._protocol.parser_exc is not None:
            return ConnectionDropped("unreadable", f"its WebSocket broke off: {self._protocol.parser_exc}")
        return ConnectionEnded("the connection has ended") if self._protocol.close_expected() else None

    def shake_hands(self, chunk: bytes) -> bytes | None:
        """Take bytes of the request; what is to be sent when it is whole, None before.

        Raises WebSocketRefused when it asks for something else.
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
            raise WebSocketRefused(
                f"a page of {origin} may not come here unless it is let with --allow-origin", response
            )
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
        """The line that a frame completes; empty: none."""
        from websockets.frames import Opcode

        if frame.opcode not in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
            return b""
        self._part += frame.data
        if not frame.fin:
            return b""
        # JSON has line ends between its parts only, where a blank does as well.
        message = bytes(self._part).replace(b"\n", b" ")
        self._part.clear()
        return message + b"\n"
