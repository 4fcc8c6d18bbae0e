"""One connection: input and output with limits."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from tests.house.hosting import run
from tests.waiting import until
from wateringhole.house.transports.connection import Connection, ConnectionDropped, ConnectionEnded
from wateringhole.house.transports.lines import TcpLines


@contextlib.asynccontextmanager
async def connected(
    write_seconds: float = 1,
) -> AsyncIterator[tuple[Connection, asyncio.StreamReader, asyncio.StreamWriter]]:
    """Yield a connection and its remote end."""
    made: asyncio.Future[Connection] = asyncio.get_running_loop().create_future()
    lost = asyncio.Event()
    listener = await asyncio.get_running_loop().create_server(
        lambda: Connection(write_seconds, made.set_result, lambda connection: lost.set()), "127.0.0.1", 0
    )
    reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
    connection = await made
    try:
        yield connection, reader, writer
    finally:
        connection.close()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        await lost.wait()
        listener.close()
        await listener.wait_closed()


def test_client_that_does_not_read_is_dropped() -> None:
    async def test() -> None:
        async with connected(write_seconds=0.2) as (connection, _, _):
            with pytest.raises(ConnectionDropped, match=r"what it was sent was not read for 0\.2 s"):
                await connection.send(b"x" * 100_000_000)
            assert connection.is_ended

    run(test())


def test_unread_bytes_are_limited() -> None:
    async def test() -> None:
        async with connected() as (connection, _, writer):
            writer.write(b"x" * 100_000_000)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(writer.drain(), 0.5)
            taken = await connection.read()
            writer.transport.abort()
            assert len(taken) <= 400_000

    run(test())


def test_bytes_before_the_end_can_still_be_read() -> None:
    async def test() -> None:
        async with connected() as (connection, _, writer):
            writer.write(b"the end")
            writer.close()
            await until(lambda: connection.is_ended)
            assert await connection.read() == b"the end"
            with pytest.raises(ConnectionEnded, match="the connection has ended"):
                await connection.read()

    run(test())


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_are_reassembled_from_pieces(size: int) -> None:
    text = b'{"a":1}\n\n  \n{"b":\xc3\xa4}\r\n{"c":3}\n'

    async def test() -> list[bytes]:
        async with connected() as (connection, _, writer):
            lines = TcpLines(connection, 20)
            for start in range(0, len(text), size):
                writer.write(text[start : start + size])
                await asyncio.sleep(0)
            return [await lines.receive() for _ in range(3)]

    assert run(test()) == [b'{"a":1}', b'{"b":\xc3\xa4}\r', b'{"c":3}']


@pytest.mark.parametrize("text", [b"x" * 21, b"x" * 21 + b"\n"])
def test_overlong_line_ends_the_connection(text: bytes) -> None:
    async def test() -> None:
        async with connected() as (connection, _, writer):
            writer.write(b"x" * 20 + b"\n" + text)
            lines = TcpLines(connection, 20)
            assert await lines.receive() == b"x" * 20
            with pytest.raises(ConnectionDropped, match="a line of more than 20 bytes") as dropped:
                await lines.receive()
            assert dropped.value.reason == "unreadable"
            assert connection.is_ended

    run(test())
