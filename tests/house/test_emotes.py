"""Emotes: short messages between players, which are no part of the game."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.house.hosting import JsonClient
from tests.house.serving import run, served
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.emotes import AT_ONCE


def test_emote_of_a_player_reaches_all_pages_and_nothing_else(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program", "zero")
            (program,) = table.programs
            async with table.seat() as ada, table.spectator() as spectator:
                port = int(server.url.rpartition(":")[2])
                remote = await JsonClient.sign_up(port, "Mine", Zero, code=program["code"], events=True)
                playing = asyncio.ensure_future(remote.play())
                request = await ada.until("request")
                await ada.send({"type": "emote", "emote": "hello"})
                for page in (ada, spectator):
                    assert await page.until("emote") == {"type": "emote", "seat": 0, "emote": "hello"}
                await ada.answer(request)
                await ada.play()
                await playing
            assert all(message["type"] != "emote" for message in remote.received)
            assert b"hello" not in await server.finished(table.id)

    run(play())


def test_spectators_and_unknown_emotes_are_ignored(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as ada, table.spectator() as spectator:
                await ada.until("request")
                await spectator.until("game")
                await spectator.send({"type": "emote", "emote": "hello"})
                for emote in ("Come to my site!", None, {"a": 1}):
                    await ada.send({"type": "emote", "emote": emote})
                await ada.send({"type": "emote", "emote": "wow"})
                assert (await ada.until("emote"))["emote"] == "wow"
                assert (await spectator.until("emote"))["seat"] == 0

    run(play())


def test_emotes_are_limited_for_each_seat(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            ada, bea = await table.seat_all("Bea")
            async with ada, bea:
                for page in (ada, bea):
                    await page.until("request")
                for _ in range(AT_ONCE + 3):
                    await ada.send({"type": "emote", "emote": "wow"})
                # The server handles the messages of one page in order, so this one comes after all emotes of Ada.
                await ada.send({"type": "leave"})
                await ada.until("thrown_out")
                await bea.send({"type": "emote", "emote": "oops"})
                await bea.until("emote", seat=1)
                assert [message["seat"] for message in bea.of_type("emote")] == [0] * AT_ONCE + [1]

    run(play())


def test_player_who_has_left_sends_no_emotes(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            ada, bea = await table.seat_all("Bea")
            async with ada, bea:
                await ada.until("request")
                await ada.send({"type": "leave"})
                await ada.until("thrown_out")
                await ada.send({"type": "emote", "emote": "hello"})
                await ada.send({"type": "emote", "emote": "hello"})
                await bea.play()
                await bea.send({"type": "emote", "emote": "good_game"})
                await bea.until("emote")
                assert [message["emote"] for message in bea.of_type("emote")] == ["good_game"]

    run(play())
