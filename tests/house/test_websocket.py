"""The JSON protocol over WebSocket at a host, with raw frames."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

pytest.importorskip("websockets")

from websockets.client import ClientProtocol
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from tests.house.hosting import Hosted, hosted, run
from wateringhole.protocol.messages import LONGEST_LINE

HELLO = b'{"type":"hello",\n"protocol":1,"name":"Ada"}'
MOST_BUFFERED = 32 << 20
"""More bytes than the buffers of the system and the host can hold."""


class Socket:
    """A WebSocket whose frames are sent as they are."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, table: Hosted) -> None:
        self.table = table
        self.reader = reader
        self.writer = writer
        self._frames: list[Any] = []
        self.protocol = ClientProtocol(
            parse_uri("ws://host/"), max_size=None, extensions=[ClientPerMessageDeflateFactory()]
        )

    def send(self, *frames: Frame, size: int = 1 << 20) -> None:
        wire = b"".join(frame.serialize(mask=True) for frame in frames)
        for start in range(0, len(wire), size):
            self.writer.write(wire[start : start + size])

    async def frame(self) -> Any:
        """Return the next frame, or None if the connection has ended."""
        while not self._frames:
            chunk = await self.reader.read(1 << 16)
            if not chunk:
                return None
            self.protocol.receive_data(chunk)
            self._frames += self.protocol.events_received()
        return self._frames.pop(0)


@contextlib.asynccontextmanager
async def connected() -> AsyncIterator[Socket]:
    async with hosted() as table:
        socket = Socket(*await asyncio.open_connection("127.0.0.1", table.port), table)
        socket.protocol.send_request(socket.protocol.connect())
        socket.writer.writelines(socket.protocol.data_to_send())
        socket.protocol.receive_data(await socket.reader.readuntil(b"\r\n\r\n"))
        socket.protocol.events_received()
        try:
            yield socket
        finally:
            socket.writer.transport.abort()


def test_messages_of_several_frames_and_lines_are_one_line() -> None:
    async def test() -> None:
        async with connected() as socket:
            socket.send(
                Frame(Opcode.TEXT, HELLO[:5], fin=False),
                Frame(Opcode.CONT, b"", fin=False),
                Frame(Opcode.PING, b"still there?"),
                Frame(Opcode.CONT, HELLO[5:]),
                size=1,
            )
            await socket.table.signed_up("Ada")
            assert socket.protocol.extensions == [], "a compressed message could be larger than it looks"
            pong = await socket.frame()
            hello = await socket.frame()
            assert (pong.opcode, bytes(pong.data)) == (Opcode.PONG, b"still there?")
            assert bytes(hello.data).startswith(b'{"type":"hello"')
            assert not bytes(hello.data).endswith(b"\n")

    run(test())


def test_binary_messages_count_as_text() -> None:
    async def test() -> None:
        async with connected() as socket:
            socket.send(Frame(Opcode.BINARY, HELLO))
            await socket.table.signed_up("Ada")

    run(test())


BROKEN: dict[str, tuple[Frame, ...]] = {
    "a message that is too long": (Frame(Opcode.TEXT, b"x" * (LONGEST_LINE + 1)),),
    "pieces that are too long together": (
        Frame(Opcode.TEXT, b"x" * LONGEST_LINE, fin=False),
        Frame(Opcode.CONT, b"x"),
    ),
    "a piece of nothing": (Frame(Opcode.CONT, b"x"),),
    "a message within a message": (Frame(Opcode.TEXT, b"x", fin=False), Frame(Opcode.TEXT, b"y")),
    "invalid UTF-8": (Frame(Opcode.TEXT, b"\xff"),),
}


@pytest.mark.parametrize("name", BROKEN)
def test_invalid_frames_are_refused(name: str) -> None:
    async def test() -> str:
        async with connected() as socket:
            socket.send(*BROKEN[name])
            return await socket.table.logged("refused")

    assert "its WebSocket broke off: " in run(test())


def test_unmasked_frames_are_refused() -> None:
    async def test() -> str:
        async with connected() as socket:
            socket.writer.write(Frame(Opcode.TEXT, HELLO).serialize(mask=False))
            return await socket.table.logged("refused")

    assert "its WebSocket broke off: " in run(test())


def test_invalid_frames_that_arrive_with_the_request_are_refused() -> None:
    async def test() -> str:
        async with hosted() as table:
            socket = Socket(*await asyncio.open_connection("127.0.0.1", table.port), table)
            socket.protocol.send_request(socket.protocol.connect())
            socket.writer.write(b"".join(socket.protocol.data_to_send()) + b"no frame")
            try:
                return await table.logged("refused")
            finally:
                socket.writer.transport.abort()

    assert "its WebSocket broke off: " in run(test())


def test_close_frame_ends_the_connection_and_is_answered() -> None:
    async def test() -> str:
        async with connected() as socket:
            socket.send(Frame(Opcode.TEXT, HELLO))
            assert await socket.frame()
            socket.send(Frame(Opcode.CLOSE, b"\x03\xe8"))
            close = await socket.frame()
            assert close.opcode is Opcode.CLOSE
            return await socket.table.logged("has disconnected")

    assert run(test()).startswith("'Ada' has disconnected from 127.0.0.1:")


def test_host_can_close_while_a_client_closes() -> None:
    async def test() -> None:
        async with connected() as socket:
            socket.send(Frame(Opcode.TEXT, HELLO))
            await socket.table.signed_up("Ada")
            http = socket.table.host._port.http
            assert http
            (protocol,) = http._state.connections
            # The connection is still there in this iteration of the event loop.
            protocol.data_received(Frame(Opcode.CLOSE, b"\x03\xe8").serialize(mask=True))
            await http.close()
            assert (await socket.frame()).opcode is Opcode.TEXT
            assert (await socket.frame()).opcode is Opcode.CLOSE
            assert await socket.frame() is None

    run(test())


def test_client_that_pings_and_does_not_read_is_not_read_either() -> None:
    async def test() -> int:
        async with connected() as socket:
            pings = Frame(Opcode.PING, b"x" * 125).serialize(mask=True) * 1000
            sent = 0
            with contextlib.suppress(TimeoutError, ConnectionError):
                while sent < MOST_BUFFERED:
                    socket.writer.write(pings)
                    sent += len(pings)
                    async with asyncio.timeout(0.5):
                        await socket.writer.drain()
            return sent

    assert run(test()) < MOST_BUFFERED
