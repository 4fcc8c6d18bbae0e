"""The random player: every legal step, or feeding, with the same chance; declining is a feeding, too."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wateringhole.games.evolution.compiled.layout import (
    CHEATS,
    DECISIONS,
    DECLINE,
    DONE,
    EAT,
    FALSE_REPLY,
    FOOD_CARD,
    GIVE_FOOD,
    HALF,
    NO_CARD,
    ON_BOARD,
    PER_BOARD,
    PLANNED,
    RESTART,
    TRAIT_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import seat_base
from wateringhole.games.evolution.compiled.rules.cards import card_number, hand_of, lowest, size, trait_bit_of
from wateringhole.games.evolution.compiled.rules.declaring import forbidden_traits, is_finished
from wateringhole.games.evolution.compiled.rules.feeding import (
    appetites,
    attack_number,
    count_attacks,
    most_storable,
    storing,
)
from wateringhole.sim.kernel import force_inline, get, popcount, trailing_zeros
from wateringhole.sim.random import ACTION, below, block

__all__ = [
    "random_feeding",
    "random_step",
]

_EVERY: Final = 1 << 20
"""The distance between the blocks of random words for one decision, more than any game has decisions."""
_MANY: Final = 1 << 20
"""More attacks than there can be."""


@force_inline
def random_step(state: Any, base: Any, seed: Any, game: Any) -> Any:
    """Return a step, and above the first half its card.

    It draws pairs of a step and a card of the hand until one is legal.  So every legal pair has the same
    chance, without a list of them.  That terminates, because any card can buy a board.
    """
    low, high = hand_of(state, base)
    cards = size(low, high)
    finished = is_finished(state, base)
    if cards == 0:
        return DONE if finished else RESTART
    if cards == 1 and get(state, base + FOOD_CARD) == NO_CARD:
        # The last card is kept for the watering hole.
        return GIVE_FOOD | lowest(low, high) << HALF
    steps = ON_BOARD + PER_BOARD * get(state, base + PLANNED) - GIVE_FOOD
    counter = get(state, DECISIONS)
    while True:
        first, second, third, fourth = block(seed, game, ACTION, counter)
        for number in range(4):
            word = (first if number == 0 else second) if number < 2 else (third if number == 2 else fourth)
            hit = np.uint32(below(word, steps * cards + 1))
            step = np.int64(hit // np.uint32(cards))
            if step == steps:
                if finished:
                    return DONE
                continue
            forbidden = forbidden_traits(state, base, GIVE_FOOD + step)
            if forbidden == TRAIT_BITS:
                continue
            card = card_number(low, high, np.int64(hit) - step * cards)
            if not trait_bit_of(card) & forbidden:
                return GIVE_FOOD + step | card << HALF
        counter += _EVERY


@force_inline
def random_feeding(state: Any, seat: Any, seed: Any, game: Any) -> Any:
    """Return a feeding, and above the first half the target of an attack."""
    base = seat_base(seat)
    eaters, stores, hunters = appetites(state, base)
    options = popcount(eaters) + popcount(stores)
    attacks = count_attacks(state, seat, hunters, _MANY) if hunters else 0
    word, tokens, _, _ = block(seed, game, ACTION, get(state, DECISIONS))
    number = below(word, options + attacks + int(get(state, FALSE_REPLY) != CHEATS))
    if number < popcount(eaters):
        return EAT + _bit_number(eaters, number)
    if number < options:
        index = _bit_number(stores, number - popcount(eaters))
        return storing(index, 1 + below(tokens, most_storable(state, base, index)))
    if number < options + attacks:
        return attack_number(state, seat, hunters, number - options)
    return DECLINE


@force_inline
def _bit_number(bits: Any, number: Any) -> Any:
    for _ in range(number):
        bits &= bits - 1
    return trailing_zeros(bits)
