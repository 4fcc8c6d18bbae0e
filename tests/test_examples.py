"""Tests of the players in `examples/`: short, legal, and better than chance."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.conftest import ROOT

EXAMPLES = ROOT / "examples"
GAMES = 60


def test_the_notebook_runs(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = json.loads((EXAMPLES / "first_steps.ipynb").read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    names: dict[str, Any] = {"__name__": "notebook"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            exec("".join(cell["source"]), names)
    output = capsys.readouterr().out
    assert "Watering hole" in output
    assert "FeedPlants(" in output
    assert names["result"].verdict == "better"


def python(folder: Path) -> str:
    return f"{sys.executable} {EXAMPLES / 'porrinha_counter.py'}"


def javascript(folder: Path) -> str:
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    return f"node {EXAMPLES / 'evolution_grower.js'}"


def cplusplus(folder: Path) -> str:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    source, program = EXAMPLES / "porrinha_mean.cpp", folder / "mean"
    subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-O1", "-o", str(program), str(source)], check=True
    )
    return str(program)


PLAYERS = {
    # file: a function that returns its command, the game, its opponents, the share of games it must win
    "porrinha_counter.py": (python, "porrinha", ["random?seed=1", "random?seed=2"], 1 / 3),
    "porrinha_mean.cpp": (cplusplus, "porrinha", ["random?seed=1", "random?seed=2"], 1 / 3),
    "evolution_grower.js": (javascript, "evolution", ["silly", "random?seed=1"], 1 / 2),
}


def test_every_example_is_tested_and_listed_in_the_readme() -> None:
    files = {path.name for path in EXAMPLES.iterdir() if path.suffix != ".md"}
    # The trait file is tested in `tests/cli/test_trait_files.py`, the training in `tests/learn/test_training.py`.
    assert files == PLAYERS.keys() | {"evolution_traits.py", "first_steps.ipynb", "learn_porrinha.py"}
    assert files == set(re.findall(r"^\| \[`([\w.]+)`\]", (EXAMPLES / "README.md").read_text(), re.MULTILINE))


@pytest.mark.parametrize("file", PLAYERS)
def test_an_example_has_fewer_than_a_hundred_lines(file: str) -> None:
    assert len((EXAMPLES / file).read_text().splitlines()) < 100


@pytest.mark.parametrize("file", PLAYERS)
def test_an_example_passes_its_check(file: str, tmp_path: Path) -> None:
    command, game, _, _ = PLAYERS[file]
    ran = called("check", game, f"cmd:{command(tmp_path)}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "problem" not in ran.stdout


@pytest.mark.parametrize("file", PLAYERS)
def test_an_example_plays_decently(file: str, tmp_path: Path) -> None:
    command: Callable[[Path], str]
    command, game, opponents, least = PLAYERS[file]
    arguments = [
        f"mine=cmd:{command(tmp_path)}",
        *opponents,
        "--games",
        str(GAMES),
        "--rotate-seats",
        "--seed",
        "1",
        "--json",
    ]
    ran = called("play", game, *arguments)
    assert ran.returncode == 0, ran.stderr
    games = json.loads(ran.stdout)
    assert [game["thrown_out"] for game in games] == [[]] * GAMES
    assert all(not game.get("faults") for game in games)
    wins = sum(game["ranking"][0]["name"] == "mine" for game in games)
    assert wins / GAMES > least
