"""The waiting room of a table: its settings, the order of its seats, and the start of the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import Message, Opened, run, served
from wateringhole.house.limits import HouseLimits


async def _room(table: Opened, action: str, status: int = 200, **fields: Any) -> Message:
    """Do something in the room as the host."""
    reply: Message = await table.server.post(
        f"/api/tables/{table.id}/{action}", {"token": table.owner, **fields}, status
    )
    return reply


# Settings


def test_host_changes_one_setting_and_keeps_the_others(tmp_path: Path) -> None:
    async def change() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", public=False, time_limit=60)
            opened = table.table["settings"]
            assert (opened["public"], opened["time_limit"], opened["time_per_game"]) == (False, 60, None)
            assert (await server.get("/api/lobby"))["open"] == []
            async with table.seat() as ada:
                await ada.until("table")
                await _room(table, "settings", settings={"public": True})
                changed = (await ada.until("table"))["table"]
            assert changed["settings"] == {**opened, "public": True}
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
            assert refused["problem"] == "Only the player who opened this table can change its settings."
            refused = await _room(table, "settings", 409, settings={"public": False})
            assert refused["problem"] == "The game at this table has already begun."

    run(refuse())
