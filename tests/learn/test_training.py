"""The training script of `docs/tutorials/first-trained-agent.md`, in a short form, and a player with its weights."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import wateringhole
from tests.conftest import ROOT

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: it comes with the extra learn")


def trained(folder: Path, episodes: int) -> float:
    """Train a player.  Return the share of games that it wins, in percent."""
    script = str(ROOT / "examples" / "learn_porrinha.py")
    words = [sys.executable, script, str(folder / "porrinha.npy"), str(episodes)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (folder / "porrinha.npy").exists()
    found = re.search(r"wins ([\d.]+)% of 2000 games", done.stdout)
    assert found, done.stdout
    return float(found[1])


def test_a_short_training_beats_counter_and_its_weights_play(tmp_path: Path) -> None:
    assert trained(tmp_path, 2000) > 55
    page = (ROOT / "docs" / "tutorials" / "first-trained-agent.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python mine.py\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "mine.py").write_text(code)
    shutil.copy(ROOT / "examples" / "learn_porrinha.py", tmp_path)
    done = wateringhole("play", "porrinha", "mine.py:Mine", "counter", "--json", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["thrown_out"] == []


def test_a_missing_folder_is_noticed_before_the_training(tmp_path: Path) -> None:
    script = str(ROOT / "examples" / "learn_porrinha.py")
    done = subprocess.run([sys.executable, script, tmp_path / "no" / "x.npy"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no folder" in done.stderr


@pytest.mark.slow
def test_the_training_of_the_page_beats_counter(tmp_path: Path) -> None:
    assert trained(tmp_path, 20_000) > 65
