"""Hostile bots at the tables of `host` and of the page: they reach nothing, and only they lose."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_host_join import hosting, joins
from tests.house.serving import process, run
from tests.process.spying import sandbox_or_skip
from wateringhole.match.record import read_record

__all__ = ["sandbox_or_skip"]

pytestmark = pytest.mark.usefixtures("sandbox_or_skip")

BOTS = """
import json, os, signal, socket
from pathlib import Path
from wateringhole.games.porrinha.bots.random import Random

def plan():
    return json.loads(Path(__file__).with_name("plan.json").read_text())

def reached():
    "Yield what of the operator can be reached."
    yield from (path for path in plan()["readable"] if os.access(path, os.R_OK))
    yield from (path for path in plan()["writable"] if os.access(path, os.W_OK))
    yield from (name for name in os.environ if name == "OPERATORS_SECRET")
    try:
        socket.create_connection(("127.0.0.1", plan()["port"]), timeout=2)
    except OSError:
        return
    yield "the network"

class Reader(Random):
    def guess(self):
        if found := [*reached()]:
            raise ValueError(f"reached {found}")
        return super().guess()

class Killer(Random):
    def guess(self):
        for pid in (os.getppid(), plan()["pid"], -1):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        raise ValueError("killed no one")

class Hanger(Random):
    def guess(self):
        while True:
            pass
"""
"""They know where everything is, from a file in their own folder."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the bots, a secret, and a place for a store or records."""
    monkeypatch.setenv("OPERATORS_SECRET", "hunter2")
    for name in ("bots/hostile_bots", "kept"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "bots" / "hostile_bots" / "__init__.py").write_text(BOTS)
    return tmp_path


def write_plan(folder: Path, pid: int, port: int) -> None:
    own = folder / "bots" / "hostile_bots"
    places = [folder / "secret", folder / "kept"]
    plan = {
        "readable": [*map(str, places), "/etc/shadow", f"/proc/{pid}/environ"],
        "writable": [*map(str, places), str(own), str(own / "__init__.py")],
        "pid": pid,
        "port": port,
    }
    (own / "plan.json").write_text(json.dumps(plan))


def test_hostile_bots_of_a_host_harm_only_themselves(folder: Path) -> None:
    file = folder / "bots" / "hostile_bots" / "__init__.py"
    bots = ",".join(f"{name}={file}:{name}" for name in ("Reader", "Killer", "Hanger"))
    words = ("--players", "4", "--bots", bots, "--time-limit", "3", "--json", "--record", folder / "kept")
    with hosting("porrinha", *words) as host:
        write_plan(folder, host.process.pid, int(host.where.rpartition(":")[2]))
        joins(host.where, "zero", "--name", "Ada")
        out, err = host.end()
    assert {each["name"] for each in json.loads(out)["thrown_out"]} == {"Killer", "Hanger"}, err
    assert (folder / "secret").read_text() == "hunter2"


def test_hostile_bots_of_the_page_harm_only_themselves(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A package that is found by its entry points.
    (folder / "bots" / "hostile_bots-1.dist-info").mkdir()
    for name, text in {
        "METADATA": "Metadata-Version: 2.1\nName: hostile_bots\nVersion: 1\n",
        "entry_points.txt": "[wateringhole.players]\n"
        + "".join(f"porrinha.{name.lower()} = hostile_bots:{name}\n" for name in ("Reader", "Killer")),
    }.items():
        (folder / "bots" / "hostile_bots-1.dist-info" / name).write_text(text)
    monkeypatch.setenv("PYTHONPATH", str(folder / "bots"))

    async def play() -> bytes:
        async with process(folder / "kept" / "house.sqlite") as (server, running):
            write_plan(folder, running.pid, int(server.url.rpartition(":")[2]))
            table = await server.table("porrinha", "me", "reader", "killer")
            async with table.seat() as seat:
                assert (await seat.play())["type"] == "over"
            return await server.finished(table.id)

    record = read_record(run(play()))
    thrown_out = {record.header.names[each["seat"]]: each for each in json.loads(record.result)["thrown_out"]}
    assert set(thrown_out) == {"killer"}, thrown_out
    assert (folder / "secret").read_text() == "hunter2"
