"""Commands with a game that provides no facet: they use fallbacks, or print one line and exit with status 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, called, wateringhole
from tests.preloaded_command import preloaded_command
from tests.sample_game.installing import BOT, install_nim
from wateringhole import registry
from wateringhole.errors import UsageError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Install Nim and write a bot for it.  Return the folder of the bot."""
    package = install_nim(tmp_path / "packages")
    monkeypatch.setattr(sys, "path", [*sys.path, str(package)])
    monkeypatch.setenv("PYTHONPATH", str(package))
    (tmp_path / "mine.py").write_text(BOT)
    return tmp_path


def refused(ran: Ran) -> str:
    """Return the one line that a refused command printed."""
    assert (ran.returncode, ran.stdout) == (2, ""), ran.stderr
    assert ran.stderr.count("\n") == 1
    return ran.stderr.removeprefix("wateringhole: ").strip()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "nim"), "nim has no solver. Choose from: porrinha."),
        (("solve", "nim", "--sticks", "3"), "nim has no solver. Choose from: porrinha."),
        (
            ("simulate", "nim", "default", "default"),
            "nim is not compiled, so it cannot be simulated; play it with: wateringhole tournament nim …",
        ),
        (
            ("new-bot", "nim", "another.py"),
            "nim has no template for a bot. Derive a class from wateringhole.player.InProcess.",
        ),
        (
            ("new-bot", "nim", "another.py", "--stepwise"),
            "nim has no template for a bot. Derive a class from wateringhole.player.InProcess.",
        ),
        (
            ("play", "nim", "default", "default", "--deck", "ascending"),
            "--deck ascending: nim has no deal option 'deck'.",
        ),
        (("play", "nim", "default", "default", "--deal", "x=1"), "--deal x=1: nim has no deal option 'x'."),
        (
            ("harness", "nim"),
            "harness 'nim' does not exist. Choose from: attack, feed, step, step4, choose, porrinha.",
        ),
        (
            ("play", "nim", "default", "silly"),
            "there is no installed player 'silly' for nim. Choose from: default.",
        ),
    ],
)
def test_a_command_without_its_facet_is_refused_in_one_line(words: tuple[str, ...], message: str, folder: Path) -> None:
    assert message in refused(called(*words, folder=folder))


