"""Sampled states: everything that a player sees is kept, and hidden hands are drawn by their chances.

The knowledge of a seat is one array of 32-bit integers.  First the total of the hidden hands is drawn,
then one hand after the other from it, so that the hands are consistent with what is known about the sum.

| Words | Name | Holds |
|---|---|---|
| 0 … 71 | | a row of the game, as `layout` says, without the hands of the others |
| 72 … 135 | `TOTALS` | how likely all hidden hands together hold 0, 1, … sticks |
| 136 … | `CHANCES` | by seat, and by what is left for it and those after it: how likely it holds 0, 1, … 15 |

Before hands are hidden, nothing is unknown: the players choose when they are asked.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.porrinha.compiled.bots.players import choose, drawn
from wateringhole.games.porrinha.compiled.layout import (
    ACTING,
    ACTIONS,
    DECISION_TYPE,
    GUESS,
    HAND,
    MOST_PLAYERS,
    MOST_STICKS,
    MOST_TABLE,
    PLAYERS,
    STATE,
    STICKS,
    SUM,
)
from wateringhole.games.porrinha.compiled.rules.engine import apply
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, put
from wateringhole.sim.random import CHANCE, word

__all__ = ["CHANCES", "KNOWN", "TOTALS", "deal_unseen", "play_out"]

TOTALS: Final = STATE
CHANCES: Final = TOTALS + ACTIONS
_PER_TOTAL: Final = MOST_STICKS + 1
_PER_SEAT: Final = ACTIONS * _PER_TOTAL
KNOWN: Final = CHANCES + MOST_PLAYERS * _PER_SEAT


@jit
def deal_unseen(state: Any, known: Any, seat: Any, seed: Any, game: Any) -> None:
    """Write a state that is consistent with the knowledge of a seat."""
    for place in range(STATE):
        put(state, place, get(known, place))
    if get(state, DECISION_TYPE) == GUESS:
        _fill_hands(state, known, seat, seed, game)


@force_inline
def _fill_hands(state: Any, known: Any, seat: Any, seed: Any, game: Any) -> None:
    left = drawn(known, TOTALS, 0, MOST_TABLE, 0, word(seed, game, CHANCE, MOST_PLAYERS))
    put(state, SUM, get(state, HAND + seat) + left)
    for other in range(get(state, PLAYERS)):
        sticks = get(state, STICKS + other)
        if other != seat and sticks:
            at = CHANCES + other * _PER_SEAT + left * _PER_TOTAL
            hand = drawn(known, at, 0, sticks, 0, word(seed, game, CHANCE, other))
            put(state, HAND + other, hand)
            left -= hand


@ir_inline
def play_out(
    state: Any, known: Any, seat: Any, actions: Any, policies: Any, strategy: Any, seed: Any, game: Any
) -> None:
    """Play a sampled state to the end, after some actions of a seat."""
    deal_unseen(state, known, seat, seed, game)
    taken = 0
    while get(state, ACTING) >= 0:
        acting = get(state, ACTING)
        action = get(actions, taken)
        if acting == seat and action >= 0:
            taken += 1
        else:
            action = choose(state, get(policies, acting), strategy, seed, game)
        apply(state, action)
