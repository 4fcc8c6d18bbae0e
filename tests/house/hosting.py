"""A host on a free port of the loopback, and clients of every protocol that play at its tables."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from tests.waiting import Log, within
from wateringhole import registry
from wateringhole.facets import AnnouncedRanking
from wateringhole.game import Answer, Forfeit, Request
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.course import ClientEnd
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.house.admission import Admission
from wateringhole.house.host import HostedGame, HouseServer, RecurringPlan
from wateringhole.house.limits import HouseLimits
from wateringhole.match.match import RefereeSettings
from wateringhole.match.specs import parse_specs
from wateringhole.player import Player, SeatAssignment
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.protocol.frames import SETTLE_SECONDS, StreamEnded
from wateringhole.protocol.player import PlayerEnd

__all__ = [
    "EVOLUTION",
    "LIMITS",
    "PORRINHA",
    "Breaking",
    "CourseClient",
    "Hosted",
    "JsonClient",
    "WebSocketClient",
    "forfeit_of",
    "hosted",
    "run",
]

EVOLUTION = registry.game_kind("evolution")
PORRINHA = registry.game_kind("porrinha")
LIMITS = HouseLimits(signup_timeout=60, write_seconds=2, reconnect_seconds=60)
T = TypeVar("T")


def run(test: Coroutine[Any, Any, T], seconds: float = 240) -> T:
    """Run a test with a time limit, and check that it releases everything."""

    async def bounded() -> T:
        before = _held()
        result = await within(seconds, test)
        # The loop needs a moment to release a closed connection; tasks must end almost at once.
        for _ in range(5 if asyncio.all_tasks() - before.tasks else 6000):
            await asyncio.sleep(0)
            if _held() == before:
                return result
            await asyncio.sleep(0.01)
        raise AssertionError(f"not released: {_held()}; before the test: {before}")

    return asyncio.run(bounded())


class _Held(NamedTuple):
    """Resources that a host or a test must release."""

    tasks: set[asyncio.Task[Any]]
    sockets: int
    descriptors: int
    children: list[str]


def _held() -> _Held:
    links, children = [], []
    for descriptor in os.listdir("/proc/self/fd"):
        with contextlib.suppress(FileNotFoundError):
            links.append(os.readlink(f"/proc/self/fd/{descriptor}"))
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(FileNotFoundError):
            children += Path(f"/proc/self/task/{thread}/children").read_text().split()
    sockets = sum(link.startswith("socket:") for link in links)
    return _Held(asyncio.all_tasks(), sockets, len(links), sorted(children))


class Hosted:
    """A host with its log and its games."""

    def __init__(self, host: HouseServer, port: int, log: Log) -> None:
        self.host = host
        self.port = port
        self.log = log
        self._games = host.games()

    async def game(self) -> HostedGame:
        """Return the next game that ends."""
        return await anext(self._games)

    async def logged(self, part: str) -> str:
        """Wait for a line of the log that contains a text, and return it."""
        return await self.log.line_with(part)

    async def signed_up(self, *names: str) -> None:
        for name in names:
            await self.logged(f"{name!r} has signed up")

    def end_start_delay(self) -> None:
        """Let bots take the seats that are still empty, now and in later games."""
        self.host._queue._start_delay = 0.0
        self.host._queue._change.set()


@contextlib.asynccontextmanager
async def hosted(
    kind: Any = EVOLUTION,
    players: int | range = 3,
    *,
    limits: HouseLimits = LIMITS,
    time_limit: float = 10,
    human_time_limit: float | None = None,
    bots: Sequence[str] = (),
    isolation: Isolation = NO_ISOLATION,
    rules: Any = None,
    start_delay: float = 0.1,
    admission: Admission | None = None,
    **plan: Any,
) -> AsyncIterator[Hosted]:
    """Run a host, by default for one game, and close it at the end."""
    log = Log()
    if kind is EVOLUTION:
        plan.setdefault("choices", {"deck": "ascending"})
    host = HouseServer(
        RecurringPlan(
            kind=kind,
            rules=rules or kind.default_rules,
            seats=range(players, players + 1) if isinstance(players, int) else players,
            referee=RefereeSettings(time_limit=time_limit, human_time_limit=human_time_limit),
            bots=parse_specs(kind.name, bots, isolation),
            start_delay=start_delay,
            **plan,
        ),
        limits,
        log.append,
        admission,
    )
    _, port = await host.open("127.0.0.1", 0)
    try:
        yield Hosted(host, port, log)
    finally:
        await host.close()


def forfeit_of(game: HostedGame, name: str) -> Forfeit | None:
    """Return the forfeit of the player whose name starts like this, or None."""
    for thrown in game.played.outcome.thrown_out:
        if game.names[thrown.seat].startswith(name):
            return thrown.forfeit
    return None


class Breaking(Silly):
    """A player whose connection is cut while it answers its first requests."""

    cut: ClassVar[Callable[[], None]]
    breaks: ClassVar[int]
    asked: ClassVar[list[tuple[int, str, int]]]

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        assert isinstance(request, EvolutionRequest)
        self.asked.append((request.view.turn, request.name, request.view.hole))
        if len(self.asked) <= self.breaks:
            Breaking.cut()
        return super().answer(request, seconds)


class CourseClient:
    """A client of the course's protocol."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        name: str = "Ada",
        player: Player | None = None,
    ) -> None:
        self.reader = reader
        self.writer = writer
        self.end = ClientEnd(name)
        self.player = player or Silly()

    @classmethod
    async def connect(cls, port: int, name: str = "Ada", player: Player | None = None) -> CourseClient:
        """Connect without signing up."""
        client = cls(*await asyncio.open_connection("127.0.0.1", port), name, player)
        client.player.on_seated(SeatAssignment(client.end.seat, client.end.names, client.end.rules))
        return client

    @classmethod
    async def sign_up(cls, port: int, name: str = "Ada", player: Player | None = None) -> CourseClient:
        client = await cls.connect(port, name, player)
        client.writer.write(client.end.sign_up())
        return client

    async def next_message(self) -> Any:
        """Return the next message of the server, or None if it has closed the connection."""
        while True:
            try:
                next_message = self.end.take()
            except StreamEnded:
                return None
            if next_message is not None:
                return next_message
            try:
                async with asyncio.timeout(SETTLE_SECONDS if self.end.reader.is_unsettled else None):
                    chunk = await self.reader.read(65536)
            except TimeoutError:
                self.end.reader.mark_idle()
                continue
            except ConnectionError:
                chunk = b""
            if chunk:
                self.end.reader.feed(chunk)
            else:
                self.end.reader.close()

    async def next_request(self) -> DeclareCards | FeedNext | None:
        """Return the next request, or None if the server has closed the connection."""
        while not isinstance(next_message := await self.next_message(), DeclareCards | FeedNext | None):
            if not isinstance(next_message, AnnouncedRanking):
                self.player.on_notice(next_message)
        return next_message

    def reply(self, next_request: DeclareCards | FeedNext) -> bytes:
        return self.end.reply(next_request, self.player.answer(next_request))

    async def play(self) -> None:
        """Play until the connection ends."""
        while next_request := await self.next_request():
            self.writer.write(self.reply(next_request))
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


