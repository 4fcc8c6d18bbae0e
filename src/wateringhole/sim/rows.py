"""What is done to one game of a batch, whatever device it lives on: `cpu` and `cuda` loop over these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from wateringhole.sim.game import CompiledGame
from wateringhole.sim.kernel import rule

__all__ = ["DEAL", "FACTS", "REST", "RESUME", "TAKE", "Loops", "Rows", "rows_of"]

REST: Final = 0
TAKE: Final = 1
DEAL: Final = 2
RESUME: Final = 3
"""What is to be done with a game: nothing, take a choice, begin a new one, or go on from where it stands."""

FACTS: Final = 4
"""Numbers that tell how a game went, besides places and scores."""


@dataclass(frozen=True)
class Rows:
    """Compiled for one kind of game.  Arrays are by game, and `row` says which one is meant.

    `policies` are by seat; a negative one is for whoever steps the batch.
    """

    go_on: Callable[..., Any]
    """`go_on(row, states, orders, choices, numbers, setup, policies, advice, seed, acting, kinds)`: do what
    is ordered, and let the players inside choose until somebody outside is to.  One function for
    dealing and stepping, since most of it is the same and compiling it takes long."""
    mask: Callable[..., Any]
    """`mask(row, states, masks)`: the legal choices."""
    choose: Callable[..., Any]
    """`choose(row, states, numbers, policy, advice, seed, choices)`: what a compiled player would."""
    observe: Callable[..., Any]
    """`observe(row, states, seat, out)`; a negative seat: whoever decides, or the first when nobody does."""
    result: Callable[..., Any]
    """`result(row, states, places, scores, facts)`: how it went, where it is over and counts; the `FACTS`
    are its length, its decisions, and whether it was stopped and overflowed."""
    is_illegal: Callable[..., Any]
    """`is_illegal(row, states, choices, mask)`: whether a choice cannot be taken; `mask` is a row to work in.
    Nothing is asked but the state: arrays that were handed out may have been written to."""
    is_strange: Callable[..., Any]
    """`is_strange(row, states, setup, mask)`: whether it can be no game that was set up so, or leaves whoever
    decides without a choice."""


@dataclass(frozen=True)
class Loops:
    """The same over all rows: what `Rows` has, without `row`."""

    go_on: Callable[..., None]
    masks: Callable[..., None]
    choose: Callable[..., None]
    observe: Callable[..., None]
    results: Callable[..., None]
    first_illegal: Callable[..., int]
    """`first_illegal(states, choices)`: the first row with an illegal choice; -1: there is none."""
    first_strange: Callable[..., int]
    """`first_strange(states, setup)`: likewise."""


def rows_of(compiled: CompiledGame) -> Rows:
    mask, choose, observe, is_illegal, is_strange = _looking(compiled)
    return Rows(
        go_on=_going_on(compiled),
        mask=mask,
        choose=choose,
        observe=observe,
        result=_telling(compiled),
        is_illegal=is_illegal,
        is_strange=is_strange,
    )


def _going_on(compiled: CompiledGame) -> Callable[..., Any]:
    deal, decider, kind = compiled.deal, compiled.acting, compiled.kind
    choose, apply = compiled.choose, compiled.apply

    @rule
    def go_on(
        row: Any,
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
        state, game = states[row], numbers[row]
        choice = choices[row]
        stepping = orders[row] == TAKE and decider(state) >= 0
        if orders[row] == DEAL:
            deal(state, setup, seed, game)
        elif not stepping and orders[row] != RESUME:
            return
        seat = decider(state)
        while stepping or (seat >= 0 and policies[seat] >= 0):
            if not stepping:
                choice = choose(state, policies[seat], advice, seed, game)
            stepping = False
            apply(state, choice)
            seat = decider(state)
        acting[row] = seat
        kinds[row] = kind(state)

    return go_on


def _looking(compiled: CompiledGame) -> tuple[Callable[..., Any], ...]:
    decider, legal, choose_one, observe_one = compiled.acting, compiled.legal, compiled.choose, compiled.observe
    beyond, fits = compiled.choices, compiled.fits

    @rule
    def mask(row: Any, states: Any, masks: Any) -> None:
        legal(states[row], masks[row])

    @rule
    def choose(row: Any, states: Any, numbers: Any, policy: Any, advice: Any, seed: Any, choices: Any) -> None:
        if decider(states[row]) >= 0:
            choices[row] = choose_one(states[row], policy, advice, seed, numbers[row])

    @rule
    def observe(row: Any, states: Any, seat: Any, out: Any) -> None:
        observe_one(states[row], seat if seat >= 0 else max(decider(states[row]), 0), out[row])

    @rule
    def is_illegal(row: Any, states: Any, choices: Any, mask: Any) -> Any:
        if decider(states[row]) < 0:
            return False
        choice = choices[row]
        if choice < 0 or choice >= beyond:
            return True
        legal(states[row], mask)
        return not mask[choice]

    @rule
    def is_strange(row: Any, states: Any, setup: Any, mask: Any) -> Any:
        if not fits(states[row], setup):
            return True
        legal(states[row], mask)
        stuck = decider(states[row]) >= 0
        for choice in range(beyond):
            stuck &= not mask[choice]
        return stuck

    return mask, choose, observe, is_illegal, is_strange


def _telling(compiled: CompiledGame) -> Callable[..., Any]:
    decider, place, score, length = compiled.acting, compiled.place, compiled.score, compiled.length
    decisions, stopped, overflowed = compiled.decisions, compiled.stopped, compiled.overflowed

    @rule
    def result(row: Any, states: Any, places: Any, scores: Any, facts: Any) -> None:
        state = states[row]
        told = decider(state) < 0 and not overflowed(state)
        for seat in range(places.shape[1]):
            places[row, seat] = place(state, seat) if told else 0
            scores[row, seat] = score(state, seat) if told else 0
        facts[row, 0] = length(state)
        facts[row, 1] = decisions(state)
        facts[row, 2] = stopped(state)
        facts[row, 3] = overflowed(state)

    return result
