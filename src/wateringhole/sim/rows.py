"""Operations on one game of a batch, the same for every device; `cpu` and `cuda` loop over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from wateringhole.sim.game import CompiledGame
from wateringhole.sim.kernel import force_inline

__all__ = ["DEAL", "FACTS", "REST", "RESUME", "TAKE", "Loops", "RowKernels", "row_kernels"]

REST: Final = 0
TAKE: Final = 1
DEAL: Final = 2
RESUME: Final = 3
"""Orders for a game: do nothing, apply an action, start a new game, or continue from its state."""

FACTS: Final = 4
"""How many facts `result` writes, in addition to places and scores."""


@dataclass(frozen=True)
class RowKernels:
    """Functions compiled for one kind of game.  Arrays have one row per game; `row` selects the game.

    `policies` are by seat; `EXTERNAL` marks seats whose actions come from outside.
    """

    advance: Callable[..., Any]
    """`advance(row, states, orders, actions, numbers, setup, policies, strategy, seed, acting_seats,
    decision_types)` carries out the order, and lets compiled players act until an external seat must decide.
    Dealing and stepping share one function, because most of it is the same and takes long to compile."""
    mask: Callable[..., Any]
    """`mask(row, states, action_masks)` marks the legal actions."""
    choose: Callable[..., Any]
    """`choose(row, states, numbers, policy, strategy, seed, actions)` writes the action of a compiled player."""
    observe: Callable[..., Any]
    """`observe(row, states, seat, out)` writes an observation.  A negative seat stands for the acting seat, or for
    seat 0 if the game is over."""
    result: Callable[..., Any]
    """`result(row, states, places, scores, facts)` writes places and scores if the game is over and counts.  The
    `FACTS` are its length, its decisions, and whether it was stopped and overflowed."""
    is_illegal: Callable[..., Any]
    """`is_illegal(row, states, actions, mask)` returns whether an action is illegal; `mask` is a scratch row.
    It reads nothing but the state, because callers may have written to the other arrays."""
    is_invalid: Callable[..., Any]
    """`is_invalid(row, states, setup, mask)` returns whether the row cannot be a game with this setup, or gives
    the acting seat no legal action."""


@dataclass(frozen=True)
class Loops:
    """The functions of `RowKernels` over all rows, without the parameter `row`."""

    advance: Callable[..., None]
    action_masks: Callable[..., None]
    choose: Callable[..., None]
    observe: Callable[..., None]
    results: Callable[..., None]
    first_illegal: Callable[..., int]
    """`first_illegal(states, actions)` returns the first row with an illegal action, or -1."""
    first_invalid: Callable[..., int]
    """`first_invalid(states, setup)` returns the first invalid row, or -1."""


def row_kernels(compiled: CompiledGame) -> RowKernels:
    mask, choose, observe, is_illegal, is_invalid = _read_kernels(compiled)
    return RowKernels(
        advance=_advance_kernel(compiled),
        mask=mask,
        choose=choose,
        observe=observe,
        result=_result_kernel(compiled),
        is_illegal=is_illegal,
        is_invalid=is_invalid,
    )


def _advance_kernel(compiled: CompiledGame) -> Callable[..., Any]:
    deal, decider, decision_type = compiled.deal, compiled.acting_seat, compiled.decision_type
    choose, apply = compiled.choose, compiled.apply

    @force_inline
    def advance(
        row: Any,
        states: Any,
        orders: Any,
        actions: Any,
        numbers: Any,
        setup: Any,
        policies: Any,
        strategy: Any,
        seed: Any,
        acting_seats: Any,
        decision_types: Any,
    ) -> None:
        state, game = states[row], numbers[row]
        action = actions[row]
        stepping = orders[row] == TAKE and decider(state) >= 0
        if orders[row] == DEAL:
            deal(state, setup, seed, game)
        elif not stepping and orders[row] != RESUME:
            return
        seat = decider(state)
        while stepping or (seat >= 0 and policies[seat] >= 0):
            if not stepping:
                action = choose(state, policies[seat], strategy, seed, game)
            stepping = False
            apply(state, action)
            seat = decider(state)
        acting_seats[row] = seat
        decision_types[row] = decision_type(state)

    return advance


def _read_kernels(compiled: CompiledGame) -> tuple[Callable[..., Any], ...]:
    decider, legal, choose_one, observe_one = compiled.acting_seat, compiled.legal, compiled.choose, compiled.observe
    beyond, is_valid = compiled.actions, compiled.is_valid

    @force_inline
    def mask(row: Any, states: Any, action_masks: Any) -> None:
        legal(states[row], action_masks[row])

    @force_inline
    def choose(row: Any, states: Any, numbers: Any, policy: Any, strategy: Any, seed: Any, actions: Any) -> None:
        if decider(states[row]) >= 0:
            actions[row] = choose_one(states[row], policy, strategy, seed, numbers[row])

    @force_inline
    def observe(row: Any, states: Any, seat: Any, out: Any) -> None:
        observe_one(states[row], seat if seat >= 0 else max(decider(states[row]), 0), out[row])

    @force_inline
    def is_illegal(row: Any, states: Any, actions: Any, mask: Any) -> Any:
        if decider(states[row]) < 0:
            return False
        action = actions[row]
        if action < 0 or action >= beyond:
            return True
        legal(states[row], mask)
        return not mask[action]

    @force_inline
    def is_invalid(row: Any, states: Any, setup: Any, mask: Any) -> Any:
        if not is_valid(states[row], setup):
            return True
        legal(states[row], mask)
        stuck = decider(states[row]) >= 0
        for action in range(beyond):
            stuck &= not mask[action]
        return stuck

    return mask, choose, observe, is_illegal, is_invalid


def _result_kernel(compiled: CompiledGame) -> Callable[..., Any]:
    decider, place, score, length = compiled.acting_seat, compiled.place, compiled.score, compiled.length
    decisions, stopped, overflowed = compiled.decisions, compiled.stopped, compiled.overflowed

    @force_inline
    def result(row: Any, states: Any, places: Any, scores: Any, facts: Any) -> None:
        state = states[row]
        counts = decider(state) < 0 and not overflowed(state)
        for seat in range(places.shape[1]):
            places[row, seat] = place(state, seat) if counts else 0
            scores[row, seat] = score(state, seat) if counts else 0
        facts[row, 0] = length(state)
        facts[row, 1] = decisions(state)
        facts[row, 2] = stopped(state)
        facts[row, 3] = overflowed(state)

    return result
