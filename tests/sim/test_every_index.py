"""No index leaves its row: the debug build plays thousands of positions and raises nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("every_index.py")
POSITIONS = 4000


@pytest.mark.slow
@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_no_compiled_function_reads_or_writes_beyond_a_row(game: str) -> None:
    ran = subprocess.run(
        [sys.executable, SCRIPT, game, str(POSITIONS), "0"],
        # Most of the time is compilation, which optimizes less here; the checks of indexes are the same.
        env=os.environ | {"WATERINGHOLE_SIM_DEBUG": "1", "NUMBA_OPT": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (ran.stdout, ran.returncode) == ("done\n", 0), ran.stderr
