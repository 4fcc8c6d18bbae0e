"""A house keeps nothing of its past games: after many games, it has as many objects as after a few."""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from pathlib import Path

import httpx
import pytest

from tests.house.hosting import CourseClient, Hosted, JsonClient, WebSocketClient, hosted
from tests.house.hosting import run as run_host
from tests.house.serving import Seat, Served, run, served
from tests.waiting import until
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.house.limits import HouseLimits

pytestmark = pytest.mark.slow

FEW, MANY = 6, 60
"""Games before the first count, and between the two."""

TABLE = "wateringhole.house.page_tables.PageTable"


def objects() -> Counter[str]:
    """Return the number of tasks and of live objects of this package, by class."""
    gc.collect()
    types = [type(each) for each in gc.get_objects()]
    names = Counter(f"{each.__module__}.{each.__qualname__}" for each in types)
    return Counter(
        {name: count for name, count in names.items() if name.startswith(("wateringhole.", "_asyncio.Task"))}
    )


async def assert_no_more_than(before: Counter[str]) -> None:
    """Wait until there are no more objects of any class than before."""
    more: Counter[str] = Counter()

    def are_released() -> bool:
        nonlocal more
        more = objects() - before
        return not more

    try:
        await until(are_released)
    except AssertionError:
        raise AssertionError(f"not released: {more}") from None


async def play_until_result(client: JsonClient) -> None:
    """Play one game, and leave the host."""
    while (message := await client.message()) and message["type"] != "result":
        if message["type"] == "request":
            await client.send(client.reply(message))
    await client.close()


async def play_at(host: Hosted, games: int) -> None:
    """Play games at a host.  The players of each game are new, and leave after it."""
    for _ in range(games):
        tcp = await JsonClient.sign_up(host.port, "Ada")
        websocket = await WebSocketClient.sign_up(host.port, "Bob")
        course = await CourseClient.sign_up(host.port, "Cyd")
        playing = [play_until_result(tcp), play_until_result(websocket), course.play()]
        _, *_ = await asyncio.gather(host.game(), *playing)


def test_host_keeps_nothing_of_past_games() -> None:
    limits = HouseLimits(reconnect_seconds=0.05, connections_per_address=1000, signups_per_second=1000)

    async def play() -> None:
        async with hosted(games=FEW + MANY + 1, limits=limits, start_delay=0.0) as host:
            await play_at(host, FEW)
            before = objects()
            await play_at(host, MANY)
            await assert_no_more_than(before)

    run_host(play(), 300)


async def play_table(server: Served) -> None:
    """Play a game with a human, a program, a bot and a spectator, and then a rematch with bots."""
    port = httpx.URL(server.url).port or 0
    opened = await server.table("porrinha", "me", "program", "random", options={"sticks": 1})
    client = await JsonClient.sign_up(port, "Bob", Random, code=opened.programs[0]["code"])
    async with opened.seat() as human, opened.spectator() as spectator:
        await asyncio.gather(human.play(), client.play(), spectator.until("over"))


async def play_rematch(server: Served) -> None:
    opened = await server.table("porrinha", "me", "random", options={"sticks": 1})
    async with opened.seat() as human:
        await human.play()
        rematch = await server.post(f"/api/tables/{opened.id}/rematch", {"token": opened.token})
    async with Seat(server.url, rematch["table"]["id"], rematch["token"]) as human:
        await human.play()


def test_serve_keeps_nothing_of_closed_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.web.app.POSTS_PER_SECOND", 1000.0)
    monkeypatch.setattr("wateringhole.house.lobby.CLEAN_UP_SECONDS", 0.05)
    limits = HouseLimits(over_seconds=0.1, connections_per_address=1000, signups_per_second=1000)

    async def play() -> None:
        async with served(tmp_path / "s.sqlite", limits) as server:

            async def play_games(games: int) -> None:
                for _ in range(games // 3):
                    await play_table(server)
                    await play_rematch(server)
                await until(lambda: not (server.lobby and server.lobby.tables))

            await play_games(FEW)
            # Not even the last table is kept; its log is as long as its game was.
            await until(lambda: not objects()[TABLE])
            before = objects()
            await play_games(MANY)
            await assert_no_more_than(before)

    run(play(), 300)
