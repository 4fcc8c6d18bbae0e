"""Species boards as words: their parts, and protection from attacks."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    ARMOUR_COUNTS,
    BODY,
    FAT,
    FOOD,
    HARD_SHELL_GAP,
    PACKS_IN_HERDS,
    POPULATION,
    SEAT,
    SEATS,
    SYMBIOSIS_COUNTS,
    TRAIT_BITS,
    TWINS,
)
from wateringhole.games.evolution.compiled.rules.traits import (
    BURNS_FAT,
    CALLS,
    PACKS,
    armour,
    cancelled,
    own_shields,
    size_of_herd,
    size_of_hunter,
)
from wateringhole.sim.kernel import force_inline, get, popcount, put

__all__ = [
    "board_at",
    "body",
    "fat",
    "fat_room",
    "food",
    "is_hungry",
    "number_of_traits",
    "population",
    "put_board",
    "repeated_trait",
    "repeats",
    "seat_after",
    "seat_base",
    "shields",
]


@force_inline
def population(board: Any) -> Any:
    return board >> POPULATION


@force_inline
def food(board: Any) -> Any:
    return board >> FOOD & 7


@force_inline
def body(board: Any) -> Any:
    return board >> BODY & 7


@force_inline
def fat(board: Any) -> Any:
    return board >> FAT & 7


@force_inline
def is_hungry(board: Any) -> Any:
    return board >> POPULATION > board >> FOOD & 7


@force_inline
def number_of_traits(board: Any) -> Any:
    return popcount(board & TRAIT_BITS) + repeats(board)


@force_inline
def repeats(board: Any) -> Any:
    """Return how many traits of a board are repeats."""
    twins = board >> TWINS & 3
    return twins if popcount(board & TRAIT_BITS) == 1 else int(twins != 0)


@force_inline
def repeated_trait(board: Any) -> Any:
    """Return the trait that a board has more than once, as a bit, or 0 if all differ."""
    traits = board & TRAIT_BITS
    first = traits & -traits
    twins = board >> TWINS & 3
    if twins == 0:
        return 0
    return first if twins == 1 or traits == first else traits ^ first


@force_inline
def fat_room(board: Any) -> Any:
    return body(board) - fat(board) if board & BURNS_FAT else 0


@force_inline
def shields(state: Any, board: Any, left: Any, right: Any, attacker: Any) -> Any:
    """Return the traits that protect a board from an attacker, as bits: its own and its neighbours'.

    A missing neighbour is the word 0.
    """
    armoured = armour(attacker & get(state, ARMOUR_COUNTS))
    packs = get(state, PACKS_IN_HERDS)
    own = own_shields(
        size_of_hunter(body(attacker), population(attacker), attacker & PACKS != 0, armoured),
        size_of_herd(population(attacker), body(attacker), attacker & packs != 0),
        body(board),
        size_of_herd(population(board), body(board), board & packs != 0),
        is_hungry(board),
        body(right) & get(state, SYMBIOSIS_COUNTS),
        get(state, HARD_SHELL_GAP),
    )
    return (board & own | (left | right) & CALLS) & ~cancelled(attacker)


# ── boards in a row ───────────────────────────────────────────────────────────────────────


@force_inline
def seat_base(seat: Any) -> Any:
    """Return where the block of a seat starts."""
    return SEATS + seat * SEAT


@force_inline
def seat_after(seat: Any, players: Any) -> Any:
    return seat + 1 if seat + 1 < players else 0


@force_inline
def board_at(state: Any, base: Any, index: Any) -> Any:
    """Return a board of a row that starts at a word."""
    return get(state, base + index)


@force_inline
def put_board(state: Any, base: Any, index: Any, board: Any) -> None:
    put(state, base + index, board)
