"""A trait that the table can express needs a row and no other code."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("engine", ["referee", "kernels"])
def test_a_seventeenth_trait_needs_only_a_row(engine: str) -> None:
    """In a process of its own.  The kernels must not be those of sixteen traits, which the cache holds as well."""
    if engine == "kernels":
        pytest.importorskip("numba")
    command = [sys.executable, "-m", "tests.games.evolution.new_trait", engine]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900)
    assert found.returncode == 0, found.stderr
