"""Clients for measuring a house: players over every transport, and spectators.

They play as cheaply as possible, to leave the processor to the server: they declare their first card
and choose the first feeding.  Each player has its own address on loopback, as it would on a network, so
the server's limits per address hold for each of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import itertools
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

__all__ = ["ANSWERED", "ASKED", "ENDED", "STARTED", "Journal", "play_at_host", "play_at_serve"]

Sitting = tuple[str, int]
"""A player in one of its games: its name, and the number of the game among its games."""
STARTED, ASKED, ANSWERED, ENDED = range(4)
DECLARATION: list[Any] = [0, [], [], [], []]
CONNECTING = 50
"""Clients that connect at the same time."""


class Journal:
    """What the clients saw.  No player answers before every first game has begun, so that all tables play at once."""

    def __init__(self, seats: int) -> None:
        """`seats` is the number of seats at all tables together."""
        self.times: dict[Sitting, list[tuple[float, int]]] = defaultdict(list)
        self.begun = asyncio.Event()
        """Set when every seat is in its first game."""
        self.games_over = 0.0
        self.thrown_out = 0
        self.messages = 0
        """The number of messages that all clients have received."""
        self._waiting_seats = seats

    def note(self, sitting: Sitting, what: int) -> None:
        self.times[sitting].append((time.perf_counter(), what))

    async def start(self, sitting: Sitting) -> None:
        """Note the start of a player's game, and wait until all tables have begun."""
        self.note(sitting, STARTED)
        self._waiting_seats -= 1
        if not self._waiting_seats:
            self.begun.set()
        await self.begun.wait()

    def end(self, sitting: Sitting, share: float) -> None:
        """Note the end of a player's game, as a share of the game's players."""
        self.note(sitting, ENDED)
        self.games_over += share


# Connections


class Lines(Protocol):
    """A connection that carries messages."""

    async def receive(self) -> bytes | None: ...

    async def send(self, message: bytes) -> None: ...


class TcpLines:
    """A TCP connection whose messages end with a line end, or with another byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, end: bytes) -> None:
        self._reader, self._writer, self._end = reader, writer, end

    async def receive(self) -> bytes | None:
        try:
            return await self._reader.readuntil(self._end)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def send(self, message: bytes) -> None:
        self._writer.write(message + self._end)


class WebSocketLines:
    """A WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def receive(self) -> bytes | None:
        try:
            return await self._socket.recv(decode=False)
        except ConnectionClosed:
            return None

    async def send(self, message: bytes) -> None:
        with contextlib.suppress(ConnectionClosed):
            await self._socket.send(message, text=True)


class Network:
    """Connections to the server, each from the address of its client."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connecting = asyncio.Semaphore(CONNECTING)
        self._numbers = itertools.count()
        self._addresses: dict[str, str] = {}

    def _address(self, client: str) -> tuple[str, int]:
        if client not in self._addresses:
            self._addresses[client] = str(ipaddress.ip_address("127.1.0.0") + next(self._numbers))
        return self._addresses[client], 0

    @contextlib.asynccontextmanager
    async def tcp(self, client: str, end: bytes = b"\n") -> AsyncIterator[Lines]:
        async with self._connecting:
            reader, writer = await asyncio.open_connection(
                "127.0.0.1", self._port, limit=1 << 20, local_addr=self._address(client)
            )
        try:
            yield TcpLines(reader, writer, end)
        finally:
            writer.close()

    @contextlib.asynccontextmanager
    async def websocket(self, client: str, path: str = "/", *, compresses: bool = False) -> AsyncIterator[Lines]:
        async with self._connecting:
            socket = await connect(
                f"ws://127.0.0.1:{self._port}{path}",
                compression="deflate" if compresses else None,
                max_size=None,
                max_queue=None,  # a player that waits for the other tables still answers pings
                ping_interval=None,
                open_timeout=120,
                proxy=None,
                local_addr=self._address(client),
            )
        try:
            yield WebSocketLines(socket)
        finally:
            await socket.close()

    async def post(self, client: str, path: str, body: Mapping[str, Any]) -> Any:
        """Post to the page's server, and return its response."""
        content = msgspec.json.encode(body)
        head = (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        async with self._connecting:
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port, local_addr=self._address(client))
            writer.write(head.encode() + content)
            response = await reader.read()
            writer.close()
        status, _, rest = response.partition(b"\r\n")
        if not status.split()[1].startswith(b"2"):
            raise SystemExit(f"the server refused a request: {response.decode()}")
        return msgspec.json.decode(rest.partition(b"\r\n\r\n")[2])


