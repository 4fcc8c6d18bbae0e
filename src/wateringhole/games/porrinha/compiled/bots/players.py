"""The compiled players of Porrinha: `random`, `zero` and `equilibrium`, which play like those of `porrinha.bots`.

An action draws from the random words of its round, by its turn: first all hands of the round, then all
guesses.  So two players need one block per round.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wateringhole.games.porrinha.compiled.bots.strategy import (
    EXACT,
    exact_round,
    follower_guesses,
    follower_hands,
    guess_weights,
    hand_weights,
    lead_guesses,
    lead_hands,
)
from wateringhole.games.porrinha.compiled.layout import (
    ACTING,
    ACTIVE,
    DECISION_TYPE,
    HAND,
    HIDE,
    LEAD,
    PLAYERS,
    ROUND,
    SAID,
    STICKS,
    TABLE,
    TURN,
)
from wateringhole.games.porrinha.compiled.rules.engine import apply, first_in, least_hand
from wateringhole.games.porrinha.rules.view import NO_HAND
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, trailing_zeros
from wateringhole.sim.random import ACTION, MORE, below, block, word

__all__ = ["EQUILIBRIUM", "POLICIES", "RANDOM", "TURNS", "ZERO", "act", "choose", "drawn", "free_value"]

RANDOM: Final = 0
ZERO: Final = 1
EQUILIBRIUM: Final = 2
POLICIES: Final = {"random": RANDOM, "zero": ZERO, "equilibrium": EQUILIBRIUM}

TURNS: Final = 16
"""The random words of a round, for eight hands and eight guesses."""

_SURPRISE: Final = 20
"""One in this many hands of `zero` is not empty."""


@force_inline
def choose(state: Any, policy: Any, strategy: Any, seed: Any, game: Any) -> Any:
    """Return the action of a compiled player for the seat that decides."""
    hiding = get(state, DECISION_TYPE) == HIDE
    turn = get(state, ROUND) * TURNS + get(state, TURN) + (0 if hiding else get(state, ACTIVE))
    draw = word(seed, game, ACTION, turn)
    if policy == RANDOM:
        return random_hand(state, draw) if hiding else free_value(said(state), draw, get(state, TABLE))
    if policy == ZERO:
        return zero_hand(state, draw) if hiding else zero_guess(state)
    if hiding:
        return equilibrium_hand(state, strategy, draw)
    return equilibrium_guess(state, strategy, draw, seed, game, turn)


@ir_inline
def act(state: Any, policy: Any, strategy: Any, seed: Any, game: Any) -> None:
    """Take the action of a compiled player, and advance to the next decision or the end."""
    apply(state, choose(state, policy, strategy, seed, game))


@force_inline
def said(state: Any) -> Any:
    """Return the guesses of this round, as a set of bits."""
    taken = np.int64(0)
    for seat in range(get(state, PLAYERS)):
        value = get(state, SAID + seat)
        if value >= 0:
            taken |= np.int64(1) << value
    return taken


@force_inline
def random_hand(state: Any, draw: Any) -> Any:
    least = least_hand(state)
    return least + below(draw, get(state, STICKS + get(state, ACTING)) - least + 1)


@force_inline
def free_value(taken: Any, draw: Any, table: Any) -> Any:
    """Return a random value from 0 to `table` that is not taken, all equally likely."""
    free = table + 1
    rest = taken
    while rest:
        rest &= rest - 1
        free -= 1
    value = below(draw, free)
    rest = taken
    while rest:
        value += trailing_zeros(rest) <= value
        rest &= rest - 1
    return value


@force_inline
def zero_hand(state: Any, draw: Any) -> Any:
    """Return the hand of `zero`.  One word is enough for both draws, because the remainder of the first is random."""
    if below(draw, _SURPRISE) == 0:
        return 1 + below(np.uint32(draw * np.uint32(_SURPRISE)), get(state, STICKS + get(state, ACTING)))
    return least_hand(state)


@force_inline
def zero_guess(state: Any) -> Any:
    """Return the free value nearest to the player's hand plus half of the other sticks, the lower of two."""
    seat = get(state, ACTING)
    table = get(state, TABLE)
    target = 2 * get(state, HAND + seat) + table - get(state, STICKS + seat)
    taken = said(state)
    best, distance = 0, 4 * table + 4
    for value in range(table + 1):
        off = abs(2 * value - target)
        if not taken >> value & 1 and off < distance:
            best, distance = value, off
    return best


# ── equilibrium ───────────────────────────────────────────────────────────────────────────


