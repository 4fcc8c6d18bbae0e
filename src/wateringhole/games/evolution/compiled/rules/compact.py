"""The compact observation: what the view of a seat shows, in bytes."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    COMPACT,
    COMPACT_BOARDS,
    COMPACT_HAND,
    COMPACT_PLAN,
    COMPACT_SEAT,
    COMPACT_SEATS,
    COUNT,
    PER_COMPACT_BOARD,
    PLANNED,
    PLAYERS,
    TRAIT_BITS,
    TWIN_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import board_at, body, fat, food, population, seat_base
from wateringhole.games.evolution.compiled.rules.cards import hand_of
from wateringhole.games.evolution.compiled.rules.engine import hand_size, has_begun, planned_board, show_table
from wateringhole.sim.kernel import force_inline, get, jit, put

__all__ = ["observe_compactly"]


@jit
def observe_compactly(state: Any, seat: Any, out: Any) -> None:
    """Write the compact observation of a seat, `layout.COMPACT` bytes."""
    for place in range(COMPACT):
        put(out, place, 0)
    show_table(state, seat, out, 255)
    players = get(state, PLAYERS)
    base = seat_base(seat)
    low, high = hand_of(state, base)
    for byte in range(8):
        put(out, COMPACT_HAND + byte, low >> 8 * byte & 0xFF)
        put(out, COMPACT_HAND + 8 + byte, high >> 8 * byte & 0xFF)
    if has_begun(state, seat):
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
