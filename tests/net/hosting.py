"""A host on a free port of the loopback, and clients of every kind that sit down at its tables."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

import msgspec

from wateringhole import registry
from wateringhole.facets import AnnouncedRanking
from wateringhole.game import Answer, Forfeit, Request
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.course import ClientEnd
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.match.match import RefereeSettings
from wateringhole.match.specs import parse_specs
from wateringhole.net.server import HostedGame, HouseLimits, HouseServer, TablePlan
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
    "TalkClient",
    "WebSocketClient",
    "forfeit_of",
    "hosted",
    "run",
]

EVOLUTION = registry.game_kind("evolution")
PORRINHA = registry.game_kind("porrinha")
LIMITS = HouseLimits(signup_seconds=5, write_seconds=2, reconnect_seconds=5)
T = TypeVar("T")


def run(test: Coroutine[Any, Any, T], seconds: float = 30) -> T:
    """Run a test that waits for things, but not for ever; it must leave nothing behind."""

    async def bounded() -> T:
        before = _held()
        result = await asyncio.wait_for(test, seconds)
        # A connection that was closed takes the loop a moment to let go of; no task may need one.
        for _ in range(1 if asyncio.all_tasks() - before.tasks else 200):
            await asyncio.sleep(0)
            if _held() == before:
                return result
            await asyncio.sleep(0.01)
        raise AssertionError(f"left behind: {_held()}, and there was {before}")

    return asyncio.run(bounded())


class _Held(NamedTuple):
    """What a host or a test of it could forget to let go of."""

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
    """A host with what it said and what was played."""

    def __init__(self, host: HouseServer, port: int, log: list[str]) -> None:
        self.host = host
        self.port = port
        self.log = log
        self._games = host.games()

    async def game(self) -> HostedGame:
        """The next game that ends."""
        return await anext(self._games)

    async def logged(self, part: str) -> str:
        """The first line of the log with a text, as soon as there is one."""
        while True:
            for line in self.log:
                if part in line:
                    return line
            await asyncio.sleep(0.005)

    async def signed_up(self, *names: str) -> None:
        for name in names:
            await self.logged(f"{name!r} has signed up")


@contextlib.asynccontextmanager
async def hosted(
    kind: Any = EVOLUTION,
    players: int | range = 3,
    *,
    limits: HouseLimits = LIMITS,
    patience: float = 10,
    person_patience: float | None = None,
    bots: Sequence[str] = (),
    isolation: Isolation = NO_ISOLATION,
    rules: Any = None,
    signup_patience: float = 0.1,
    **plan: Any,
) -> AsyncIterator[Hosted]:
    """A host for one game unless `games` says otherwise; everything is gone afterwards."""
    log: list[str] = []
    if kind is EVOLUTION:
        plan.setdefault("choices", {"deck": "ascending"})
    host = HouseServer(
        TablePlan(
            kind=kind,
            rules=rules or kind.default_rules,
            seats=range(players, players + 1) if isinstance(players, int) else players,
            referee=RefereeSettings(time_limit=patience, human_time_limit=person_patience),
            bots=parse_specs(kind.name, bots, isolation),
            signup_patience=signup_patience,
            **plan,
        ),
        limits,
        log.append,
    )
    _, port = await host.open("127.0.0.1", 0)
    try:
        yield Hosted(host, port, log)
    finally:
        await host.close()


def forfeit_of(game: HostedGame, name: str) -> Forfeit | None:
    """Why the player with such a name was thrown out."""
    for thrown in game.played.outcome.thrown_out:
        if game.names[thrown.seat].startswith(name):
            return thrown.forfeit
    return None


class Breaking(Silly):
    """Somebody cuts its connection while it thinks about its first questions."""

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
    """Speaks the course's protocol."""

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
    async def sign_up(cls, port: int, name: str = "Ada", player: Player | None = None) -> CourseClient:
        client = cls(*await asyncio.open_connection("127.0.0.1", port), name, player)
        client.player.on_seated(SeatAssignment(client.end.seat, client.end.names, client.end.rules))
        client.writer.write(client.end.sign_up())
        return client

    async def news(self) -> Any:
        """What the server says next; None: it has closed the connection."""
        while True:
            try:
                news = self.end.take()
            except StreamEnded:
                return None
            if news is not None:
                return news
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

    async def question(self) -> DeclareCards | FeedNext | None:
        """Listen until something is asked; None: the server has closed the connection."""
        while not isinstance(news := await self.news(), DeclareCards | FeedNext | None):
            if not isinstance(news, AnnouncedRanking):
                self.player.on_notice(news)
        return news

    def reply(self, question: DeclareCards | FeedNext) -> bytes:
        return self.end.reply(question, self.player.answer(question))

    async def play(self) -> None:
        """Until the connection ends."""
        while question := await self.question():
            self.writer.write(self.reply(question))
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


class TalkClient:
    """Speaks our protocol over TCP."""

    token: str

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, make: Callable[[], Player]) -> None:
        self.reader = reader
        self.writer = writer
        self.guest = PlayerEnd(lambda game: make())
        self.heard: list[dict[str, Any]] = []

    @classmethod
    async def connect(cls, port: int, make: Callable[[], Player] = Silly) -> TalkClient:
        return cls(*await asyncio.open_connection("127.0.0.1", port, limit=1 << 21), make)

    @classmethod
    async def sign_up(
        cls, port: int, name: str = "Bob", make: Callable[[], Player] = Silly, **hello: Any
    ) -> TalkClient:
        client = await cls.connect(port, make)
        await client.say(type="hello", protocol=1, name=name, **hello)
        message = await client.message()
        assert message is not None
        assert message["type"] == "hello"
        client.token = message["token"]
        client.guest.hear(msgspec.json.encode(message))
        return client

    async def say(self, **message: Any) -> None:
        await self.send(msgspec.json.encode(message))

    async def send(self, text: bytes) -> None:
        self.writer.write(text + b"\n")

    async def receive(self) -> bytes:
        """The next message; empty: the connection has ended."""
        try:
            return await self.reader.readline()
        except ConnectionError:
            return b""

    async def message(self) -> dict[str, Any] | None:
        line = await self.receive()
        if not line:
            return None
        message: dict[str, Any] = msgspec.json.decode(line)
        self.heard.append(message)
        return message

    async def question(self) -> dict[str, Any] | None:
        """Listen until something is asked; None: the connection has ended."""
        while (message := await self.message()) and message["type"] != "request":
            self.guest.hear(msgspec.json.encode(message))
        return message

    def reply(self, question: dict[str, Any]) -> bytes:
        reply = self.guest.hear(msgspec.json.encode(question))
        assert reply is not None
        return reply.rstrip()

    async def play(self) -> None:
        while question := await self.question():
            await self.send(self.reply(question))
        await self.close()

    async def close(self) -> None:
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


class WebSocketClient(TalkClient):
    """Speaks our protocol over a WebSocket."""

    def __init__(self, socket: Any, make: Callable[[], Player]) -> None:
        self.socket = socket
        self.guest = PlayerEnd(lambda game: make())
        self.heard = []

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
