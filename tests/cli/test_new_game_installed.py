"""A game that `new-game` writes works from an installed wheel, with every command and on the page."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.house.serving import Served, run

pytestmark = pytest.mark.slow

PLAYERS = ("careful", "careful", "careful")


class Installed:
    """An environment with the wheel of this project and the new game."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bin = folder / "venv" / "bin"
        # Nothing of the repository, and no variable of the shell, may be found by accident.
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def run(self, *words: str | Path, status: int = 0) -> str:
        done = subprocess.run(
            [self.bin / str(words[0]), *map(str, words[1:])],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == status, f"{words}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout

    @contextmanager
    def running(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        process = subprocess.Popen(
            [self.bin / "wateringhole", *words],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.communicate(timeout=300)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    wheel = [*pip, "wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    built = subprocess.run(wheel, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "venv" / "lib" / version / "site-packages"
    # Dependencies come from this environment, which is searched last.
    (packages / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    install = [*pip, "--python", str(folder / "venv" / "bin" / "python"), "install", "--no-deps", "--ignore-installed"]
    (project_wheel,) = folder.glob("wateringhole-*.whl")
    subprocess.run([*install, "--no-index", str(project_wheel)], check=True)
    made = Installed(folder)
    made.run("wateringhole", "new-game", "pearls", "pearls")
    subprocess.run([*install, str(folder / "pearls")], check=True)
    return made


def test_the_installed_wheel_runs(installed: Installed) -> None:
    where = installed.run("python", "-c", "import wateringhole, pearls; print(wateringhole.__file__, pearls.__file__)")
    assert all(Path(path).is_relative_to(installed.folder) for path in where.split())


def test_its_own_tests_pass(installed: Installed) -> None:
    assert "2 passed" in installed.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "pearls/tests")


def test_it_can_be_played_recorded_and_replayed(installed: Installed) -> None:
    played = installed.run("wateringhole", "play", "pearls", *PLAYERS, "--seed", "7", "--record", "games")
    assert "careful 1 gets the cards" in played
    record = installed.folder / "games" / "pearls-7.jsonl"
    assert "fine" in installed.run("wateringhole", "replay", record, "--verify")
    assert "Round 4" in installed.run("wateringhole", "replay", record)
    installed.run("wateringhole", "replay", record, "--html", "game.html")
    assert (installed.folder / "game.html").stat().st_size > 10_000


def test_rules_and_players_are_listed(installed: Installed) -> None:
    assert "how many cards each player gets" in installed.run("wateringhole", "rules", "pearls")
    assert "Lays its middle card" in installed.run("wateringhole", "players", "pearls")


def test_its_players_can_be_checked_and_compared(installed: Installed) -> None:
    (installed.folder / "mine.py").write_text(
        "from pearls import Player\n\n\nclass Mine(Player):\n    def lay(self, request):\n"
        "        return request.view.hand[-1]\n\n    def stay(self, request):\n        return True\n"
    )
    assert json.loads(installed.run("wateringhole", "check", "pearls", "mine.py:Mine", "--json"))["is_fine"]
    found = installed.run(
        "wateringhole", "compare", "pearls", "mine.py:Mine", "careful", "--seed", "1", "--max-games", "400", "--json"
    )
    assert json.loads(found)["verdict"]


def test_it_can_be_played_in_a_tournament(installed: Installed) -> None:
    words = "tournament pearls Ada=careful Bo=careful --games 8 --store s.sqlite --report r.html"
    assert "Ada" in installed.run("wateringhole", *words.split())
    assert "Ada" in installed.run("wateringhole", "standings", "--store", "s.sqlite")


def test_it_can_be_hosted_and_joined(installed: Installed) -> None:
    words = "host pearls --players 3 --bots careful --port 0 --start-delay 0.1 --seed 7"
    with installed.running(*words.split()) as host:
        port = _port(host)
        installed.run("wateringhole", "join", f"127.0.0.1:{port}", "careful", "--name", "Ada")
        out, _ = host.communicate(timeout=300)
    assert host.returncode == 0
    assert "Ada" in out


def test_it_can_be_played_on_the_page(installed: Installed) -> None:
    with installed.running("serve", "--port", "0", "--store", "page.sqlite") as server:
        record, lines = run(_play_on_page(f"http://127.0.0.1:{_port(server)}"))
    assert any("decides first" in line for line in lines)
    (installed.folder / "page.jsonl").write_bytes(record)
    assert "fine" in installed.run("wateringhole", "replay", "page.jsonl", "--verify")


async def _play_on_page(address: str) -> tuple[bytes, list[str]]:
    """Play a game as a browser does, with the first option of each request.  Return its record and its narration."""
    server = Served(address)
    try:
        assert "pearls" in [game["name"] for game in (await server.get("/api/lobby"))["games"]]
        table = await server.table("pearls", "me", "careful", "careful")
        async with table.seat() as seat:
            while (message := await seat.next())["type"] not in ("over", "bye"):
                if message["type"] == "request":
                    answer = message["offers"]["options"][0]["answer"]
                    await seat.send({"type": "answer", "id": message["id"], "answer": answer})
            lines = [line for each in seat.of_type("event") for line in each["text"]]
        return await server.finished(table.id), lines
    finally:
        await server.http.aclose()


def _port(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    for line in process.stdout:
        if found := re.search(r"(?:port |127\.0\.0\.1:)(\d+)", line):
            return int(found[1])
    raise AssertionError("it did not start to listen")
