"""`--log`: the standard error of players in files, with complete tracebacks."""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.cli.running import Ran, called

FAILING = """
from wateringhole.games.porrinha import Player

class Mine(Player):
    def hand(self):
        print("thinking")
        return helper({})

    def guess(self):
        return 0

def helper(hands):
    return hands["mine"]
"""
UNLOADABLE = "import json\n\nVALUES = json.loads('[1')\n"


def logged(*words: str, source: str, folder: Path) -> tuple[Ran, str]:
    """Run a command with a player in mine.py.  Return its result and the log of the player."""
    (folder / "mine.py").write_text(source)
    ran = called(*words, "--log", "logs", folder=folder)
    assert [path.name for path in (folder / "logs").iterdir()] == ["Mine.log"]
    return ran, (folder / "logs" / "Mine.log").read_text()


COMMANDS = {
    "play": ("play", "porrinha", "mine.py:Mine", "random"),
    "check": ("check", "porrinha", "mine.py:Mine"),
    "tournament": ("tournament", "porrinha", "mine.py:Mine", "random", "--games", "2", "--store", "store.sqlite"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_the_log_has_the_whole_traceback(words: tuple[str, ...], tmp_path: Path) -> None:
    ran, log = logged(*words, source=FAILING, folder=tmp_path)
    assert "thinking" in log
    assert log.count("Traceback (most recent call last):") >= 1
    assert 'mine.py", line 7, in hand' in log
    assert 'mine.py", line 13, in helper' in log
    assert "KeyError: 'mine'" in log
    # A tournament prints one line; play and check print the author's lines of the first traceback.
    assert (ran.stdout + ran.stderr).count("Traceback") == (0 if words[0] == "tournament" else 1)
    assert "in receive" not in ran.stderr


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_the_log_has_the_traceback_of_a_player_that_cannot_be_loaded(words: tuple[str, ...], tmp_path: Path) -> None:
    ran, log = logged(*words, source=UNLOADABLE, folder=tmp_path)
    assert 'mine.py", line 3, in <module>' in log
    assert "in raw_decode" in log or "in decode" in log
    output = ran.stdout + ran.stderr
    assert ran.returncode != 0
    assert "mine.py, line 3: JSONDecodeError" in output
    assert "wateringhole/match" not in output


def test_the_report_of_a_tournament_links_to_the_logs(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FAILING)
    (tmp_path / "pages").mkdir()
    words = ("tournament", "porrinha", "Ada Ü=mine.py:Mine", "random", "--games", "2", "--store", "store.sqlite")
    ran = called(*words, "--log", "logs", "--report", "pages/report.html", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "pages" / "report.html").read_text()
    links = re.findall(r'<a href="([^"#]*)">log<span class="vh"> of ([^<]*)</span>', page)
    assert [name for _, name in links] == ["Ada Ü"]
    assert "KeyError: 'mine'" in (tmp_path / "pages" / unquote(links[0][0])).read_text()


def test_a_resumed_tournament_keeps_its_folder_for_logs(tmp_path: Path) -> None:
    refused = called("tournament", "--resume", "1", "--log", "logs", "--store", "store.sqlite", folder=tmp_path)
    assert refused.returncode == 2
    assert "omit --log, because a tournament keeps its settings" in refused.stderr


def test_a_folder_for_logs_that_cannot_be_created_is_reported_before_the_first_game(tmp_path: Path) -> None:
    (tmp_path / "logs").touch()
    for words in COMMANDS.values():
        ran = called(*words, "--log", os.fspath(tmp_path / "logs"), folder=tmp_path)
        assert ran.returncode == 1
        assert "logs cannot be created: File exists" in ran.stderr
        assert not (tmp_path / "store.sqlite").exists()
