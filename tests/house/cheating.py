"""Bad players of the catalogue (`wateringhole.testing.bad_players`) that connect to a host."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any, Protocol

import msgspec

from tests.cheat_program import courses, decent, deeds
from tests.house.hosting import EVOLUTION, CourseClient
from wateringhole.testing.bad_program import AFTER, CLOSE, Write, answer, in_protocol

__all__ = ["CulpritWire", "cheat", "connect"]

MOST_READ = 64 << 20
"""Bytes that a host may read at most, even if a player sends a gigabyte."""


class CulpritWire(Protocol):
    """A connection that can send bytes that are no message."""

    write: Write
    """The function that writes an answer."""

    async def sign_up(self, name: str) -> None: ...

    async def next_request(self) -> dict[str, Any] | None:
        """Return the next request in the JSON protocol, or None if the host has closed the connection."""
        ...

    async def send(self, text: bytes) -> None:
        """Send the bytes unchanged.  Raises ConnectionError."""
        ...

    async def close(self) -> None: ...


async def connect(line: str, port: int) -> CulpritWire:
    """Connect over one of `tests.cheats.LINES`."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 21)
    match line:
        case "TCP":
            return _Tcp(reader, writer)
        case "WebSocket":
            return await _WebSocket.shake_hands(reader, writer)
        case _:
            return _Course(reader, writer)


async def cheat(wire: CulpritWire, kind: str) -> None:
    """Play well at first and then badly, until the connection ends."""
    asked = sent = 0
    with contextlib.suppress(ConnectionError):
        while message := await wire.next_request():
            asked += 1
            done = deeds(kind, message, wire.write) if asked > AFTER else None
            for deed in [answer(message, decent(message), wire.write)] if done is None else done:
                if deed is CLOSE:
                    await wire.close()
                elif isinstance(deed, bytes):
                    await wire.send(deed)
                    # Sending does not wait while there is room, and the host runs in the same loop.
                    await asyncio.sleep(0)
                    sent += len(deed)
                    assert sent < MOST_READ, "the host read all of it"
                else:
                    await asyncio.sleep(deed)


class _Tcp:
    write: Write = staticmethod(in_protocol)

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def sign_up(self, name: str) -> None:
        await self.send(json.dumps({"type": "hello", "protocol": 1, "name": name}).encode() + b"\n")

    async def next_request(self) -> dict[str, Any] | None:
        while text := await self._line():
            message: dict[str, Any] = json.loads(text)
            if message["type"] == "request":
                return message
        return None

    async def send(self, text: bytes) -> None:
        self._writer.write(text)
        await self._writer.drain()

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    async def _line(self) -> bytes:
        return await self._reader.readline()


class _WebSocket(_Tcp):
    """A WebSocket that sends lines as messages, and an incomplete line as a fragment of a message."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        super().__init__(reader, writer)
        from websockets.client import ClientProtocol
        from websockets.uri import parse_uri

        self._protocol = ClientProtocol(parse_uri("ws://127.0.0.1/"), max_size=None)
        self._is_inside = False
        """True after the first fragment of a message."""
        self._lines: list[bytes] = []

    @classmethod
    async def shake_hands(cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> _WebSocket:
        wire = cls(reader, writer)
        wire._protocol.send_request(wire._protocol.connect())
        await wire._flush()
        wire._protocol.receive_data(await reader.readuntil(b"\r\n\r\n"))
        wire._protocol.events_received()
        return wire

    async def send(self, text: bytes) -> None:
        from websockets.exceptions import InvalidState

        *lines, rest = text.split(b"\n")
        try:
            for whole in lines:
                self._piece(whole, fin=True)
            if rest:
                self._piece(rest, fin=False)
        except InvalidState:
            raise ConnectionError("closed by the host") from None
        await self._flush()

    def _piece(self, text: bytes, *, fin: bool) -> None:
        (self._protocol.send_continuation if self._is_inside else self._protocol.send_text)(text, fin)
        self._is_inside = not fin

    async def _flush(self) -> None:
        for chunk in self._protocol.data_to_send():
            self._writer.write(chunk)
        await self._writer.drain()

    async def _line(self) -> bytes:
        from websockets.frames import Frame, Opcode

        while not self._lines:
            chunk = await self._reader.read(1 << 16)
            if not chunk:
                return b""
            self._protocol.receive_data(chunk)
            # The host waits some time for the answer to its closing frame.
            await self._flush()
            for frame in self._protocol.events_received():
                assert isinstance(frame, Frame)
                if frame.opcode is Opcode.TEXT:
                    self._lines.append(bytes(frame.data))
        return self._lines.pop(0)


class _Course:
    write: Write = staticmethod(courses)

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._client = CourseClient(reader, writer)

    async def sign_up(self, name: str) -> None:
        await self.send(json.dumps(name).encode() + b" ")

    async def next_request(self) -> dict[str, Any] | None:
        asked = await self._client.next_request()
        if asked is None:
            return None
        message = msgspec.to_builtins(EVOLUTION.codec.request_to_json(asked))
        return {**message, "request": message["kind"], "id": 0}

    async def send(self, text: bytes) -> None:
        self._client.writer.write(text)
        await self._client.writer.drain()

    async def close(self) -> None:
        await self._client.close()
