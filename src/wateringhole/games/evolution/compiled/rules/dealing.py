"""The start of a game, the start and end of turns, and the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from wateringhole.games.evolution.compiled.layout import (
    ACTING,
    AWAKE,
    BAG,
    CARDS,
    CHOOSING,
    COUNT,
    DECISIONS,
    DECK_BYTES,
    DECLARED,
    END,
    EQUALS,
    FEEDS,
    FIRST,
    FREE_BOARDS,
    FRONT,
    HAND,
    HAND_WORDS,
    HOLE,
    MOST_TURNS,
    OVER,
    OVERFLOWED,
    PENDING,
    PHASE,
    PLANNED,
    PLAYERS,
    RULES,
    SCORE,
    SCORES_BOARDS,
    SETUP,
    SHOWN,
    TRAITS_LAID,
    TURN,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    number_of_traits,
    population,
    seat_after,
    seat_base,
)
from wateringhole.games.evolution.compiled.rules.cards import deck_card, hand_of, put_deck_card, size
from wateringhole.games.evolution.compiled.rules.declaring import overflow
from wateringhole.games.evolution.compiled.rules.state import draw, give_board, starve_and_bag
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN
from wateringhole.sim.kernel import force_inline, get, ir_inline, put
from wateringhole.sim.random import CHANCE, below, block

__all__ = [
    "cards_needed",
    "clear_state",
    "end_turn",
    "shuffle",
    "start_turn",
]


@ir_inline
def shuffle(state: Any, seed: Any, game: Any) -> None:
    """Shuffle a deck of all cards, always the same for a game number of a seed.

    The first loop draws independent random places, so that the compiler can vectorize it.  Each random word
    gives two places, the second from the remainder of the first, with a bias below 122 * 122 / 2**32.
    Then card i goes to its place, which is at most i, and the card there moves to place i.
    """
    for counter in range(DECK_BYTES // 8):
        first, second, third, fourth = block(seed, game, CHANCE, counter)
        _put_places(state, 8 * counter, first)
        _put_places(state, 8 * counter + 2, second)
        _put_places(state, 8 * counter + 4, third)
        _put_places(state, 8 * counter + 6, fourth)
    for card in range(CARDS):
        place = deck_card(state, card)
        put_deck_card(state, card, deck_card(state, place))
        put_deck_card(state, place, card)
    put(state, END, CARDS)


@force_inline
def _put_places(state: Any, card: Any, word: Any) -> None:
    """Write two random places, for a card and for the next one."""
    put_deck_card(state, card, below(word, card + 1))
    put_deck_card(state, card + 1, below(np.uint32(word * np.uint32(card + 1)), card + 2))


@ir_inline
def clear_state(state: Any, setup: Any, first: Any) -> None:
    """Reset everything but the deck to the state before the first turn."""
    players = get(setup, 0)
    put(state, PLAYERS, players)
    put(state, FIRST, first)
    for place in (HOLE, FRONT, TURN, PENDING, FEEDS, AWAKE, DECISIONS, OVERFLOWED, EQUALS, TRAITS_LAID):
        put(state, place, 0)
    for number in range(1, SETUP):
        put(state, RULES - 1 + number, get(setup, number))
    for seat in range(players):
        base = seat_base(seat)
        put(state, base + COUNT, 0)
        put(state, base + PLANNED, 0)
        put(state, base + BAG, 0)
        put(state, base + SCORE, 0)
        for place in range(base + HAND, base + HAND + HAND_WORDS):
            put(state, place, 0)


@force_inline
def cards_needed(state: Any, free: Any) -> Any:
    """Return how many cards the next deal takes; an empty row counts as `free` boards."""
    players = get(state, PLAYERS)
    needed = CARDS_PER_TURN * players
    for seat in range(players):
        needed += max(free, get(state, seat_base(seat) + COUNT))
    return needed


@ir_inline
def start_turn(state: Any) -> None:
    """Deal boards and cards and ask the first player, or end the game."""
    players = get(state, PLAYERS)
    turn = get(state, TURN)
    if get(state, END) - get(state, FRONT) < cards_needed(state, get(state, FREE_BOARDS)) or turn == get(
        state, MOST_TURNS
    ):
        put(state, PHASE, OVER)
        for seat in range(players):
            put(state, seat_base(seat) + SCORE, _count_score(state, seat_base(seat)))
        return
    put(state, TURN, turn + 1)
    seat = get(state, FIRST)
    put(state, ACTING, seat)
    put(state, PHASE, CHOOSING)
    put(state, DECLARED, 0)
    for _ in range(players):
        base = seat_base(seat)
        give_board(state, base)
        draw(state, base, CARDS_PER_TURN + get(state, base + COUNT))
        low, high = hand_of(state, base)
        put(state, base + SHOWN, size(low, high))
        if low | high == 0:
            # A player without a card has no legal declaration, and compiled players cannot be thrown out.
            overflow(state)
        seat = seat_after(seat, players)


@ir_inline
def end_turn(state: Any) -> None:
    """Starve animals, fill the bags and choose the next starting player."""
    players = get(state, PLAYERS)
    seat = get(state, FIRST)
    for _ in range(players):
        starve_and_bag(state, seat_base(seat))
        seat = seat_after(seat, players)
    put(state, FIRST, seat_after(seat, players))


@force_inline
def _count_score(state: Any, base: Any) -> Any:
    total = get(state, base + BAG)
    for index in range(get(state, base + COUNT)):
        board = board_at(state, base, index)
        total += number_of_traits(board) + (1 if get(state, SCORES_BOARDS) else population(board))
    return total
