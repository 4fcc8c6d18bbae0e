"""The program starts quickly and has complete help."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called, wateringhole
from wateringhole import __version__, registry
from wateringhole.cli import commands
from wateringhole.cli.environment import describe_environment

HEAVY = {
    "asyncio",
    "email",
    "http",
    "numba",
    "numpy",
    "scipy",
    "sqlalchemy",
    "starlette",
    "torch",
    "wateringhole.match",
    "wateringhole.games.evolution",
    "wateringhole.players",
    "wateringhole.games.porrinha",
    "wateringhole.games.porrinha.solver",
}


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from wateringhole.cli import main\n"
        "sys.argv = ['wateringhole', '--help']\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print('LOADED', *sorted(sys.modules))\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    loaded = set(ran.stdout.rpartition("LOADED")[2].split())
    assert "wateringhole.cli.play" in loaded
    assert loaded & HEAVY == set()


@pytest.mark.parametrize(
    "program",
    [(sys.executable, "-m", "wateringhole"), (Path(sys.executable).with_name("wateringhole"),)],
    ids=["module", "script"],
)
def test_ctrl_c_during_the_imports_prints_no_traceback(program: tuple[str | Path, ...], tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    ran = subprocess.run(
        [*program, "--help"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", "\nwateringhole: interrupted\n")


def test_the_version_is_printed() -> None:
    ran = wateringhole("--version")
    assert ran.returncode == 0
    assert ran.stdout.startswith(f"wateringhole {__version__}\n")


def test_the_version_has_what_a_bug_report_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    _, *lines = called("--version").stdout.splitlines()
    facts = dict(line.split(": ", 1) for line in lines)
    assert facts["Python"].startswith(platform.python_version())
    assert platform.machine() in facts["platform"]
    assert f"msgspec {version('msgspec')}" in facts["packages"]
    known = facts["packages"] + facts["not installed"]
    for optional in ("numba", "numba-cuda", "psycopg", "sqlalchemy"):
        assert optional in known
    assert facts["sandbox"].startswith("bubblewrap")
    assert facts["store"] == f"{tmp_path / 'wateringhole' / 'tournaments.sqlite'} (does not exist yet)"
    assert re.fullmatch(r"unknown|[0-9a-f]{7,40}(-dirty)?", facts["commit"])


def test_doctor_prints_the_same_and_the_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.process.doctor._TRIALS", ())
    environment = json.loads(called("doctor", "--json").stdout)["environment"]
    assert environment.pop("CUDA")
    assert environment == describe_environment()
    text = called("doctor").stdout
    for fact in environment.values():
        assert fact in text


def test_every_command_has_help_with_an_example() -> None:
    listed = called("--help").stdout
    names = list(commands().commands)
    assert {"play", "tournament", "standings", "check", "compare", "host", "join", "replay"} < set(names)
    for command in names:
        assert command in listed
        ran = called(command, "--help")
        assert ran.returncode == 0
        assert f"Example: wateringhole {command}" in " ".join(ran.stdout.split())


def test_every_example_is_a_valid_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    group: Any = commands()
    for name, command in group.commands.items():
        for game in (None, *registry.game_names()):
            shown = called(name, *([game] if game else []), "--help").stdout
            typed = re.search(rf"Example: wateringhole {name}\b(.*)", shown)
            assert typed
            words = shlex.split(typed[1].partition("<")[0].partition("|")[0])
            context = command.make_context(name, words)
            named = context.params.get("game")
            assert named is None or named in registry.game_names()


def test_examples_that_play_games_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    for game in registry.game_names():
        for name in ("new-bot", "play", "rules", "players", "replay", "check"):
            typed = re.search(rf"Example: wateringhole ({name}\b.*)", called(name, game, "--help").stdout)
            assert typed
            assert game in typed[1]
            # `new-bot` writes a file beside the folder in which other examples expect it.
            words = [word.removeprefix("bots/") for word in shlex.split(typed[1])]
            if name == "replay":
                words = words[:2]
            ran = called(*words, folder=tmp_path)
            assert ran.returncode == 0, ran.stderr
        (tmp_path / "mine.py").unlink()


def test_a_usage_error_prints_one_line_and_exits_with_status_2() -> None:
    ran = wateringhole("play", "chess", "silly")
    assert ran.returncode == 2
    assert ran.stderr == "wateringhole: 'chess' is not an installed game. Choose from: evolution, porrinha.\n"
    assert ran.stdout == ""
