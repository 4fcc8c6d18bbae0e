"""The loops over games on the CPU, compiled for each kind of game, and the arrays of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.sim.arguments import array_of, loop_layout, narrow_actions
from wateringhole.sim.game import compacted, compiled_game
from wateringhole.sim.kernel import entry
from wateringhole.sim.rows import Loops, row_kernels
from wateringhole.sim.sums import adding

__all__ = ["Cpu", "batch_loops", "rollout_loop", "simulation_loop"]


@functools.cache
def simulation_loop(name: str) -> Callable[..., None]:
    """Return `simulate(start, stop, players, state, setup, policies, strategy, seed, sums)`.

    It plays games by number and adds them to the sums.
    """
    compiled = compiled_game(name)
    play, add = compiled.play, adding(compiled)

    def simulate(
        start: int, stop: int, players: int, state: Any, setup: Any, policies: Any, strategy: Any, seed: Any, sums: Any
    ) -> None:
        for game in range(start, stop):
            play(state, setup, policies, strategy, seed, game)
            add(sums, state, players, game)

    return entry(simulate, name=name)


@functools.cache
def rollout_loop(name: str) -> Callable[..., None]:
    """Return `rollout(start, stop, known, seat, actions, players, state, policies, strategy, seed, sums)`.

    It plays continuations by number of what a seat knows, after each row of actions, and adds to a row of
    sums for each.
    """
    compiled = compiled_game(name)
    play_out, add = compiled.play_out, adding(compiled)

    def rollout(
        start: int,
        stop: int,
        known: Any,
        seat: int,
        actions: Any,
        players: int,
        state: Any,
        policies: Any,
        strategy: Any,
        seed: Any,
        sums: Any,
    ) -> None:
        for row in range(len(actions)):
            for game in range(start, stop):
                play_out(state, known, seat, actions[row], policies, strategy, seed, game)
                add(sums[row], state, players, game)

    return entry(rollout, name=name)


@functools.cache
def batch_loops(name: str, compact: bool = False) -> Loops:
    """Return the loops of a game, with its full or its compact observations.

    Each is compiled when it is first called.
    """
    compiled = compacted(compiled_game(name)) if compact else compiled_game(name)
    rows, width = row_kernels(compiled), compiled.actions
    advance_row, mask_row, choose_row = rows.advance, rows.mask, rows.choose
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
        for row in range(len(states)):
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
        for row in range(len(states)):
            mask_row(row, states, out)

    def choose(states: Any, numbers: Any, policy: Any, strategy: Any, seed: Any, actions: Any) -> None:
        for row in range(len(states)):
            choose_row(row, states, numbers, policy, strategy, seed, actions)

    def observe(states: Any, seat: Any, out: Any) -> None:
        for row in range(len(states)):
            observe_row(row, states, seat, out)

    def results(states: Any, lineups: Any, policies: Any, places: Any, scores: Any, facts: Any) -> None:
        for row in range(len(states)):
            result_row(row, states, lineups, policies, places, scores, facts)

    def first_illegal(states: Any, actions: Any) -> int:
        mask = np.zeros(width, np.bool_)
        for row in range(len(states)):
            if is_illegal(row, states, actions, mask):
                return row
        return -1

    def first_invalid(states: Any, lineups: Any, setups: Any) -> int:
        mask = np.zeros(width, np.bool_)
        for row in range(len(states)):
            if is_invalid(row, states, lineups, setups, mask):
                return row
        return -1

    return Loops(
        advance=entry(advance, name=name, variant=compiled.variant),
        action_masks=entry(action_masks, name=name),
        choose=entry(choose, name=name),
        observe=entry(observe, name=name, variant=compiled.variant),
        results=entry(results, name=name),
        first_illegal=entry(first_illegal, name=name),
        first_invalid=entry(first_invalid, name=name),
    )


class Cpu:
    """The arrays of a batch on the CPU."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.zeros(shape, dtype)

    def empty(self, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.empty(shape, dtype)

    def zero_rows(self, games: int, words: int, dtype: Any) -> npt.NDArray[Any]:
        return np.zeros((games, words), dtype)

    def to_device(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array

    def from_caller(self, given: Any) -> npt.NDArray[Any]:
        return array_of(given)

    def narrow_actions(self, actions: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        return narrow_actions(actions)

    def like_rows(self, given: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return loop_layout(given)

    def copy(self, array: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
        array[:] = values

    def host(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(array)

    def negative(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(array < 0)
