"""Untrusted players, which may do anything, in each command."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole
from tests.preloaded_command import preloaded_command
from tests.waiting import eventually
from wateringhole.errors import UsageError
from wateringhole.process.sandbox import check_sandbox

RANDOM = "from wateringhole.games.porrinha.bots.random import Random\n"


def test_code_of_isolated_players_does_not_run_in_the_commands_process(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text("import os\nos._exit(0)\n")
    ran = wateringhole("tournament", "porrinha", "random", "rude.py:Rude", "--store", "s.sqlite", folder=tmp_path)
    assert ran.returncode == 2
    assert "rude.py:Rude" in ran.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("play", "porrinha", "random", "rude.py:Rude"),
        ("compare", "porrinha", "random", "rude.py:Rude"),
        ("tournament", "porrinha", "random", "rude.py:Rude", "--trust", "--store", "s.sqlite"),
        ("join", "127.0.0.1:1", "rude.py:Rude"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_that_exits_while_it_is_loaded_is_named(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text("import os\nos._exit(0)\n")
    ran = wateringhole(*words, folder=tmp_path)
    assert ran.returncode == 2
    assert "player 'rude.py:Rude' cannot be loaded: " in ran.stderr
    assert "rude.py, line 2: SystemExit: 0." in ran.stderr


def test_a_player_that_calls_exit_in_a_game_is_thrown_out(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text(f"import os\n{RANDOM}class Rude(Random):\n    def guess(self): os._exit(0)\n")
    ran = wateringhole("play", "porrinha", "random", "rude.py:Rude", "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (thrown_out,) = json.loads(ran.stdout)["thrown_out"]
    assert (thrown_out["name"], thrown_out["reason"]) == ("Rude", "SystemExit in rude.py line 4: 0")


def test_a_failure_in_a_library_is_reported_with_the_players_own_line(tmp_path: Path) -> None:
    (tmp_path / "rash.py").write_text(
        f"import json\n{RANDOM}class Rash(Random):\n    def guess(self): json.loads('{{')\n"
    )
    ran = called("play", "porrinha", "random", "rash.py:Rash", "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    (thrown_out,) = json.loads(ran.stdout)["thrown_out"]
    assert thrown_out["reason"].startswith("JSONDecodeError in rash.py line 4: ")


@pytest.mark.parametrize(
    "words",
    [
        ("play", "porrinha", "random", "loud.py:Loud"),
        ("compare", "porrinha", "random", "loud.py:Loud", "--max-games", "2"),
        ("tournament", "porrinha", "random", "loud.py:Loud", "--games", "2", "--trust", "--store", "s.sqlite"),
    ],
    ids=lambda words: words[0],
)
def test_output_of_players_does_not_get_into_the_json(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text(
        f"import os, subprocess\n{RANDOM}print('loaded')\n"
        "class Loud(Random):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        print('made')\n"
        "        subprocess.run(['echo', 'made by a process'])\n"
        "    def guess(self):\n"
        "        print('thinking')\n"
        "        os.write(1, b'thinking aloud\\n')\n"
        "        return super().guess()\n"
        "    def close(self):\n"
        "        os.write(1, b'leaving\\n')\n"
    )
    ran = wateringhole(*words, "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert isinstance(json.loads(ran.stdout), dict)
    printed = {"loaded", "made", "made by a process", "thinking", "thinking aloud", "leaving"}
    assert printed <= set(ran.stderr.splitlines())


def test_json_works_without_standard_output() -> None:
    words = [sys.executable, "-m", "wateringhole", "play", "porrinha", "random", "zero", "--json"]
    ran = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, timeout=300, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")


HANGS = "import pathlib\npathlib.Path('hangs').touch()\nwhile True: pass\n"
HANGS_THINKING = f"{RANDOM}class Slow(Random):\n    def guess(self):\n        " + HANGS.replace("\n", "\n        ")


@pytest.mark.parametrize(
    ("command", "player", "source"),
    [
        ("play", "slow.py:Slow", HANGS),
        ("compare", "slow.py:Slow", HANGS),
        ("tournament --trust", "slow.py:Slow", HANGS),
        ("play", "slow.py:Slow", HANGS_THINKING),
        ("play", "slow:Slow", HANGS_THINKING),
    ],
    ids=["play, loading", "compare, loading", "tournament, loading", "play, thinking", "play, a module"],
)
def test_interrupting_a_hanging_player_prints_its_line_and_a_hint(
    command: str, player: str, source: str, tmp_path: Path
) -> None:
    (tmp_path / "slow.py").write_text(source)
    words = [*command.split(), "porrinha", "random", player]
    with subprocess.Popen(
        [preloaded_command(), *words],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            eventually((tmp_path / "hangs").exists, process=process)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 130
    assert re.search(r"interrupted in .*slow\.py, line \d\. With --time-limit 10, a player", err)
    assert "Traceback" not in err


def test_players_can_be_listed_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{RANDOM}class Mine(Random): pass\n")
    (tmp_path / "players.txt").write_text("# two of the course\nAda=mine.py:Mine\nBea=mine.py:Mine\n")
    ran = called(
        *("tournament", "porrinha", "zero", "@players.txt", "--games", "6", "--json", "--store", "s.sqlite"),
        folder=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["settings"]["players"] == ["zero", "Ada=mine.py:Mine", "Bea=mine.py:Mine"]
    assert json.loads(ran.stdout)["settings"]["names"] == ["zero", "Ada", "Bea"]


def test_sandboxed_players_leave_no_files_behind(tmp_path: Path) -> None:
    try:
        check_sandbox()
    except UsageError as error:
        pytest.skip(str(error))
    loot = tmp_path / "loot"
    (tmp_path / "thief.py").write_text(
        f"{RANDOM}class Thief(Random):\n"
        "    def guess(self):\n"
        f"        try: open({str(loot)!r}, 'w').close()\n"
        "        except OSError: pass\n"
        "        return super().guess()\n"
    )
    checked = called("check", "porrinha", "thief.py:Thief", "--sandbox", "bwrap", folder=tmp_path)
    assert "thrown out" in checked.stdout
    assert not loot.exists()
    words = ("tournament", "porrinha", "random", "thief.py:Thief", "--games", "2", "--store", "s.sqlite", "--json")
    ran = called(*words, "--sandbox", "bwrap", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["settings"]["sandbox"] is True
    assert not loot.exists()
    assert called("play", "porrinha", "random", "thief.py:Thief", folder=tmp_path).returncode == 0
    assert loot.exists()


def test_an_unknown_sandbox_is_a_usage_error(tmp_path: Path) -> None:
    words = ("tournament", "porrinha", "random", "zero", "--sandbox", "castle", "--store", "s.sqlite")
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 2
    assert "--sandbox castle: unknown sandbox. Choose from: bwrap" in ran.stderr
