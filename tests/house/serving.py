"""A real server of the page on a free port of the loopback, and clients without a browser that play at it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
from websockets.asyncio.client import ClientConnection, connect

from tests.preloaded_command import preloaded_command
from tests.waiting import Log, until, within
from wateringhole.house.admission import Admission
from wateringhole.house.limits import HouseLimits, RateLimiter
from wateringhole.house.lobby import Lobby
from wateringhole.house.store import TableStore
from wateringhole.web.serving import open_house

__all__ = ["BOTS", "OPERATOR", "Message", "Opened", "Seat", "Served", "Spectator", "process", "run", "served"]

BOTS = {"evolution": ["greedy", "silly", "random"], "porrinha": ["random", "zero", "counter"]}
"""Bots that play with a human."""

OPERATOR = "the-token-of-the-operator"
"""The token that starts tournaments at `served`."""

Message = dict[str, Any]
T = TypeVar("T")


def run(test: Coroutine[Any, Any, T], seconds: float = 240) -> T:
    """Run a test with a time limit, and check that it leaves no task running."""

    async def bounded() -> T:
        result = await within(seconds, test)
        await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"still running: {left}"
        return result

    return asyncio.run(bounded())


class Served:
    """A running server and its log."""

    def __init__(self, url: str, lobby: Lobby | None = None, log: Log | None = None) -> None:
        self.url = url
        self.lobby = lobby
        self.log = Log() if log is None else log
        # The loopback needs no TLS, and loading all certificates takes longer than most tests.  The server closes an
        # idle connection after 5 s, which must not happen while a request is on its way.  It accepts 100 new ones in a
        # second.
        limits = httpx.Limits(keepalive_expiry=1.0)
        self.http = httpx.AsyncClient(base_url=url, timeout=120, verify=False, limits=limits)

    async def get(self, path: str) -> Any:
        answer = await self.http.get(path)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def get_until(self, path: str, holds: Callable[[Any], bool]) -> Any:
        """Get a path again and again until a condition holds for the answer, and return it."""

        async def matching() -> Any:
            answer = await self.get(path)
            return (answer,) if holds(answer) else None

        (answer,) = await until(matching)
        return answer

    async def post(self, path: str, value: Any, status: int = 201) -> Any:
        answer = await self.http.post(path, json=value)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def table(self, game: str, *seats: str, name: str = "Ada", **more: Any) -> Opened:
        """Set up a table.  A seat is `me`, `friend`, `program` or the name of a bot."""
        kinds = ("me", "friend", "program")
        occupants = [{"kind": seat} if seat in kinds else {"kind": "bot", "player": seat} for seat in seats]
        return Opened(self, await self.post("/api/tables", {"game": game, "name": name, "seats": occupants, **more}))

    async def finished(self, id: str) -> bytes:
        """Wait until the record of a game is in the store, and return it."""
        pause = 0.01
        while True:
            answer = await self.http.get(f"/api/games/{id}/record")
            if answer.status_code == 200:
                return answer.content
            # Seldom in a long game, because each question takes the processor from it.
            pause = min(2 * pause, 0.5)
            await asyncio.sleep(pause)


class Opened:
    """A table that was set up."""

    def __init__(self, server: Served, created: Message) -> None:
        self.server = server
        self.id: str = created["table"]["id"]
        self.token: str | None = created.get("token")
        self.owner: str | None = created.get("owner")
        self.invitations: list[str] = created["invitations"]
        self.programs: list[Message] = created.get("programs", [])
        self.table: Message = created["table"]

    async def take_seat(self, invitation: str | None, name: str) -> str:
        """Take a seat with an invitation, and return the token."""
        secret = None if invitation is None else invitation.partition("#invite=")[2]
        answer = {"name": name} if secret is None else {"name": name, "invitation": secret}
        reply = await self.server.post(f"/api/tables/{self.id}/seat", answer, 200)
        token: str = reply["token"]
        return token

    async def seat_all(self, *names: str, **more: Any) -> list[Seat]:
        """Seat all friends.  Return the seat of the owner and theirs."""
        tokens = [self.token]
        for name, invitation in zip(names, self.invitations, strict=True):
            tokens.append(await self.take_seat(invitation, name))
        return [self.seat(token, seed=number, **more) for number, token in enumerate(tokens)]

    def seat(self, token: str | None = None, **more: Any) -> Seat:
        return Seat(self.server.url, self.id, token or self.token, **more)

    def spectator(self, **more: Any) -> Spectator:
        return Spectator(self.server.url, self.id, **more)


class Spectator:
    """A page at a table.  `messages` holds everything that it received."""

    token: str | None = None

    def __init__(
        self, url: str, id: str, heard: int | None = None, *, paced: bool = False, language: str = "en"
    ) -> None:
        self._address = f"{url.replace('http', 'ws')}/api/tables/{id}/socket"
        self._heard = heard
        self._paced = paced
        self._language = language
        self.messages: list[Message] = []
        self.socket: ClientConnection

    async def __aenter__(self) -> Self:
        self.socket = await connect(
            self._address, max_size=None, max_queue=None, additional_headers={"Accept-Language": self._language}
        )
        hello: Message = {"type": "hello", "protocol": 1}
        if self.token is not None:
            hello["token"] = self.token
        if self._heard is not None:
            hello["heard"] = self._heard
        if self._paced:
            hello["paced"] = True
        await self.send(hello)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def send(self, message: Message) -> None:
        await self.socket.send(json.dumps(message))

    async def next(self) -> Message:
        message: Message = json.loads(await self.socket.recv())
        self.messages.append(message)
        return message

    async def until(self, type_: str, **fields: Any) -> Message:
        """Return the next message of a type with these fields."""
        while True:
            message = await self.next()
            if message["type"] == type_ and fields.items() <= message.items():
                return message

    def of_type(self, type_: str) -> list[Message]:
        return [message for message in self.messages if message["type"] == type_]

    async def closed(self) -> Message:
        """Read to the end.  Return the last message."""
        with contextlib.suppress(Exception):
            while True:
                await self.next()
        return self.messages[-1]


class _AskedAgain(Exception):
    """A request was replaced by another one, because a player has left."""

    def __init__(self, request: Message) -> None:
        super().__init__()
        self.request = request


class Seat(Spectator):
    """A player that chooses randomly among the offers."""

    def __init__(
        self,
        url: str,
        id: str,
        token: str | None,
        *,
        heard: int | None = None,
        seed: int = 7,
        paced: bool = False,
        language: str = "en",
    ) -> None:
        super().__init__(url, id, heard, paced=paced, language=language)
        self.token = token
        self.random = random.Random(seed)
        # The server disconnects a page that sends faster; a long game without pauses would.
        self._limiter = RateLimiter(at_once=50, per_second=15)

    async def _send_slowly(self, message: Message) -> None:
        await until(lambda: self._limiter.allows(time.monotonic()))
        await self.send(message)

    async def play(self, until: Callable[[Message], bool] = lambda message: False) -> Message:
        """Answer all requests to the end of the game, or until a message matches, and return that message."""
        while True:
            message = await self.next()
            if until(message) or message["type"] in ("over", "bye"):
                return message
            if message["type"] == "request":
                await self.answer(message)

    async def answer(self, request: Message) -> None:
        """Send a random legal answer."""
        choose = {"declare": self._declare, "feed": self._feed, "arrange": self._arrange}.get(request["request"])
        try:
            value = await choose(request) if choose else self._number(request)
        except _AskedAgain as again:
            await self.answer(again.request)
            return
        await self._send_slowly({"type": "answer", "id": request["id"], "answer": value})

    async def draft(self, request: Message, steps: list[Message]) -> Message:
        await self._send_slowly({"type": "draft", "id": request["id"], "steps": steps})
        while (message := await self.next())["type"] != "draft":
            if message["type"] == "request" and message["id"] != request["id"]:
                raise _AskedAgain(message)
        return message

    async def _declare(self, request: Message) -> Any:
        food = [offer for offer in request["offers"]["offers"] if offer["step"] == "food"]
        draft = await self.draft(request, [self.random.choice(food)])
        while draft["answer"] is None or (draft["offers"] and self.random.random() < 0.6):
            draft = await self.draft(request, [*draft["steps"], self.random.choice(draft["offers"])])
        return draft["answer"]

    async def _feed(self, request: Message) -> Any:
        return self.random.choice(request["offers"]["options"])["answer"]

    async def _arrange(self, request: Message) -> Any:
        return self.random.sample(range(request["offers"]["boards"]), request["offers"]["boards"])

    def _number(self, request: Message) -> int:
        offers = request["offers"]
        if request["request"] == "hand":
            return self.random.randint(offers["least"], offers["most"])
        free = [number["number"] for number in offers["numbers"] if number["state"] != "taken"]
        chosen: int = self.random.choice(free)
        return chosen


@contextlib.asynccontextmanager
async def served(
    store: Path, limits: HouseLimits | None = None, admission: Admission | None = None
) -> AsyncIterator[Served]:
    """Run the server in this event loop."""
    log = Log()
    opened = TableStore(store)
    lobby = Lobby(opened, limits or HouseLimits(), log.append, admission=admission, operator=OPERATOR)
    try:
        async with open_house(lobby, "127.0.0.1", 0, log.append) as (_, port):
            page = Served(f"http://127.0.0.1:{port}", lobby, log)
            try:
                yield page
            finally:
                await page.http.aclose()
    finally:
        opened.close()


@contextlib.asynccontextmanager
async def process(store: Path, *options: str) -> AsyncIterator[tuple[Served, asyncio.subprocess.Process]]:
    """Run `wateringhole serve` in its own process."""
    words = ["serve", "--port", "0", "--store", str(store), *options]
    started = await asyncio.create_subprocess_exec(
        preloaded_command(), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert started.stdout is not None
    try:
        line = (await started.stdout.readline()).decode()
        assert "http://" in line, line
        server = Served(next(word for word in line.split() if word.startswith("http://")).rstrip("/"))
        try:
            # The line is printed as soon as the port is open; an early request waits for its answer.
            await server.get("/api/lobby")
            yield server, started
        finally:
            await server.http.aclose()
    finally:
        if started.returncode is None:
            started.send_signal(signal.SIGKILL)
        await started.communicate()
