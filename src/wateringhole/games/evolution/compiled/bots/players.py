"""Compiled players: their actions, decision by decision, and complete games between them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from wateringhole.games.evolution.compiled.bots.greedy import greedy_feeding, greedy_step
from wateringhole.games.evolution.compiled.bots.random import random_feeding, random_step
from wateringhole.games.evolution.compiled.bots.silly import silly_declares, silly_feeding, silly_feeds, silly_step
from wateringhole.games.evolution.compiled.layout import (
    ACTING,
    CHOOSING,
    DONE,
    FIRST_HALF,
    GREEDY,
    HALF,
    OVER,
    PENDING,
    PHASE,
    PLAYERS,
    POLICIES,
    RANDOM,
    RESTART,
    SILLY,
)
from wateringhole.games.evolution.compiled.rules.boards import seat_base
from wateringhole.games.evolution.compiled.rules.dealing import shuffle
from wateringhole.games.evolution.compiled.rules.declaring import take_step
from wateringhole.games.evolution.compiled.rules.engine import (
    advance,
    answer,
    declare,
    first_completion,
    make_advance,
    open_game,
    start_over,
)
from wateringhole.games.evolution.compiled.rules.feeding import appetites
from wateringhole.sim.kernel import force_inline, get, ir_inline, put

__all__ = ["ALL_PLAYERS", "Players", "make_players"]

_EVERY_SEAT: Final = -1
"""The set of all seats.  Because it is a constant, the compiler removes the code for other players."""

_advance: Final = make_advance(silly_declares, silly_feeds)
"""Advances a game; silly players decide within it, without being asked."""


@dataclass(frozen=True)
class Players:
    """Functions that play for compiled players with certain policies."""

    choose: Callable[..., Any]
    """`choose(state, policy, strategy, seed, game)` returns the action of a player at this decision."""
    decide: Callable[..., Any]
    """`decide(state, seat, policy, seed, game)` completes the answer of a seat: a feeding, or the rest of its
    declaration."""
    act: Callable[..., Any]
    """`act(state, policy, strategy, seed, game)` completes the answer of the acting seat, and advances to the next
    decision or the end, as choosing and applying its actions one by one would."""
    play_rest: Callable[..., Any]
    """`play_rest(state, policies, seed, game)` plays a game to its end; `policies` are by seat."""
    play: Callable[..., Any]
    """`play(state, setup, policies, strategy, seed, game)` plays a complete game, with the same result as
    stepping it."""


@functools.cache
def make_players(policies: frozenset[int]) -> Players:
    """Return the functions for these policies alone; the code of other players is not compiled."""
    with_random, with_greedy = RANDOM in policies, GREEDY in policies
    only_silly = policies == {SILLY}

    @ir_inline
    def next_step(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> Any:
        """Return a player's next step, and above the first half the card."""
        base = seat_base(seat)
        if with_random and policy == RANDOM:
            return random_step(state, base, seed, game)
        if with_greedy and policy == GREEDY:
            return greedy_step(state, seat)
        return silly_step(state, base)

    @ir_inline
    def next_feeding(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> Any:
        """Return a player's feeding, and above the first half the target of an attack."""
        if with_random and policy == RANDOM:
            return random_feeding(state, seat, seed, game)
        if with_greedy and policy == GREEDY:
            return greedy_feeding(state, seat)
        eaters, stores, hunters = appetites(state, seat_base(seat))
        return silly_feeding(state, seat, eaters, stores, hunters)

    @ir_inline
    def choose(state: Any, policy: Any, strategy: Any, seed: Any, game: Any) -> Any:
        seat = get(state, ACTING)
        if get(state, PHASE) == CHOOSING:
            both = next_step(state, seat, policy, seed, game)
        else:
            both = next_feeding(state, seat, policy, seed, game)
        return _with_begun_half(state, both) >> HALF if get(state, PENDING) else both & FIRST_HALF

    @ir_inline
    def declare_all(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> None:
        """Take all remaining steps of a declaration."""
        base = seat_base(seat)
        while get(state, PHASE) == CHOOSING:
            both = _with_begun_half(state, next_step(state, seat, policy, seed, game))
            put(state, PENDING, 0)
            if both == DONE:
                declare(state, seat)
                return
            if both == RESTART:
                start_over(state, seat)
            else:
                take_step(state, base, both & FIRST_HALF, both >> HALF)

    @ir_inline
    def decide(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> None:
        if get(state, PHASE) == CHOOSING:
            declare_all(state, seat, policy, seed, game)
        else:
            both = _with_begun_half(state, next_feeding(state, seat, policy, seed, game))
            put(state, PENDING, 0)
            answer(state, seat, both)

    @ir_inline
    def act(state: Any, policy: Any, strategy: Any, seed: Any, game: Any) -> None:
        decide(state, get(state, ACTING), policy, seed, game)
        advance(state)

    @ir_inline
    def play_rest(state: Any, policies: Any, seed: Any, game: Any) -> None:
        silly = _EVERY_SEAT if only_silly else silly_seats(policies, get(state, PLAYERS))
        while True:
            _advance(state, silly)
            if only_silly or get(state, PHASE) == OVER:
                return
            seat = get(state, ACTING)
            decide(state, seat, get(policies, seat), seed, game)

    @ir_inline
    def play(state: Any, setup: Any, policies: Any, strategy: Any, seed: Any, game: Any) -> None:
        shuffle(state, seed, game)
        open_game(state, setup, 0)
        play_rest(state, policies, seed, game)

    return Players(choose, decide, act, play_rest, play)


@force_inline
def _with_begun_half(state: Any, both: Any) -> Any:
    """Return an answer of a player with the first half that is in the state, if there is one.

    The second half belongs to the first.  A player that would have begun another answer completes this one with the
    first legal card or target.
    """
    begun = get(state, PENDING)
    return both if not begun or both & FIRST_HALF == begun else begun | first_completion(state) << HALF


@force_inline
def silly_seats(policies: Any, players: Any) -> Any:
    """Return the set of the seats with silly players, which need not be asked."""
    silly = 0
    for seat in range(players):
        if get(policies, seat) == SILLY:
            silly |= 1 << seat
    return silly


ALL_PLAYERS: Final = make_players(frozenset(POLICIES.values()))
"""The functions for all policies."""