# Players


class Clients:
    """Players and spectators of one server."""

    def __init__(self, port: int, journal: Journal, players: int) -> None:
        """`players` is the number of players at each table."""
        self.network = Network(port)
        self._journal = journal
        self._share = 1 / players

    async def play_json(self, lines: Lines, name: str, game: int = 0, **hello: Any) -> None:
        """Play all games of a connection in the JSON protocol."""
        await lines.send(msgspec.json.encode({"type": "hello", "protocol": 1, "name": name, **hello}))
        journal = self._journal
        async for line in self._messages(lines):
            if line.startswith(b'{"type":"request"'):
                journal.note((name, game), ASKED)
                asked = msgspec.json.decode(line)
                answer = DECLARATION if asked["request"] == "declare" else asked["options"][0]
                await lines.send(msgspec.json.encode({"type": "answer", "id": asked["id"], "answer": answer}))
                journal.note((name, game), ANSWERED)
            elif line.startswith(b'{"type":"game"'):
                await journal.start((name, game))
            elif line.startswith(b'{"type":"result"'):
                journal.end((name, game), self._share)
                game += 1

    async def play_course(self, lines: Lines, name: str, game: int, signed_up: asyncio.Event | None = None) -> None:
        """Play the game of a connection in the course's protocol."""
        await lines.send(msgspec.json.encode(name))
        await lines.receive()
        if signed_up:
            signed_up.set()
        journal = self._journal
        is_seated = False
        # The messages contain no blank and end with one.  A player that declares only food has one board and is
        # fed without a request: choose is the only request, and starts with two brackets.
        async for message in self._messages(lines):
            if not is_seated:
                is_seated = True
                await journal.start((name, game))
            if message.startswith(b"[["):
                journal.note((name, game), ASKED)
                await lines.send(msgspec.json.encode(DECLARATION))
                journal.note((name, game), ANSWERED)
        journal.end((name, game), self._share)

    async def play_page(self, lines: Lines, name: str, game: int, token: str) -> None:
        """Play the game of a table as a page does."""
        await lines.send(msgspec.json.encode({"type": "hello", "protocol": 1, "token": token}))
        journal = self._journal
        async for message in self._messages(lines):
            if message.startswith(b'{"type":"request"'):
                journal.note((name, game), ASKED)
                asked = msgspec.json.decode(message)
                assert asked["request"] == "declare", "a player with one board is fed without a request"
                await lines.send(msgspec.json.encode({"type": "answer", "id": asked["id"], "answer": DECLARATION}))
                journal.note((name, game), ANSWERED)
            elif message.startswith(b'{"type":"game"'):
                await journal.start((name, game))
            elif message.startswith(b'{"type":"over"'):
                journal.end((name, game), self._share)
                return

    async def watch(self, lines: Lines, counts: bool) -> None:
        """Watch the game of a table as a page does, and perhaps count the players that were thrown out."""
        await lines.send(msgspec.json.encode({"type": "hello", "protocol": 1}))
        async for message in self._messages(lines):
            if message.startswith(b'{"type":"over"'):
                if counts:
                    self._journal.thrown_out += len(msgspec.json.decode(message)["outcome"]["thrown_out"])
                return

    async def _messages(self, lines: Lines) -> AsyncIterator[bytes]:
        while message := await lines.receive():
            self._journal.messages += 1
            yield message


