"""Complete games of Porrinha between compiled players.

Games of random players, the common case, are played in registers: the players still in are a ring of
four bits each, lead first, so that the code never reads players who are out.  A test checks that the
games are the same as step by step.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wateringhole.games.porrinha.compiled.bots.players import RANDOM, TURNS, choose
from wateringhole.games.porrinha.compiled.layout import (
    ACTING,
    DECISIONS,
    FIRST_OUT,
    LEAST,
    LEFT,
    MAX_ROUNDS,
    MOST_ROUNDS,
    OVERFLOWED,
    PLACE,
    PLAYERS,
    ROTATE,
    ROUND,
    STICKS,
    STOPPED,
    TABLE,
)
from wateringhole.games.porrinha.compiled.rules.engine import apply, deal, finish
from wateringhole.sim.kernel import force_inline, get, put, trailing_zeros
from wateringhole.sim.random import ACTION, below, block

__all__ = ["play"]


@force_inline
def play(state: Any, setup: Any, policies: Any, strategy: Any, seed: Any, game: Any) -> None:
    """Play a complete game; `policies` are by seat.

    Only the results are written to the row: places, counts and sticks.
    """
    all_random = True
    for seat in range(get(setup, PLAYERS)):
        all_random &= get(policies, seat) == RANDOM
    if all_random:
        play_random(state, setup, seed, game)
    else:
        deal(state, setup, seed, game)
        while get(state, ACTING) >= 0:
            policy = get(policies, get(state, ACTING))
            apply(state, choose(state, policy, strategy, seed, game))


@force_inline
def play_random(state: Any, setup: Any, seed: Any, game: Any) -> None:
    players = get(setup, PLAYERS)
    sticks, seats = np.int64(0), np.int64(0)
    for seat in range(players):
        sticks |= get(setup, STICKS + seat) << 4 * seat
        seats |= seat << 4 * seat
    table = get(setup, TABLE)
    rotate, first_out, limit = get(setup, ROTATE), get(setup, FIRST_OUT), get(setup, MAX_ROUNDS)
    least = get(setup, LEAST)
    last = limit if 0 < limit < MOST_ROUNDS else MOST_ROUNDS
    active, left, number, decisions = players, 0, 0, 0
    put(state, PLAYERS, players)
    put(state, STOPPED, 0)
    put(state, OVERFLOWED, 0)
    while True:
        number += 1
        decisions += 2 * active
        if active == 2:
            right = round_of_two(sticks, table, least, seed, game, number)
        else:
            right = round_of_many(sticks, active, table, least, seed, game, number)
        least = 0
        out = False
        if right < active:
            table -= 1
            if rotate:
                sticks -= np.int64(1) << 4 * right
            else:
                sticks, seats = turned(sticks, active, right) - 1, turned(seats, active, right)
                right = 0
            out = (sticks >> 4 * right & 15) == 0
            if out:
                left += 1
                put(state, PLACE + (seats >> 4 * right & 15), left)
                put(state, STICKS + (seats >> 4 * right & 15), 0)
                sticks, seats = without(sticks, right), without(seats, right)
                active -= 1
                if first_out or active == 1:
                    break
            if rotate and not (out and right == 0):
                sticks, seats = turned(sticks, active, 1), turned(seats, active, 1)
        else:
            sticks, seats = turned(sticks, active, 1), turned(seats, active, 1)
        if number >= last:
            put(state, STOPPED if number == limit else OVERFLOWED, 1)
            break
    put(state, ROUND, number)
    put(state, DECISIONS, decisions)
    put(state, LEFT, left)
    put(state, TABLE, table)
    for _ in range(active):
        put(state, STICKS + (seats & 15), sticks & 15)
        sticks >>= 4
        seats >>= 4
    finish(state)


@force_inline
def round_of_two(sticks: Any, table: Any, least: Any, seed: Any, game: Any, number: Any) -> Any:
    """Return the player who is right, counted from the lead, or 2 if none is."""
    first, second, third, fourth = block(seed, game, ACTION, number * (TURNS // 4))
    total = 2 * least + below(first, (sticks & 15) + 1 - least) + below(second, (sticks >> 4) + 1 - least)
    lead = below(third, table + 1)
    follower = below(fourth, table)
    follower += lead <= follower
    return 0 if lead == total else 1 if follower == total else 2


@force_inline
def round_of_many(sticks: Any, active: Any, table: Any, least: Any, seed: Any, game: Any, number: Any) -> Any:
    """Return the player who is right, counted from the lead, or `active` if none is."""
    counter = number * (TURNS // 4)
    draw, second, third, fourth = block(seed, game, ACTION, counter)
    total = active * least
    for turn in range(1, active + 1):
        total += below(draw, (sticks & 15) + 1 - least)
        sticks >>= 4
        if turn & 3:
            draw, second, third = second, third, fourth
        else:
            counter += 1
            draw, second, third, fourth = block(seed, game, ACTION, counter)
    taken = np.int64(0)
    for place in range(active):
        value = below(draw, table + 1 - place)
        rest = taken
        for _ in range(place):
            value += trailing_zeros(rest) <= value
            rest &= rest - 1
        if value == total:
            return place
        taken |= np.int64(1) << value
        if (active + place + 1) & 3:
            draw, second, third = second, third, fourth
        else:
            counter += 1
            draw, second, third, fourth = block(seed, game, ACTION, counter)
    return active


@force_inline
def turned(ring: Any, active: Any, by: Any) -> Any:
    """Return a ring rotated so that another player is first."""
    return (ring >> 4 * by | ring << 4 * (active - by)) & ((np.int64(1) << 4 * active) - 1)


@force_inline
def without(ring: Any, index: Any) -> Any:
    below_it = (np.int64(1) << 4 * index) - 1
    return ring & below_it | ring >> 4 & ~below_it
