"""A house whose raw protocols have a port of their own."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

pytest.importorskip("websockets")

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.cli.running import called
from tests.house.hosting import LIMITS, CourseClient, JsonClient, WebSocketClient, hosted, run
from tests.house.serving import served
from tests.preloaded_command import preloaded_command
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.limits import HouseLimits

SEPARATE = msgspec.structs.replace(LIMITS, raw_port=0)


def raw_port_in(log: list[str]) -> int:
    return next(int(found[1]) for line in log if (found := re.search(r"^JSON lines .* port (\d+)$", line)))


def test_each_protocol_is_played_on_its_own_port_at_one_table() -> None:
    async def test() -> tuple[str, ...]:
        async with hosted(players=3, limits=SEPARATE) as table:
            raw = raw_port_in(table.log)
            clients: list[Any] = []
            for name, port, kind in (
                ("Ada", raw, CourseClient),
                ("Bea", raw, JsonClient),
                ("Cy", table.port, WebSocketClient),
            ):
                clients.append(await kind.sign_up(port, name))
                await table.signed_up(name)
            await asyncio.gather(*(client.play() for client in clients))
            return (await table.game()).names

    assert run(test()) == ("Ada#1", "Bea#2", "Cy#3")


def test_protocol_at_the_wrong_port_is_refused_with_the_right_one() -> None:
    async def test() -> None:
        async with hosted(limits=SEPARATE, start_delay=10) as table:
            raw = raw_port_in(table.log)
            program = await JsonClient.connect(table.port)
            await program.send_message(type="hello", protocol=1, name="Ada")
            reason = f"this port is for HTTP and WebSocket; port {raw} is for JSON lines and foreign protocols"
            assert await program.message() == {"type": "bye", "reason": reason}
            assert await program.message() is None
            await program.close()
            course = await CourseClient.sign_up(table.port, "Bea")
            assert await course.next_message() is None
            await course.close()
            with pytest.raises(InvalidStatus) as refused:
                await connect(f"ws://127.0.0.1:{raw}", proxy=None)
            assert refused.value.response.status_code == 421
            assert refused.value.response.body == b"this port is not for HTTP and WebSocket\n"
            await table.log.line_with("refused", count=3)

    run(test())


def test_page_and_its_programs_use_different_ports(tmp_path: Path) -> None:
    async def test() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(raw_port=0)) as server:
            raw = raw_port_in(server.log)
            created = await server.post(
                "/api/tables", {"game": "porrinha", "name": "Ada", "seats": [{"kind": "me"}, {"kind": "program"}]}
            )
            assert created["raw_port"] == raw
            program = await JsonClient.sign_up(raw, "Mine", Zero, code=created["programs"][0]["code"])
            table = await server.get(f"/api/tables/{created['table']['id']}")
            while not table["seats"][1]["taken"]:
                table = await server.get(f"/api/tables/{created['table']['id']}")
            assert table["seats"][1]["name"] == "Mine"
            await program.close()
            async with httpx.AsyncClient() as http:
                assert (await http.get(f"http://127.0.0.1:{raw}/")).status_code == 421

    run(test())


@pytest.mark.parametrize("command", [("host", "porrinha", "--players", "2"), ("serve",)], ids=["host", "serve"])
def test_commands_print_the_second_port(command: tuple[str, ...], tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.sqlite")) if command == ("serve",) else ()
    words = [preloaded_command(), *command, "--port", "0", "--raw-port", "0", *store]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
        finally:
            process.kill()
    assert re.fullmatch(rf"{command[0]}: JSON lines and foreign protocols on 127\.0\.0\.1 port \d+\n", line), line


@pytest.mark.parametrize("command", [("host", "porrinha"), ("serve",)])
def test_second_port_must_be_another_one(command: tuple[str, ...]) -> None:
    ran = called(*command, "--port", "45678", "--raw-port", "45678")
    assert ran.returncode == 2
    assert "--raw-port 45678 is also the --port: expected another port, or 0 for any free one." in ran.stderr
