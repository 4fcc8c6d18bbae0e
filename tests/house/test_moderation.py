"""Removed and banned players, departures and abandoned tables of a house with a lobby."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import CourseClient, JsonClient
from tests.house.serving import Message, Opened, Served, process, run, served
from wateringhole.formatting import sentence
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.admission import Admission, BanList
from wateringhole.house.limits import HouseLimits
from wateringhole.house.plans import TableBan

REASON = "removed by the player who opened the table"


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


async def _remove(table: Opened, seat: int, status: int = 200, **more: Any) -> Message:
    fields = {"token": table.owner, "seat": seat, **more}
    removed: Message = await table.server.post(f"/api/tables/{table.id}/remove", fields, status)
    return removed


async def _seats(table: Opened) -> list[Message]:
    seats: list[Message] = (await table.server.get(f"/api/tables/{table.id}"))["seats"]
    return seats


async def _refusal(server: Served, name: str, **hello: Any) -> str:
    """Return the reason why a sign-up is refused."""
    client = await JsonClient.connect(_port(server), Zero)
    await client.send_message(type="hello", protocol=1, name=name, **hello)
    message: Message | None = await client.message()
    if message is not None and message["type"] == "hello":
        message = await client.message()
    assert message is not None
    await client.close()
    reason: str = message["reason"]
    return reason


def test_removed_friend_loses_the_seat_and_its_invitation(tmp_path: Path) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", public=False)
            assert table.owner == table.token
            token = await table.take_seat(table.invitations[0], "Eve")
            async with table.seat(token) as eve:
                await eve.until("table")
                removed = await _remove(table, 1)
                bye = await eve.until("bye")
            assert (bye["reason"], bye["final"]) == (f"You were {REASON}.", True)
            assert [seat["taken"] for seat in await _seats(table)] == [True, False, False]
            async with table.seat(token) as eve:
                assert "no longer yours" in (await eve.until("bye"))["reason"]
            old = table.invitations[0].partition("#invite=")[2]
            path = f"/api/tables/{table.id}/seat"
            await server.post(path, {"name": "Eve", "invitation": old}, 409)
            await table.take_seat(removed["invitations"][0], "Bea")
            await server.log.line_with(f"'Eve' was {REASON} at table {table.id}")

    run(remove())


def test_opener_without_a_seat_removes_a_program_and_gets_a_new_code(tmp_path: Path) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "program", "program", "zero")
            assert table.token is None
            code = table.programs[0]["code"]
            program = await JsonClient.sign_up(_port(server), "Mine", Zero, code=code)
            removed = await _remove(table, 0)
            bye = await program.message()
            assert bye is not None
            assert (bye["type"], bye["reason"]) == ("bye", REASON)
            assert await _refusal(server, "Mine", code=code) == "no seat is reserved for this code"
            (new,) = removed["programs"]
            assert new["seat"] == 0
            again = await JsonClient.sign_up(_port(server), "Mine", Zero, code=new["code"])
            await again.close()
            await program.close()

    run(remove())


def test_player_removed_from_a_game_forfeits_and_the_game_continues(tmp_path: Path) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "program", "friend", "silly")
            token = await table.take_seat(table.invitations[0], "Eve")
            program = await JsonClient.sign_up(_port(server), "Mine", Silly, code=table.programs[0]["code"])
            course = await CourseClient.sign_up(_port(server), "Course")
            async with table.seat() as ada, table.seat(token) as eve:
                await eve.until("request")
                for seat in (1, 2, 3):
                    await _remove(table, seat)
                over, thrown_out = await asyncio.gather(ada.play(), eve.until("thrown_out"))
            assert {line["name"]: line["out"] for line in over["standings"]} == {
                "Ada": None,
                "silly": None,
                "Eve": sentence(REASON),
                "Mine": sentence(REASON),
                "Course": sentence(REASON),
            }
            assert thrown_out["message"] == sentence(REASON)
            assert (await _remove(table, 1, 409))["problem"] == "The game at this table is over."
            await program.close()
            await course.close()

    run(remove())


def test_removed_program_that_lost_its_connection_is_not_waited_for(tmp_path: Path) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "program", "zero")
            program = await JsonClient.sign_up(_port(server), "Mine", Zero, code=table.programs[0]["code"])
            async with table.seat() as ada:
                await program.next_request()
                await program.close()
                playing = asyncio.create_task(ada.play())
                await server.get_until(f"/api/tables/{table.id}", lambda shown: not shown["seats"][1]["here"])
                await _remove(table, 1)
                over = await playing
            assert {line["name"]: line["out"] for line in over["standings"]}["Mine"] == sentence(REASON)

    run(remove())


@pytest.mark.parametrize("token", ["guessed", "Eve's"])
def test_only_the_opener_removes_players(tmp_path: Path, token: str) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "zero")
            eves = await table.take_seat(table.invitations[0], "Eve")
            refused = await _remove(table, 0, 409, token=eves if token == "Eve's" else token)
            assert refused["problem"] == "Only the player who opened this table can remove players."
            assert [seat["taken"] for seat in await _seats(table)] == [True, True, False, True]
            assert "your own seat" in (await _remove(table, 0, 409))["problem"]
            for seat in (-1, 2, 3, 4):
                assert "no player to remove" in (await _remove(table, seat, 409))["problem"]

    run(remove())


def test_player_banned_from_a_table_takes_no_seat_there_again(tmp_path: Path) -> None:
    async def ban() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            eve = await JsonClient.sign_up(_port(server), "Eve", Zero)
            await _remove(table, 1, ban=True)
            await eve.close()
            # The opener has the same address, so only the name is banned.
            refused = await server.post(f"/api/tables/{table.id}/seat", {"name": "EVE"}, 409)
            assert refused["problem"] == "You are banned from this table by the player who opened it."
            assert "no public table has an open seat" in await _refusal(server, "eve.")
            invitation = table.invitations[1].partition("#invite=")[2]
            assert "you are banned from this table" in await _refusal(server, "Eve", code=invitation)
            await table.take_seat(None, "Bea")
            other = await server.table("porrinha", "me", "friend")
            await other.take_seat(None, "Eve")

    run(ban())


def test_ban_holds_for_an_address_that_only_the_banned_player_has(tmp_path: Path) -> None:
    async def ban() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert server.lobby is not None
            opened = await server.table("porrinha", "me", "friend", "friend", "friend")
            table = server.lobby.table(opened.id)
            for seat, name, address in ((1, "Eve", "10.0.0.1"), (2, "Bea", "10.0.0.2"), (3, "Cat", "10.0.0.2")):
                table.take_seat(seat, name, address)
            table.ban(1, "127.0.0.1")
            table.ban(2, "127.0.0.1")
            assert table.plan.bans == [TableBan("eve", "10.0.0.1"), TableBan("bea", None)]
            assert [table.bans("Dan", address) for address in ("10.0.0.1", "10.0.0.2")] == [True, False]

    run(ban())


def test_ban_of_a_table_and_its_opener_survive_a_restart(tmp_path: Path) -> None:
    async def ban() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            await table.take_seat(None, "Eve")
            await _remove(table, 1, ban=True)
            await table.take_seat(None, "Bea")
        async with served(tmp_path / "s.sqlite") as server:
            table.server = server
            await server.post(f"/api/tables/{table.id}/seat", {"name": "Eve"}, 409)
            await _remove(table, 1)
            assert [seat["taken"] for seat in await _seats(table)] == [True, False, False]

    run(ban())


def test_bans_of_the_operator_hold_on_the_page_and_for_programs(tmp_path: Path) -> None:
    async def ban() -> None:
        bans = tmp_path / "bans.txt"
        bans.write_text("Eve\n")
        async with served(tmp_path / "s.sqlite", admission=Admission(bans=BanList(bans))) as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            refused = [
                await server.post(f"/api/tables/{table.id}/seat", {"name": "Eve"}, 409),
                await server.post(
                    "/api/tables", {"game": "porrinha", "name": "Eve", "seats": [{"kind": "me"}] * 2}, 409
                ),
            ]
            assert [each["problem"] for each in refused] == ["You are banned from this house."] * 2
            assert await _refusal(server, "Eve") == "you are banned from this house"

    run(ban())


def test_operator_removes_players_from_waiting_and_running_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.house.admission.BAN_SECONDS", 0.02)

    async def ban() -> None:
        bans = tmp_path / "bans.txt"
        bans.write_text("")
        async with served(tmp_path / "s.sqlite", admission=Admission(bans=BanList(bans))) as server:
            running = await server.table("porrinha", "me", "friend", "program", "zero")
            eve_token = await running.take_seat(running.invitations[0], "Eve")
            mine = await JsonClient.sign_up(_port(server), "Mine", Zero, code=running.programs[0]["code"])
            waiting = await server.table("porrinha", "me", "friend", "friend")
            await waiting.take_seat(None, "Eve")
            async with running.seat() as ada, running.seat(eve_token) as eve:
                await eve.until("game")
                bans.write_text("Eve\nMine\n")
                bye = await eve.until("bye")
                over = await ada.play()
            assert (bye["reason"], bye["final"]) == ("You were removed by the operator.", True)
            out = {line["name"]: line["out"] for line in over["standings"]}
            removed = "Removed by the operator."
            assert out == {"Ada": None, "zero": None, "Eve": removed, "Mine": removed}
            assert [seat["taken"] for seat in await _seats(waiting)] == [True, False, False]
            async with running.seat(eve_token) as eve:
                assert (await eve.until("bye"))["reason"] == "You are banned from this house."
            await mine.close()

    run(ban())


def test_only_allowed_names_take_seats(tmp_path: Path) -> None:
    async def take() -> None:
        async with served(tmp_path / "s.sqlite", admission=Admission(names=("Ada", "Bea"))) as server:
            table = await server.table("porrinha", "me", "friend", "friend", name="Ada")
            path = f"/api/tables/{table.id}/seat"
            assert "not on the list" in (await server.post(path, {"name": "Eve"}, 409))["problem"]
            assert "has signed up already" in (await server.post(path, {"name": "Ada"}, 409))["problem"]
            assert "not on the list" in await _refusal(server, "Eve")
            await table.take_seat(None, "Bea")

    run(take())


def test_serve_reads_its_file_of_bans(tmp_path: Path) -> None:
    async def ban() -> None:
        bans = tmp_path / "bans.txt"
        bans.write_text("127.0.0.0/8\n")
        async with process(tmp_path / "s.sqlite", "--bans", str(bans)) as (server, _):
            seats = [{"kind": "me"}, {"kind": "bot", "player": "zero"}]
            refused = await server.post("/api/tables", {"game": "porrinha", "name": "Ada", "seats": seats}, 409)
            assert refused["problem"] == "You are banned from this house."

    run(ban())


def test_departures_are_logged(tmp_path: Path) -> None:
    async def leave() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            token = await table.take_seat(None, "Bea")
            await server.log.line_with(f"'Bea' has taken a seat at table {table.id} from 127.0.0.1 (page)")
            async with table.seat() as ada, table.seat(token) as bea:
                await ada.until("table")
                await bea.send({"type": "leave"})
                await bea.until("bye")
            await server.log.line_with(f"'Bea' has left table {table.id}")
            await server.log.line_with("'Ada' has disconnected from 127.0.0.1")
            async with table.seat():
                pass
        assert not any("'Bea' has disconnected" in line for line in server.log)

    run(leave())


async def _open_tables(server: Served) -> list[str]:
    return _ids(await server.get("/api/lobby"))


def _ids(lobby: Message) -> list[str]:
    return [each["id"] for each in lobby["open"]]


def test_abandoned_table_is_closed_and_leaves_the_lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.house.lobby.CLEAN_UP_SECONDS", 0.01)

    async def abandon() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(waiting_seconds=1)) as server:
            by_program = await server.table("porrinha", "program", "friend")
            program = await JsonClient.sign_up(_port(server), "Mine", Zero, code=by_program.programs[0]["code"])
            by_human = await server.table("porrinha", "friend", "friend")
            code = by_human.invitations[0].partition("#invite=")[2]
            human = await JsonClient.sign_up(_port(server), "Ada", Zero, code=code, person=True)
            by_spectator = await server.table("porrinha", "friend", "friend")
            waiting = [by_program.id, by_human.id, by_spectator.id]
            async with by_spectator.spectator() as spectator:
                await spectator.until("table")
                # When the newest table is closed, the time of the others is over, too.
                abandoned = await server.table("porrinha", "program", "friend")
                await server.get_until("/api/lobby", lambda lobby: abandoned.id not in _ids(lobby))
                assert await _open_tables(server) == waiting
            await program.close()
            await human.close()
            await server.get_until("/api/lobby", lambda lobby: not lobby["open"])

    run(abandon())


def test_table_without_players_is_no_longer_listed_but_open_for_its_players(tmp_path: Path) -> None:
    async def leave() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(listed_seconds=0.3)) as server:
            table = await server.table("porrinha", "me", "friend")
            async with table.spectator() as spectator:
                await spectator.until("table")
                async with table.seat() as ada:
                    await ada.until("table")
                    # The table must stay in the list.  A longer pause on a slow machine makes no difference.
                    await asyncio.sleep(0.4)
                    assert await _open_tables(server) == [table.id]
                # A spectator does not keep the table in the list.
                await server.get_until("/api/lobby", lambda lobby: not lobby["open"])
                program = await JsonClient.connect(_port(server), Zero)
                await program.send_message(type="hello", protocol=1, name="Mine")
                assert "no public table has an open seat" in str(await program.message())
                await program.close()
            async with table.seat() as ada:
                await ada.until("table")
                assert await _open_tables(server) == [table.id]

    run(leave())
