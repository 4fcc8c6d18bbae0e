"""Species boards as words: what can be read off one, and what its traits mean.

The traits are explained in `wateringhole.games.evolution.rules.traits`; here their meaning is restated in
bits, and a test ties the two together for every trait.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.evolution.compiled.layout import (
    BODY,
    FAT,
    FOOD,
    HARD_SHELL_GAP,
    POPULATION,
    SEAT,
    SEATS,
    SYMBIOSIS_COUNTS,
    TRAIT_BITS,
)
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.sim.kernel import get, popcount, put, rule

__all__ = [
    "AMBUSH",
    "BURROWING",
    "CARNIVORE",
    "CLIMBING",
    "COOPERATION",
    "FAT_TISSUE",
    "FERTILE",
    "FORAGING",
    "HARD_SHELL",
    "HERDING",
    "HORNS",
    "LONG_NECK",
    "PACK_HUNTING",
    "SCAVENGER",
    "SHIELDS",
    "SYMBIOSIS",
    "WARNING_CALL",
    "board_at",
    "body",
    "fat",
    "fat_room",
    "food",
    "is_hungry",
    "number_of_traits",
    "population",
    "put_board",
    "seat_after",
    "seat_base",
    "shields",
]

_BIT: Final = {trait: 1 << number for number, trait in enumerate(Trait)}
# Compiled functions know plain numbers as constants, but no dictionaries.
AMBUSH: Final = _BIT[Trait.AMBUSH]
BURROWING: Final = _BIT[Trait.BURROWING]
CARNIVORE: Final = _BIT[Trait.CARNIVORE]
CLIMBING: Final = _BIT[Trait.CLIMBING]
COOPERATION: Final = _BIT[Trait.COOPERATION]
FAT_TISSUE: Final = _BIT[Trait.FAT_TISSUE]
FERTILE: Final = _BIT[Trait.FERTILE]
FORAGING: Final = _BIT[Trait.FORAGING]
HARD_SHELL: Final = _BIT[Trait.HARD_SHELL]
HERDING: Final = _BIT[Trait.HERDING]
HORNS: Final = _BIT[Trait.HORNS]
LONG_NECK: Final = _BIT[Trait.LONG_NECK]
PACK_HUNTING: Final = _BIT[Trait.PACK_HUNTING]
SCAVENGER: Final = _BIT[Trait.SCAVENGER]
SYMBIOSIS: Final = _BIT[Trait.SYMBIOSIS]
WARNING_CALL: Final = _BIT[Trait.WARNING_CALL]


@rule
def population(board: Any) -> Any:
    return board >> POPULATION


@rule
def food(board: Any) -> Any:
    return board >> FOOD & 7


@rule
def body(board: Any) -> Any:
    return board >> BODY & 7


@rule
def fat(board: Any) -> Any:
    return board >> FAT & 7


@rule
def is_hungry(board: Any) -> Any:
    return board >> POPULATION > board >> FOOD & 7


@rule
def number_of_traits(board: Any) -> Any:
    return popcount(board & TRAIT_BITS)


@rule
def fat_room(board: Any) -> Any:
    return body(board) - fat(board) if board & FAT_TISSUE else 0


SHIELDS: Final = BURROWING | CLIMBING | HARD_SHELL | HERDING | SYMBIOSIS
"""The traits that may make a board safe; besides, there are warning calls of its neighbours."""


@rule
def shields(state: Any, board: Any, left: Any, right: Any, attacker: Any) -> Any:
    """The traits that make a board safe from an attacker, as bits: its own and its neighbours'.

    A missing neighbour is the word 0.
    """
    size = body(attacker) + (population(attacker) if attacker & PACK_HUNTING else 0)
    own = 0 if is_hungry(board) else BURROWING
    own |= CLIMBING & ~attacker
    own |= HERDING if population(attacker) <= population(board) else 0
    own |= HARD_SHELL if size < body(board) + get(state, HARD_SHELL_GAP) else 0
    own |= get(state, SYMBIOSIS_COUNTS) if body(right) > body(board) else 0
    calls = 0 if attacker & AMBUSH else WARNING_CALL
    return board & own | (left | right) & calls


# ── boards in a row ───────────────────────────────────────────────────────────────────────


@rule
def seat_base(seat: Any) -> Any:
    """Where the block of a seat starts."""
    return SEATS + seat * SEAT


@rule
def seat_after(seat: Any, players: Any) -> Any:
    return seat + 1 if seat + 1 < players else 0


@rule
def board_at(state: Any, base: Any, index: Any) -> Any:
    """A board of a row that starts at a word."""
    return get(state, base + index)


@rule
def put_board(state: Any, base: Any, index: Any, board: Any) -> None:
    put(state, base + index, board)
