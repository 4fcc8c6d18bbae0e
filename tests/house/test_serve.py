"""The command `serve`: its address, its exit and its errors."""

from __future__ import annotations

import asyncio
import importlib.util
import signal
import socket
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.house.serving import process, run
from wateringhole.cli.serve import serve
from wateringhole.errors import OperationError


@pytest.fixture(autouse=True)
def _no_server_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail instead of serving, because servers in these tests run in their own processes."""
    refused = "wateringhole.web.serving._wait_for_signal"
    monkeypatch.setattr(refused, lambda *_: pytest.fail("the command was not refused"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_serve_exits_cleanly_on_signals(tmp_path: Path, how: signal.Signals) -> None:
    async def end() -> None:
        async with process(tmp_path / "s.sqlite") as (server, running):
            table = await server.table("evolution", "me", "silly", "greedy")
            async with table.seat() as seat:
                await seat.until("request")
                running.send_signal(how)
                assert await asyncio.wait_for(running.wait(), 200) == 0
            assert running.stderr is not None
            assert await running.stderr.read() == b""

    run(end())


def test_port_in_use_is_an_operation_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = called("serve", "--port", str(port), "--store", tmp_path / "s.sqlite")
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"wateringhole: cannot listen on 127.0.0.1 port {port}:")
    assert "--port 0" in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--time-limit", "0"], 2, "--time-limit 0: expected a positive, finite number of seconds."),
        (["--reconnect-timeout", "-1"], 2, "--reconnect-timeout -1: expected a positive, finite number of seconds."),
        (["--reconnect-timeout", "inf"], 2, "--reconnect-timeout inf: expected a positive, finite number of seconds."),
        (["--keep-games", "0"], 2, "--keep-games 0: expected a number of games from 1 to 9223372036854775807."),
        (["--keep-games", f"{2**63}"], 2, f"--keep-games {2**63}: expected a number of games from 1 to {2**63 - 1}."),
        (["--store", "mysql://here/there"], 2, "a store cannot be in mysql"),
        (["--bind", "nowhere.invalid", "--port", "0"], 1, "cannot listen on nowhere.invalid"),
    ],
)
def test_serve_refuses_invalid_arguments(tmp_path: Path, arguments: list[str], status: int, message: str) -> None:
    store = [] if "--store" in arguments else ["--store", str(tmp_path / "s.sqlite")]
    ran = called("serve", *arguments, *store)
    assert (ran.returncode, message in ran.stderr) == (status, True), ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "websockets", "sqlalchemy"])
def test_error_for_a_missing_package_has_the_install_command(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "wateringhole.web.serving.find_spec",
        lambda wanted: None if wanted == name else importlib.util.find_spec(wanted),
    )
    with pytest.raises(OperationError, match=rf"needs {name}, .* pip install 'wateringhole\[web\]'"):
        serve(store=str(tmp_path / "s.sqlite"))
    assert list(tmp_path.iterdir()) == []


def test_file_that_is_no_store_is_an_operation_error(tmp_path: Path) -> None:
    (tmp_path / "s.sqlite").write_text("not a database, but long enough to be looked at as one" * 40)
    ran = called("serve", "--port", "0", "--store", tmp_path / "s.sqlite")
    assert ran.returncode == 1
    assert "cannot be used" in ran.stderr


def test_serve_warns_when_the_network_can_reach_it(tmp_path: Path) -> None:
    async def listen() -> None:
        async with process(tmp_path / "s.sqlite", "--bind", "0.0.0.0") as (server, running):
            url = server.url.replace("0.0.0.0", "127.0.0.1")
            answer = await server.http.get(f"{url}/api/lobby", headers={"Host": "club.example"})
            assert answer.status_code == 200
            running.send_signal(signal.SIGINT)
            _, ran = await running.communicate()
            assert b"anyone who can reach this machine" in ran

    run(listen())


def test_endless_bot_blocks_only_its_own_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A player of another package, found by its entry point.
    package = tmp_path / "packages"
    (package / "ponder-1.dist-info").mkdir(parents=True)
    (package / "ponder-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: ponder\nVersion: 1\n")
    (package / "ponder-1.dist-info" / "entry_points.txt").write_text(
        "[wateringhole.players]\nporrinha.ponder = ponder:Ponder\n"
    )
    (package / "ponder.py").write_text(
        "from wateringhole.games.porrinha import Player\n\n\n"
        "class Ponder(Player):\n    def name(self):\n        return 'ponder'\n\n"
        "    def hand(self):\n        while True:\n            pass\n\n    guess = hand\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(package))

    async def play() -> None:
        async with process(tmp_path / "s.sqlite") as (server, _):
            stuck = await server.table("porrinha", "me", "ponder")
            async with stuck.seat() as waiting:
                await waiting.answer(await waiting.until("request"))
                table = await server.table("porrinha", "me", "zero", options={"sticks": 1})
                async with table.seat() as seat:
                    assert (await seat.play())["type"] == "over"
                assert waiting.of_type("thrown_out") == []

    run(play())