@force_inline
def drawn(strategy: Any, at: Any, first: Any, last: Any, taken: Any, draw: Any) -> Any:
    """Draw a value from `first` to `last` that is not taken, by its weight, or return -1 if none has any."""
    total = np.int64(0)
    for value in range(first, last + 1):
        if not taken >> value & 1:
            total += get(strategy, at + value)
    left = below(draw, total)
    for value in range(first, last + 1):
        weight = 0 if taken >> value & 1 else get(strategy, at + value)
        if left < weight:
            return value
        left -= weight
    return -1


@force_inline
def place_of(state: Any) -> Any:
    """Return how many players guess before the seat that decides."""
    place = 0
    seat = get(state, LEAD)
    while seat != get(state, ACTING):
        place += 1
        seat = first_in(state, seat + 1)
    return place


@force_inline
def is_exact(state: Any, strategy: Any) -> Any:
    """Return whether two players are in, with no more sticks than the exact strategy covers."""
    most = 0
    for seat in range(get(state, PLAYERS)):
        most = max(most, get(state, STICKS + seat))
    return get(state, ACTIVE) == 2 and most <= get(strategy, EXACT)


@force_inline
def round_of_two(state: Any, strategy: Any) -> Any:
    lead = get(state, STICKS + get(state, LEAD))
    return exact_round(strategy, least_hand(state) > 0, lead, get(state, TABLE) - lead)


@jit
def equilibrium_hand(state: Any, strategy: Any, draw: Any) -> Any:
    own = get(state, STICKS + get(state, ACTING))
    least = least_hand(state)
    place = place_of(state)
    if is_exact(state, strategy):
        at = round_of_two(state, strategy)
        return drawn(strategy, follower_hands(strategy, at) if place else lead_hands(strategy, at), 0, own, 0, draw)
    at = hand_weights(strategy, get(state, ACTIVE), place, own, get(state, TABLE) - own)
    hand = drawn(strategy, at, least, own, 0, draw) if at else -1
    return hand if hand >= 0 else least + below(draw, own - least + 1)


@jit
def equilibrium_guess(state: Any, strategy: Any, draw: Any, seed: Any, game: Any, turn: Any) -> Any:
    seat = get(state, ACTING)
    own, hand, table = get(state, STICKS + seat), get(state, HAND + seat), get(state, TABLE)
    place = place_of(state)
    taken = said(state)
    if is_exact(state, strategy):
        at = round_of_two(state, strategy)
        if place == 0:
            return drawn(strategy, lead_guesses(strategy, at, hand), 0, table, 0, draw)
        if taken:
            heard = trailing_zeros(taken)
        else:
            # A void guess of the lead has no information, so draw a guess that the lead could have made.
            first, second, _, _ = block(seed, game, MORE, turn)
            meant = drawn(strategy, lead_hands(strategy, at), 0, table - own, 0, first)
            heard = drawn(strategy, lead_guesses(strategy, at, meant), 0, table, 0, second)
        return drawn(strategy, follower_guesses(strategy, at, hand, heard), 0, table, 0, draw)
    at = guess_weights(strategy, get(state, ACTIVE), place, table - own, hand, hint(taken, own))
    more = drawn(strategy, at, 0, table - own, taken >> hand, draw) if at else -1
    return hand + more if more >= 0 else plain_guess(state, taken, seed, game, turn)


@force_inline
def hint(taken: Any, own: Any) -> Any:
    """Return what the guesses so far suggest about the other hands, or -1 if there are none."""
    count, total = 0, 0
    while taken:
        total += trailing_zeros(taken)
        count += 1
        taken &= taken - 1
    if count == 0:
        return -1
    return max(0, (2 * total - count * own + count) // (2 * count))


@force_inline
def plain_guess(state: Any, taken: Any, seed: Any, game: Any, turn: Any) -> Any:
    """Return the player's hand plus a random hand for each other player; if that is taken, the nearest free value."""
    table = get(state, TABLE)
    acting = get(state, ACTING)
    total = get(state, HAND + acting)
    # Each word gives two hands, because the remainder of the first is random.
    draw, second, third, fourth = block(seed, game, MORE, turn)
    others = 0
    for seat in range(get(state, PLAYERS)):
        sticks = get(state, STICKS + seat)
        if seat != acting and sticks:
            total += below(draw, sticks + 1)
            others += 1
            if others & 1:
                draw = np.uint32(draw * np.uint32(sticks + 1))
            else:
                draw, second, third = second, third, fourth
    for step in range(table + 1):
        for value in (total + step, total - step):
            if 0 <= value <= table and not taken >> value & 1:
                return value
    return NO_HAND
