"""Players of every kind at one table: on the page, over the JSON protocol, over the course's protocol, and bots."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import CourseClient, JsonClient, WebSocketClient
from tests.house.serving import Message, Served, run, served
from tests.preloaded_command import preloaded_command
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.local import BotGroup
from wateringhole.match.record import read_record
from wateringhole.match.specs import PlayerSpec
from wateringhole.player import Player

PLAYERS: dict[str, Callable[[], Player]] = {"evolution": Silly, "porrinha": Zero}


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


@pytest.mark.parametrize("client", [JsonClient, WebSocketClient])
@pytest.mark.parametrize("game", PLAYERS)
def test_program_and_human_play_at_one_table(tmp_path: Path, game: str, client: type[JsonClient]) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            bot = "silly" if game == "evolution" else "zero"
            table = await server.table(game, "me", "program", bot, name="Ada")
            (program,) = table.programs
            assert program["seat"] == 1
            async with table.seat() as human, table.spectator() as spectator:
                remote = await client.sign_up(_port(server), "Mine", PLAYERS[game], code=program["code"], events=True)
                over, _, _ = await asyncio.gather(human.play(), remote.play(), spectator.until("over"))
            assert over["type"] == "over"
            assert [line["out"] for line in over["standings"]] == [None] * 3
            assert sorted(line["name"] for line in over["standings"]) == sorted(["Ada", "Mine", bot])
            *_, result, bye = remote.received
            assert (result["type"], bye["type"]) == ("result", "bye")
            assert result["outcome"] == over["outcome"]
            record = read_record(await server.finished(table.id))
            assert record.header.names == ("Ada", "Mine", bot)
            assert f"'Mine' has taken a seat at table {table.id}" in "\n".join(server.log)

    run(play())


def test_five_kinds_of_players_finish_a_game_of_evolution(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "program", "friend", "greedy")
            (program,) = table.programs
            port = _port(server)
            async with table.seat() as human:
                over_web = await WebSocketClient.sign_up(port, "Web", Silly, code=program["code"])
                over_tcp = await JsonClient.sign_up(port, "Tcp", Silly, person=True)
                course = await CourseClient.sign_up(port, "Course")
                over, *_ = await asyncio.gather(human.play(), over_web.play(), over_tcp.play(), course.play())
            assert [line["out"] for line in over["standings"]] == [None] * 5
            assert {line["name"] for line in over["standings"]} == {"Ada", "Web", "Tcp", "Course", "greedy"}

    run(play())


def test_code_of_a_seat_works_once_and_only_for_its_seat(tmp_path: Path) -> None:
    async def sign_up() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "program", public=False)
            (program,) = table.programs
            first = await JsonClient.sign_up(_port(server), "Mine", Zero, code=program["code"])
            assert await _refusal(server, code=program["code"]) == "the seat of this code is taken"
            assert await _refusal(server, code="guessed") == "no seat is reserved for this code"
            assert "no public table has an open seat" in await _refusal(server)
            seats = (await server.get(f"/api/tables/{table.id}"))["seats"]
            assert [(seat["kind"], seat["taken"], seat["remote"]) for seat in seats] == [
                ("person", True, False),
                ("person", False, False),
                ("program", True, True),
            ]
            await first.close()

    run(sign_up())


def test_human_cannot_take_the_seat_of_a_program(tmp_path: Path) -> None:
    async def take() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program")
            path = f"/api/tables/{table.id}/seat"
            refused = await server.post(path, {"name": "Eve", "invitation": table.programs[0]["code"]}, 409)
            assert "reserved for a program" in refused["problem"]
            assert "no free seat" in (await server.post(path, {"name": "Eve"}, 409))["problem"]

    run(take())


def test_page_with_the_token_of_a_remote_player_does_not_stop_the_game(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "program")
            remote = await JsonClient.sign_up(_port(server), "Mine", Zero, code=table.programs[0]["code"])
            async with table.seat(remote.token) as page:
                bye = await page.until("bye")
                assert bye["reason"] == "This seat is not yours, or it is no longer yours."
                human, friend = await table.seat_all("Bea")
                async with human, friend:
                    over, _, _ = await asyncio.gather(human.play(), friend.play(), remote.play())
            assert over["type"] == "over", over
            rematch = await server.post(f"/api/tables/{table.id}/rematch", {"token": remote.token}, 409)
            assert "Only players of this table" in rematch["problem"]

    run(play())


def test_remote_player_who_returns_after_the_game_gets_the_result_and_is_disconnected(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program")
            remote = await JsonClient.sign_up(_port(server), "Mine", Zero, code=table.programs[0]["code"])
            async with table.seat() as human:
                await asyncio.gather(human.play(), remote.play())
            again = await JsonClient.connect(_port(server))
            await again.send_message(type="hello", protocol=1, token=remote.token)
            while await asyncio.wait_for(again.message(), 200):
                pass
            assert [message["type"] for message in again.received[-2:]] == ["result", "bye"]
            await again.close()

    run(play())


def test_players_without_a_name_are_named_after_their_seats(tmp_path: Path) -> None:
    async def sign_up() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "friend")
            clients = [await JsonClient.sign_up(_port(server), "", Zero) for _ in range(2)]
            seats = (await server.get(f"/api/tables/{table.id}"))["seats"]
            assert [seat["name"] for seat in seats] == ["Ada", "player 2", "player 3", ""]
            await asyncio.gather(*(client.close() for client in clients))

    run(sign_up())


def test_invitation_of_a_friend_is_a_code_for_a_remote_player(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", public=False)
            code = table.invitations[0].partition("#invite=")[2]
            async with table.seat() as human:
                friend = await JsonClient.sign_up(_port(server), "Bea", Zero, code=code)
                over, _ = await asyncio.gather(human.play(), friend.play())
            assert {line["name"] for line in over["standings"]} == {"Ada", "Bea"}

    run(play())


def test_player_who_knocks_learns_the_game_of_its_code(tmp_path: Path) -> None:
    async def knock() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            await server.table("evolution", "me", "friend", "friend")
            table = await server.table("porrinha", "me", "program")
            client = await JsonClient.connect(_port(server), Zero)
            await client.send_message(type="knock", code=table.programs[0]["code"])
            hello = await client.message()
            assert hello is not None
            assert hello["game"] == "porrinha"
            client.player_end.receive(json.dumps(hello).encode())
            await client.send_message(type="hello", protocol=1, name="Mine")
            async with table.seat() as human:
                await asyncio.gather(human.play(), client.play())
            await client.close()

    run(knock())


def test_disconnected_program_returns_with_its_token(tmp_path: Path) -> None:
    async def come_back() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "program", "silly")
            async with table.seat() as human:
                playing = asyncio.create_task(human.play())
                code = table.programs[0]["code"]
                first = await JsonClient.sign_up(_port(server), "Mine", Silly, code=code, events=True)
                request = await first.next_request()
                await first.close()
                second = await JsonClient.connect(_port(server), Silly)
                heard = len(first.received) - 1
                await second.send_message(type="hello", protocol=1, token=first.token, heard=heard)
                hello = await second.message()
                assert hello is not None
                assert hello["resumed"] == heard - 1
                second.player_end = first.player_end
                assert await second.next_request() == request
                assert request is not None
                await second.send(second.reply(request))
                await second.play()
                over = await playing
            assert [line["out"] for line in over["standings"]] == [None] * 3

    run(come_back())


def test_lost_program_frees_its_seat_before_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def lose() -> None:
        monkeypatch.setattr("wateringhole.house.lobby.CLEAN_UP_SECONDS", 0.01)
        monkeypatch.setattr("wateringhole.house.lobby.ALONE_SECONDS", 0.05)
        monkeypatch.setattr("wateringhole.house.lobby.AWAITED_SECONDS", 0.05)
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "program")
            code = table.programs[0]["code"]
            first = await JsonClient.sign_up(_port(server), "Mine", Zero, code=code)
            await first.close()
            await server.get_until(f"/api/tables/{table.id}", lambda shown: not shown["seats"][2]["taken"])
            again = await JsonClient.sign_up(_port(server), "Mine", Zero, code=code)
            await again.close()

    run(lose())


def test_name_of_a_remote_player_differs_from_the_others(tmp_path: Path) -> None:
    async def sign_up() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program", "friend", name="Ada")
            client = await JsonClient.sign_up(_port(server), "Ada\n", Zero, code=table.programs[0]["code"])
            seats = (await server.get(f"/api/tables/{table.id}"))["seats"]
            assert [seat["name"] for seat in seats] == ["Ada", "Ada 2", ""]
            await client.close()

    run(sign_up())


def test_rematch_reserves_the_seat_of_the_program_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program")
            for _ in range(2):
                (program,) = table.programs
                async with table.seat() as human:
                    client = await JsonClient.sign_up(_port(server), "Mine", Zero, code=program["code"])
                    await asyncio.gather(human.play(), client.play())
                created = await server.post(f"/api/tables/{table.id}/rematch", {"token": table.token})
                assert created["programs"] != table.programs
                table = type(table)(server, created)

    run(play())


def test_store_holds_no_code_and_no_token(tmp_path: Path) -> None:
    async def sign_up() -> None:
        store = tmp_path / "s.sqlite"
        async with served(store) as server:
            table = await server.table("porrinha", "me", "program", "friend")
            code = table.programs[0]["code"]
            client = await JsonClient.sign_up(_port(server), "Mine", Zero, code=code)
            await client.close()
        content = b"".join(path.read_bytes() for path in tmp_path.iterdir())
        assert b"Mine" in content
        for secret in (code, client.token, table.token):
            assert secret is not None
            assert secret.encode() not in content

    run(sign_up())


def test_bot_that_hangs_when_it_is_closed_does_not_keep_the_game_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = threading.Event()

    def slow_group(spec: PlayerSpec, player: Player) -> BotGroup:
        return BotGroup(dataclasses.replace(spec, is_fast=False), player)

    async def play() -> None:
        monkeypatch.setattr("wateringhole.house.local.CLOSE_SECONDS", 0.05)
        monkeypatch.setattr("wateringhole.house.page_tables.BotGroup", slow_group)
        monkeypatch.setattr(Zero, "close", lambda bot: hangs.wait())
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as human:
                assert (await human.play())["type"] == "over"

    try:
        run(play())
    finally:
        hangs.set()


async def _refusal(server: Served, **hello: Any) -> str:
    """Return the reason why a sign-up is refused."""
    client = await JsonClient.connect(_port(server), Zero)
    await client.send_message(type="hello", protocol=1, name="Eve", **hello)
    bye: Message | None = await client.message()
    assert bye is not None
    assert bye["type"] == "bye", json.dumps(bye)
    await client.close()
    reason: str = bye["reason"]
    return reason


def test_command_on_the_page_seats_a_bot(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "program", "silly")
            address = f"127.0.0.1:{_port(server)}/{table.programs[0]['code']}"
            words = ["join", address, "greedy", "--name", "Mine"]
            joined = await asyncio.create_subprocess_exec(preloaded_command(), *words, stderr=asyncio.subprocess.PIPE)
            async with table.seat() as human:
                over = await human.play()
            _, log = await joined.communicate()
            assert {line["name"]: line["out"] for line in over["standings"]} == dict.fromkeys(["Ada", "Mine", "silly"])
            # The deal is random, so the first place may be shared.
            assert re.search("the game is over: Mine (took|shares) place", log.decode())
            assert joined.returncode == 0

    run(play())