class JsonClient:
    """A client of the JSON protocol over TCP."""

    token: str

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, make: Callable[[], Player]) -> None:
        self.reader = reader
        self.writer = writer
        self.player_end = PlayerEnd(lambda game: make())
        self.received: list[dict[str, Any]] = []

    @classmethod
    async def connect(cls, port: int, make: Callable[[], Player] = Silly) -> JsonClient:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 21), make)

    @classmethod
    async def sign_up(
        cls, port: int, name: str = "Bob", make: Callable[[], Player] = Silly, **hello: Any
    ) -> JsonClient:
        client = await cls.connect(port, make)
        await client.send_message(type="hello", protocol=1, name=name, **hello)
        message = await client.message()
        assert message is not None
        assert message["type"] == "hello"
        client.token = message["token"]
        client.player_end.receive(msgspec.json.encode(message))
        return client

    async def send_message(self, **message: Any) -> None:
        await self.send(msgspec.json.encode(message))

    async def send(self, text: bytes) -> None:
        self.writer.write(text + b"\n")

    async def receive(self) -> bytes:
        """Return the next message, or b"" if the connection has ended."""
        try:
            return await self.reader.readline()
        except ConnectionError:
            return b""

    async def message(self) -> dict[str, Any] | None:
        line = await self.receive()
        if not line:
            return None
        message: dict[str, Any] = msgspec.json.decode(line)
        self.received.append(message)
        return message

    async def next_request(self) -> dict[str, Any] | None:
        """Return the next request, or None if the connection has ended."""
        while (message := await self.message()) and message["type"] != "request":
            self.player_end.receive(msgspec.json.encode(message))
        return message

    def reply(self, next_request: dict[str, Any]) -> bytes:
        reply = self.player_end.receive(msgspec.json.encode(next_request))
        assert reply is not None
        return reply.rstrip()

    async def play(self) -> None:
        while next_request := await self.next_request():
            await self.send(self.reply(next_request))
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


class WebSocketClient(JsonClient):
    """A client of the JSON protocol over a WebSocket."""

    def __init__(self, socket: Any, make: Callable[[], Player]) -> None:
        self.socket = socket
        self.player_end = PlayerEnd(lambda game: make())
        self.received = []

    @classmethod
    async def connect(cls, port: int, make: Callable[[], Player] = Silly) -> WebSocketClient:
        from websockets.asyncio.client import connect

        return cls(await connect(f"ws://127.0.0.1:{port}/", max_size=None, proxy=None), make)

    async def send(self, text: bytes) -> None:
        from websockets.exceptions import ConnectionClosed

        with contextlib.suppress(ConnectionClosed):
            await self.socket.send(text, text=True)

    async def receive(self) -> bytes:
        from websockets.exceptions import ConnectionClosed

        try:
            text: str = await self.socket.recv()
            return text.encode()
        except ConnectionClosed:
            return b""

    async def close(self) -> None:
        await self.socket.close()
