"""The CUDA kernels play the games of the CPU; without a device, as numba's simulator runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba import njit

from wateringhole.sim import devices, simulate
from wateringhole.sim.kernel import compact

SCRIPT = Path(__file__).with_name("same_on_cuda.py")

ON_A_DEVICE = pytest.mark.skipif("cuda" not in devices(), reason="needs a CUDA device")


def _run(*words: str, **environment: str) -> None:
    ran = subprocess.run(
        [sys.executable, SCRIPT, *words],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert (ran.stdout, ran.returncode) == ("same\n", 0), ran.stderr


# The kernels are the same for all games; Evolution would only take longer to compile.
@pytest.mark.slow
def test_kernels_play_and_step_as_the_cpu_does() -> None:
    _run("porrinha", "random", "zero", NUMBA_ENABLE_CUDASIM="1")


def test_a_compact_function_is_compiled_for_size() -> None:
    plain: Any = njit(lambda: None)
    marked: Any = njit(lambda: compact())
    for function, expected in ((plain, False), (marked, True)):
        function()
        (code,) = function.inspect_llvm().values()
        assert ("optsize" in code) is expected


@ON_A_DEVICE
@pytest.mark.parametrize("table", ["porrinha random zero", "evolution silly greedy random"])
def test_a_device_plays_and_steps_as_the_cpu_does(table: str) -> None:
    _run(*table.split())


@ON_A_DEVICE
@pytest.mark.parametrize("players", range(3, 9))
def test_a_device_plays_the_same_games_as_the_cpu(players: int) -> None:
    for game, player in (("porrinha", "random"), ("evolution", "random"), ("evolution", "silly")):
        on_cpu, on_cuda = (
            simulate(game, [player] * players, 20_000, seed=1, device=device) for device in ("cpu", "cuda")
        )
        assert on_cpu.checksum == on_cuda.checksum
