"""The training script of `docs/learning.md`, in a short form."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: it comes with the extra learn")


def trained(folder: Path, episodes: int) -> float:
    """Train a player.  Return the share of games that it wins, in percent."""
    script = str(ROOT / "examples" / "learn_porrinha.py")
    words = [sys.executable, script, str(folder / "weights.npy"), str(episodes)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (folder / "weights.npy").exists()
    found = re.search(r"wins ([\d.]+)% of 2000 games", done.stdout)
    assert found, done.stdout
    return float(found[1])


def test_a_short_training_beats_counter(tmp_path: Path) -> None:
    assert trained(tmp_path, 2000) > 55


@pytest.mark.slow
def test_the_training_of_the_page_beats_counter(tmp_path: Path) -> None:
    assert trained(tmp_path, 20_000) > 65
