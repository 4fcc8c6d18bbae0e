"""A trait that the trait table can express needs only a row."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("engine", ["referee", pytest.param("kernels", marks=pytest.mark.slow)])
def test_a_seventeenth_trait_needs_only_a_row(engine: str) -> None:
    """Run in a separate process.  The cache also has the kernels for sixteen traits, which must not be used."""
    if engine == "kernels":
        pytest.importorskip("numba")
    command = [sys.executable, "-m", "tests.games.evolution.new_trait", engine]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert found.returncode == 0, found.stderr
