"""Each change that `docs/tutorials/your-own-game.md` makes to a new game applies, and the game conforms after it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.test_docs import Block, blocks
from wateringhole.cli.new_game import write_game

PAGE = ROOT / "docs" / "tutorials" / "your-own-game.md"
STEPS = [block for block in blocks(PAGE) if block.language in ("diff", "sh game")]


class Reader:
    """A folder in which a reader follows the page."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        write_game("pearls", folder / "pearls")
        # Like `pip install --editable`: the sources, and the entry point next to them.
        metadata = folder / "pearls" / "src" / "pearls-0.1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: pearls\nVersion: 0.1.0\n")
        (metadata / "entry_points.txt").write_text("[wateringhole.games]\npearls = pearls.kind:KIND\n")

    def run(self, *words: str, stdin: str | None = None, folder: Path | None = None) -> str:
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        done = subprocess.run(
            words,
            cwd=folder or self.folder,
            env=os.environ | {"PATH": path, "PYTHONPATH": str(self.folder / "pearls" / "src")},
            input=stdin or "",
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def follow(self, step: Block) -> None:
        if step.language == "diff":
            self.run("git", "apply", "--whitespace=nowarn", stdin=step.code, folder=self.folder / "pearls")
        else:
            self.run("sh", "-e", "-c", step.code)


def test_the_page_can_be_followed_to_its_end(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for step in STEPS:
        reader.follow(step)
    assert "2 passed" in reader.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "pearls/tests")
    reader.run("mypy", "--strict", "--python-version", "3.11", "--follow-imports", "silent", "pearls/src/pearls")
    shown = reader.run("wateringhole", "rules", "pearls")
    assert all(word in shown for word in ("feast", "brave", "points for the highest card"))
    folding = "from pearls import Player\n\n\nclass Mine(Player):\n    def lay(self, request):\n"
    folding += "        return request.view.hand[0]\n\n    def stay(self, request):\n        return False\n"
    (tmp_path / "folding.py").write_text(folding)
    played = reader.run("wateringhole", "play", "pearls", "folding.py:Mine", "bold", "--rules", "brave")
    assert "seat 0 decides first in this round and cannot fold" in played
    assert "createPlainView" in (tmp_path / "game.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_game_conforms_after_every_change(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    for step in STEPS:
        reader.follow(step)
        if step.language == "diff":
            reader.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "pearls/tests")
