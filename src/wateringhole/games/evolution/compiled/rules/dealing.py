"""How a game begins, how turns begin and end, and what everything is worth in the end."""

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
from wateringhole.games.evolution.compiled.rules.table import draw, give_board, starve_and_bag
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN
from wateringhole.sim.kernel import force_inline, get, ir_inline, put
from wateringhole.sim.random import CHANCE, below, block

__all__ = [
    "cards_needed",
    "clear_table",
    "end_turn",
    "shuffle",
    "start_turn",
]


@ir_inline
def shuffle(state: Any, seed: Any, game: Any) -> None:
    """A shuffled deck of all cards: game number so-and-so of a seed always has the same one.

    First come random places, independent of each other, so that the compiler can make vectors
    of that loop.  Each random word gives two, the second from what the first has left of it;
    that is off from fair by less than 122 * 122 / 2**32.
    Then card i goes to its place, which is not beyond i, and what was there moves to place i.
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
    """Two random places, for a card and for the next one."""
    put_deck_card(state, card, below(word, card + 1))
    put_deck_card(state, card + 1, below(np.uint32(word * np.uint32(card + 1)), card + 2))


@ir_inline
def clear_table(state: Any, setup: Any, first: Any) -> None:
    """Everything but the deck as it is before the first turn."""
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
    """What the coming deal takes; an empty row counts as `free` boards."""
    players = get(state, PLAYERS)
    needed = CARDS_PER_TURN * players
    for seat in range(players):
        needed += max(free, get(state, seat_base(seat) + COUNT))
    return needed


@ir_inline
def start_turn(state: Any) -> None:
    """Boards and cards for all, and the first player chooses; or the game is over."""
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
            # Without a card there is no legal declaration, and here no player is thrown out.
            overflow(state)
        seat = seat_after(seat, players)


@ir_inline
def end_turn(state: Any) -> None:
    """Hunger, then the bags, then the next starting player."""
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
