"""Remote players return to their games after a restart of the house.  Uses real processes and one store."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import CourseClient, JsonClient
from tests.house.serving import BOTS, Message, Opened, Served, process, run
from tests.house.test_mixed_tables import PLAYERS
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.match.record import read_record


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


async def _return(server: Served, client: JsonClient, heard: int | None) -> tuple[JsonClient, int]:
    """Reconnect with the token of a client.  Return the new client and the number of its next message."""
    again = await JsonClient.connect(_port(server))
    known = {} if heard is None else {"heard": heard}
    await again.send_message(type="hello", protocol=1, token=client.token, **known)
    hello = await again.message()
    assert hello is not None
    assert hello["type"] == "hello", hello
    assert hello["token"] == client.token
    again.player_end = client.player_end
    again.received.clear()
    return again, hello["resumed"]


def _untimed(messages: list[Message]) -> list[dict[str, Any]]:
    return [{**message, "seconds": None} for message in messages]


@pytest.mark.parametrize("game", PLAYERS)
def test_program_returns_after_the_house_was_killed(tmp_path: Path, game: str) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            table = await server.table(game, "me", "program", BOTS[game][0])
            async with table.seat() as human:
                playing = asyncio.create_task(human.play())
                code = table.programs[0]["code"]
                before = await JsonClient.sign_up(_port(server), "Mine", PLAYERS[game], code=code, events=True)
                before.received.clear()
                for _ in range(4):
                    request = await before.next_request()
                    assert request is not None
                    await before.send(before.reply(request))
                open_request = await before.next_request()
                assert open_request is not None
                os.kill(running.pid, signal.SIGKILL)
                await running.wait()
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)
            await before.close()
        async with process(store) as (server, _):
            heard = len(before.received)
            # Without a number, the house sends the whole game again: the same messages as before.
            whole, number = await _return(server, before, None)
            assert number == 0
            while len(whole.received) < heard:
                assert await whole.message()
            assert _untimed(whole.received) == _untimed(before.received)
            after, number = await _return(server, before, heard)
            assert number == heard - 1
            repeated = await after.next_request()
            assert repeated is not None
            assert _untimed([repeated]) == _untimed([open_request])
            await after.send(after.reply(repeated))
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": []})
            async with again.seat() as human:
                over, _ = await asyncio.gather(human.play(), after.play())
            assert [line["out"] for line in over["standings"]] == [None] * 3
            await whole.close()
            record = read_record(await server.finished(table.id))
            asked = [message for message in before.received + after.received[1:] if message["type"] == "request"]
            assert len(asked) == sum(answer.seat == 1 for answer in record.answers)

    run(restart())


def test_course_player_forfeits_after_a_restart(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            table = await server.table("evolution", "me", "friend", "silly")
            async with table.seat() as human:
                playing = asyncio.create_task(human.play())
                course = await CourseClient.sign_up(_port(server), "Course")
                assert await course.next_request()
                running.send_signal(signal.SIGKILL)
                await running.wait()
                playing.cancel()
                await asyncio.gather(playing, return_exceptions=True)
            await course.close()
        async with process(store) as (server, _):
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": []})
            async with again.seat() as human:
                over = await human.play()
            assert [line["name"] for line in over["standings"] if line["out"]] == ["Course"]
            (thrown,) = over["outcome"]["thrown_out"]
            assert thrown["forfeit"]["reason"] == "disconnected"
            assert "the house was restarted" in thrown["forfeit"]["message"]

    run(restart())


def test_program_waits_through_a_restart_before_the_game(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            table = await server.table("evolution", "me", "program", "friend")
            code = table.programs[0]["code"]
            before = await JsonClient.sign_up(_port(server), "Mine", Silly, code=code)
            before.received.clear()
            running.send_signal(signal.SIGTERM)
            assert await running.wait() == 0
            assert await before.message() is None, "the house says no goodbye, because the player may return"
            await before.close()
        async with process(store) as (server, _):
            after, number = await _return(server, before, 0)
            assert number == 0
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": table.invitations})
            seats = await again.seat_all("Bea")
            async with seats[0], seats[1]:
                over, *_ = await asyncio.gather(seats[0].play(), seats[1].play(), after.play())
            assert [line["out"] for line in over["standings"]] == [None] * 3

    run(restart())
