"""Commands and a game that provides no facet: fallbacks, or one sentence and exit status 2."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.cli import bare_game
from tests.cli.running import Ran, called

BOT = """\
from wateringhole.player import InProcess

class Mine(InProcess):
    "Names a number."
    def __init__(self, number=3):
        self.number = number

    def choose(self, most):
        return self.number
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the game is installed, and a bot of it lies."""
    package = bare_game.install(tmp_path / "packages")
    monkeypatch.setattr(sys, "path", [*sys.path, str(package)])
    monkeypatch.setenv("PYTHONPATH", f"{package}:{Path(__file__).parents[2]}")
    (tmp_path / "mine.py").write_text(BOT)
    return tmp_path


def refused(ran: Ran) -> str:
    """The one sentence of a command that was refused."""
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert ran.stderr.count("\n") == 1
    return ran.stderr.removeprefix("wateringhole: ").strip()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("solve", "bare"), "bare has no solver. Choose from: porrinha."),
        (("solve", "bare", "--sticks", "3"), "bare has no solver. Choose from: porrinha."),
        (
            ("simulate", "bare", "default", "default"),
            "bare is not compiled, so it cannot be simulated; play it with: wateringhole tournament bare …",
        ),
        (
            ("new-bot", "bare", "another.py"),
            "bare has no template for a bot; derive a class from wateringhole.player.InProcess.",
        ),
        (
            ("new-bot", "bare", "another.py", "--stepwise"),
            "bare has no template for a bot; derive a class from wateringhole.player.InProcess.",
        ),
        (
            ("play", "bare", "default", "default", "--deck", "ascending"),
            "--deck ascending: bare has no deal option 'deck'.",
        ),
        (("play", "bare", "default", "default", "--deal", "x"), "--deal x: bare has no deal option 'x'."),
        (
            ("harness", "bare"),
            "there is no harness 'bare'; there are attack, feed, step, step4, choose, porrinha.",
        ),
        (
            ("play", "bare", "default", "silly"),
            "there is no installed player 'silly' for bare; there are default.",
        ),
    ],
)
def test_a_command_without_its_facet_is_refused_in_one_sentence(
    words: tuple[str, ...], sentence: str, folder: Path
) -> None:
    if words[0] == "simulate":
        pytest.importorskip("numba", reason="the extra sim is not installed")
    assert sentence in refused(called(*words, folder=folder))


def test_a_game_is_played_recorded_and_replayed(folder: Path) -> None:
    ran = called("play", "bare", "mine.py:Mine", "default", "--seed", "7", "--record", "games", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "Mine: NumberNamed (number 3)" in ran.stdout
    (record,) = (folder / "games").iterdir()
    assert "fine; 2 answers lead to 2 events" in called("replay", record, "--verify").stdout
    assert "NumberNamed (seat 1, number 0)" in called("replay", record).stdout
    found = json.loads(called("play", "bare", "mine.py:Mine?number=2", "default", "--json", folder=folder).stdout)
    assert [line["place"] for line in found["ranking"]] == [1, 2]


def test_an_illegal_answer_is_told_by_its_rule_and_parts(folder: Path) -> None:
    ran = called("play", "bare", "mine.py:Mine?number=4", "default", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "too-large (number 4)" in ran.stdout


def test_a_player_is_checked(folder: Path) -> None:
    ran = called("check", "bare", "mine.py:Mine", "--json", folder=folder)
    assert ran.returncode == 0, ran.stdout
    assert json.loads(ran.stdout)["is_fine"]
    assert called("check", "bare", "mine.py:Mine?number=7", folder=folder).returncode == 1


def test_players_are_compared(folder: Path) -> None:
    ran = called("compare", "bare", "mine.py:Mine", "default", "--seed", "1", "--json", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["verdict"] == "better"


def test_a_tournament_is_played(folder: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra tournament is not installed")
    words = (
        "tournament",
        "bare",
        "mine.py:Mine",
        "default",
        "--games",
        "4",
        "--store",
        "s.sqlite",
        "--report",
        "r.html",
    )
    ran = called(*words, folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "Mine" in ran.stdout
    assert (folder / "r.html").exists()
    assert called("standings", "--store", "s.sqlite", folder=folder).returncode == 0


def test_rules_and_players_are_listed() -> None:
    assert "the largest number" in called("rules", "bare").stdout
    assert "default" in called("players", "bare").stdout


def test_a_game_that_cannot_be_loaded_costs_others_nothing(folder: Path) -> None:
    points = folder / "packages" / "bare-1.dist-info" / "entry_points.txt"
    points.write_text("[wateringhole.games]\nzombie = no.such.module:KIND\n")
    for words in (
        ("play", "--help"),
        ("harness", "--help"),
        ("play", "evolution", "silly", "silly", "silly", "--quiet"),
    ):
        ran = called(*words, folder=folder)
        assert ran.returncode == 0, ran.stderr
    assert called("harness", "step", stdin="[]", folder=folder).returncode == 1
    assert refused(called("solve", "evolution")) == "evolution has no solver. Choose from: porrinha."
    assert "the game 'zombie' cannot be loaded from no.such.module:KIND" in refused(called("play", "zombie", "x"))


def test_help_has_an_example_of_this_game() -> None:
    for command, words in {"play": "bare default default", "compare": "bare mine.py:Mine default"}.items():
        shown = " ".join(called(command, "bare", "--help").stdout.split())
        assert f"Example: wateringhole {command} {words}" in shown
