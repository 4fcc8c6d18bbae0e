"""People: a name and a secret link, with which players find their games and ratings again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import Opened, Seat, Served, process, run, served
from wateringhole.house.limits import HouseLimits
from wateringhole.house.people import SOMEONE
from wateringhole.match.record import read_record

STORE = "s.sqlite"


@contextlib.asynccontextmanager
async def device(server: Served) -> AsyncIterator[Served]:
    """Open another browser, without the cookies of the first."""
    other = Served(server.url, server.lobby, server.log)
    try:
        yield other
    finally:
        await other.http.aclose()


async def person(server: Served, name: str = "Ada") -> str:
    """Make a person in this browser, and return the key."""
    await server.post("/api/me", {"name": name})
    link: str = (await server.post("/api/me/link", {}, 200))["link"]
    return link.partition("#key=")[2]


async def play(server: Served, *seats: str, seed: int = 7, game: str = "porrinha", **more: Any) -> Opened:
    """Play a game with random answers to its end, and wait until it is stored."""
    table = await server.table(game, *seats, **more)
    async with table.seat(seed=seed) as seat:
        assert (await seat.play())["type"] == "over"
    await server.finished(table.id)
    return table


def test_a_name_and_a_link_are_enough_to_find_all_games_on_another_device(tmp_path: Path) -> None:
    async def find() -> None:
        async with served(tmp_path / STORE) as server, device(server) as phone:
            assert await server.get("/api/me") == {"name": None, "tables": [], "games": [], "ratings": {}, "beaten": {}}
            key = await person(server)
            finished = await play(server, "me", "zero")
            running = await server.table("porrinha", "me", "zero", public=False, name="another name")
            assert (await phone.get("/api/me"))["name"] is None
            await phone.post("/api/me/open", {"key": key}, 200)
            me = await phone.get("/api/me")
            assert me["name"] == "Ada"
            assert [(game["game_id"], game["replay"], game["rated"]) for game in me["games"]] == [
                (finished.id, True, False)
            ]
            assert [(seat["name"], seat["player"], seat["me"]) for seat in me["games"][0]["seats"]] == [
                ("Ada", None, True),
                ("zero", "zero", False),
            ]
            assert [(table["id"], table["my_seat"]) for table in me["tables"]] == [(running.id, 0)]
            # A person has their own name at every table.
            assert me["tables"][0]["seats"][0]["name"] == "Ada"

    run(find())


def test_a_game_continues_on_another_device(tmp_path: Path) -> None:
    async def move() -> None:
        async with served(tmp_path / STORE) as server, device(server) as phone:
            key = await person(server)
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as first:
                await first.until("request")
                assert (await server.get("/api/me/tables"))["tables"][0]["my_turn"]
                await phone.post("/api/me/open", {"key": key}, 200)
                taken = await phone.post(f"/api/tables/{table.id}/seat", {}, 200)
                assert taken["seat"] == 0
                async with table.seat(taken["token"]) as second:
                    bye = await first.closed()
                    assert (bye["type"], bye["reason"]) == ("bye", "You opened this seat in another window.")
                    assert (await second.play())["type"] == "over"
            async with table.seat(table.token) as former:
                assert (await former.closed())["reason"] == "This seat is not yours, or it is no longer yours."
            # The player who opened the table can still act as its owner.
            assert server.lobby is not None
            assert server.lobby.table(table.id).is_owner(taken["token"])

    run(move())


def test_a_person_takes_one_seat_at_a_table(tmp_path: Path) -> None:
    async def take() -> None:
        async with served(tmp_path / STORE) as server, device(server) as other:
            table = await server.table("porrinha", "me", "friend", "friend")
            await person(other, "Bea")
            taken = [await other.post(f"/api/tables/{table.id}/seat", {"name": "x"}, 200) for _ in range(2)]
            assert [each["seat"] for each in taken] == [1, 1]
            assert (await server.get(f"/api/tables/{table.id}"))["seats"][2]["taken"] is False

    run(take())


def test_ratings_need_ten_games_at_rated_tables(tmp_path: Path) -> None:
    async def rate() -> None:
        async with served(tmp_path / STORE) as server:
            await person(server)
            await play(server, "me", "random")
            assert (await server.get("/api/me"))["ratings"] == {}
            for seed in range(9):
                await play(server, "me", "random", rated=True, seed=seed)
            assert (await server.get("/api/me"))["ratings"] == {"porrinha": {"rating": None, "error": None, "games": 9}}
            await play(server, "me", "random", rated=True)
            rating = (await server.get("/api/me"))["ratings"]["porrinha"]
            assert rating["games"] == 10
            # The seat in this test plays at random, as the bot does.
            assert abs(rating["rating"] - 1295) < 2 * rating["error"] < 1000

    run(rate())


@pytest.mark.parametrize(
    ("choices", "problem"),
    [({"options": {"sticks": 2}}, "usual rules"), ({"seed": 7}, "no chosen seed")],
)
def test_rated_tables_have_the_usual_rules_and_no_chosen_seed(
    tmp_path: Path, choices: dict[str, Any], problem: str
) -> None:
    async def refuse() -> None:
        async with served(tmp_path / STORE) as server:
            seats = [{"kind": "me"}, {"kind": "bot", "player": "zero"}]
            wanted = {"game": "porrinha", "seats": seats, "rated": True, **choices}
            assert problem in (await server.post("/api/tables", wanted, 400))["problem"]

    run(refuse())


def test_table_stays_rated_or_not(tmp_path: Path) -> None:
    async def change() -> None:
        async with served(tmp_path / STORE) as server:
            table = await server.table("porrinha", "me", "friend", rated=True)
            assert (await server.get(f"/api/tables/{table.id}"))["settings"]["rated"] is True
            wanted = {"token": table.owner, "settings": {"rated": False}}
            answer = await server.post(f"/api/tables/{table.id}/settings", wanted, 400)
            assert "stays so" in answer["problem"]

    run(change())


def test_beaten_bots_are_those_that_finished_behind_with_every_seat(tmp_path: Path) -> None:
    async def beat() -> None:
        async with served(tmp_path / STORE) as server:
            await person(server)
            beaten: set[str] = set()
            games = 0
            while games < 3 or not beaten:
                games += 1
                await play(server, "me", "random", "zero", "zero", seed=games)
                seats = (await server.get("/api/me"))["games"][0]["seats"]
                places = {
                    name: [seat["place"] for seat in seats if seat["player"] == name] for name in ("random", "zero")
                }
                beaten |= {name for name, behind in places.items() if min(behind) > seats[0]["place"]}
                assert set((await server.get("/api/me"))["beaten"]["porrinha"]) == beaten

    run(beat())


def test_guided_game_beats_no_bot_of_the_ladder(tmp_path: Path) -> None:
    async def win() -> None:
        async with served(tmp_path / STORE) as server:
            await person(server)
            games, has_won = 0, False
            while not has_won:
                games += 1
                opened = await server.post("/api/tables", {"game": "porrinha", "first_game": True})
                async with Seat(server.url, opened["table"]["id"], opened["token"], seed=games) as me:
                    over = await me.play()
                has_won = over["standings"][0]["seat"] == 0
            await server.finished(opened["table"]["id"])
            assert (await server.get("/api/me"))["beaten"] == {"porrinha": []}

    run(win())


def test_export_contains_everything_and_no_secret(tmp_path: Path) -> None:
    async def export() -> None:
        async with served(tmp_path / STORE) as server:
            key = await person(server)
            table = await play(server, "me", "zero", rated=True)
            answer = await server.http.get("/api/me/export")
            assert answer.headers["content-disposition"].startswith("attachment;")
            data = answer.json()
            assert (data["format"], data["version"], data["name"]) == ("wateringhole-person", 1, "Ada")
            assert data["ratings"]["porrinha"]["games"] == 1
            (game,) = data["games"]
            assert game["record"] == f"/api/games/{table.id}/record"
            assert [seat["me"] for seat in game["seats"]] == [True, False]
            assert key not in answer.text

    run(export())


def test_deleted_person_leaves_no_name_key_or_link(tmp_path: Path) -> None:
    async def delete() -> None:
        async with served(tmp_path / STORE) as server, device(server) as friend, device(server) as phone:
            key = await person(server, "Ada Lovelace")
            await person(friend, "Bea")
            alone = await play(server, "me", "zero")
            table = await server.table("porrinha", "me", "friend")
            token = (await friend.post(f"/api/tables/{table.id}/seat", {}, 200))["token"]
            async with table.seat() as one, table.seat(token) as other:
                await asyncio.gather(one.play(), other.play())
            await server.finished(table.id)
            running = await server.table("porrinha", "me", "zero")
            await server.post("/api/me/delete", {}, 200)
            assert (await server.get("/api/me"))["name"] is None
            assert (await phone.http.post("/api/me/open", json={"key": key})).status_code == 404
            # The friend keeps the game, against someone.
            (kept,) = (await friend.get("/api/me"))["games"]
            assert [seat["name"] for seat in kept["seats"]] == [SOMEONE, "Bea"]
            for id in (table.id, alone.id):
                record = await server.finished(id)
                assert b"Lovelace" not in record
                assert read_record(record).digest_fits
                assert list(read_record(record).replay().events())
            assert "Lovelace" not in json.dumps((await server.get("/api/lobby"))["finished"])
            # The running game continues without the person.
            async with running.seat() as seat:
                assert (await seat.play())["type"] == "over"
            await server.finished(running.id)
        with contextlib.closing(sqlite3.connect(tmp_path / STORE)) as store:
            assert [name for (name,) in store.execute("SELECT name FROM page_people")] == ["Bea"]
            assert {game for (game,) in store.execute("SELECT game_id FROM page_results")} == {table.id}

    run(delete())


def test_browser_can_forget_a_person_who_stays_stored(tmp_path: Path) -> None:
    async def forget() -> None:
        async with served(tmp_path / STORE) as server:
            key = await person(server)
            await server.post("/api/me/close", {}, 200)
            assert (await server.get("/api/me"))["name"] is None
            await server.post("/api/me/open", {"key": key}, 200)
            assert (await server.get("/api/me"))["name"] == "Ada"

    run(forget())


def test_names_are_one_short_line_and_can_be_changed(tmp_path: Path) -> None:
    async def rename() -> None:
        async with served(tmp_path / STORE) as server:
            assert "empty" in (await server.post("/api/me", {"name": " \n"}, 400))["problem"]
            await person(server, "A\nd" + "a" * 100)
            assert (await server.get("/api/me"))["name"] == "A d" + "a" * 26 + "…"
            assert await server.post("/api/me", {"name": "Bea"}, 200) == {"name": "Bea"}
            assert (await server.get("/api/me"))["name"] == "Bea"

    run(rename())


def test_key_is_stored_as_a_digest_and_never_logged(tmp_path: Path) -> None:
    async def play_one() -> tuple[str, bytes, list[str]]:
        async with served(tmp_path / STORE) as server:
            key = await person(server)
            table = await play(server, "me", "zero", rated=True)
            await server.http.post("/api/me/open", json={"key": key + "x"})
            return key, await server.finished(table.id), server.log

    key, record, log = run(play_one())
    assert len(key) >= 32
    assert key.encode() not in record
    assert not any(key in line for line in log)
    assert not any(key.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_cookie_is_for_the_page_alone(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / STORE) as server:
            answer = await server.http.post("/api/me", json={"name": "Ada"})
            cookie = answer.headers["set-cookie"]
            port = server.url.rpartition(":")[2]
            assert cookie.startswith(f"person-{port}=")
            assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
            assert "Secure" not in cookie
            # A table renews it.
            seats = [{"kind": "me"}, {"kind": "bot", "player": "zero"}]
            opened = await server.http.post("/api/tables", json={"game": "porrinha", "seats": seats})
            assert opened.headers["set-cookie"].startswith(f"person-{port}=")

    run(look())


def test_cookie_is_secure_on_an_encrypted_page(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / STORE) as server:
            # A proxy that encrypts passes on the name of the page.
            headers = {"Host": "localhost", "Origin": "https://localhost"}
            answer = await server.http.post("/api/me", json={"name": "Ada"}, headers=headers)
            assert "Secure" in answer.headers["set-cookie"].split("; ")
            assert answer.headers["set-cookie"].startswith("person=")

    run(look())


@pytest.mark.parametrize("path", ["/api/me", "/api/me/open", "/api/me/link", "/api/me/close", "/api/me/delete"])
def test_pages_of_other_sites_cannot_act_as_a_person(tmp_path: Path, path: str) -> None:
    async def attempt() -> None:
        async with served(tmp_path / STORE) as server:
            await person(server)
            answer = await server.http.post(path, json={"name": "x"}, headers={"Origin": "http://evil.example"})
            assert answer.status_code == 403
            assert (await server.get("/api/me"))["name"] == "Ada"

    run(attempt())


def test_wrong_keys_reveal_nothing(tmp_path: Path) -> None:
    async def guess() -> None:
        async with served(tmp_path / STORE) as server, device(server) as other:
            key = await person(server)
            wrong = [
                (await other.http.post("/api/me/open", json={"key": guess})) for guess in ("", "x", key[:-1], key + "x")
            ]
            assert {(answer.status_code, answer.text) for answer in wrong} == {(404, wrong[0].text)}
            for path in ("link", "delete"):
                assert (await other.http.post(f"/api/me/{path}", json={})).status_code == 404
            assert (await other.http.get("/api/me/export")).status_code == 404

    run(guess())


def test_new_people_are_limited_per_address_and_in_total(tmp_path: Path) -> None:
    async def create(limits: HouseLimits, most: int) -> str:
        async with served(tmp_path / f"{most}.sqlite", limits) as server:
            for number in range(most):
                async with device(server) as other:
                    await person(other, f"Ada {number}")
            async with device(server) as other:
                problem: str = (await other.post("/api/me", {"name": "Eve"}, 409))["problem"]
                # Everyone can still play.
                await other.table("porrinha", "me", "zero")
                return problem

    assert "your address" in run(create(HouseLimits(new_people=2, new_people_per_hour=1), 2))
    assert "limit of names" in run(create(HouseLimits(people=3), 3))


def test_people_who_stay_away_are_deleted(tmp_path: Path) -> None:
    limits = HouseLimits(people_days=30)

    async def create() -> str:
        async with served(tmp_path / STORE, limits) as server:
            return await person(server)

    async def visit(key: str) -> int:
        async with served(tmp_path / STORE, limits) as server:
            # People are deleted at the start, before a game is stored.
            await play(server, "me", "zero")
            return (await server.http.post("/api/me/open", json={"key": key})).status_code

    def wait(days: float) -> None:
        with contextlib.closing(sqlite3.connect(tmp_path / STORE, isolation_level=None)) as store:
            store.execute("UPDATE page_people SET seen = seen - ?", (days * 86_400,))

    key = run(create())
    for days, status in ((29, 200), (29, 200), (31, 404)):
        wait(days)
        assert run(visit(key)) == status


def test_killed_server_keeps_people_and_the_seat_at_a_running_table(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / STORE
        async with process(store) as (server, running):
            key = await person(server)
            finished = await play(server, "me", "zero", rated=True)
            table = await server.table("porrinha", "me", "zero", rated=True)
            async with table.seat() as seat:
                await seat.until("request")
                os.kill(running.pid, signal.SIGKILL)
                await running.wait()
        async with process(store) as (server, _):
            await server.post("/api/me/open", {"key": key}, 200)
            me = await server.get("/api/me")
            assert [game["game_id"] for game in me["games"]] == [finished.id]
            assert [each["id"] for each in me["tables"]] == [table.id]
            token = (await server.post(f"/api/tables/{table.id}/seat", {}, 200))["token"]
            again = Opened(server, {"table": table.table, "token": token, "invitations": []})
            async with again.seat() as seat:
                assert (await seat.play())["type"] == "over"
            await server.finished(table.id)
            assert (await server.get("/api/me"))["ratings"]["porrinha"]["games"] == 2

    run(restart())
