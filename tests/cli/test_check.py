"""`check`: what would get a player thrown out, told before the tournament."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import wateringhole
from tests.players.programs import write_program

PROGRAM = Path(__file__).parent.parent / "cheat_program.py"


def checked(*words: str, status: int, folder: Path | None = None) -> Any:
    ran = wateringhole("check", *words, "--json", folder=folder)
    assert ran.returncode == status, ran.stdout + ran.stderr
    report = json.loads(ran.stdout)
    assert report["is_fine"] == (status == 0)
    return report


def kinds(report: Any, *, problems: bool) -> set[str]:
    return {finding["kind"] for finding in report["findings"] if finding["is_problem"] == problems}


@pytest.mark.parametrize(("game", "player"), [("evolution", "silly"), ("porrinha", "counter?seed=1")])
def test_a_sound_player_passes(game: str, player: str) -> None:
    report = checked(game, player, status=0)
    assert kinds(report, problems=True) == set()
    assert report["answers"] > 30
    assert 0 < report["median_seconds"] <= report["worst_seconds"] < 5
    assert 1 << 20 < report["peak_memory_bytes"] < 1 << 30
    assert report["startup_seconds"] > 0
    assert len(report["places"]) == 4


def test_the_report_for_people_says_it_in_words() -> None:
    ran = wateringhole("check", "evolution", "silly")
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert "Nothing here would get it thrown out." in ran.stdout
    assert "median" in ran.stdout


def test_chance_without_a_seed_is_remarked() -> None:
    assert kinds(checked("evolution", "random", status=0), problems=False) >= {"not-repeatable"}
    assert "not-repeatable" not in kinds(checked("evolution", "random?seed=1", status=0), problems=False)


@pytest.mark.parametrize(
    ("game", "kind", "problem", "words"),
    [
        ("evolution", "illegal 2 a card used twice", "illegal", "it broke a rule: card 0 is used twice"),
        ("evolution", "a string", "unreadable", 'it sent what cannot be read: "banana" is not an Action4'),
        ("evolution", "printing", "unreadable", "'hm, let me see ...' is not a message"),
        ("evolution", "exiting", "disconnected", "the program ended with status 3; its last words: I have had enough"),
        ("evolution", "silent", "late", "it was too late: no answer came in time"),
        ("evolution", "forking", "left-over", "of its processes did not end by themselves"),
        ("porrinha", "fault a negative hand", "bad-answer", "-1"),
        ("porrinha", "NaN", "unreadable", "is not a message"),
    ],
)
def test_what_a_bad_player_does_is_told(game: str, kind: str, problem: str, words: str) -> None:
    command = shlex.join([sys.executable, str(PROGRAM), kind])
    report = checked(game, f"cmd:{command}", "--patience", "0.5", "--startup-patience", "2", status=1)
    assert problem in kinds(report, problems=True)
    assert any(words in finding["message"] for finding in report["findings"])


MINE = """
import time
from wateringhole.players.evolution.silly import Silly

class Slow(Silly):
    def choose(self, request):
        if request.view.turn == 2:
            time.sleep(0.7)
        return super().choose(request)

class Timid(Silly):
    def choose(self, request):
        if len(request.view.boards) > 4:
            raise RuntimeError("so many boards")
        return super().choose(request)
"""


def test_a_slow_player_is_remarked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", "mine.py:Slow", "--patience", "1.2", status=0, folder=tmp_path)
    assert "slow" in kinds(report, problems=False)


def test_large_questions_are_put_that_its_own_games_would_not_lead_to(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", "mine.py:Timid", status=1, folder=tmp_path)
    (message, *_) = [finding["message"] for finding in report["findings"] if finding["is_problem"]]
    assert "it failed: RuntimeError in mine.py line" in message


def test_a_player_that_does_not_start_is_told(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_start="sys.exit('no licence')"))
    report = checked("porrinha", f"cmd:{command}", status=1)
    (finding,) = report["findings"]
    assert finding["kind"] == "startup"
    assert "its last words: no licence" in finding["message"]


def test_chatter_is_remarked(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_request="say(type='thinking')"))
    assert "unasked" in kinds(checked("porrinha", f"cmd:{command}", status=0), problems=False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution", "human"), "people cannot be checked"),
        (("evolution", "Ada=human"), "people cannot be checked"),
        (("evolution", "cmd*2:./mine"), "one player is checked at a time"),
        (("chess", "silly"), "there is no game 'chess'"),
        (("evolution", "silly", "--patience", "0"), "--patience 0: give a number of seconds above 0."),
    ],
)
def test_misuse_is_told_with_status_2(words: tuple[str, ...], message: str) -> None:
    ran = wateringhole("check", *words)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_the_help_has_an_example() -> None:
    assert "Example: wateringhole check" in " ".join(wateringhole("check", "--help").stdout.split())
