"""Codes, allowed names, bans, departures and clients behind a proxy."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from wateringhole.errors import OperationError
from wateringhole.house.admission import Admission, BanList

pytest.importorskip("websockets")

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.house.hosting import (
    LIMITS,
    PORRINHA,
    CourseClient,
    Hosted,
    JsonClient,
    WebSocketClient,
    forfeit_of,
    hosted,
    run,
)
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.transports.forwarded import forwarded_for


@pytest.mark.parametrize(("code", "is_admitted"), [("open sesame", True), ("open", False), ("", False), (None, False)])
def test_code_must_be_right(code: str | None, is_admitted: bool) -> None:
    problem = Admission(code="open sesame").problem("Ada", "127.0.0.1", code, [])
    assert (problem is None) is is_admitted
    assert problem is None or "wateringhole join ADDRESS/CODE PLAYER" in problem


def test_only_allowed_names_sign_up_and_only_once() -> None:
    admission = Admission(names=("Ada", "Bea"))
    assert admission.problem(" Ada\n", "127.0.0.1", None, ["Bea"]) is None
    assert admission.problem("Eve", "127.0.0.1", None, []) == "the name 'Eve' is not on the list of this house"
    assert admission.problem("Ada", "127.0.0.1", None, ["Ada"]) == "'Ada' has signed up already"
    # A name that only looks like an allowed one is another name.
    assert admission.problem("ada", "127.0.0.1", None, []) is not None


@pytest.mark.parametrize(
    ("name", "address", "is_banned"),
    [
        ("Eve", "127.0.0.1", True),
        ("eve.", "127.0.0.1", True),
        ("Еvе", "127.0.0.1", True),
        ("Evelyn", "127.0.0.1", False),
        ("Ada", "10.1.2.3", True),
        ("Ada", "192.168.1.7", True),
        ("Ada", "192.168.1.8", False),
        ("Ada", "fe80::1%eth0", True),
        ("Ada", "?", False),
        ("spoiler", "127.0.0.1", False),
    ],
)
def test_bans_hold_for_names_addresses_and_networks(tmp_path: Path, name: str, address: str, is_banned: bool) -> None:
    path = tmp_path / "bans.txt"
    path.write_text("# spoiler\nEve  # left twice\n\n10.0.0.0/8\n192.168.1.7\nfe80::/16\n")
    assert BanList(path).bans(name, address) is is_banned


def test_list_of_bans_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "bans.txt"
    path.write_text("Eve\n")
    bans = BanList(path)
    assert not bans.has_changed()
    path.write_text("Mallory\n")
    assert bans.has_changed()
    assert (bans.bans("Eve", "127.0.0.1"), bans.bans("Mallory", "127.0.0.1")) == (False, True)
    path.unlink()
    assert not bans.has_changed()
    assert bans.bans("Mallory", "127.0.0.1"), "a list that is being replaced stays in force"


def test_missing_list_of_bans_is_an_operation_error(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match=r"--bans .*no\.txt: cannot read the file: No such file"):
        BanList(tmp_path / "no.txt")


CLIENTS = (JsonClient, WebSocketClient)


async def refusal(client: type[JsonClient], table: Hosted, **hello: Any) -> Any:
    """Return the last message to a client that is refused."""
    refused = await client.connect(table.port)
    await refused.send_message(type="hello", protocol=1, **hello)
    last = None
    while (message := await refused.message()) is not None:
        last = message
    await refused.close()
    return last


@pytest.mark.parametrize("client", CLIENTS)
def test_code_is_required_over_every_transport(client: type[JsonClient]) -> None:
    async def test() -> None:
        async with hosted(admission=Admission(code="sesame"), start_delay=10) as table:
            for hello in ({}, {"code": "wrong"}):
                bye = await refusal(client, table, name="Eve", **hello)
                assert (bye["type"], "needs its code" in bye["reason"]) == ("bye", True)
            course = await CourseClient.sign_up(table.port, "Eve")
            assert await course.next_message() is None
            await course.close()
            ada = await client.sign_up(table.port, "Ada", code="sesame")
            await table.signed_up("Ada")
            await ada.close()
            assert sum(line.startswith("refused") for line in table.log) == 3

    run(test())


def test_only_allowed_names_take_a_seat() -> None:
    async def test() -> tuple[str, ...]:
        async with hosted(admission=Admission(names=("Ada", "Bea", "Cy"))) as table:
            clients: list[Any] = [await CourseClient.sign_up(table.port, "Ada")]
            await table.signed_up("Ada")
            assert "is not on the list" in (await refusal(JsonClient, table, name="Eve"))["reason"]
            assert "has signed up already" in (await refusal(JsonClient, table, name="Ada"))["reason"]
            clients.append(await JsonClient.sign_up(table.port, "Bea"))
            clients.append(await WebSocketClient.sign_up(table.port, "Cy"))
            await asyncio.gather(*(client.play() for client in clients))
            return (await table.game()).names

    assert run(test()) == ("Ada#1", "Bea#2", "Cy#3")


@pytest.mark.parametrize("client", CLIENTS)
def test_operator_removes_a_player_from_a_running_game(
    client: type[JsonClient], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.house.admission.BAN_SECONDS", 0.02)
    path = tmp_path / "bans.txt"
    path.write_text("")

    async def test() -> Any:
        async with hosted(PORRINHA, 3, games=2, admission=Admission(bans=BanList(path)), time_limit=20) as table:
            eve = await client.sign_up(table.port, "Eve", Zero)
            others = [await JsonClient.sign_up(table.port, name, Zero) for name in ("Ada", "Bea")]
            await eve.next_request()
            path.write_text("eve\n")
            plays = [asyncio.create_task(other.play()) for other in others]
            game = await table.game()
            assert "you are banned" in (await refusal(client, table, name="Eve"))["reason"]
            assert "no seat is kept" in (await refusal(client, table, token=eve.token))["reason"]
            await eve.play()
            await table.host.close()
            await asyncio.gather(*plays)
            assert {"type": "bye", "reason": "you were removed by the operator"} in eve.received
            assert await table.logged("'Eve' was removed by the operator")
            return game

    forfeit = forfeit_of(run(test()), "Eve")
    assert forfeit is not None
    assert "removed by the operator" in forfeit.message


def test_departures_are_logged() -> None:
    async def test() -> list[str]:
        async with hosted(start_delay=10) as table:
            ada: Any
            for name, connects in (("Ada", CourseClient), ("Bob", JsonClient), ("Cy", WebSocketClient)):
                ada = await connects.sign_up(table.port, name)
                await table.signed_up(name)
                await ada.close()
                await table.logged(f"{name!r} has disconnected from 127.0.0.1:")
            return table.log

    run(test())


# Proxies


async def through_proxy(table: Hosted, client: str, **more: str) -> Any:
    """Sign up over a WebSocket as a proxy would, which names its client in a header."""
    return await with_headers(table, {"X-Forwarded-For": client, **more})


async def with_headers(table: Hosted, headers: dict[str, str]) -> Any:
    socket = await connect(f"ws://127.0.0.1:{table.port}/join", proxy=None, additional_headers=headers)
    await socket.send('{"type":"hello","protocol":1,"name":"Ada"}')
    return socket


PROXIES: dict[str, tuple[tuple[str, ...], str, str]] = {
    # whether the proxy is named: the named proxies, the header, and the address that the host uses
    "not named": ((), "203.0.113.9", "127.0.0.1:"),
    "another one is named": (("192.0.2.1",), "203.0.113.9", "127.0.0.1:"),
    "named": (("127.0.0.1",), "203.0.113.9", "203.0.113.9 "),
    "named by its network": (("127.0.0.0/8",), "203.0.113.9", "203.0.113.9 "),
    "named, and the client invents a first address": (("127.0.0.1",), "198.51.100.1, 203.0.113.9", "203.0.113.9 "),
    "named, with two proxies": (("127.0.0.1", "192.0.2.1"), "203.0.113.9, 192.0.2.1", "203.0.113.9 "),
}


@pytest.mark.parametrize("proxy", PROXIES)
def test_address_in_a_header_counts_only_from_a_named_proxy(proxy: str) -> None:
    proxies, header, address = PROXIES[proxy]

    async def test() -> str:
        async with hosted(limits=msgspec.structs.replace(LIMITS, proxies=proxies), start_delay=10) as table:
            socket = await through_proxy(table, header, Forwarded="for=198.51.100.2")
            line = await table.logged("has signed up")
            await socket.close()
            return line

    assert f"signed up from {address}" in run(test())


FORWARDED: dict[str, tuple[tuple[str, ...], str, str]] = {
    # the named proxies, the standard header, and the address that the host uses
    "not named": ((), "for=203.0.113.9", "127.0.0.1:"),
    "another one is named": (("192.0.2.1",), "for=203.0.113.9", "127.0.0.1:"),
    "named": (("127.0.0.1",), 'proto=https;For="203.0.113.9:4711";by=192.0.2.1', "203.0.113.9 "),
    "named, with IPv6": (("127.0.0.1",), 'for="[2001:db8::9]:4711"', "2001:db8::9 "),
    "named, and the client invents a first address": (
        ("127.0.0.1",),
        'for=198.51.100.1;host="a,for=198.51.100.2", for=203.0.113.9',
        "203.0.113.9 ",
    ),
    "named, with two proxies": (("127.0.0.1", "192.0.2.1"), "for=203.0.113.9, for=192.0.2.1", "203.0.113.9 "),
    "named, but hides the client": (("127.0.0.1",), "for=198.51.100.1, for=_hidden", "_hidden "),
    "named, but does not name the client": (("127.0.0.1",), "for=198.51.100.1, by=192.0.2.1", "unknown "),
}


@pytest.mark.parametrize("proxy", FORWARDED)
def test_address_in_the_standard_header_counts_only_from_a_named_proxy(proxy: str) -> None:
    proxies, header, address = FORWARDED[proxy]

    async def test() -> str:
        async with hosted(limits=msgspec.structs.replace(LIMITS, proxies=proxies), start_delay=10) as table:
            socket = await with_headers(table, {"Forwarded": header})
            line = await table.logged("has signed up")
            await socket.close()
            return line

    assert f"signed up from {address}" in run(test())


@pytest.mark.parametrize("header", ['for=", for=203.0.113.9', 'for=", for="[2001:db8::9]"', "for 203.0.113.9"])
def test_standard_header_in_which_the_client_may_hide_an_address_is_refused(header: str) -> None:
    async def test() -> None:
        async with hosted(limits=msgspec.structs.replace(LIMITS, proxies=("127.0.0.1",)), start_delay=10) as table:
            with pytest.raises(InvalidStatus) as refused:
                await with_headers(table, {"Forwarded": header})
            assert refused.value.response.status_code == 400
            assert b"the header Forwarded is not valid" in (refused.value.response.body or b"")

    run(test())


@pytest.mark.parametrize("text", ["for=a;" + " " * 50_000 + "@", "a" * 50_000, 'for="' + "\\a" * 25_000])
def test_long_standard_header_takes_no_time(text: str) -> None:
    started = time.process_time()
    with pytest.raises(ValueError, match="is not valid"):
        forwarded_for(text)
    assert time.process_time() - started < 1, "a client could delay all tables"


def test_connections_through_a_proxy_are_limited_by_client() -> None:
    limits = msgspec.structs.replace(LIMITS, proxies=("127.0.0.1",), connections_per_address=2)

    async def test() -> None:
        async with hosted(limits=limits, start_delay=10) as table:
            sockets = [await through_proxy(table, client) for client in ("203.0.113.1", "203.0.113.1", "203.0.113.2")]
            with pytest.raises(InvalidStatus) as refused:
                await through_proxy(table, "203.0.113.1")
            assert refused.value.response.status_code == 503
            assert b"203.0.113.1 has 2 connections already" in (refused.value.response.body or b"")
            await sockets[0].close()
            await table.logged("has disconnected from 203.0.113.1")
            sockets.append(await through_proxy(table, "203.0.113.1"))
            for socket in sockets:
                await socket.close()

    run(test())
