"""Cards by their rank in the card order, and sets of cards as two 64-bit words.

The CPU looks cards up in tables.  On a GPU that would cost a memory access per thread, so it computes
them.  A test compares both with the cards of the game.
"""

from __future__ import annotations

import functools
from typing import Any, Final, NamedTuple

import numpy as np
from numba.extending import overload

from wateringhole.games.evolution.compiled.layout import DECK, HAND, NO_CARD, TRAIT_BITS, TRAITS
from wateringhole.games.evolution.rules.cards import CARDS as ALL_CARDS
from wateringhole.games.evolution.rules.traits import TRAITS as TRAIT_RULES
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.sim.kernel import CHECKED, force_inline, get, get_byte, popcount, put, put_byte, trailing_zeros

__all__ = [
    "card_facts",
    "card_number",
    "cards_of",
    "deck_card",
    "get_cards",
    "hand_of",
    "holds",
    "lowest",
    "points_of",
    "put_cards",
    "put_deck_card",
    "size",
    "trait_bit_of",
    "traits_of",
    "with_card",
    "without",
    "without_lowest",
]

_TRAITS: Final = list(Trait)
_LEAST_POINTS: Final = min(card.points for card in ALL_CARDS)


def _facts() -> Any:
    """Return the points (from 0) above the bit of the trait for each card, and 0 for `NO_CARD`."""
    facts = np.zeros(NO_CARD + 1, np.int32)
    for card in ALL_CARDS:
        facts[card.rank] = (card.points - _LEAST_POINTS) << TRAITS | 1 << _TRAITS.index(card.trait)
    return facts


