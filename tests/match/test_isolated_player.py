"""Isolated Python players: which players are isolated, and that they play as they do in the referee's process."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.match.specs import parse_specs
from wateringhole.process.limits import Isolation
from wateringhole.process.player import ProgramPlayer

SILLY = """
from wateringhole.games.evolution.bots.silly import Silly

class Mine(Silly):
    pass
"""

LEARNING = """
import os
from wateringhole.games.porrinha import Player

class Mine(Player):
    def __init__(self):
        self.others = self.core.global_player_count() - 1

    def hand(self):
        return 0

    def guess(self):
        print("thinking of", self.others, "others")
        return next(v for v in range(99) if self.core.valid_guess(v))

    def end_game(self):
        raise RuntimeError("too late to matter")
"""


def without_seconds(games: str) -> list[dict[str, Any]]:
    """Return games without the time used, which varies."""
    return [{field: value for field, value in game.items() if field != "seconds"} for game in json.loads(games)]


def test_only_untrusted_players_are_isolated(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SILLY)
    specs = ["greedy", f"{tmp_path}/mine.py:Mine"]
    builtin, untrusted = (named.make() for named in parse_specs("evolution", specs, Isolation(isolates=True)))
    try:
        assert isinstance(builtin, Greedy)
        assert isinstance(untrusted, ProgramPlayer)
    finally:
        untrusted.close()


def test_builtin_players_can_be_isolated() -> None:
    ((named,)) = parse_specs("evolution", ["greedy"], Isolation(isolates_builtin=True))
    player = named.make()
    player.close()
    assert isinstance(player, ProgramPlayer)


@pytest.mark.parametrize("options", [("--time-limit", "10"), ("--memory-limit", "512"), ("--log", "logs")])
def test_an_isolated_player_plays_the_same_game(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SILLY)
    words = ("play", "evolution", "mine.py:Mine", "silly", "greedy", "--seed", "5", "--games", "2", "--json")
    in_process = called(*words, folder=tmp_path)
    isolated = called(*words, *options, folder=tmp_path)
    assert isolated.returncode == 0, isolated.stderr
    assert without_seconds(isolated.stdout) == without_seconds(in_process.stdout)


def test_a_failure_after_the_last_request_costs_nothing_and_output_is_logged(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(LEARNING)
    words = ("mine.py:Mine", "random?seed=1", "random?seed=2", "--time-limit", "10", "--log", "logs", "--games", "3")
    ran = called("play", "porrinha", *words, "--json", folder=tmp_path)
    games = json.loads(ran.stdout)
    assert [game["thrown_out"] for game in games] == [[], [], []]
    # The failure is reported once per game, as it is without isolation.
    assert ran.stderr.count("Mine failed, too late to matter: RuntimeError in mine.py line") == 3
    assert "thinking of 2 others" in (tmp_path / "logs" / "Mine.log").read_text()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nonsense\n", "mine.py, line 1: ModuleNotFoundError"),
        ("class Mine\n    pass\n", "mine.py, line 1: SyntaxError"),
        ("class Mine: ...\n", "is not a player of evolution"),
        ("import sys; sys.exit(1)\n", "SystemExit"),
    ],
    ids=["import error", "syntax error", "wrong base", "exits"],
)
def test_a_broken_bot_is_reported_with_its_file_and_line(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(source)
    ran = called("play", "evolution", "silly", "silly", "mine.py:Mine", "--time-limit", "5", folder=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr
    # The traceback has only lines of its author.
    assert set(re.findall(r'File "(.*?)"', ran.stderr)) <= {str(tmp_path / "mine.py")}


def test_a_bot_that_never_starts_fails_after_the_startup_timeout(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("while True: pass\n")
    words = ("silly", "silly", "mine.py:Mine", "--time-limit", "5", "--startup-timeout", "0.5")
    ran = called("play", "evolution", *words, folder=tmp_path)
    assert ran.returncode == 2
    assert "player 'mine.py:Mine' did not introduce itself: no answer came within 0.5 s." in ran.stderr
