"""Sampled states: everything that a player sees is kept, and the cards that it does not see are dealt."""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.evolution.compiled.bots.players import ALL_PLAYERS
from wateringhole.games.evolution.compiled.layout import (
    CARDS,
    CHOOSING,
    COUNT,
    END,
    FRONT,
    HAND,
    OVER,
    PHASE,
    PLAYERS,
    SHOWN,
    STATE,
    TRAIT_BITS,
    TWIN_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import board_at, repeated_trait, repeats, seat_base
from wateringhole.games.evolution.compiled.rules.cards import (
    card_number,
    cards_of,
    deck_card,
    hand_of,
    lowest,
    put_cards,
    put_deck_card,
    size,
    with_card,
    without,
    without_lowest,
)
from wateringhole.games.evolution.compiled.rules.declaring import begin_draft
from wateringhole.games.evolution.compiled.rules.engine import take
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, put, trailing_zeros
from wateringhole.sim.random import CHANCE, below, word

__all__ = [
    "deal_unseen",
    "play_out",
]

_decide, _play_rest = ALL_PLAYERS.decide, ALL_PLAYERS.play_rest

_EVERY_CARD: Final = (-1, (1 << CARDS - 64) - 1)
"""All cards, as a set."""


@jit
def deal_unseen(state: Any, seat: Any, seed: Any, game: Any) -> None:
    """Shuffle all cards that a seat does not see, and deal them to the other hands and the deck.

    The sizes of the other hands (`SHOWN`) and of the deck (from `FRONT` to `END`) do not change.  Each
    trait on a board is a random card of that trait, which cannot be elsewhere.  If the seat has to choose
    cards, its draft begins.
    """
    low, high = hand_of(state, seat_base(seat))
    low, high = _EVERY_CARD[0] & ~low, _EVERY_CARD[1] & ~high
    drawn = 0
    for other in range(get(state, PLAYERS)):
        base = seat_base(other)
        for index in range(get(state, base + COUNT)):
            board = board_at(state, base, index)
            traits = board & TRAIT_BITS
            while traits:
                low, high = _without_random_card(low, high, trailing_zeros(traits), word(seed, game, CHANCE, drawn))
                drawn += 1
                traits &= traits - 1
            if board & TWIN_BITS:
                again = trailing_zeros(repeated_trait(board))
                for _ in range(repeats(board)):
                    low, high = _without_random_card(low, high, again, word(seed, game, CHANCE, drawn))
                    drawn += 1
    unseen = size(low, high)
    for place in range(unseen):
        put_deck_card(state, place, lowest(low, high))
        low, high = without_lowest(low, high)
    for place in range(unseen - 1, 0, -1):
        other_place = below(word(seed, game, CHANCE, drawn), place + 1)
        drawn += 1
        card = deck_card(state, place)
        put_deck_card(state, place, deck_card(state, other_place))
        put_deck_card(state, other_place, card)
    _deal_hands(state, seat)
    if get(state, PHASE) == CHOOSING:
        begin_draft(state, seat)


@force_inline
def _without_random_card(low: Any, high: Any, trait: Any, draw: Any) -> Any:
    """Return a set without a random card of a trait, if it has one."""
    one, other = cards_of(trait)
    one, other = low & one, high & other
    there = size(one, other)
    if there:
        low, high = without(low, high, card_number(one, other, below(draw, there)))
    return low, high


@force_inline
def _deal_hands(state: Any, seat: Any) -> None:
    """Deal the other hands from the front of the deck, and keep the size of the deck."""
    left = get(state, END) - get(state, FRONT)
    front = 0
    for other in range(get(state, PLAYERS)):
        if other != seat:
            base = seat_base(other)
            low, high = 0, 0
            for _ in range(get(state, base + SHOWN)):
                low, high = with_card(low, high, deck_card(state, front), 1)
                front += 1
            put_cards(state, base + HAND, low, high)
    put(state, FRONT, front)
    put(state, END, front + left)


@ir_inline
def play_out(
    state: Any, known: Any, seat: Any, actions: Any, policies: Any, strategy: Any, seed: Any, game: Any
) -> None:
    """Play a sampled state to the end, after some actions of the seat that is asked."""
    finished = _sample_and_act(state, known, seat, actions, seed, game)
    if not finished and get(state, PHASE) != OVER:
        _decide(state, seat, get(policies, seat), seed, game)
    _play_rest(state, policies, seed, game)


@jit
def _sample_and_act(state: Any, known: Any, seat: Any, actions: Any, seed: Any, game: Any) -> Any:
    """Sample a state and apply some actions of the seat that is asked.

    `known` is the state without the unseen cards, and `actions` end with a negative number.
    Return whether the seat has completed its answer.
    """
    for place in range(STATE):
        put(state, place, get(known, place))
    deal_unseen(state, seat, seed, game)
    finished = False
    place = 0
    while get(actions, place) >= 0 and get(state, PHASE) != OVER:
        finished = take(state, get(actions, place))
        place += 1
    return finished
