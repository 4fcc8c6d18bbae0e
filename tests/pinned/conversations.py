"""Conversations over real pipes, TCP and WebSocket, as lines: `> ` from the host, `< ` from the player."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from tests.pinned import access
from tests.pinned.scripted_program import Improvised, Scripted

__all__ = ["over_network", "over_pipes", "script_of"]

PROGRAM = Path(__file__).with_name("scripted_program.py")

_SOFTWARE = re.compile(r'"software":"wateringhole [^"]*"')
_TOKEN = re.compile(r'"token":"[^"]*"')


_PARTS = re.compile(r'(> {"type":"refused","rule":.*),"parts":{.*}}$')


def _plain(lines: list[str]) -> list[str]:
    """Return lines without the version and the token, which change, and the parts of violations, which are new."""
    return [
        _PARTS.sub(r"\1}", _TOKEN.sub('"token":"TOKEN"', _SOFTWARE.sub('"software":"wateringhole"', line)))
        for line in lines
    ]


def over_pipes(plan: dict[str, Any], script: str, folder: Path) -> list[str]:
    """Play a plan in which ``cmd:`` stands for the scripted program.  Return the conversation."""
    report = folder / "report.txt"
    command = shlex.join([sys.executable, str(PROGRAM), str(report), script])
    players = [
        re.sub(r"cmd(\*\d+)?:", lambda found: found[0] + command.replace("\\", "\\\\"), spec)
        for spec in plan["players"]
    ]
    access.play_planned({**plan, "players": players})
    return _plain(report.read_text(encoding="utf-8").splitlines())


def script_of(lines: list[str], folder: Path) -> str:
    """Write a conversation to a file whose replies the program repeats.  Return its path."""
    path = folder / "script.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def over_network(plan: dict[str, Any], transport: str, replies: Improvised | Scripted) -> list[str]:
    """Play one player against the bots of a host.  Return the conversation."""
    lines: list[str] = []

    async def exchange() -> None:
        async with access.hosted_table(plan) as port:
            line = await _websocket(port) if transport == "websocket" else await _tcp(port)
            first = replies.first() if isinstance(replies, Scripted) else [json.dumps(replies.hello())]
            for reply in first:
                lines.append(f"< {reply}")
                await line.send(reply)
            while received := await line.receive():
                lines.append(f"> {received}")
                for reply in replies(received):
                    lines.append(f"< {reply}")
                    await line.send(reply)
            await line.close()

    access.run_host(exchange())
    return _plain(lines)


class _Tcp:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def send(self, text: str) -> None:
        self._writer.write(text.encode() + b"\n")

    async def receive(self) -> str:
        """Return the next line, or an empty string if the connection has ended."""
        return (await self._reader.readline()).decode().rstrip("\n")

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


async def _tcp(port: int) -> _Tcp:
    return _Tcp(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 21))


class _WebSocket:
    def __init__(self, socket: Any) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        await self._socket.send(text)

    async def receive(self) -> str:
        try:
            received: str = await self._socket.recv()
        except ConnectionClosed:
            return ""
        return received.rstrip("\n")

    async def close(self) -> None:
        await self._socket.close()


async def _websocket(port: int) -> _WebSocket:
    return _WebSocket(await connect(f"ws://127.0.0.1:{port}/", max_size=None, proxy=None))
