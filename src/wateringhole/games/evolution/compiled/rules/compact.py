"""The compact observation: what the view of a seat shows, in bytes."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    ACTING,
    BAG,
    CHOOSING,
    COMPACT,
    COMPACT_BOARDS,
    COMPACT_HAND,
    COMPACT_PLAN,
    COMPACT_SEAT,
    COMPACT_SEATS,
    COUNT,
    END,
    FEED,
    FIRST,
    FOOD_CARD,
    FRONT,
    HOLE,
    NO_CARD,
    OVER,
    PENDING,
    PER_COMPACT_BOARD,
    PHASE,
    PLANNED,
    PLAYERS,
    STEP,
    TRAIT_BITS,
    TURN,
    TWIN_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import board_at, body, fat, food, population, seat_base
from wateringhole.games.evolution.compiled.rules.cards import hand_of
from wateringhole.games.evolution.compiled.rules.engine import decision_type, hand_size, has_begun, planned_board
from wateringhole.sim.kernel import force_inline, get, jit, put

__all__ = ["observe_compactly"]


@jit
def observe_compactly(state: Any, seat: Any, out: Any) -> None:
    """Write the compact observation of a seat, `layout.COMPACT` bytes."""
    for place in range(COMPACT):
        put(out, place, 0)
    players = get(state, PLAYERS)
    base = seat_base(seat)
    mine = get(state, ACTING) == seat
    choosing = get(state, PHASE) == CHOOSING
    put(out, 0, decision_type(state) if mine or get(state, PHASE) == OVER else (STEP if choosing else FEED))
    put(out, 1, (get(state, ACTING) - seat + players) % players)
    put(out, 2, get(state, PENDING) if mine else 0)
    put(out, 3, players)
    put(out, 4, min(255, get(state, TURN)))
    put(out, 5, min(255, get(state, HOLE)))
    put(out, 6, get(state, END) - get(state, FRONT))
    put(out, 7, (get(state, FIRST) - seat + players) % players)
    put(out, 8, min(255, get(state, base + BAG)))
    declares = has_begun(state, seat)
    put(out, 9, get(state, base + FOOD_CARD) if declares else NO_CARD)
    low, high = hand_of(state, base)
    for byte in range(8):
        put(out, COMPACT_HAND + byte, low >> 8 * byte & 0xFF)
        put(out, COMPACT_HAND + 8 + byte, high >> 8 * byte & 0xFF)
    if declares:
        planned = get(state, base + PLANNED)
        put(out, COMPACT_PLAN, planned)
        for index in range(min(planned, COMPACT_BOARDS)):
            _show_board(planned_board(state, base, index), out, COMPACT_PLAN + 1 + PER_COMPACT_BOARD * index)
    for number in range(players):
        _show_seat(state, (seat + number) % players, out, COMPACT_SEATS + COMPACT_SEAT * number)


@force_inline
def _show_seat(state: Any, seat: Any, out: Any, place: Any) -> None:
    base = seat_base(seat)
    count = get(state, base + COUNT)
    put(out, place, count)
    put(out, place + 1, hand_size(state, seat))
    for index in range(min(count, COMPACT_BOARDS)):
        _show_board(board_at(state, base, index), out, place + 2 + PER_COMPACT_BOARD * index)


@force_inline
def _show_board(board: Any, out: Any, place: Any) -> None:
    put(out, place, population(board))
    put(out, place + 1, food(board))
    put(out, place + 2, body(board))
    put(out, place + 3, fat(board))
    traits = board & (TRAIT_BITS | TWIN_BITS)
    put(out, place + 4, traits & 0xFF)
    put(out, place + 5, traits >> 8 & 0xFF)
    put(out, place + 6, traits >> 16)
