"""Operations on one game of a batch, the same for every device; `cpu` and `cuda` loop over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from wateringhole.sim.game import CompiledGame
from wateringhole.sim.kernel import force_inline

__all__ = [
    "ABSENT",
    "BY_FIRST",
    "BY_PLACE",
    "BY_SCORE",
    "DEAL",
    "FACTS",
    "REST",
    "RESUME",
    "TAKE",
    "TURN_OVER",
    "Loops",
    "RowKernels",
    "row_kernels",
]

REST: Final = 0
TAKE: Final = 1
DEAL: Final = 2
RESUME: Final = 3
TURN_OVER: Final = 4
"""Orders for a game: do nothing, apply an action, start a new game, or continue from its state.  `TURN_OVER` applies
an action, starts the next game if this one is over, and writes everything that a learner reads."""

ABSENT: Final = -2
"""The policy of a seat that a game does not have."""

BY_FIRST: Final = 0
BY_PLACE: Final = 1
BY_SCORE: Final = 2
"""Rewards at the end of a game: an equal share of the first place; the share of the other players who did worse, less
the share of players who did better; or the score."""

FACTS: Final = 4
"""How many facts `result` writes, in addition to places and scores."""


@dataclass(frozen=True)
class RowKernels:
    """Functions compiled for one kind of game.  Arrays have one row per game; `row` selects the game.

    Games of a batch may differ in their lineup: `lineups` has its number for each row, `setups` and `policies` have
    a row for each lineup.  `policies` are by seat; `EXTERNAL` marks seats whose actions come from outside, and
    `ABSENT` those beyond the players of the game.
    """

    advance: Callable[..., Any]
    """`advance(row, states, orders, actions, numbers, lineups, setups, policies, strategy, seed, acting_seats,
    decision_types, reward, action_masks, observations, places, scores, rewards, ended)` carries out the order, and
    lets compiled players act until an external seat must decide.  Only `TURN_OVER` writes the last six arrays: masks
    and observations of the next decision, places and scores of a game that ended, its rewards, and whether it did.
    All orders share one function, because most of it is the same and takes long to compile."""
    mask: Callable[..., Any]
    """`mask(row, states, action_masks)` marks the legal actions."""
    choose: Callable[..., Any]
    """`choose(row, states, numbers, policy, strategy, seed, actions)` writes the action of a compiled player."""
    observe: Callable[..., Any]
    """`observe(row, states, seat, out)` writes an observation.  A negative seat stands for the acting seat, or for
    seat 0 if the game is over."""
    result: Callable[..., Any]
    """`result(row, states, lineups, policies, places, scores, facts)` writes places and scores if the game is over and
    counts.  The `FACTS` are its length, its decisions, and whether it was stopped and overflowed."""
    is_illegal: Callable[..., Any]
    """`is_illegal(row, states, actions, mask)` returns whether an action is illegal; `mask` is a scratch row.
    It reads nothing but the state, because callers may have written to the other arrays."""
    is_invalid: Callable[..., Any]
    """`is_invalid(row, states, lineups, setups, mask)` returns whether the row cannot be a game with its setup, or
    gives the acting seat no legal action."""


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
    """`first_invalid(states, lineups, setups)` returns the first invalid row, or -1."""


def row_kernels(compiled: CompiledGame) -> RowKernels:
    mask, choose, observe, is_illegal, is_invalid = _read_kernels(compiled)
    write_results = _writing_results(compiled)
    return RowKernels(
        advance=_advance_kernel(compiled, mask, observe, write_results),
        mask=mask,
        choose=choose,
        observe=observe,
        result=_result_kernel(compiled, write_results),
        is_illegal=is_illegal,
        is_invalid=is_invalid,
    )


def _advance_kernel(
    compiled: CompiledGame, mask: Callable[..., Any], observe: Callable[..., Any], write_results: Callable[..., Any]
) -> Callable[..., Any]:
    deal, decider, decision_type = compiled.deal, compiled.acting_seat, compiled.decision_type
    apply, act = compiled.apply, compiled.act

    @force_inline
    def advance(
        row: Any,
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
        state, order, lineup = states[row], orders[row], lineups[row]
        learning, dealing = order == TURN_OVER, order == DEAL
        stepping = (learning or order == TAKE) and decider(state) >= 0
        if not (learning or dealing or stepping or order == RESUME):
            return
        # One new game at most, so that a game without decisions of an external seat cannot go on forever.
        resets = learning
        if learning:
            ended[row] = False
            for seat in range(rewards.shape[1]):
                rewards[row, seat] = 0
        while True:
            if dealing:
                deal(state, setups[lineup], seed, numbers[row])
                dealing = False
            seat = decider(state)
            if seat >= 0:
                if stepping:
                    apply(state, actions[row])
                    stepping = False
                elif policies[lineup, seat] < 0:
                    break
                else:
                    act(state, policies[lineup, seat], strategy, seed, numbers[row])
            elif resets:
                write_results(row, state, policies[lineup], places, scores)
                _reward(places[row], scores[row], reward, rewards[row])
                ended[row] = True
                numbers[row] += states.shape[0]
                resets, dealing = False, True
            else:
                break
        acting_seats[row] = seat
        decision_types[row] = decision_type(state)
        if learning:
            mask(row, states, action_masks)
            observe(row, states, -1, observations)

    return advance


@force_inline
def _reward(places: Any, scores: Any, reward: Any, rewards: Any) -> None:
    """Write the rewards of a game.  Place 0 means that a seat is absent, or that the game does not count."""
    for seat in range(places.shape[0]):
        better, level, worse = 0, 0, 0
        for other in range(places.shape[0]):
            if places[other] > 0:
                better += places[other] < places[seat]
                level += places[other] == places[seat]
                worse += places[other] > places[seat]
        if places[seat] == 0:
            rewards[seat] = 0
        elif reward == BY_SCORE:
            rewards[seat] = scores[seat]
        elif reward == BY_PLACE:
            rewards[seat] = (worse - better) / (better + level + worse - 1)
        else:
            rewards[seat] = 0 if better else 1 / level


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
    def is_invalid(row: Any, states: Any, lineups: Any, setups: Any, mask: Any) -> Any:
        if not is_valid(states[row], setups[lineups[row]]):
            return True
        legal(states[row], mask)
        stuck = decider(states[row]) >= 0
        for action in range(beyond):
            stuck &= not mask[action]
        return stuck

    return mask, choose, observe, is_illegal, is_invalid


def _writing_results(compiled: CompiledGame) -> Callable[..., Any]:
    """Return `write(row, state, policies, places, scores)`, which writes places and scores of a game that is over."""
    place, score, overflowed = compiled.place, compiled.score, compiled.overflowed

    @force_inline
    def write(row: Any, state: Any, policies: Any, places: Any, scores: Any) -> None:
        counts = not overflowed(state)
        for seat in range(places.shape[1]):
            ranked = counts and policies[seat] != ABSENT
            places[row, seat] = place(state, seat) if ranked else 0
            scores[row, seat] = score(state, seat) if ranked else 0

    return write


def _result_kernel(compiled: CompiledGame, write_results: Callable[..., Any]) -> Callable[..., Any]:
    decider, length, decisions = compiled.acting_seat, compiled.length, compiled.decisions
    stopped, overflowed = compiled.stopped, compiled.overflowed

    @force_inline
    def result(row: Any, states: Any, lineups: Any, policies: Any, places: Any, scores: Any, facts: Any) -> None:
        state = states[row]
        if decider(state) < 0:
            write_results(row, state, policies[lineups[row]], places, scores)
        else:
            for seat in range(places.shape[1]):
                places[row, seat] = 0
                scores[row, seat] = 0
        facts[row, 0] = length(state)
        facts[row, 1] = decisions(state)
        facts[row, 2] = stopped(state)
        facts[row, 3] = overflowed(state)

    return result
