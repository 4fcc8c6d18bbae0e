"""`wateringhole watch` plays again when a file changes."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import called

MINE = """
from wateringhole.games.porrinha.bots.zero import Zero
from label import LABEL


class Mine(Zero):
    def close(self):
        print(LABEL, flush=True)
"""
SECONDS = 120.0


class Watching:
    """A running command, whose output is read in a thread."""

    def __init__(self, folder: Path) -> None:
        words = ("watch", "porrinha", "mine.py:Mine", "zero", "--quiet")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wateringhole", *words],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._lines: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        with self.process.stdout as output:
            for line in output:
                self._lines.put(line.rstrip("\n"))

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(SECONDS)
        self._thread.join(SECONDS)

    def wait_for(self, text: str) -> None:
        while text not in (line := self._lines.get(timeout=SECONDS)):
            assert "Error" not in line


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Watching]:
    pytest.importorskip("watchfiles", reason="the extra watch is not installed")
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "label.py").write_text("LABEL = 'first version'\n")
    running = Watching(tmp_path)
    yield running
    running.end()


def test_a_changed_file_starts_a_new_game_and_ctrl_c_ends_cleanly(watching: Watching, tmp_path: Path) -> None:
    watching.wait_for("first version")
    # The imports of a bot are watched, too, and each game has a process that imports them again.
    (tmp_path / "label.py").write_text("LABEL = 'second version'\n")
    watching.wait_for("label.py changed, playing again")
    watching.wait_for("second version")
    os.killpg(watching.process.pid, signal.SIGINT)
    assert watching.process.wait(SECONDS) == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("mine.py:Mine", "zerro"), "there is no installed player 'zerro' for porrinha. Did you mean zero?"),
        (("mine.py:Mine",), "porrinha is for 2 to "),
        (("mine.py:Mine", "zero", "--rules", "corse"), "rules 'corse': there is no such profile."),
        (("mine.py:Mine", "zero", "--time-limit", "0"), "--time-limit 0: expected a positive number of seconds."),
    ],
    ids=["player", "number", "rules", "seconds"],
)
def test_a_mistake_that_no_file_can_repair_ends_watch(words: tuple[str, ...], problem: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    ran = called("watch", "porrinha", *words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith(f"wateringhole: {problem}")


def test_a_bot_that_cannot_be_loaded_is_played_when_its_file_is_repaired(watching: Watching, tmp_path: Path) -> None:
    watching.wait_for("first version")
    (tmp_path / "mine.py").write_text("class Other: ...\n")
    watching.wait_for("there is no class or function 'Mine' in mine.py")
    (tmp_path / "mine.py").write_text(MINE)
    watching.wait_for("mine.py changed, playing again")
    watching.wait_for("first version")


def test_watch_has_the_arguments_and_options_of_play() -> None:
    of_play, of_watch = (called(command, "--help").stdout for command in ("play", "watch"))
    assert of_watch[of_watch.index("Arguments") :] == of_play[of_play.index("Arguments") :]


def test_players_without_a_file_cannot_be_watched() -> None:
    ran = called("watch", "porrinha", "zero", "zero")
    assert (ran.returncode, ran.stderr) == (
        2,
        "wateringhole: no player has a file to watch. Name one, e.g. mine.py:Mine.\n",
    )