async def play_at_host(
    port: int, journal: Journal, transport: str, names: Sequence[str], players: int, rounds: int
) -> None:
    """Play all games of a host: over one connection for each player, or in the course's protocol for each game."""
    clients = Clients(port, journal, players)

    async def play(name: str) -> None:
        if transport == "tcp":
            async with clients.network.tcp(name) as lines:
                await clients.play_json(lines, name)
        elif transport == "websocket":
            async with clients.network.websocket(name) as lines:
                await clients.play_json(lines, name)
        else:
            for game in range(rounds):
                async with clients.network.tcp(name, b" ") as lines:
                    await clients.play_course(lines, name, game)

    await asyncio.gather(*map(play, names))


async def play_at_serve(
    port: int, journal: Journal, tables: Sequence[Sequence[tuple[str, str]]], rounds: int, spectators: int
) -> None:
    """Play at the tables of `serve`, a new table for each game.  A table lists its players' names and transports.

    A player of the course's protocol takes the first open seat of a public table, so only one table at a time
    waits for such players.
    """
    clients = Clients(port, journal, len(tables[0]))
    network = clients.network
    opening = asyncio.Lock()

    async def play(number: int, players: Sequence[tuple[str, str]]) -> None:
        watching = spectators // len(tables) + (number < spectators % len(tables))
        for game in range(rounds):
            async with asyncio.TaskGroup() as group:
                if any(transport == "course" for _, transport in players):
                    async with opening:
                        await sit_down(players, game, group, [f"s{number}-{each}" for each in range(watching)])
                else:
                    await sit_down(players, game, group, [f"s{number}-{each}" for each in range(watching)])

    async def sit_down(
        players: Sequence[tuple[str, str]], game: int, group: asyncio.TaskGroup, watchers: Sequence[str]
    ) -> None:
        """Set up a table and start its clients.  Return when the players of the course's protocol are seated."""
        opener = players[0][0]
        kinds = ["friend" if transport in ("page", "course") else "program" for _, transport in players]
        table = {
            "game": "evolution",
            "profile": "course",
            "public": any(transport == "course" for _, transport in players),
            "seats": [{"kind": kind} for kind in kinds],
        }
        opened = await network.post(opener, "/api/tables", table)
        path = f"/api/tables/{opened['table']['id']}"
        links = [link.partition("#invite=")[2] for link in opened["invitations"]]
        codes = [program["code"] for program in opened.get("programs", ())]
        for number, watcher in enumerate(watchers):
            group.create_task(watch(watcher, path, counts=not number))
        signed_up = []
        for (name, transport), kind in zip(players, kinds, strict=True):
            secret = (links if kind == "friend" else codes).pop(0)
            if transport == "page":
                taken = await network.post(name, f"{path}/seat", {"name": name, "invitation": secret})
                group.create_task(play_on_page(name, path, game, taken["token"]))
            elif transport == "course":
                signed_up.append(asyncio.Event())
                group.create_task(play_course(name, game, signed_up[-1]))
            else:
                group.create_task(play_json(name, transport, game, secret))
        for each in signed_up:
            await each.wait()

    async def watch(name: str, path: str, *, counts: bool) -> None:
        async with network.websocket(name, f"{path}/socket", compresses=True) as lines:
            await clients.watch(lines, counts)

    async def play_on_page(name: str, path: str, game: int, token: str) -> None:
        async with network.websocket(name, f"{path}/socket", compresses=True) as lines:
            await clients.play_page(lines, name, game, token)

    async def play_course(name: str, game: int, signed_up: asyncio.Event) -> None:
        async with network.tcp(name, b" ") as lines:
            await clients.play_course(lines, name, game, signed_up)

    async def play_json(name: str, transport: str, game: int, code: str) -> None:
        connected = network.tcp(name) if transport == "tcp" else network.websocket(name)
        async with connected as lines:
            await clients.play_json(lines, name, game, code=code)

    await asyncio.gather(*(play(number, players) for number, players in enumerate(tables)))
