"""The CUDA kernels play the games of the CPU; without a device, as numba's simulator runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numba import cuda

from wateringhole.sim import simulate

SCRIPT = Path(__file__).with_name("simulated_cuda.py")


# The kernels are the same for all games; Evolution would only take longer to compile.
@pytest.mark.slow
def test_kernels_play_the_same_games_as_the_cpu() -> None:
    ran = subprocess.run(
        [sys.executable, SCRIPT, "porrinha", "random", "zero"],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "1"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (ran.stdout, ran.returncode) == ("same\n", 0), ran.stderr


@pytest.mark.skipif(not cuda.is_available(), reason="needs a CUDA device")  # type: ignore[no-untyped-call]
@pytest.mark.parametrize("players", range(3, 9))
def test_a_device_plays_the_same_games_as_the_cpu(players: int) -> None:
    for game, player in (("porrinha", "random"), ("evolution", "random"), ("evolution", "silly")):
        on_cpu, on_cuda = (
            simulate(game, [player] * players, 20_000, seed=1, device=device) for device in ("cpu", "cuda")
        )
        assert on_cpu.checksum == on_cuda.checksum
