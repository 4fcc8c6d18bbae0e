"""Compiled players: what they choose, decision by decision, and whole games between them."""

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
    answer,
    declare,
    first_second_half,
    make_advance,
    open_game,
    start_over,
)
from wateringhole.games.evolution.compiled.rules.feeding import appetites
from wateringhole.sim.kernel import force_inline, get, ir_inline

__all__ = ["ALL_PLAYERS", "Players", "players_of"]

_EVERY_SEAT: Final = -1
"""The set of all seats; as a constant, it leaves nothing of what only other players need."""

_advance: Final = make_advance(silly_declares, silly_feeds)
"""Silly players decide at once, without being asked."""


@dataclass(frozen=True)
class Players:
    """What compiled players of some kinds do."""

    choose: Callable[..., Any]
    """`choose(state, policy, strategy, seed, game)`: what a player chooses at this decision."""
    decide: Callable[..., Any]
    """`decide(state, seat, policy, seed, game)`: all that a seat is asked for now: a feeding, or the rest of
    its declaration."""
    play_on: Callable[..., Any]
    """`play_on(state, policies, seed, game)` plays to the end a game in which nobody has been asked yet, or
    whoever was has finished; `policies` are by seat."""
    play: Callable[..., Any]
    """`play(state, setup, policies, strategy, seed, game)`: a whole game, as dealing and choosing in turn would
    play it."""


@functools.cache
def players_of(kinds: frozenset[int]) -> Players:
    """Players of these kinds alone: what others do is not compiled into them."""
    with_random, with_greedy = RANDOM in kinds, GREEDY in kinds
    only_silly = kinds == {SILLY}

    @ir_inline
    def next_step(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> Any:
        """A player's next step, and above the first half the card."""
        base = seat_base(seat)
        if with_random and policy == RANDOM:
            return random_step(state, base, seed, game)
        if with_greedy and policy == GREEDY:
            return greedy_step(state, seat)
        return silly_step(state, base)

    @ir_inline
    def next_feeding(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> Any:
        """A player's feeding, and above the first half the target of an attack."""
        if with_random and policy == RANDOM:
            return random_feeding(state, seat, seed, game)
        if with_greedy and policy == GREEDY:
            return greedy_feeding(state, seat)
        eaters, stores, hunters = appetites(state, seat_base(seat))
        return silly_feeding(state, seat, eaters, stores, hunters)

    @ir_inline
    def choose(state: Any, policy: Any, strategy: Any, seed: Any, game: Any) -> Any:
        # The second half of a choice belongs to the first.  Whoever is to finish what somebody else
        # began, and would have begun something else, takes the first card or target that will do.
        seat = get(state, ACTING)
        if get(state, PHASE) == CHOOSING:
            whole = next_step(state, seat, policy, seed, game)
        else:
            whole = next_feeding(state, seat, policy, seed, game)
        begun = get(state, PENDING)
        if not begun:
            return whole & FIRST_HALF
        return whole >> HALF if whole & FIRST_HALF == begun else first_second_half(state)

    @ir_inline
    def declare_all(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> None:
        """All steps of a declaration, from wherever its draft stands."""
        base = seat_base(seat)
        while get(state, PHASE) == CHOOSING:
            whole = next_step(state, seat, policy, seed, game)
            if whole == DONE:
                declare(state, seat)
                return
            if whole == RESTART:
                start_over(state, seat)
            else:
                take_step(state, base, whole & FIRST_HALF, whole >> HALF)

    @ir_inline
    def decide(state: Any, seat: Any, policy: Any, seed: Any, game: Any) -> None:
        if get(state, PHASE) == CHOOSING:
            declare_all(state, seat, policy, seed, game)
        else:
            answer(state, seat, next_feeding(state, seat, policy, seed, game))

    @ir_inline
    def play_on(state: Any, policies: Any, seed: Any, game: Any) -> None:
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
        play_on(state, policies, seed, game)

    return Players(choose, decide, play_on, play)


@force_inline
def silly_seats(policies: Any, players: Any) -> Any:
    """The set of the seats with silly players: those need not be asked."""
    silly = 0
    for seat in range(players):
        if get(policies, seat) == SILLY:
            silly |= 1 << seat
    return silly


ALL_PLAYERS: Final = players_of(frozenset(POLICIES.values()))
"""Players of all kinds."""
