"""A restarted server restores its tables.  Uses real processes and one store."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sqlite3
from pathlib import Path

import msgspec
import pytest

from tests.house.serving import BOTS, Message, Opened, Seat, process, run, served
from tests.waiting import until
from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.game import Seat as GameSeat
from wateringhole.house.plans import TablePlan, TableSeat, TokenDigest
from wateringhole.house.store import TableStore
from wateringhole.house.tables import Table
from wateringhole.match.record import Header, Record, RecordedAnswer, Recorder, read_record


@pytest.mark.parametrize(("game", "last"), [("evolution", "feed"), ("porrinha", "guess")])
def test_killed_server_continues_its_games_after_a_restart(tmp_path: Path, game: str, last: str) -> None:
    async def restart_and_continue() -> None:
        store = tmp_path / "store.sqlite"
        bots = BOTS[game]
        async with process(store) as (server, running):
            table = await server.table(game, "me", *bots, seed=7)
            async with table.seat(heard=0) as before:
                request = await before.play(lambda message: message.get("request") == last and message["id"] > 2)
                assert request["type"] == "request"
                # The answers before the open request are saved shortly after it was sent.
                await until(lambda: _is_saved(store, game, request))
                os.kill(running.pid, signal.SIGKILL)
                await running.wait()
        heard = before.of_type("event")[-1]["number"]
        async with process(store) as (server, _):
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": []})
            async with again.seat(heard=heard) as after:
                assert (await after.next())["resumed"] == heard
                asked = await after.until("request")
                untimed = {"scene": None, "seconds": None}
                assert {**asked, **untimed} == {**request, **untimed}
                assert after.of_type("event") == []
                await after.answer(asked)
                over = await after.play()
            assert over["type"] == "over"
            assert [line["out"] for line in over["standings"]] == [None] * 4
            numbers = [event["number"] for event in before.of_type("event") + after.of_type("event")]
            assert numbers == list(range(1, numbers[-1] + 1))
            replay = read_record(await server.finished(table.id)).replay()
            assert sum(1 for _ in replay.events()) > numbers[-1]

    run(restart_and_continue())


def _is_saved(store: Path, game: str, request: Message) -> bool:
    """Return whether the saved answers lead to this request of the first seat."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        pieces = connection.execute("SELECT text FROM page_lines ORDER BY number").fetchall()
    header, *lines = b"".join(bytes(text) for (text,) in pieces).splitlines() or [b"{}"]
    recorded = [line for line in lines if not line.startswith(b'{"note"')]
    answers = tuple(msgspec.json.decode(line, type=RecordedAnswer) for line in recorded)
    if sum(answer.seat == 0 for answer in answers) < request["id"] - 1:
        return False
    kind = registry.game_kind(game)
    setup = kind.codec.setup_from_json(msgspec.json.decode(header)["setup"])
    replay = Record(msgspec.json.decode(header, type=Header), answers, b"", False, kind, setup).replay()
    with contextlib.suppress(OperationError):  # it has no end
        for _ in replay.events():
            pass
    asked = replay.game.requests.get(GameSeat(0))
    return asked is not None and asked.name == request["request"]


def test_waiting_table_is_restored_with_its_invitations(tmp_path: Path) -> None:
    async def restart_and_continue() -> None:
        store = tmp_path / "store.sqlite"
        async with process(store) as (server, running):
            table = await server.table("porrinha", "me", "friend")
            async with table.seat() as seat:
                await seat.until("table")
                running.send_signal(signal.SIGTERM)
                assert (await seat.closed())["type"] == "table"
                await running.wait()
        async with process(store) as (server, _):
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": table.invitations})
            token = await again.take_seat(again.invitations[0], "Bea")
            async with again.seat() as ada, again.seat(token) as bea:
                one, other = await asyncio.gather(ada.play(), bea.play())
            assert one == other
            assert [line["name"] for line in sorted(one["standings"], key=lambda line: line["seat"])] == ["Ada", "Bea"]

    run(restart_and_continue())


