"""A program that checks that the CUDA kernels play like the CPU, run in its own process.

With NUMBA_ENABLE_CUDASIM=1, numba runs the kernels thread by thread on the CPU.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from wateringhole import sim
from wateringhole.errors import OperationError, UsageError
from wateringhole.sim import cuda as kernels
from wateringhole.sim.kernel import numba_cuda

device = numba_cuda()
SIMULATED = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
if SIMULATED:
    kernels.THREADS = 8  # the simulator starts a thread of Python for each
ARRAYS = (
    "states",
    "acting_seats",
    "decision_types",
    "action_masks",
    "observations",
    "scores",
    "places",
    "lengths",
    "done",
)


def same_games(game: str, players: list[str]) -> None:
    cpu, cuda = (sim.simulate(game, players, 40, seed=3, device=device) for device in ("cpu", "cuda"))
    assert cpu.checksum == cuda.checksum
    assert (cpu.wins, cpu.places, cpu.decisions) == (cuda.wins, cuda.places, cuda.decisions)
    assert (cpu.stopped, cpu.overflowed) == (cuda.stopped, cuda.overflowed)


def same_steps(game: str, players: int) -> None:
    cpu, cuda = (sim.Batch(game, players, games=4, seed=3, device=device) for device in ("cpu", "cuda"))
    for step in range(8):
        for name in ARRAYS:
            assert np.array_equal(getattr(cpu, name), _host(getattr(cuda, name))), name
        actions = cpu.choose("random").copy()
        assert np.array_equal(actions, _host(cuda.choose("random")))
        # Integers of all types are accepted, and arrays with gaps.
        given = (actions, actions.astype(np.int64), np.repeat(actions, 2)[::2], actions.tolist())[step % 4]
        for batch in (cpu, cuda):
            batch.step(given)
    for wrong in (np.full(4, 10**6), np.full(4, -1), np.full(4, 2**40), np.zeros(3, int)):
        refused = _refusal(cpu, wrong)
        assert _refusal(cuda, wrong) == refused
        # As from PyTorch: actions that are on the device already.
        assert _refusal(cuda, device.to_device(wrong)) == refused
    loaded_rows(cpu, cuda)
    for batch in (cpu, cuda):
        batch.reset(np.array([True, False, True, False]))
    assert np.array_equal(cpu.states, _host(cuda.states))
    assert np.array_equal(cpu.numbers, _host(cuda.numbers))


def same_unchecked_steps(game: str) -> None:
    """Step games of several sizes, some with a compiled player, far enough for some to end."""
    policies: list[dict[int, str]] = [{}, {1: "random"}, {}, {0: "random"}, {2: "random"}]
    cpu, cuda = (
        sim.Batch(game, [3, 4, 3, 5, 3], games=5, seed=3, policies=policies, compact=True, device=device)
        for device in ("cpu", "cuda")
    )
    ended = 0
    while ended < 5:
        actions = cpu.choose("random").copy()
        for batch, given in ((cpu, actions), (cuda, device.to_device(actions.astype(np.int64)))):
            batch.step_unchecked(given)
        for name in (*ARRAYS, "numbers", "rewards", "ended", "final_places", "final_scores"):
            assert np.array_equal(getattr(cpu, name), _host(getattr(cuda, name))), name
        ended += int(cpu.ended.sum())


def loaded_rows(cpu: sim.Batch, cuda: sim.Batch) -> None:
    """Load rows from the CPU, and rows on the device in both memory layouts."""
    kept = cpu.states.copy()
    cpu.step(cpu.choose("random"))
    for given in (kept, device.to_device(np.asfortranarray(kept)), device.to_device(kept)):
        cuda.load(cpu.states)
        cuda.load(given)
        assert np.array_equal(_host(cuda.states), kept)
    cpu.load(kept)
    for name in ("acting_seats", "decision_types", "action_masks"):
        assert np.array_equal(getattr(cpu, name), _host(getattr(cuda, name))), name
    invalid = kept.copy()
    invalid[2, 0] = 9
    refused = [_refusal_of(partial(batch.load, invalid)) for batch in (cpu, cuda)]
    assert refused[0] == refused[1]
    assert np.array_equal(_host(cuda.states), kept)


def narrowed_actions() -> None:
    """Narrow actions on a device; those out of range become illegal."""
    from wateringhole.sim.cuda import _narrowing

    wide, fitting = device.to_device(np.array([3, -7, 2**40])), device.device_array((3,), np.int32)
    _narrowing()[1, 4](wide, fitting)
    assert _host(fitting).tolist() == [3, -1, -1]


def too_many_games() -> None:
    """Request more games than fit the memory of any device."""
    try:
        sim.Batch("evolution", 3, games=2_000_000_000, device="cuda")
    except OperationError as refused:
        message = str(refused)
    assert message.startswith("there is not enough memory for 2000000000 games: the device cannot allocate"), message


def _refusal(batch: sim.Batch, actions: Any) -> str:
    return _refusal_of(partial(batch.step, actions))


def _refusal_of(wrong: Callable[[], None]) -> str:
    try:
        wrong()
    except UsageError as refused:
        return str(refused)
    raise AssertionError("it was accepted")


def _host(array: Any) -> Any:
    return array.copy_to_host() if hasattr(array, "copy_to_host") else array


if __name__ == "__main__":
    game, *players = sys.argv[1:]
    same_games(game, players)
    same_steps(game, len(players))
    same_unchecked_steps(game)
    narrowed_actions()
    if not SIMULATED:  # the simulator of a device allocates in the memory of this machine
        too_many_games()
    print("same")
