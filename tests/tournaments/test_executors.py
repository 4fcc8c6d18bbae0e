"""No player can end a tournament, or make it look interrupted."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.tournaments.tournaments import settings
from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments.executors import LocalPool, Processes
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament


def bot(folder: Path, *, making: str = "pass", guessing: str = "pass", closing: str = "pass") -> str:
    path = folder / "bot.py"
    path.write_text(
        "import os, signal, sys\n"
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Bot(Zero):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        f"        {making}\n"
        "    def guess(self, *args, **kwargs):\n"
        f"        {guessing}\n"
        "        return super().guess(*args, **kwargs)\n"
        "    def close(self):\n"
        f"        {closing}\n"
    )
    return f"{path}:Bot"


def played(chosen: Settings, folder: Path) -> list[GameResult]:
    with closing(Store(folder / "store.sqlite")) as store:
        tournament = Tournament.start(store, chosen, LocalPool())
        tournament.play()
        return list(store.results(tournament.number))


def test_a_player_that_exits_its_process_is_named(tmp_path: Path) -> None:
    killer = f"Killer={bot(tmp_path, guessing='os._exit(0)')}"
    ran = called(
        *("tournament", "porrinha", "random", "zero", killer, "--trust", "--games", "3"),
        *("--store", tmp_path / "store.sqlite"),
    )
    assert ran.returncode == 1
    assert "stopped; continue with: wateringhole tournament --resume 1" in ran.stderr
    assert re.search(r"series 0 with .*Killer.* crashed its worker twice", ran.stderr)


@pytest.mark.parametrize("trust", [(), ("--trust",)], ids=["isolated", "trusted"])
@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "SystemExit", "GeneratorExit"])
def test_any_exception_of_a_player_is_its_forfeit(raised: str, trust: tuple[str, ...], tmp_path: Path) -> None:
    player = bot(tmp_path, guessing=f"raise {raised}")
    words = ("tournament", "porrinha", "random", "zero", player, "--games", "9", "--json")
    ran = called(*words, *trust, "--store", tmp_path / "store.sqlite")
    assert ran.returncode == 0, ran.stderr
    thrown_out = {line["name"]: line["thrown_out"] for line in json.loads(ran.stdout)["standings"]["players"]}
    assert thrown_out == {"random": {}, "zero": {}, "Bot": {"exception": 9}}


@pytest.mark.parametrize("raised", ["KeyboardInterrupt", "SystemExit", "ValueError"])
def test_exceptions_while_closing_a_player_are_ignored(raised: str, tmp_path: Path) -> None:
    results = played(settings("random", "zero", bot(tmp_path, closing=f"raise {raised}"), games=3), tmp_path)
    assert [result.thrown_out for result in results] == [(None,) * 3] * 3


@pytest.mark.parametrize(
    ("making", "message"),
    [
        ("os._exit(0)", "terminates the process that creates it"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "terminates the process that creates it"),
        ("raise KeyboardInterrupt", "could not be made: .*bot.py, line 6: KeyboardInterrupt"),
        ("sys.exit()", "could not be made: .*bot.py, line 6: SystemExit"),
    ],
)
def test_a_player_that_exits_while_it_is_created_is_named(making: str, message: str, tmp_path: Path) -> None:
    with closing(Store(tmp_path / "store.sqlite")) as store:
        with pytest.raises(UsageError, match=rf"player '.*bot\.py:Bot' {message}"):
            Tournament.start(store, settings("random", "zero", bot(tmp_path, making=making)), LocalPool())
        assert store.tournaments() == []


def test_built_in_and_isolated_players_need_no_worker_process(tmp_path: Path) -> None:
    for chosen, is_here in (
        (settings("random", "zero?seed=3", "Ada=counter"), True),
        (settings("random", "zero", bot(tmp_path), time_limit=20.0), True),
        (settings("random", "zero", bot(tmp_path)), False),
        (settings("random", "zero", "wateringhole.games.porrinha.bots.zero:Zero"), False),
    ):
        pool = LocalPool()
        pool.check(chosen)
        with pool.executor() as executor:
            assert (executor.submit(os.getpid).result() == os.getpid()) == is_here


def test_terminating_a_worker_is_no_forfeit_of_its_player(tmp_path: Path) -> None:
    killer = bot(tmp_path, guessing="os.kill(os.getpid(), signal.SIGTERM)")
    with closing(Store(tmp_path / "store.sqlite")) as store:
        tournament = Tournament.start(store, settings("random", "zero", killer, games=3), Processes(1))
        with pytest.raises(OperationError, match="crashed its worker twice"):
            tournament.play()
        assert list(store.results(tournament.number)) == []


def test_a_worker_does_not_import_the_packages_of_the_store_and_standings() -> None:
    code = "import sys, wateringhole.tournaments.jobs; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True)
    assert not {"numpy", "scipy", "sqlalchemy"} & set(ran.stdout.split())