def _save_table(store: Path, record: bytes = b"", player: str = "zero") -> str:
    """Save a table of Ada and a bot, as a server leaves it.  Return Ada's token."""
    token, digest = TokenDigest.new()
    seats = [TableSeat("person", "Ada", token=digest), TableSeat("bot", "bot", player)]
    plan = TablePlan(
        game="porrinha",
        profile="seed",
        rules=msgspec.to_builtins(registry.game_kind("porrinha").profiles["seed"].rules),
        seed=7,
        public=True,
        seats=seats,
    )
    with contextlib.closing(TableStore(store)) as opened:
        opened.keep("a1", 1.0, msgspec.to_builtins(plan))
        if record:
            opened.add_lines("a1", 0, record)
        opened.release_tables()
    return token


def _header(rules_version: int | None = None) -> bytes:
    kind = registry.game_kind("porrinha")
    setup = kind.next_setup(kind.deal(2, kind.profiles["seed"].rules, 7), [(0, "Ada"), (1, "bot")], None)
    header = msgspec.json.decode(Recorder(kind, setup, ["Ada", "bot"]).text())
    return msgspec.json.encode({**header, **({"rules_version": rules_version} if rules_version else {})}) + b"\n"


def test_full_table_without_a_record_begins_its_game_after_a_restart(tmp_path: Path) -> None:
    token = _save_table(tmp_path / "s.sqlite")

    async def connect() -> None:
        async with served(tmp_path / "s.sqlite") as server, Seat(server.url, "a1", token) as ada:
            assert (await ada.play())["type"] == "over"

    run(connect())


SLOW = """
import pathlib, time

from wateringhole.games.porrinha.bots.zero import Zero


class Slow(Zero):
    def __init__(self):
        end = time.monotonic() + 120
        while not pathlib.Path(__file__).with_name("reconnected").exists() and time.monotonic() < end:
            time.sleep(0.01)
"""


def test_page_that_reconnects_before_its_game_is_restored_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait = Table.wait_until_restored

    async def noted(table: Table) -> None:
        assert not table._is_restored.is_set()
        (tmp_path / "reconnected").touch()
        await wait(table)

    monkeypatch.setattr(Table, "wait_until_restored", noted)
    (tmp_path / "slow.py").write_text(SLOW)
    token = _save_table(tmp_path / "s.sqlite", _header(), f"{tmp_path / 'slow.py'}:Slow")

    async def connect() -> None:
        async with served(tmp_path / "s.sqlite") as server, Seat(server.url, "a1", token, heard=1) as ada:
            assert (await ada.next())["resumed"] == 1

    run(connect())


def test_incomplete_last_line_is_asked_again(tmp_path: Path) -> None:
    token = _save_table(tmp_path / "s.sqlite", _header() + b'{"seat":0,"request":"ha')

    async def connect() -> None:
        async with served(tmp_path / "s.sqlite") as server, Seat(server.url, "a1", token) as ada:
            assert (await ada.until("request"))["request"] == "hand"

    run(connect())


@pytest.mark.parametrize(
    ("record", "player", "reason"),
    [
        (_header(999), "zero", "version 999 of the rules"),
        (_header() + b'{"seat":1,"request":"hand","answer":1}\n', "zero", "does not fit"),
        (b"nonsense\n", "zero", "The saved game is damaged"),
        (_header(), "gone", "no installed player 'gone'"),
    ],
)
def test_game_that_cannot_continue_is_reported_and_forgotten(
    tmp_path: Path, record: bytes, player: str, reason: str
) -> None:
    token = _save_table(tmp_path / "s.sqlite", record, player)

    async def connect() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with Seat(server.url, "a1", token) as ada, table.seat() as other:
                bye = await ada.closed()
                assert bye["final"] is True
                assert reason in bye["reason"]
                await other.until("request")
            assert any("table a1 failed" in line for line in server.log)

    run(connect())
    with contextlib.closing(TableStore(tmp_path / "s.sqlite")) as opened:
        assert [saved.id for saved in opened.adopt_tables()] != ["a1"]
