"""The waiting room of a table: its settings, the order of its seats, and the start of the game."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import JsonClient
from tests.house.serving import Message, Opened, Served, process, run, served
from tests.waiting import until
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house import page_tables
from wateringhole.house.limits import HouseLimits


async def _room(table: Opened, action: str, status: int = 200, **fields: Any) -> Message:
    """Do something in the room as the host."""
    reply: Message = await table.server.post(
        f"/api/tables/{table.id}/{action}", {"token": table.owner, **fields}, status
    )
    return reply


async def _table(table: Opened) -> Message:
    shown: Message = await table.server.get(f"/api/tables/{table.id}")
    return shown


def _names(table: Message) -> list[str]:
    return [seat["name"] for seat in table["seats"]]


def _keys(table: Message) -> list[int]:
    return [seat["key"] for seat in table["seats"]]


def _port(server: Served) -> int:
    return int(server.url.rpartition(":")[2])


# Settings


def test_host_changes_one_setting_and_keeps_the_others(tmp_path: Path) -> None:
    async def change() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", public=False, time_limit=60)
            before = table.table["settings"]
            assert {"public": False, "time_limit": 60, "time_per_game": None}.items() <= before.items()
            assert (await server.get("/api/lobby"))["open"] == []
            async with table.seat() as ada:
                await ada.until("table")
                await _room(table, "settings", settings={"public": True})
                changed = (await ada.until("table"))["table"]
            assert changed["settings"] == {**before, "public": True}
            (listed,) = (await server.get("/api/lobby"))["open"]
            assert listed["id"] == table.id
            await table.take_seat(None, "Bea")

    run(change())


def test_settings_survive_a_restart_and_set_the_clock(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with served(store) as server:
            table = await server.table("porrinha", "me", "friend")
            await _room(table, "settings", settings={"public": False, "time_limit": 300, "time_per_game": 200})
        async with served(store) as server:
            table.server = server
            assert (await server.get("/api/lobby"))["open"] == []
            token = await table.take_seat(table.invitations[0], "Bea")
            async with table.seat() as ada, table.seat(token):
                request = await ada.until("request")
            assert 190 < request["seconds"] <= 200

    run(restart())


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"time_limit": 4}, "A decision may take 5 to 600 seconds here, not 4."),
        ({"time_limit": 601}, "A decision may take 5 to 600 seconds here, not 601."),
        ({"time_per_game": 1}, "All decisions of a game may take 60 to 86400 seconds, not 1."),
        ({"time_limit": "long"}, "These settings are not valid: Expected `int | null`, got `str` - at `$.time_limit`."),
    ],
)
def test_impossible_settings_are_refused(tmp_path: Path, settings: Message, problem: str) -> None:
    async def refuse() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(human_time_limit=600)) as server:
            table = await server.table("porrinha", "me", "friend")
            assert (await _room(table, "settings", 400, settings=settings))["problem"] == problem
            plan = {"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "friend"}], **settings}
            await server.post("/api/tables", plan, 400)
            assert (await server.get(f"/api/tables/{table.id}"))["settings"]["time_limit"] is None

    run(refuse())


def test_only_the_host_changes_settings_and_only_before_the_game(tmp_path: Path) -> None:
    async def refuse() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend")
            token = await table.take_seat(None, "Bea")
            refused = await _room(table, "settings", 409, token=token, settings={"public": False})
            assert refused["problem"] == "Only the player who opened this table can change it."
            refused = await _room(table, "settings", 409, settings={"public": False})
            assert refused["problem"] == "The game at this table has already begun."

    run(refuse())


# The order of the seats


def test_host_reorders_the_seats_and_every_player_keeps_their_own(tmp_path: Path) -> None:
    async def reorder() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "program", "zero", "friend")
            token = await table.take_seat(table.invitations[0], "Bea")
            program = await JsonClient.sign_up(_port(server), "Mine", Zero, code=table.programs[0]["code"])
            async with table.seat() as ada, table.seat(token) as bea:
                await bea.until("hello", seat=1)
                await ada.until("table")
                assert _keys(await _table(table)) == [0, 1, 2, 3, 4]
                reply = await _room(table, "order", keys=[3, 2, 1, 4, 0])
                assert _names(reply["table"]) == ["zero", "Mine", "Bea", "", "Ada"]
                assert [seat["here"] for seat in reply["table"]["seats"]] == [True, True, True, False, True]
                assert (await ada.until("seat"))["seat"] == 4
                assert (await bea.until("seat"))["seat"] == 2
                # The last seat still has its invitation.
                await table.take_seat(table.invitations[1], "Cat")
                assert (await ada.until("game"))["names"] == ["zero", "Mine", "Bea", "Cat", "Ada"]
                await bea.until("game", seat=2)
                message = await program.message()
                while message is not None and message["type"] != "game":
                    message = await program.message()
                assert message is not None
                assert message["seat"] == 1
            await program.close()

    run(reorder())


@pytest.mark.parametrize("keys", [[], [0, 1], [0, 1, 1], [0, 1, 2, 3], [0, 1, 5]])
def test_order_must_name_every_seat_once(tmp_path: Path, keys: list[int]) -> None:
    async def reorder() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            refused = await _room(table, "order", 409, keys=keys)
            assert refused["problem"] == "The seats have changed meanwhile. Look at them and try again."
            assert _names(await _table(table)) == ["Ada", "", ""]

    run(reorder())


def test_only_the_host_changes_the_room(tmp_path: Path) -> None:
    async def refuse() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            token = await table.take_seat(None, "Bea")
            bot = {"kind": "bot", "player": "zero"}
            actions: list[tuple[str, Message]] = [
                ("order", {"keys": [2, 1, 0]}),
                ("occupant", {"key": 2, "occupant": bot}),
                ("start", {"absent": [2], "bots": True}),
            ]
            for action, fields in actions:
                for wrong in (token, "guessed"):
                    refused = await _room(table, action, 409, token=wrong, **fields)
                    assert refused["problem"] == "Only the player who opened this table can change it."
            assert _names(await _table(table)) == ["Ada", "Bea", ""]

    run(refuse())


def test_room_survives_kill_9_with_its_order_and_settings(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            table = await server.table("porrinha", "me", "friend", "friend", "friend", public=False)
            await table.take_seat(table.invitations[0], "Bea")
            await _room(table, "order", keys=[2, 1, 0, 3])
            await _room(table, "occupant", key=3, occupant={"kind": "bot", "player": "counter"})
            await _room(table, "settings", settings={"time_limit": 45})
            await until(lambda: _saved_time_limits(store) == [45])
            os.kill(running.pid, signal.SIGKILL)
            await running.wait()
        async with process(store) as (server, _):
            table.server = server
            shown = await _table(table)
            assert _names(shown) == ["", "Bea", "Ada", "counter"]
            assert _keys(shown) == [2, 1, 0, 3]
            assert shown["settings"]["time_limit"] == 45
            await table.take_seat(table.invitations[1], "Cat")
            async with table.seat() as ada:
                assert (await ada.until("game"))["names"] == ["Cat", "Bea", "Ada", "counter"]

    run(restart())


def _saved_time_limits(store: Path) -> list[int | None]:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        plans = connection.execute("SELECT plan FROM page_tables").fetchall()
    return [json.loads(plan)["time_limit"] for (plan,) in plans]


# Other occupants


def test_host_puts_a_bot_at_a_free_seat_and_takes_it_back(tmp_path: Path) -> None:
    async def replace() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "zero")
            reply = await _room(table, "occupant", key=1, occupant={"kind": "bot", "player": "zero"})
            assert _names(reply["table"]) == ["Ada", "zero 2", "", "zero"]
            old = table.invitations[0].partition("#invite=")[2]
            await server.post(f"/api/tables/{table.id}/seat", {"name": "Eve", "invitation": old}, 409)
            reply = await _room(table, "occupant", key=1, occupant={"kind": "bot", "player": "counter"})
            assert _names(reply["table"]) == ["Ada", "counter", "", "zero"]
            reply = await _room(table, "occupant", key=1, occupant={"kind": "friend"})
            assert _names(reply["table"]) == ["Ada", "", "", "zero"]
            await table.take_seat(reply["invitations"][0], "Bea")
            assert _names(await _table(table)) == ["Ada", "Bea", "", "zero"]
            reply = await _room(table, "occupant", key=2, occupant={"kind": "program"})
            (code,) = reply["programs"]
            program = await JsonClient.sign_up(_port(server), "Mine", Zero, code=code["code"])
            assert (await _table(table))["state"] == "playing"
            await program.close()

    run(replace())


def test_bot_replaces_an_absent_player_but_not_a_present_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_tables, "ARRIVAL_SECONDS", 0.0)

    async def replace() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            token = await table.take_seat(None, "Bea")
            bot = {"kind": "bot", "player": "zero"}
            async with table.seat(token) as bea:
                await bea.until("table")
                refused = await _room(table, "occupant", 409, key=1, occupant=bot)
                assert refused["problem"] == "Bea is at this seat. Look at the table and try again."
                refused = await _room(table, "occupant", 409, key=0, occupant=bot)
                assert refused["problem"] == "This is your own seat. Leave the table instead."
                refused = await _room(table, "occupant", 400, key=2, occupant={"kind": "bot", "player": "mine.py"})
                assert refused["problem"].startswith("There is no bot 'mine.py' for porrinha. Choose from: ")
                refused = await _room(table, "occupant", 409, key=9, occupant=bot)
                assert refused["problem"] == "The seats have changed meanwhile. Look at them and try again."
            await server.get_until(f"/api/tables/{table.id}", lambda shown: not shown["seats"][1]["here"])
            reply = await _room(table, "occupant", key=1, occupant=bot)
            assert _names(reply["table"]) == ["Ada", "zero", ""]
            async with table.seat(token) as bea:
                assert "no longer yours" in (await bea.until("bye"))["reason"]

    run(replace())


def test_player_who_has_just_sat_down_counts_as_present(tmp_path: Path) -> None:
    async def join() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            await table.take_seat(None, "Bea")
            assert [seat["here"] for seat in (await _table(table))["seats"]] == [False, True, False]
            await _room(table, "occupant", 409, key=1, occupant={"kind": "bot", "player": "zero"})

    run(join())


def test_bots_with_a_chosen_seed_leave_no_seat_to_a_friend_who_would_not_know_it(tmp_path: Path) -> None:
    async def replace() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert server.lobby is not None
            table = await server.table("porrinha", "zero", "zero", seed=7)
            await _room(table, "occupant", key=0, occupant={"kind": "friend"})
            assert server.lobby.table(table.id).plan.seed != 7

    run(replace())


# The start


def test_host_starts_now_and_bots_fill_the_free_seats(tmp_path: Path) -> None:
    async def start() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "program", "friend")
            await table.take_seat(None, "Bea")
            await _room(table, "start", absent=[2, 3], bots=True)
            async with table.seat() as ada:
                names = (await ada.until("game"))["names"]
            assert names[:2] == ["Ada", "Bea"]
            assert len({*names}) == 4

    run(start())


def test_host_starts_with_those_who_are_here(tmp_path: Path) -> None:
    async def start() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "friend", "me", "friend", "zero")
            token = await table.take_seat(table.invitations[1], "Bea")
            async with table.seat() as ada, table.seat(token) as bea:
                await _room(table, "start", absent=[0])
                for page, seat in ((ada, 0), (bea, 1)):
                    assert (await page.until("game"))["names"] == ["Ada", "Bea", "zero"]
                    assert page.of_type("game")[0]["seat"] == seat

    run(start())


def test_too_few_players_do_not_start(tmp_path: Path) -> None:
    async def start() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "silly")
            refused = await _room(table, "start", 409, absent=[1])
            assert refused["problem"] == "Evolution needs 3 players, and only 2 would be left."
            assert (await _table(table))["state"] == "waiting"

    run(start())


# Requests at the same time


def test_start_without_a_player_who_has_just_come_is_refused(tmp_path: Path) -> None:
    async def start() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            await table.take_seat(None, "Bea")
            for bots in (True, False):
                refused = await _room(table, "start", 409, absent=[1, 2], bots=bots)
                assert refused["problem"] == "Bea is at this seat. Look at the table and try again."
            # A player has left meanwhile.
            refused = await _room(table, "start", 409, absent=[])
            assert refused["problem"] == "The seats have changed meanwhile. Look at them and try again."

    run(start())


def test_two_players_who_join_at_once_get_different_seats_or_a_refusal(tmp_path: Path) -> None:
    async def join() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "friend")
            path = f"/api/tables/{table.id}/seat"
            answers = await asyncio.gather(*(server.http.post(path, json={"name": f"P{n}"}) for n in range(5)))
            seats = [answer.json()["seat"] for answer in answers if answer.status_code == 200]
            assert sorted(seats) == [1, 2, 3]
            refused = [answer.json()["problem"] for answer in answers if answer.status_code == 409]
            assert refused == ["This table has no free seat for you."] * 2

    run(join())


def test_joining_starting_and_reordering_at_once_leave_a_consistent_table(tmp_path: Path) -> None:
    async def mix() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for number in range(5):
                table = await server.table("porrinha", "me", "friend", "friend", "zero", name=f"Ada {number}")
                path = f"/api/tables/{table.id}"
                owner = {"token": table.owner}
                requests: list[tuple[str, Message]] = [
                    ("seat", {"name": "Bea"}),
                    ("order", {**owner, "keys": [3, 2, 1, 0]}),
                    ("occupant", {**owner, "key": 1, "occupant": {"kind": "bot", "player": "counter"}}),
                    ("start", {**owner, "absent": [1, 2], "bots": True}),
                    ("seat", {"name": "Cat"}),
                    ("start", {**owner, "absent": [1, 2]}),
                ]
                order = requests[number:] + requests[:number]
                answers = await asyncio.gather(
                    *(server.http.post(f"{path}/{each}", json=fields) for each, fields in order)
                )
                assert {answer.status_code for answer in answers} <= {200, 409}
                shown = await _table(table)
                joined = [
                    fields["name"]
                    for (action, fields), answer in zip(order, answers, strict=True)
                    if action == "seat" and answer.status_code == 200
                ]
                # Everyone who was let in still has a seat.
                assert {*joined, f"Ada {number}"} <= {*_names(shown)}
                assert len({*_keys(shown)}) == len(shown["seats"])
                async with table.seat() as ada:
                    hello = await ada.until("hello")
                    assert _names(shown)[hello["seat"]] == f"Ada {number}"

    run(mix())


def test_rematch_finds_its_seat_after_the_order_has_changed(tmp_path: Path) -> None:
    async def rematch() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            ada, bea = await table.seat_all("Bea")
            async with ada, bea:
                await asyncio.gather(ada.play(), bea.play())
            next_table = Opened(server, await server.post(f"/api/tables/{table.id}/rematch", {"token": table.token}))
            await _room(next_table, "order", keys=[2, 1, 0])
            again = Opened(server, await server.post(f"/api/tables/{table.id}/rematch", {"token": bea.token}))
            assert again.id == next_table.id
            assert _names(await _table(again)) == ["zero", "Bea", "Ada"]

    run(rematch())


# QR codes


def test_server_draws_the_code_of_a_link_that_is_posted(tmp_path: Path) -> None:
    async def draw() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            image = (await server.post("/api/qr", {"text": f"{server.url}/table/a#invite=b"}, 200))["image"]
            assert image.startswith("data:image/svg+xml")
            for text in ("", "x" * 501):
                refused = await server.post("/api/qr", {"text": text}, 400)
                expected = f"A QR code has a text of 1 to 500 characters, not {len(text)}."
                assert refused["problem"] == expected

    run(draw())


# Seats


def test_host_adds_and_removes_seats_within_the_limits_of_the_game(tmp_path: Path) -> None:
    async def change() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "silly")
            for _ in range(5):
                added = await _room(table, "add-seat")
            assert "9 seats" in (await _room(table, "add-seat", 400))["problem"]
            seats = added["table"]["seats"]
            assert [seat["kind"] for seat in seats] == ["person", "person", "bot", *["person"] * 5]
            assert len({seat["key"] for seat in seats}) == 8
            # The invitation of the new seat is valid.
            await table.take_seat(added["invitations"][0], "Bea")
            assert "Bea is at this seat" in (await _room(table, "remove-seat", 409, key=seats[-1]["key"]))["problem"]
            assert "your own seat" in (await _room(table, "remove-seat", 409, key=seats[0]["key"]))["problem"]
            for seat in seats[2:-1]:
                left = await _room(table, "remove-seat", key=seat["key"])
            assert _names(left["table"]) == ["Ada", "", "Bea"]
            assert "2 seats" in (await _room(table, "remove-seat", 400, key=seats[1]["key"]))["problem"]

    run(change())


def test_game_begins_when_the_last_free_seat_is_removed(tmp_path: Path) -> None:
    async def remove() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero", "friend")
            async with table.seat() as ada:
                await _room(table, "remove-seat", key=_keys(table.table)[2])
                assert len((await ada.until("game"))["names"]) == 2

    run(remove())


def test_only_the_host_adds_and_removes_seats(tmp_path: Path) -> None:
    async def refuse() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend")
            token = await table.take_seat(table.invitations[0], "Bea")
            for action, fields in (("add-seat", {}), ("remove-seat", {"key": 2})):
                answer = await server.post(f"/api/tables/{table.id}/{action}", {"token": token, **fields}, 409)
                assert "Only the player who opened this table" in answer["problem"]

    run(refuse())
