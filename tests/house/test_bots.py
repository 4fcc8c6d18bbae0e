"""The bots of the house, for which only their own table waits."""

from __future__ import annotations

import asyncio
import math
import shlex
import sys
import textwrap
import threading
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.house.hosting import PORRINHA, Hosted, JsonClient, hosted, run
from tests.waiting import eventually, until
from wateringhole.game import Answer, Request
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.host import HostedGame
from wateringhole.player import SeatAssignment


class Moody(Silly):
    """An untrusted bot, so it runs in a thread.  It hangs in the method that `mood` names."""

    mood: ClassVar[str] = ""
    release: ClassVar[threading.Event]
    made: ClassVar[list[Moody]]
    closed: ClassVar[list[Moody]]

    def __init__(self) -> None:
        Moody.made.append(self)
        self._mood = Moody.mood
        # A bot that hangs in one test may end during the next.
        self._closed = Moody.closed
        self._hang("made")

    def on_seated(self, assignment: SeatAssignment) -> None:
        self._hang("seated")

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._hang("asked")
        return super().answer(request, seconds)

    def close(self) -> None:
        self._hang("closed")
        self._closed.append(self)

    def _hang(self, method: str) -> None:
        if self._mood == method:
            assert Moody.release.wait(60)


MOODY = "tests.house.test_bots:Moody"


@pytest.fixture(autouse=True)
def reset_mood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Moody, "mood", "")
    monkeypatch.setattr(Moody, "release", threading.Event(), raising=False)
    monkeypatch.setattr(Moody, "made", [], raising=False)
    monkeypatch.setattr(Moody, "closed", [], raising=False)


async def sign_up(table: Hosted, name: str) -> JsonClient:
    return await JsonClient.sign_up(table.port, name)


def _are_made(bots: int) -> bool:
    return len(Moody.made) >= bots


@pytest.mark.parametrize("mood", ["made", "seated", "asked"])
def test_hanging_bots_do_not_delay_other_tables(mood: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> HostedGame:
        async with hosted(players=4, games=14, tables=14, bots=[MOODY], start_delay=0, time_limit=60) as table:
            monkeypatch.setattr(Moody, "mood", mood)
            stuck = []
            for number in range(12):
                stuck.append(await sign_up(table, f"stuck {number}"))
                # Players who wait for bots have left the lobby.
                made = number + 1 if mood == "made" else 3 * number + 1
                await until(partial(_are_made, made))
                if mood != "made":
                    await table.logged(f"game {number + 1} begins")
            monkeypatch.setattr(Moody, "mood", "")
            free = await sign_up(table, "free")
            play = asyncio.create_task(free.play())
            game = await table.game()
            Moody.release.set()
            await table.host.close()
            await play
            for client in stuck:
                await client.close()
            return game

    game = run(test())
    assert game.names[0] == "free#1"
    assert game.played.outcome.thrown_out == ()


def test_hanging_bot_costs_its_table_one_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.match.threads.RECOVERY_SECONDS", 0.1)
    monkeypatch.setattr("wateringhole.house.local.CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(Moody, "mood", "asked")
    # It wants all events but never returns.
    monkeypatch.setattr(Moody, "wants_events", True)

    async def test() -> HostedGame:
        # Only the bot, which is late, has little time.
        bots = ["silly", MOODY, "silly"]
        async with hosted(players=4, bots=bots, time_limit=0.3, human_time_limit=60) as table:
            await (await JsonClient.sign_up(table.port, "Bob", person=True)).play()
            return await table.game()

    (thrown,) = run(test()).played.outcome.thrown_out
    assert (thrown.seat, thrown.forfeit.reason) == (2, "late")
    Moody.release.set()


def test_bot_that_hangs_in_close_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.house.local.CLOSE_SECONDS", 0.1)
    monkeypatch.setattr(Moody, "mood", "closed")

    async def test() -> HostedGame:
        async with hosted(bots=[MOODY]) as table:
            await (await sign_up(table, "Bob")).play()
            return await table.game()

    assert run(test()).played.outcome.thrown_out == ()
    assert Moody.closed == []
    Moody.release.set()
    eventually(lambda: len(Moody.closed) == 4)  # two bots, two attempts


def test_bots_are_closed_after_every_game() -> None:
    async def test() -> int:
        async with hosted(games=2, bots=[MOODY], start_delay=0) as table:
            play = asyncio.create_task((await sign_up(table, "Bob")).play())
            await table.game()
            closed = len(Moody.closed)
            await play
            await table.game()
            return closed

    assert run(test()) >= 2
    assert len(Moody.closed) == 4


def test_bots_made_after_the_table_closed_are_closed_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Moody, "mood", "made")

    async def test() -> None:
        async with hosted(bots=[MOODY], start_delay=0) as table:
            bob = await sign_up(table, "Bob")
            await until(lambda: Moody.made)
            await table.host.close()
            await bob.close()
            assert Moody.closed == []
            Moody.release.set()
            await until(lambda: Moody.closed)

    run(test())
    assert len(Moody.made) == 1, "the second bot is not made"


TWO_SEATS = """
    import json, os, select, sys

    def send(**message):
        print(json.dumps(message), flush=True)

    def lines():
        rest = b""
        while chunk := os.read(0, 1 << 16):
            *whole, rest = (rest + chunk).split(b"\\n")
            asked = sum(b'"request"' in line for line in whole)
            # The host must not send another request before the answer.
            if asked > 1 or asked and select.select([0], [], [], 0.02)[0]:
                sys.exit("got another request before the answer")
            yield from whole

    for line in lines():
        message = json.loads(line)
        if message["type"] == "hello":
            assert message["players"] == 2
            send(type="hello", protocol=1, names=["Two", "Zwei"])
        if message["type"] == "request":
            view = message["view"]
            free = [guess for guess in range(view["chopstick_count"] + 1) if guess not in view["guess"]]
            answer = view["lowest_hand"] if message["request"] == "hand" else free[0]
            send(type="answer", id=message["id"], answer=answer)
"""


@pytest.mark.parametrize(("players", "bots"), [(1, 2), (2, 1), (1, 3)])
def test_program_for_two_seats_gets_one_request_at_a_time(tmp_path: Path, players: int, bots: int) -> None:
    program = tmp_path / "two.py"
    program.write_text(textwrap.dedent(TWO_SEATS))
    spec = "cmd*2:" + shlex.join([sys.executable, str(program)])

    async def test() -> list[HostedGame]:
        async with hosted(PORRINHA, players + bots, games=2, bots=[spec], time_limit=30, start_delay=math.inf) as table:
            clients = [await JsonClient.sign_up(table.port, f"P{number}", Zero) for number in range(players)]
            table.end_start_delay()
            await asyncio.gather(*(client.play() for client in clients))
            return [await table.game(), await table.game()]

    guests = [f"P{number}" for number in range(players)]
    # A third bot is the first one of another process of the program.
    expected = {1: ["Two"], 2: ["Two", "Zwei"], 3: ["Two", "Zwei", "Two 2"]}[bots]
    for game in run(test()):
        assert list(game.names) == guests + expected
        assert game.played.outcome.thrown_out == ()
