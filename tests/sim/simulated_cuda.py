"""Run in a process of its own, with NUMBA_ENABLE_CUDASIM=1: the kernels, thread by thread on the CPU.

The simulator runs a kernel as Python and hands it arrays of its own; ours call compiled
functions, which take NumPy's.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

kernels: Any = importlib.import_module("numba.cuda.simulator.kernel")
kernels.FakeWithinKernelCUDAArray = lambda array: array._ary

from wateringhole import sim  # noqa: E402
from wateringhole.errors import Misuse  # noqa: E402


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
        for batch in (cpu, cuda):
            # All types of whole numbers are taken.
            batch.step(choices.astype(np.int64) if step % 2 else choices)
    for wrong in (np.full(4, 10**6), np.full(4, -1), np.zeros(3, int)):
        try:
            cuda.step(wrong)
        except Misuse:
            continue
        raise AssertionError(f"{wrong} was taken")
    for batch in (cpu, cuda):
        batch.reset(np.array([True, False, True, False]))
    assert np.array_equal(cpu.states, _host(cuda.states))
    assert np.array_equal(cpu.numbers, _host(cuda.numbers))


def _host(array: Any) -> Any:
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


if __name__ == "__main__":
    game, *players = sys.argv[1:]
    same_games(game, players)
    same_steps(game, len(players))
    print("same")