def test_a_game_is_played_recorded_and_replayed(folder: Path) -> None:
    ran = called("play", "nim", "mine.py:Mine", "default", "--seed", "7", "--record", "games", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "GameStarted (players 2, heaps [7,4,8])" in ran.stdout
    assert "Mine: SticksTaken (heap 0, count 1)" in ran.stdout
    (record,) = (folder / "games").iterdir()
    assert "fine; 19 answers lead to 21 events" in called("replay", record, "--verify").stdout
    assert "default: SticksTaken (heap 0, count 1)" in called("replay", record).stdout
    assert refused(called("analyse", record)) == "nim has no analysis. Choose from: evolution, porrinha."
    assert called("replay", record, "--html", "game.html", folder=folder).returncode == 0
    assert "plain-view.js" in (folder / "game.html").read_text(encoding="utf-8")
    found = json.loads(called("play", "nim", "mine.py:Mine", "default", "--json", folder=folder).stdout)
    assert [line["place"] for line in found["ranking"]] == [1, 2]


def test_an_illegal_answer_is_reported_by_its_rule_and_parts(folder: Path) -> None:
    ran = called("play", "nim", "mine.py:Mine?count=4", "default", "--seed", "7", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "wrong-count (heap 0, count 4, most 3)" in ran.stdout


def test_a_player_is_checked(folder: Path) -> None:
    ran = called("check", "nim", "mine.py:Mine", "--json", folder=folder)
    assert ran.returncode == 0, ran.stdout
    assert json.loads(ran.stdout)["is_fine"]
    assert called("check", "nim", "mine.py:Mine?count=4", folder=folder).returncode == 1


def test_players_are_compared(folder: Path) -> None:
    ran = called("compare", "nim", "mine.py:Mine", "mine.py:Mine?count=4", "--seed", "1", "--json", folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["verdict"] == "better"


def test_a_tournament_is_played(folder: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra tournament is not installed")
    words = "tournament nim mine.py:Mine default --games 4 --store s.sqlite --report r.html"
    ran = called(*words.split(), folder=folder)
    assert ran.returncode == 0, ran.stderr
    assert "Mine" in ran.stdout
    assert (folder / "r.html").exists()
    assert called("standings", "--store", "s.sqlite", folder=folder).returncode == 0


def test_a_game_is_hosted_and_joined(folder: Path) -> None:
    words = "host nim --players 2 --bots default --port 0 --start-delay 0.1 --seed 7"
    host = subprocess.Popen(
        [preloaded_command(), *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert host.stderr is not None
    try:
        found = re.search(r"port (\d+)", host.stderr.readline())
        assert found
        joined = wateringhole("join", f"127.0.0.1:{found[1]}", "mine.py:Mine", "--name", "Ada", folder=folder)
        out, err = host.communicate(timeout=300)
    finally:
        host.kill()
        host.communicate()
    assert (joined.returncode, host.returncode) == (0, 0), (joined.stderr, err)
    assert "join: the game is over: Ada" in joined.stderr
    assert "Ada" in out
    assert "Traceback" not in joined.stderr + err


def test_rules_and_players_are_listed() -> None:
    assert "the most sticks taken at once" in called("rules", "nim").stdout
    assert "default" in called("players", "nim").stdout


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("no.such.module:KIND", "ModuleNotFoundError: No module named 'no'"),
        ("leaving:KIND", "SystemExit: 7"),
        ("empty:KIND", "ValueError: profiles must name at least one Profile"),
    ],
)
def test_a_game_that_cannot_be_loaded_does_not_affect_others(folder: Path, module: str, why: str) -> None:
    packages = folder / "packages"
    (packages / "leaving.py").write_text("raise SystemExit(7)\n")
    (packages / "empty.py").write_text(
        "from dataclasses import replace\nfrom nim import KIND\nKIND = replace(KIND, name='aaa', profiles={})\n"
    )
    # Its name comes first, so every list of games and every example would use it.
    (packages / "nim-1.0.dist-info" / "entry_points.txt").write_text(f"[wateringhole.games]\naaa = {module}\n")
    for words in (
        *((command, "--help") for command in ("play", "tournament", "check", "compare", "host", "join", "solve")),
        ("harness", "--help"),
        ("rules",),
        ("players",),
        ("play", "evolution", "silly", "silly", "silly", "--quiet"),
    ):
        ran = called(*words, folder=folder)
        assert ran.returncode == 0, (words, ran.stderr)
    assert called("harness", "step", stdin="[]", folder=folder).returncode == 1
    assert refused(called("solve", "evolution")) == "evolution has no solver. Choose from: porrinha."
    message = f"the game 'aaa' cannot be loaded from {module}: {why}"
    assert refused(called("play", "aaa", "x")) == message
    assert registry.load_errors() == [message]
    assert "aaa" not in [kind.name for kind in registry.kinds()]


def test_a_game_in_two_packages_is_refused_with_both_names(folder: Path) -> None:
    points = folder / "packages" / "nim-1.0.dist-info" / "entry_points.txt"
    points.write_text("[wateringhole.games]\nevolution = nim:KIND\n")
    assert refused(called("rules", "evolution")) == (
        "the game 'evolution' is defined twice, by nim:KIND and wateringhole.games.evolution.kind:KIND. "
        "Uninstall one of the packages."
    )
    assert called("rules", "porrinha").returncode == 0


@pytest.mark.parametrize("facet", ["bots", "text", "summary", "rulebook", "trials", "page"])
@pytest.mark.parametrize(
    ("loader", "why"), [("int('x')", "ValueError: invalid literal"), ("None", "the loader returned None")]
)
def test_a_facet_that_cannot_be_loaded_is_named(facet: str, loader: str, why: str, folder: Path) -> None:
    broken: dict[str, Any] = {facet: lambda: eval(loader)}
    kind = replace(registry.game_kind("nim"), **broken)
    with pytest.raises(UsageError, match=f"the facet {facet} of the game 'nim' cannot be loaded: {why}"):
        getattr(kind, facet)()


def test_an_unknown_game_is_refused_after_options() -> None:
    assert "'chess' is not an installed game" in refused(called("solve", "--json", "-", "chess"))


def test_a_deal_option_needs_a_value() -> None:
    assert refused(called("play", "evolution", "silly", "silly", "silly", "--deal", "deck")) == (
        "--deal deck: expected NAME=VALUE."
    )


def test_help_has_an_example_of_this_game() -> None:
    for command, words in {"play": "nim default default", "compare": "nim mine.py:Mine default"}.items():
        shown = " ".join(called(command, "nim", "--help").stdout.split())
        assert f"Example: wateringhole {command} {words}" in shown
