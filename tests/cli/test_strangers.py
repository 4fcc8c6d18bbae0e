"""A tournament among strangers' players, who may do anything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import wateringhole
from wateringhole.errors import Misuse
from wateringhole.players.housing import check_sandbox

RANDOM = "from wateringhole.players.porrinha import Random\n"


def test_with_processes_of_their_own_no_line_of_theirs_runs_in_ours(tmp_path: Path) -> None:
    (tmp_path / "rude.py").write_text("import os\nos._exit(0)\n")
    ran = wateringhole(
        "tournament", "porrinha", "random", "rude.py:Rude", "--patience", "5", "--store", "s.sqlite", folder=tmp_path
    )
    assert ran.returncode == 2
    assert "rude.py:Rude" in ran.stderr


def test_players_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{RANDOM}class Mine(Random): pass\n")
    (tmp_path / "players.txt").write_text("# two of the course\nAda=mine.py:Mine\nBea=mine.py:Mine\n")
    ran = wateringhole(
        *("tournament", "porrinha", "zero", "@players.txt", "--games", "6", "--json", "--store", "s.sqlite"),
        folder=tmp_path,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["settings"]["players"] == ["zero", "Ada=mine.py:Mine", "Bea=mine.py:Mine"]
    assert json.loads(ran.stdout)["settings"]["names"] == ["zero", "Ada", "Bea"]


def test_in_the_sandbox_nobody_leaves_anything_behind(tmp_path: Path) -> None:
    try:
        check_sandbox()
    except Misuse as error:
        pytest.skip(str(error))
    loot = tmp_path / "loot"
    (tmp_path / "thief.py").write_text(
        f"{RANDOM}class Thief(Random):\n"
        "    def guess(self):\n"
        f"        try: open({str(loot)!r}, 'w').close()\n"
        "        except OSError: pass\n"
        "        return super().guess()\n"
    )
    checked = wateringhole("check", "porrinha", "thief.py:Thief", "--sandbox", "bwrap", folder=tmp_path)
    assert "thrown out" in checked.stdout
    assert not loot.exists()
    words = ("tournament", "porrinha", "random", "thief.py:Thief", "--games", "2", "--store", "s.sqlite", "--json")
    ran = wateringhole(*words, "--sandbox", "bwrap", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["settings"]["sandbox"] is True
    assert not loot.exists()
    assert wateringhole(*words, folder=tmp_path).returncode == 0
    assert loot.exists()


def test_an_unknown_sandbox_is_misuse(tmp_path: Path) -> None:
    words = ("tournament", "porrinha", "random", "zero", "--sandbox", "castle", "--store", "s.sqlite")
    ran = wateringhole(*words, folder=tmp_path)
    assert ran.returncode == 2
    assert "--sandbox castle: there is only bwrap" in ran.stderr
