"""The loops over games as CUDA kernels, one thread per game, from the same functions as on the CPU.

Imported only if a caller selects a CUDA device.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.sim import sums as at
from wateringhole.sim.arguments import LARGEST, array_of, narrow_actions
from wateringhole.sim.game import CompiledGame, compacted
from wateringhole.sim.kernel import compact, kernel, numba_cuda, require_cuda
from wateringhole.sim.rows import Loops, row_kernels
from wateringhole.sim.sums import adding

__all__ = ["Cuda", "Simulator"]

# Numba's simulator of a device looks up this global name.
cuda = numba_cuda()

THREADS = 256
"""The threads of a block."""

MOST_BLOCKS = 4096
"""Enough to fill any device; a thread plays several games if there are more."""

_NOWHERE = np.array([LARGEST], np.int64)
"""A row number beyond any batch."""

_OUT_OF_MEMORY = 2
"""CUDA's error code."""


class Simulator:
    """A runner that plays complete games by number on the device, and returns their sums."""

    def __init__(
        self,
        compiled: CompiledGame,
        players: int,
        setup: npt.NDArray[Any],
        policies: npt.NDArray[np.int32],
        strategy: npt.NDArray[np.uint32],
        seed: np.uint64,
    ) -> None:
        """Compile the kernel.  Raises UsageError if there is no device."""
        require_cuda()
        self._kernel = _simulation_kernel(compiled)
        self._players = players
        self._seed = seed
        self._given = tuple(cuda.to_device(array) for array in (setup, policies, strategy))
        self(0, 0)

    def __call__(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        sums = cuda.to_device(np.zeros(at.SUMS, np.uint64))
        blocks = max(1, min(_blocks(stop - start), MOST_BLOCKS))
        _over(blocks, self._kernel)(start, stop, self._players, *self._given, self._seed, sums)
        return np.asarray(sums.copy_to_host()).view(np.int64)


def _blocks(games: int) -> int:
    return (games + THREADS - 1) // THREADS


@functools.cache
def _over(blocks: int, kernel: Any) -> Callable[..., None]:
    """Return a kernel configured for this number of blocks; configuring takes longer than a launch."""
    with warnings.catch_warnings():
        # Numba warns about few blocks, but small batches and last ranges are intended.
        warnings.filterwarnings("ignore", message=".*Grid size")
        launched: Callable[..., None] = kernel[blocks, THREADS]
    return launched


@functools.cache
def _simulation_kernel(compiled: CompiledGame) -> Any:
    play, add = compiled.play, adding(compiled)
    words, dtype, count = compiled.state, compiled.dtype, at.SUMS

    def simulate(
        start: Any, stop: Any, players: Any, setup: Any, policies: Any, strategy: Any, seed: Any, total: Any
    ) -> None:
        compact()
        state = cuda.local.array(words, dtype)
        sums = cuda.local.array(count, np.int64)
        shared = cuda.shared.array(count, np.uint64)
        for place in range(count):
            sums[place] = 0
        for place in range(cuda.threadIdx.x, count, cuda.blockDim.x):
            shared[place] = 0
        cuda.syncthreads()
        for game in range(start + cuda.grid(1), stop, cuda.gridsize(1)):
            play(state, setup, policies, strategy, seed, game)
            add(sums, state, players, game)
        # Sums of whole numbers do not depend on the order of the threads.
        for place in range(count):
            if sums[place]:
                cuda.atomic.add(shared, place, np.uint64(sums[place]))
        cuda.syncthreads()
        for place in range(cuda.threadIdx.x, count, cuda.blockDim.x):
            cuda.atomic.add(total, place, shared[place])

    return kernel(simulate, name=compiled.name, players=compiled.policies)


class Cuda:
    """The arrays of a batch on a CUDA device."""

    def __init__(self, compiled: CompiledGame, inside: Collection[str], compact: bool) -> None:
        """Compile the kernels.  Raises UsageError if there is no device."""
        require_cuda()
        with_inside = compiled.with_policies(frozenset(inside))
        kernels = _batch_kernels(*(map(compacted, (compiled, with_inside)) if compact else (compiled, with_inside)))
        self.loops = replace(
            kernels,
            first_illegal=partial(self._first, kernels.first_illegal),
            first_invalid=partial(self._first, kernels.first_invalid),
        )
        # Kept between steps, because allocating memory takes longer than checking a small batch.
        self._found = cuda.to_device(_NOWHERE)
        self._narrowed: Any = None

    def _first(self, find: Callable[..., Any], *arrays: Any) -> int:
        find(*arrays, self._found)
        row = int(self._found.copy_to_host()[0])
        if row == LARGEST:
            return -1
        self._found.copy_to_device(_NOWHERE)
        return row

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return cuda.to_device(np.zeros(shape, dtype))

    def zero_rows(self, games: int, words: int, dtype: Any) -> Any:
        # Stored word by word, not game by game, so that adjacent threads read adjacent words.
        states = _allocated((games, words), dtype, "F")
        _over(_blocks(games), _clearing())(states)
        return states

    def empty(self, shape: tuple[int, ...], dtype: Any) -> Any:
        return _allocated(shape, dtype)

    def to_device(self, array: npt.NDArray[Any]) -> Any:
        return cuda.to_device(array)

    def from_caller(self, given: Any) -> Any:
        return cuda.as_cuda_array(given) if hasattr(given, "__cuda_array_interface__") else array_of(given)

    def narrow_actions(self, actions: Any) -> Any:
        if not hasattr(actions, "__cuda_array_interface__"):
            return cuda.to_device(narrow_actions(actions))
        if actions.dtype == np.int32 and actions.is_c_contiguous():
            return actions
        # For another type, or an array with gaps, all kernels would be compiled again.
        if self._narrowed is None:
            self._narrowed = cuda.device_array(actions.shape, np.int32)
        _over(_blocks(len(actions)), _narrowing())(actions, self._narrowed)
        return self._narrowed

    def like_rows(self, given: Any) -> Any:
        if not hasattr(given, "__cuda_array_interface__"):
            return cuda.to_device(np.asfortranarray(given))
        rows = _allocated(given.shape, given.dtype, "F")
        _over(_blocks(len(rows)), _copying())(given, rows)
        return rows

    def copy(self, array: Any, values: Any) -> None:
        array.copy_to_device(values)

    def host(self, array: Any) -> npt.NDArray[Any]:
        return np.asarray(array.copy_to_host() if hasattr(array, "copy_to_host") else array)

    def negative(self, array: Any) -> Any:
        return self.host(array) < 0


def _allocated(shape: tuple[int, ...], dtype: Any, order: str = "C") -> Any:
    """Return an uninitialized array on the device.  Raises MemoryError."""
    try:
        return cuda.device_array(shape, dtype, order=order)
    except cuda.cudadrv.driver.CudaAPIError as error:
        if error.code != _OUT_OF_MEMORY:
            raise
        raise MemoryError(f"the device cannot allocate {math.prod(shape) * np.dtype(dtype).itemsize} bytes") from None


@functools.cache
def _clearing() -> Any:
    def clear(rows: Any) -> None:
        row = cuda.grid(1)
        if row < rows.shape[0]:
            for place in range(rows.shape[1]):
                rows[row, place] = 0

    return kernel(clear, name="")


@functools.cache
def _copying() -> Any:
    def copy(given: Any, rows: Any) -> None:
        row = cuda.grid(1)
        if row < rows.shape[0]:
            for place in range(rows.shape[1]):
                rows[row, place] = given[row, place]

    return kernel(copy, name="")


@functools.cache
def _narrowing() -> Any:
    def narrow(wide: Any, loop_layout: Any) -> None:
        row = cuda.grid(1)
        if row < loop_layout.shape[0]:
            loop_layout[row] = wide[row] if 0 <= wide[row] < LARGEST else -1

    return kernel(narrow, name="")


@functools.cache
def _batch_kernels(compiled: CompiledGame, inside: CompiledGame) -> Loops:
    """Return kernels over all rows, called like the loops of the CPU; `inside` knows only the seated players.

    `first_illegal(states, actions, found)` and `first_invalid(states, lineups, setups, found)` lower `found` to the
    first row that they find.
    """
    rows, width = row_kernels(compiled), compiled.actions
    advance_row, mask_row, choose_row = row_kernels(inside).advance, rows.mask, rows.choose
    observe_row, result_row, is_illegal, is_invalid = rows.observe, rows.result, rows.is_illegal, rows.is_invalid

    def advance(
        states: Any,
        orders: Any,
        actions: Any,
        numbers: Any,
        lineups: Any,
        setups: Any,
        policies: Any,
        strategy: Any,
        seed: Any,
        acting_seats: Any,
        decision_types: Any,
        reward: Any,
        action_masks: Any,
        observations: Any,
        places: Any,
        scores: Any,
        rewards: Any,
        ended: Any,
    ) -> None:
        compact()
        row = cuda.grid(1)
        if row < states.shape[0]:
            advance_row(
                row,
                states,
                orders,
                actions,
                numbers,
                lineups,
                setups,
                policies,
                strategy,
                seed,
                acting_seats,
                decision_types,
                reward,
                action_masks,
                observations,
                places,
                scores,
                rewards,
                ended,
            )

    def action_masks(states: Any, out: Any) -> None:
        row = cuda.grid(1)
        if row < states.shape[0]:
            mask_row(row, states, out)

    def choose(states: Any, numbers: Any, policy: Any, strategy: Any, seed: Any, actions: Any) -> None:
        compact()
        row = cuda.grid(1)
        if row < states.shape[0]:
            choose_row(row, states, numbers, policy, strategy, seed, actions)

    def observe(states: Any, seat: Any, out: Any) -> None:
        row = cuda.grid(1)
        if row < states.shape[0]:
            observe_row(row, states, seat, out)

    def results(states: Any, lineups: Any, policies: Any, places: Any, scores: Any, facts: Any) -> None:
        row = cuda.grid(1)
        if row < states.shape[0]:
            result_row(row, states, lineups, policies, places, scores, facts)

    def first_illegal(states: Any, actions: Any, found: Any) -> None:
        mask = cuda.local.array(width, np.bool_)
        row = cuda.grid(1)
        if row < states.shape[0] and is_illegal(row, states, actions, mask):
            cuda.atomic.min(found, 0, row)

    def first_invalid(states: Any, lineups: Any, setups: Any, found: Any) -> None:
        mask = cuda.local.array(width, np.bool_)
        row = cuda.grid(1)
        if row < states.shape[0] and is_invalid(row, states, lineups, setups, mask):
            cuda.atomic.min(found, 0, row)

    def over_rows(function: Callable[..., None], players: Iterable[str] = ()) -> Callable[..., Any]:
        launched = kernel(function, name=compiled.name, variant=compiled.variant, players=players)

        def launch(states: Any, *rest: Any) -> None:
            _over(_blocks(states.shape[0]), launched)(states, *rest)

        return launch

    return Loops(
        advance=over_rows(advance, inside.policies),
        action_masks=over_rows(action_masks),
        choose=over_rows(choose),
        observe=over_rows(observe),
        results=over_rows(results),
        first_illegal=over_rows(first_illegal),
        first_invalid=over_rows(first_invalid),
    )
