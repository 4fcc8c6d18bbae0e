"""WebSocket on a host's port: text messages as lines, without input or output.

The handshake and the framing are the `websockets` library's, which is an extra: without it the
host plays on, and refuses WebSockets with a reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wateringhole.net.connection import ConnectionEnded, CutOff
from wateringhole.protocol import LONGEST_LINE

if TYPE_CHECKING:
    from websockets.frames import Frame
    from websockets.server import ServerProtocol

__all__ = ["REFUSAL", "WebSocket", "WebSocketRefused", "open_websocket"]

_WHY_NOT = "WebSocket needs an extra here: pip install 'wateringhole[web]'"
REFUSAL = (
    f"HTTP/1.1 501 Not Implemented\r\nContent-Type: text/plain\r\nContent-Length: {len(_WHY_NOT) + 1}\r\n"
    f"Connection: close\r\n\r\n{_WHY_NOT}\n"
).encode()
"""What a browser hears where the library is missing."""


class WebSocketRefused(Exception):
    """There will be no WebSocket; the text says why, and `response` is to be sent."""

    def __init__(self, why: str, response: bytes) -> None:
        super().__init__(why)
        self.response = response


def open_websocket() -> WebSocket:
    """A WebSocket whose request is still to come.  Raises WebSocketRefused where there can be none."""
    try:
        from websockets.server import ServerProtocol
    except ModuleNotFoundError:
        raise WebSocketRefused(_WHY_NOT, REFUSAL) from None
    # No extensions: a compressed message could be larger than it looks.
    return WebSocket(ServerProtocol(max_size=LONGEST_LINE))


class WebSocket:
    """The host's end.  Whole text messages come out as lines."""

    def __init__(self, protocol: ServerProtocol) -> None:
        self._protocol = protocol
        self._part = bytearray()
        """Of a message that is not whole yet; the library sees to it that it does not grow too long."""

    @property
    def ending(self) -> ConnectionEnded | None:
        if self._protocol.parser_exc is not None:
            return CutOff("unreadable", f"its WebSocket broke off: {self._protocol.parser_exc}")
        return ConnectionEnded("the connection has ended") if self._protocol.close_expected() else None

    def shake_hands(self, chunk: bytes) -> bytes | None:
        """Take bytes of the request; what is to be sent when it is whole, None before.

        Raises WebSocketRefused when it asks for something else.
        """
        from websockets.http11 import Request

        protocol = self._protocol
        protocol.receive_data(chunk)
        for event in protocol.events_received():
            if isinstance(event, Request):
                protocol.send_response(protocol.accept(event))
        response = b"".join(protocol.data_to_send())
        if protocol.handshake_exc is not None:
            raise WebSocketRefused(f"no WebSocket: {protocol.handshake_exc}", response)
        return response or None

    def receive(self, chunk: bytes) -> bytes:
        self._protocol.receive_data(chunk)
        lines = bytearray()
        for event in self._protocol.events_received():
            lines += self._line(event)  # type: ignore[arg-type]  # only frames follow a handshake
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
