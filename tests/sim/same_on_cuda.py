"""Run in a process of its own: whether the kernels play as the CPU does.

With NUMBA_ENABLE_CUDASIM=1 numba runs them thread by thread on the CPU: a kernel as Python, which is
handed arrays of the simulator; ours call compiled functions, which take NumPy's.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

import numpy as np

device: Any = importlib.import_module("numba.cuda")
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if SIMULATED:
    kernels: Any = importlib.import_module("numba.cuda.simulator.kernel")
    kernels.FakeWithinKernelCUDAArray = lambda array: array._ary

from wateringhole import sim  # noqa: E402
from wateringhole.errors import Failure, Misuse  # noqa: E402


def same_games(game: str, players: list[str]) -> None:
    cpu, cuda = (sim.simulate(game, players, 40, seed=3, device=device) for device in ("cpu", "cuda"))
    assert cpu.checksum == cuda.checksum
    assert (cpu.wins, cpu.places, cpu.decisions) == (cuda.wins, cuda.places, cuda.decisions)


def same_steps(game: str, players: int) -> None:
    cpu, cuda = (sim.Batch(game, players, games=4, seed=3, device=device) for device in ("cpu", "cuda"))
    for step in range(8):
        for name in ("states", "acting", "kinds", "masks", "observations", "scores", "places", "lengths", "done"):
            assert np.array_equal(getattr(cpu, name), _host(getattr(cuda, name))), name
        choices = cpu.choose("random").copy()
        assert np.array_equal(choices, _host(cuda.choose("random")))
        # All types of whole numbers are taken, and arrays with gaps.
        given = (choices, choices.astype(np.int64), np.repeat(choices, 2)[::2], choices.tolist())[step % 4]
        for batch in (cpu, cuda):
            batch.step(given)
    for wrong in (np.full(4, 10**6), np.full(4, -1), np.full(4, 2**40), np.zeros(3, int)):
        refused = _refusal(cpu, wrong)
        assert _refusal(cuda, wrong) == refused
        # As from PyTorch: choices that lie on the device already.
        assert _refusal(cuda, device.to_device(wrong)) == refused
    for batch in (cpu, cuda):
        batch.reset(np.array([True, False, True, False]))
    assert np.array_equal(cpu.states, _host(cuda.states))
    assert np.array_equal(cpu.numbers, _host(cuda.numbers))


def narrowed_choices() -> None:
    """Those that lie on a device: what does not fit is no legal choice."""
    from wateringhole.sim.cuda import _narrowing

    wide, fitting = device.to_device(np.array([3, -7, 2**40])), device.device_array((3,), np.int32)
    _narrowing()[1, 4](wide, fitting)
    assert _host(fitting).tolist() == [3, -1, -1]


def too_many_games() -> None:
    """More than any device has room for."""
    try:
        sim.Batch("evolution", 3, games=2_000_000_000, device="cuda")
    except Failure as refused:
        told = str(refused)
    assert told.startswith("there is no room for 2000000000 games: the device cannot allocate"), told


def _refusal(batch: sim.Batch, choices: Any) -> str:
    try:
        batch.step(choices)
    except Misuse as refused:
        return str(refused)
    raise AssertionError(f"{choices} was taken")


def _host(array: Any) -> Any:
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


if __name__ == "__main__":
    game, *players = sys.argv[1:]
    same_games(game, players)
    same_steps(game, len(players))
    narrowed_choices()
    if not SIMULATED:  # there, it is this machine that has no room
        too_many_games()
    print("same")
