"""A port of a house on connections without a network, so that the bytes that a client sends are the only input."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from wateringhole import registry
from wateringhole.facets import ServerEnd
from wateringhole.game import AnyKind
from wateringhole.house.limits import HouseLimits
from wateringhole.house.sign_up import SignUp
from wateringhole.house.transports.connection import Connection
from wateringhole.house.transports.http import Http, join_only_app
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Port
from wateringhole.protocol.host import HostEnd, check_style, read_hello
from wateringhole.protocol.messages import Hello

__all__ = ["receive"]

_CHUNK = 50
"""Bytes that arrive at once."""


async def receive(data: bytes) -> list[str]:
    """Let a client send bytes and disconnect.  Return the log of the port, unexpected errors included."""
    log: list[str] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: log.append(f"unexpected error: {context}"))
    port = Port(_Door(HouseLimits()), HouseLimits(), log.append)
    port.http = Http(join_only_app(port), port)
    connection = port._accept("all")
    transport = _MemoryTransport(connection)
    connection.connection_made(transport)
    for start in range(0, len(data), _CHUNK):
        if transport.is_closing():
            break
        transport.protocol.data_received(data[start : start + _CHUNK])
        await asyncio.sleep(0)
    transport.protocol.eof_received()
    await asyncio.sleep(0)
    transport.close()
    await asyncio.sleep(0)
    await port.close()
    return log


class _MemoryTransport(asyncio.Transport):
    """A transport that drops everything that it should send."""

    def __init__(self, protocol: asyncio.Protocol) -> None:
        super().__init__({"peername": ("127.0.0.1", 4000), "sockname": ("127.0.0.1", 8000)})
        self.protocol = protocol
        self._is_closing = False

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        assert isinstance(protocol, asyncio.Protocol)
        self.protocol = protocol

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self.protocol

    def write(self, data: bytes | bytearray | memoryview) -> None:
        pass

    def get_write_buffer_size(self) -> int:
        return 0

    def is_closing(self) -> bool:
        return self._is_closing

    def is_reading(self) -> bool:
        return not self._is_closing

    def pause_reading(self) -> None:
        pass

    def resume_reading(self) -> None:
        pass

    def close(self) -> None:
        if not self._is_closing:
            self._is_closing = True
            asyncio.get_running_loop().call_soon(lambda: self.protocol.connection_lost(None))

    def abort(self) -> None:
        self.close()


class _Door(SignUp[None]):
    """A door that admits everyone who signs up as the protocol demands."""

    async def _admit(self, lines: Lines, code: str | None, hello: Hello | None) -> str:
        kind = registry.kinds()[0]
        await lines.send(HostEnd(kind).hello())
        hello = hello or read_hello(await lines.receive())
        check_style(kind, hello)
        return hello.name_of() or "player"

    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        return token

    def _places(self) -> Iterable[tuple[AnyKind, Any, None]]:
        return [(kind, kind.default_rules, None) for kind in registry.kinds()]

    @property
    def _no_place(self) -> str:
        return "no game can be played over this protocol"

    async def _admit_foreign(
        self, connection: Connection, end: ServerEnd[Any, Any, Any], protocol: str, place: None
    ) -> str:
        await connection.send(end.welcome(0.0))
        return end.name