def _singles() -> Any:
    """Return the set with only each card, low word and high word; it is empty for `NO_CARD`."""
    singles = np.zeros(2 * (NO_CARD + 1), np.uint64)
    for card in ALL_CARDS:
        singles[2 * card.rank + card.rank // 64] = 1 << card.rank % 64
    return singles.view(np.int64)


def _ranges() -> Any:
    """Return the set of the cards of each trait, low word and high word."""
    ranges = np.zeros(2 * len(_TRAITS), np.uint64)
    for card in ALL_CARDS:
        ranges[2 * _TRAITS.index(card.trait) + card.rank // 64] |= np.uint64(1 << card.rank % 64)
    return ranges.view(np.int64)


_FACTS: Final = _facts()
_SINGLES: Final = _singles()
_RANGES: Final = _ranges()


# ── differences between CPU and GPU ───────────────────────────────────────────────────────


def card_facts(card: Any) -> Any:
    """Return the points of a card (from 0) above the bit of its trait, and 0 for `NO_CARD`."""


def with_card(low: Any, high: Any, card: Any, wanted: Any) -> Any:
    """Return a set with one more card, if it is wanted (1 or 0)."""


def cards_of(trait: Any) -> Any:
    """Return the set of all cards of a trait, given by its number."""


@overload(card_facts, target="cpu", jit_options=CHECKED)
def _card_facts_on_cpu(card: Any) -> Any:
    def look_up(card: Any) -> Any:
        return np.int64(_FACTS[np.uint64(card)])

    return look_up


@overload(with_card, target="cpu", jit_options=CHECKED)
def _with_card_on_cpu(low: Any, high: Any, card: Any, wanted: Any) -> Any:
    def look_up(low: Any, high: Any, card: Any, wanted: Any) -> Any:
        place = np.uint64(2 * (card if wanted else NO_CARD))
        return low | _SINGLES[place], high | _SINGLES[place + np.uint64(1)]

    return look_up


@overload(cards_of, target="cpu", jit_options=CHECKED)
def _cards_of_on_cpu(trait: Any) -> Any:
    def look_up(trait: Any) -> Any:
        place = np.uint64(2 * trait)
        return _RANGES[place], _RANGES[place + np.uint64(1)]

    return look_up


# Most traits have as many cards as the trait before, so the GPU code handles runs of such traits.


class _Run(NamedTuple):
    """Consecutive traits with the same number of cards."""

    trait: int
    """The first trait."""
    traits: int
    start: int
    """The first card."""
    each: int
    """The number of cards of each trait."""


def _runs() -> list[_Run]:
    runs: list[_Run] = []
    start = 0
    for number, trait in enumerate(_TRAITS):
        each = 2 * TRAIT_RULES[trait].points + 1
        if runs and runs[-1].each == each:
            runs[-1] = runs[-1]._replace(traits=runs[-1].traits + 1)
        else:
            runs.append(_Run(number, 1, start, each))
        start += each
    return runs


_SHIFT: Final = 14
"""A multiplication and this shift divide a card by the length of a run, exactly for so few cards."""


def _facts_of_run(run: _Run, before: Any) -> Any:
    first, start, each, inverse = run.trait, run.start, run.each, (1 << _SHIFT) // run.each + 1
    lowest = -_LEAST_POINTS - each // 2
    assert all(place * inverse >> _SHIFT == place // each for place in range(NO_CARD + 1))

    @force_inline
    def facts(card: Any) -> Any:
        if card < start:
            return before(card)
        place = card - start
        trait = place * inverse >> _SHIFT
        return (place - each * trait + lowest) << TRAITS | (1 << (first + trait)) & TRAIT_BITS

    return facts


def _set_of_run(run: _Run, before: Any) -> Any:
    first, start, each, ones = run.trait, run.start, run.each, (1 << run.each) - 1

    @force_inline
    def cards(trait: Any) -> Any:
        if trait < first:
            return before(trait)
        place = start + each * (trait - first)
        low = ones << place if place < 64 else 0
        high = ones << (place - 64) if place >= 64 else ones >> (64 - place) if place > 64 - each else 0
        return low, high

    return cards


@force_inline
def _no_facts(card: Any) -> Any:
    return 0


@force_inline
def _no_cards(trait: Any) -> Any:
    return 0, 0


_facts_by_run: Final[Any] = functools.reduce(lambda before, run: _facts_of_run(run, before), _runs(), _no_facts)
_sets_by_run: Final[Any] = functools.reduce(lambda before, run: _set_of_run(run, before), _runs(), _no_cards)


@overload(card_facts, target="cuda")
def _card_facts_on_cuda(card: Any) -> Any:
    def compute(card: Any) -> Any:
        return _facts_by_run(card)

    return compute


@overload(with_card, target="cuda")
def _with_card_on_cuda(low: Any, high: Any, card: Any, wanted: Any) -> Any:
    def compute(low: Any, high: Any, card: Any, wanted: Any) -> Any:
        upper = card >> 6 & wanted
        return low | (wanted ^ upper) << (card & 63), high | upper << (card & 63)

    return compute


@overload(cards_of, target="cuda")
def _cards_of_on_cuda(trait: Any) -> Any:
    def compute(trait: Any) -> Any:
        return _sets_by_run(trait)

    return compute


# ── sets of cards ─────────────────────────────────────────────────────────────────────────


@force_inline
def get_cards(state: Any, place: Any) -> Any:
    """Return the set of cards in the four words from a place on."""
    low = get(state, place) | get(state, place + 1) << 32
    high = get(state, place + 2) | get(state, place + 3) << 32
    return low, high


@force_inline
def put_cards(state: Any, place: Any, low: Any, high: Any) -> None:
    put(state, place, low)
    put(state, place + 1, low >> 32)
    put(state, place + 2, high)
    put(state, place + 3, high >> 32)


@force_inline
def size(low: Any, high: Any) -> Any:
    return popcount(low) + popcount(high)


@force_inline
def holds(low: Any, high: Any, card: Any) -> Any:
    """Return 1 if the card is in the set, otherwise 0."""
    return (low if card < 64 else high) >> (card & 63) & 1


@force_inline
def lowest(low: Any, high: Any) -> Any:
    """Return the lowest card of a set, or `NO_CARD` if it is empty."""
    return trailing_zeros(low) + (trailing_zeros(high) & -int(low == 0))


@force_inline
def without_lowest(low: Any, high: Any) -> Any:
    return low & (low - 1), high & (high - int(low == 0))


@force_inline
def without(low: Any, high: Any, card: Any) -> Any:
    """Return a set without one of its cards."""
    one, other = with_card(0, 0, card, 1)
    return low & ~one, high & ~other


@force_inline
def card_number(low: Any, high: Any, number: Any) -> Any:
    """Return the card of a set that has `number` lower cards in it."""
    below = popcount(low)
    word = low
    base = 0
    if number >= below:
        number -= below
        word = high
        base = 64
    for _ in range(number):
        word &= word - 1
    return base + trailing_zeros(word)


@force_inline
def traits_of(low: Any, high: Any) -> Any:
    """Return the traits of a set of cards, as bits."""
    traits = 0
    for trait in range(TRAITS):
        one, other = cards_of(trait)
        traits |= int((low & one | high & other) != 0) << trait
    return traits


@force_inline
def points_of(card: Any) -> Any:
    return (card_facts(card) >> TRAITS) + _LEAST_POINTS


@force_inline
def trait_bit_of(card: Any) -> Any:
    """Return the bit of the card's trait, or 0 for `NO_CARD`."""
    return card_facts(card) & TRAIT_BITS


@force_inline
def hand_of(state: Any, base: Any) -> Any:
    return get_cards(state, base + HAND)


# ── the deck ──────────────────────────────────────────────────────────────────────────────


@force_inline
def deck_card(state: Any, place: Any) -> Any:
    return get_byte(state, 4 * DECK + place)


@force_inline
def put_deck_card(state: Any, place: Any, card: Any) -> None:
    put_byte(state, 4 * DECK + place, card)
