"""Tables as a player can imagine them: what it sees is as it is, what it does not see is dealt anew."""

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

_decide, _play_on = ALL_PLAYERS.decide, ALL_PLAYERS.play_on

_EVERY_CARD: Final = (-1, (1 << CARDS - 64) - 1)
"""All cards, as a set."""


@jit
def deal_unseen(state: Any, seat: Any, seed: Any, game: Any) -> None:
    """Shuffle all cards that a seat does not see, and deal them to the others' hands and to the deck.

    How many cards the others hold (`SHOWN`) and the deck has (from `FRONT` to `END`) stays as it
    is.  Each trait on a board is some card of that trait, which cannot be elsewhere.  If the seat is to
    choose cards, its draft begins.
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
                low, high = _without_some_card(low, high, trailing_zeros(traits), word(seed, game, CHANCE, drawn))
                drawn += 1
                traits &= traits - 1
            if board & TWIN_BITS:
                again = trailing_zeros(repeated_trait(board))
                for _ in range(repeats(board)):
                    low, high = _without_some_card(low, high, again, word(seed, game, CHANCE, drawn))
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
def _without_some_card(low: Any, high: Any, trait: Any, lot: Any) -> Any:
    """A set less any of its cards of a trait, if it has one."""
    one, other = cards_of(trait)
    one, other = low & one, high & other
    there = size(one, other)
    if there:
        low, high = without(low, high, card_number(one, other, below(lot, there)))
    return low, high


@force_inline
def _deal_hands(state: Any, seat: Any) -> None:
    """The hands of the others come from the front; the deck is as long as it was."""
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
    """Play to the end from a table as a seat may imagine it, after some choices of that seat."""
    finished = _set_out(state, known, seat, actions, seed, game)
    if not finished and get(state, PHASE) != OVER:
        _decide(state, seat, get(policies, seat), seed, game)
    _play_on(state, policies, seed, game)


@jit
def _set_out(state: Any, table: Any, seat: Any, actions: Any, seed: Any, game: Any) -> Any:
    """A table as a seat may imagine it, after some choices of that seat, which is asked.

    `table` is one without the unseen cards, and `actions` end with a negative number.
    Whether the seat has finished with what it was asked.
    """
    for place in range(STATE):
        put(state, place, get(table, place))
    deal_unseen(state, seat, seed, game)
    finished = False
    place = 0
    while get(actions, place) >= 0 and get(state, PHASE) != OVER:
        finished = take(state, get(actions, place))
        place += 1
    return finished
