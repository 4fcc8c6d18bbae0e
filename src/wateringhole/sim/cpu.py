"""The loops over many games on the CPU, compiled for each kind of game, and the arrays of a batch there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.sim.arguments import array_of, fitting, narrowed
from wateringhole.sim.game import compiled_game
from wateringhole.sim.kernel import entry
from wateringhole.sim.rows import Loops, rows_of
from wateringhole.sim.sums import adding

__all__ = ["Cpu", "batch_loops", "rollout_loop", "simulation_loop"]


@functools.cache
def simulation_loop(name: str) -> Callable[..., None]:
    """`simulate(start, stop, players, state, setup, policies, advice, seed, sums)`: games by number."""
    compiled = compiled_game(name)
    play, add = compiled.play, adding(compiled)

    def simulate(
        start: int, stop: int, players: int, state: Any, setup: Any, policies: Any, advice: Any, seed: Any, sums: Any
    ) -> None:
        for game in range(start, stop):
            play(state, setup, policies, advice, seed, game)
            add(sums, state, players, game)

    return entry(simulate, name=name)


@functools.cache
def rollout_loop(name: str) -> Callable[..., None]:
    """`roll_out(start, stop, known, seat, choices, players, state, policies, advice, seed, sums)`.

    Continuations by number of what a seat knows, after each row of its choices; a row of sums for each.
    """
    compiled = compiled_game(name)
    play_out, add = compiled.play_out, adding(compiled)

    def roll_out(
        start: int,
        stop: int,
        known: Any,
        seat: int,
        choices: Any,
        players: int,
        state: Any,
        policies: Any,
        advice: Any,
        seed: Any,
        sums: Any,
    ) -> None:
        for row in range(len(choices)):
            for game in range(start, stop):
                play_out(state, known, seat, choices[row], policies, advice, seed, game)
                add(sums[row], state, players, game)

    return entry(roll_out, name=name)


@functools.cache
def batch_loops(name: str) -> Loops:
    """The loops of a game, compiled when they are called."""
    compiled = compiled_game(name)
    rows, width = rows_of(compiled), compiled.choices
    go_on_row, mask_row, choose_row = rows.go_on, rows.mask, rows.choose
    observe_row, result_row, is_illegal, is_strange = rows.observe, rows.result, rows.is_illegal, rows.is_strange

    def go_on(
        states: Any,
        orders: Any,
        choices: Any,
        numbers: Any,
        setup: Any,
        policies: Any,
        advice: Any,
        seed: Any,
        acting: Any,
        kinds: Any,
    ) -> None:
        for row in range(len(states)):
            go_on_row(row, states, orders, choices, numbers, setup, policies, advice, seed, acting, kinds)

    def masks(states: Any, out: Any) -> None:
        for row in range(len(states)):
            mask_row(row, states, out)

    def choose(states: Any, numbers: Any, policy: Any, advice: Any, seed: Any, choices: Any) -> None:
        for row in range(len(states)):
            choose_row(row, states, numbers, policy, advice, seed, choices)

    def observe(states: Any, seat: Any, out: Any) -> None:
        for row in range(len(states)):
            observe_row(row, states, seat, out)

    def results(states: Any, places: Any, scores: Any, facts: Any) -> None:
        for row in range(len(states)):
            result_row(row, states, places, scores, facts)

    def first_illegal(states: Any, choices: Any) -> int:
        mask = np.zeros(width, np.bool_)
        for row in range(len(states)):
            if is_illegal(row, states, choices, mask):
                return row
        return -1

    def first_strange(states: Any, setup: Any) -> int:
        mask = np.zeros(width, np.bool_)
        for row in range(len(states)):
            if is_strange(row, states, setup, mask):
                return row
        return -1

    return Loops(
        go_on=entry(go_on, name=name),
        masks=entry(masks, name=name),
        choose=entry(choose, name=name),
        observe=entry(observe, name=name),
        results=entry(results, name=name),
        first_illegal=entry(first_illegal, name=name),
        first_strange=entry(first_strange, name=name),
    )


class Cpu:
    """Where the arrays of a batch live."""

    def __init__(self, loops: Loops) -> None:
        self.loops = loops

    def new(self, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.zeros(shape, dtype)

    def unset(self, shape: tuple[int, ...], dtype: Any) -> npt.NDArray[Any]:
        return np.empty(shape, dtype)

    def rows(self, games: int, words: int, dtype: Any) -> npt.NDArray[Any]:
        return np.zeros((games, words), dtype)

    def given(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return array

    def taken(self, given: Any) -> npt.NDArray[Any]:
        return array_of(given)

    def narrowed(self, choices: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        return narrowed(choices)

    def like_rows(self, given: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return fitting(given)

    def set(self, array: npt.NDArray[Any], values: npt.NDArray[Any]) -> None:
        array[:] = values

    def host(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(array)

    def negative(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(array < 0)
