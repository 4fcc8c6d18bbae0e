"""The loops over many games on the CPU, compiled for each kind of game."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from wateringhole.sim.compiled import entry
from wateringhole.sim.game import compiled_game
from wateringhole.sim.rows import Loops, rows_of
from wateringhole.sim.sums import adding

__all__ = ["batch_loops", "rollout_loop", "simulation_loop"]


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
    """`roll_out(known, seat, choices, games, players, state, policies, advice, seed, sums)`.

    So many continuations of what a seat knows after each row of its choices; a row of sums for each.
    """
    compiled = compiled_game(name)
    play_out, add = compiled.play_out, adding(compiled)

    def roll_out(
        known: Any,
        seat: int,
        choices: Any,
        games: int,
        players: int,
        state: Any,
        policies: Any,
        advice: Any,
        seed: Any,
        sums: Any,
    ) -> None:
        for row in range(len(choices)):
            for game in range(games):
                play_out(state, known, seat, choices[row], policies, advice, seed, game)
                add(sums[row], state, players, game)

    return entry(roll_out, name=name)


@functools.cache
def batch_loops(name: str) -> Loops:
    """The loops of a game, compiled when they are called."""
    compiled = compiled_game(name)
    rows, width = rows_of(compiled), compiled.choices
    go_on_row, mask_row, choose_row = rows.go_on, rows.mask, rows.choose
    observe_row, result_row, is_illegal = rows.observe, rows.result, rows.is_illegal

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

    return Loops(
        go_on=entry(go_on, name=name),
        masks=entry(masks, name=name),
        choose=entry(choose, name=name),
        observe=entry(observe, name=name),
        results=entry(results, name=name),
        first_illegal=entry(first_illegal, name=name),
    )
