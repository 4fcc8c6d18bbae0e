"""Used invitations, and spectators who ask the host for a seat."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import Opened, Spectator, run, served
from wateringhole.house.seat_requests import MOST_DECLINED, MOST_REQUESTS, SeatRequests
from wateringhole.house.transports.page import PageTransport


async def _answer(table: Opened, request: int, accept: bool, status: int = 200, token: str | None = None) -> Any:
    body = {"token": token or table.owner, "request": request, "accept": accept}
    return await table.server.post(f"/api/tables/{table.id}/seat-request", body, status)


async def _requests(page: Spectator, count: int) -> list[dict[str, Any]]:
    """Wait until the table has this many requests, and return them."""
    while True:
        requests: list[dict[str, Any]] = (await page.until("table"))["table"]["seat_requests"]
        if len(requests) == count:
            return requests


async def _ask(page: Spectator, name: Any) -> str:
    await page.send({"type": "ask_seat", "name": name})
    state: str = (await page.until("seat_request"))["state"]
    return state


def test_invitation_is_open_until_its_seat_is_taken(tmp_path: Path) -> None:
    async def use() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "zero")
            link = table.invitations[0]
            secret = {"invitation": link.partition("#invite=")[2]}
            path = f"/api/tables/{table.id}/invitation"
            assert await server.post(path, secret, 200) == {"is_open": True}
            await table.take_seat(link, "Bea")
            assert await server.post(path, secret, 200) == {"is_open": False}
            assert await server.post(path, {"invitation": "wrong"}, 200) == {"is_open": False}

    run(use())


@pytest.mark.parametrize(("seats", "given"), [(("me", "friend", "friend", "zero"), 2), (("me", "program", "zero"), 2)])
def test_host_gives_a_free_seat_or_that_of_a_bot(tmp_path: Path, seats: tuple[str, ...], given: int) -> None:
    async def ask() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", *seats, public=False)
            if table.invitations:
                await table.take_seat(table.invitations[0], "Bea")
            async with table.seat() as host, table.spectator() as caio:
                assert await _ask(caio, "Caio") == "waiting"
                (request,) = await _requests(host, 1)
                assert request["name"] == "Caio"
                await _answer(table, request["id"], True)
                accepted = await caio.until("seat_request")
                assert accepted["state"] == "accepted"
                assert await _requests(host, 0) == []
                async with table.seat(accepted["token"]) as seated:
                    hello = await seated.until("hello")
                    assert hello["seat"] == given
                    names = [seat["name"] for seat in (await seated.until("table"))["table"]["seats"]]
                    assert names[given] == "Caio"

    run(ask())


def test_accepted_player_completes_the_table(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            async with table.seat() as host, table.spectator() as caio, table.spectator() as davi:
                await _ask(caio, "Caio")
                await _ask(davi, "Davi")
                first, _ = await _requests(host, 2)
                await _answer(table, first["id"], True)
                token = (await caio.until("seat_request", state="accepted"))["token"]
                assert (await davi.until("seat_request"))["state"] == "declined"
                async with table.seat(token) as seated:
                    await seated.until("request")
                await _answer(table, 2, True, 409)

    run(ask())


def test_only_the_host_answers_requests(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", "zero")
            bea = await table.take_seat(table.invitations[0], "Bea")
            async with table.spectator() as caio:
                await _ask(caio, "Caio")
                problem = await _answer(table, 1, True, 409, token=bea)
                assert problem["problem"] == "Only the player who opened this table can give seats."
                await _answer(table, 1, False)
                assert (await caio.until("seat_request"))["state"] == "declined"
                problem = await _answer(table, 1, True, 409)
                assert problem["problem"] == "This player no longer asks for a seat."

    run(ask())


def test_requests_are_bounded_and_end_with_the_page(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero")
            async with table.spectator() as last:
                pages = [await table.spectator().__aenter__() for _ in range(MOST_REQUESTS)]
                assert [await _ask(page, "Caio") for page in pages] == ["waiting"] * MOST_REQUESTS
                assert await _ask(last, "Davi") == "declined"
                for page in pages:
                    await page.socket.close()
                await _requests(last, 0)
                assert await _ask(last, "") == "declined"
                assert await _ask(last, {"name": "Davi"}) == "declined"
                for _ in range(MOST_DECLINED):
                    assert await _ask(last, "Davi") == "waiting"
                    (request,) = await _requests(last, 1)
                    await _answer(table, request["id"], False)
                    await last.until("seat_request", state="declined")
                assert await _ask(last, "Davi") == "declined"

    run(ask())


def test_banned_player_gets_no_seat(tmp_path: Path) -> None:
    async def ask() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "zero", "zero")
            assert server.lobby is not None
            await table.take_seat(table.invitations[0], "Eve")
            await server.post(f"/api/tables/{table.id}/remove", {"token": table.owner, "seat": 1, "ban": True}, 200)
            async with table.spectator() as eve:
                assert await _ask(eve, "Eve") == "declined"

    run(ask())


def test_page_can_rename_its_request_when_there_is_no_room_for_another() -> None:
    requests = SeatRequests()
    pages = [PageTransport() for _ in range(MOST_REQUESTS)]
    assert all(requests.add(page, "Ada") for page in pages)
    assert not requests.add(PageTransport(), "Zoe")
    assert requests.add(pages[0], "Bea")
    assert [request.name for request in requests.info()] == ["Ada"] * (MOST_REQUESTS - 1) + ["Bea"]
