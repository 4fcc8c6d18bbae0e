"""A connection to a host over TCP or WebSocket, with or without TLS.

It blocks, because a client has one player and does one thing at a time, but never without a time limit.
The operating system buffers what arrives meanwhile.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import pluralize, single_line
from wateringhole.join.address import Address
from wateringhole.protocol.messages import LONGEST_LINE

if TYPE_CHECKING:
    from websockets.client import ClientProtocol
    from websockets.frames import Frame

__all__ = ["Connection", "TimeLimits", "connect", "try_to_connect"]

_CHUNK = 1 << 16
_SEND_SECONDS = 10.0
"""Longest wait for a host that does not read."""


@dataclass(frozen=True, kw_only=True)
class TimeLimits:
    """The longest waits for a host, in seconds, and the number of attempts."""

    attempts: int = 4
    pause: float = 2.0
    """Pause between two attempts."""
    connect: float = 10.0
    """For one attempt to connect, and for the host's first reply."""
    idle: float = 3600.0
    """For the next message."""
    reconnect: float = 60.0
    """For reconnecting after a lost connection."""


class Connection:
    """A stream of bytes to and from a host."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire

    def fileno(self) -> int:
        return self._wire.fileno()

    def receive(self, seconds: float) -> bytes:
        """Wait for bytes.  Return b"" if the connection has ended.  Raises TimeoutError."""
        self._wire.settimeout(seconds)
        try:
            chunk = self._wire.recv(_CHUNK)
            # What TLS has decrypted does not make the socket readable.
            while isinstance(self._wire, ssl.SSLSocket) and self._wire.pending():
                chunk += self._wire.recv(self._wire.pending())
            return chunk
        except TimeoutError:
            raise
        except OSError:
            return b""

    def send(self, message: bytes) -> None:
        """Send a message.  An error is ignored, because the host may have sent its reason before: read on."""
        self._wire.settimeout(_SEND_SECONDS)
        with contextlib.suppress(OSError):
            self._wire.sendall(message)

    def close(self) -> None:
        self._wire.close()


class _WebSocket(Connection):
    """A WebSocket whose text messages are lines."""

    def __init__(self, wire: socket.socket, protocol: ClientProtocol) -> None:
        super().__init__(wire)
        self._protocol = protocol
        self._part = bytearray()
        """The start of an incomplete message.  The library limits its length."""

    def shake_hands(self, address: Address, seconds: float) -> None:
        """Open the WebSocket.  Raises OSError if a later attempt may succeed, and OperationError otherwise."""
        from websockets.exceptions import InvalidStatus

        protocol = self._protocol
        protocol.send_request(protocol.connect())
        deadline = time.monotonic() + seconds
        has_reply = False
        while protocol.handshake_exc is None and not protocol.events_received():
            self._flush()
            has_more = self._feed(deadline)
            if not has_more and not has_reply:
                raise OSError(None, "it closed the connection")
            has_reply = True
        error = protocol.handshake_exc
        if error is None:
            return
        if isinstance(error, InvalidStatus):
            status, body = (
                error.response.status_code,
                single_line((error.response.body or b"").decode(errors="replace")),
            )
            if status >= 500:
                raise OSError(None, f"HTTP status {status} {body}".strip())
            raise OperationError(
                f"{address} is an HTTP server, but not a house: status {status} for {address.url}. {body}".strip()
            )
        raise OperationError(
            f"{address} does not speak WebSocket. For a TCP server, use {address.host}:{address.port}."
        )

    def receive(self, seconds: float) -> bytes:
        """Wait for a message.  Pings are answered meanwhile."""
        deadline = time.monotonic() + seconds
        while True:
            lines = b"".join(map(self._line, self._protocol.events_received()))  # type: ignore[arg-type]
            self._flush()
            if lines:
                return lines
            # A host that dies sends no closing frame, so that the end of the stream is all that shows it.
            if self._protocol.close_expected() or not self._feed(deadline):
                return b""

    def send(self, message: bytes) -> None:
        from websockets.exceptions import InvalidState

        with contextlib.suppress(InvalidState):
            self._protocol.send_text(message.rstrip(b"\n"))
        self._flush()

    def close(self) -> None:
        from websockets.protocol import State

        if self._protocol.state is State.OPEN:
            self._protocol.send_close()
        self._flush()
        super().close()

    def _feed(self, deadline: float) -> bool:
        """Wait for bytes and return whether any came.  Raises TimeoutError."""
        chunk = super().receive(max(0.001, deadline - time.monotonic()))
        if chunk:
            self._protocol.receive_data(chunk)
        else:
            self._protocol.receive_eof()
        return bool(chunk)

    def _flush(self) -> None:
        for data in self._protocol.data_to_send():
            super().send(data)

    def _line(self, frame: Frame) -> bytes:
        """Return the line that a frame completes, or b"" if it completes none."""
        from websockets.frames import DATA_OPCODES

        if frame.opcode not in DATA_OPCODES:
            return b""
        self._part += frame.data
        if not frame.fin:
            return b""
        message = bytes(self._part).replace(b"\n", b" ")
        self._part.clear()
        return message + b"\n"


def connect(address: Address, limits: TimeLimits, report: Callable[[str], None]) -> Connection:
    """Connect to a host, in several attempts.  Raises OperationError if all fail."""
    for attempt in range(1, limits.attempts + 1):
        try:
            return try_to_connect(address, limits.connect)
        except OSError as error:
            why = error.strerror or str(error) or "no answer"
        if attempt < limits.attempts:
            if attempt == 1:
                report(f"no connection to {address} yet: {why}; trying again")
            time.sleep(limits.pause)
    tries = pluralize(limits.attempts, "attempt") if limits.attempts > 1 else "one attempt"
    raise OperationError(f"no connection to {address} after {tries}: {why}. Is a host running there?")


def try_to_connect(address: Address, seconds: float) -> Connection:
    """Connect to a host.  Raises OSError if a later attempt may succeed, and OperationError otherwise."""
    with contextlib.ExitStack() as on_error:
        wire = on_error.enter_context(socket.create_connection((address.host, address.port), seconds))
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A player may wait in a lobby for hours; keepalive detects a host that has disappeared.
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        if address.scheme == "wss":
            wire = on_error.enter_context(_encrypted(wire, address))
        connection = Connection(wire)
        if address.is_websocket:
            connection = websocket = _WebSocket(wire, _client_protocol(address.url))
            websocket.shake_hands(address, seconds)
        on_error.pop_all()
        return connection


def _encrypted(wire: socket.socket, address: Address) -> ssl.SSLSocket:
    try:
        return ssl.create_default_context().wrap_socket(wire, server_hostname=address.host)
    except ssl.SSLCertVerificationError as error:
        raise OperationError(
            f"the certificate of {address} is not valid: {error.verify_message}. "
            "If it is your own, name its file in the environment variable SSL_CERT_FILE."
        ) from None
    except ssl.SSLError as error:
        why = (error.reason or "no reason").replace("_", " ").lower()
        raise OperationError(
            f"{address} does not speak TLS ({why}). Without TLS, use http://{address.host}:{address.port}."
        ) from None


def _client_protocol(url: str) -> ClientProtocol:
    try:
        from websockets.client import ClientProtocol
        from websockets.uri import parse_uri
    except ModuleNotFoundError:
        raise UsageError(f"{url} needs an extra for WebSocket: pip install 'wateringhole[web]'.") from None
    # No extensions: a compressed message could be larger than it looks.
    return ClientProtocol(parse_uri(url), max_size=LONGEST_LINE)
