"""The greedy player's simulation of a row: how it eats for the rest of the turn, and what it is worth then.

The row is in the words from `SCRATCH_ROW` on; its population and food change as it eats.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.evolution.bots import greedy as weights
from wateringhole.games.evolution.compiled.layout import (
    COUNT,
    END,
    FRONT,
    ONE_ANIMAL,
    ONE_FOOD,
    PLAYERS,
    POPULATION,
    SCORES_BOARDS,
    SCRATCH_ROW,
    TRAIT_BITS,
    TWIN_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    fat,
    food,
    is_hungry,
    population,
    repeated_trait,
    repeats,
    seat_after,
    seat_base,
    shields,
)
from wateringhole.games.evolution.compiled.rules.dealing import cards_needed
from wateringhole.games.evolution.compiled.rules.feeding import prey_of
from wateringhole.games.evolution.compiled.rules.traits import (
    BURNS_FAT,
    CALLS,
    EATS_AFTER_ATTACK,
    FEEDS_AT_REVEAL,
    FEEDS_RIGHT,
    GROWS,
    HUNTS,
    REVEAL_FEEDINGS,
    SHIELDS,
    bit_of,
    extra_bites,
    wounds,
)
from wateringhole.games.evolution.rules.options import MOST_POPULATION
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.sim.kernel import force_inline, get, jit, popcount, put, trailing_zeros

__all__ = [
    "APPETITE",
    "FEARED",
    "LAST",
    "attack",
    "copy_row",
    "eat",
    "eat_rest",
    "eaters_of",
    "eats",
    "fed_and_sated",
    "outlook_of",
    "reveal",
    "row_worth",
    "trait_worth",
    "use_of",
]

# ── the other players ─────────────────────────────────────────────────────────────────────

# Bits of an outlook, and the position of the appetite in it.
LAST: Final = 1
FEARED: Final = 2
APPETITE: Final = 2


@jit
def outlook_of(state: Any, seat: Any) -> Any:
    """Return how much the others could eat, whether they hunt, and whether the turn is the last."""
    appetite = 0
    traits = 0
    for other in range(get(state, PLAYERS)):
        if other != seat:
            base = seat_base(other)
            for index in range(get(state, base + COUNT)):
                board = board_at(state, base, index)
                appetite += population(board) - food(board)
                traits |= board
    last = LAST if get(state, END) - get(state, FRONT) < cards_needed(state, 1) else 0
    return appetite << APPETITE | (FEARED if traits & HUNTS else 0) | last


# ── eating ────────────────────────────────────────────────────────────────────────────────


@force_inline
def copy_row(state: Any, row: Any, count: Any) -> None:
    """Copy a row, which starts at a word, to the scratch row."""
    for index in range(count):
        put(state, SCRATCH_ROW + index, board_at(state, row, index))


@force_inline
def eats(state: Any, seat: Any, board: Any) -> Any:
    """Return 1 if a board of a seat can eat, 0 for a carnivore without prey."""
    return _has_prey(state, seat, board) if board & HUNTS else 1


@jit
def _has_prey(state: Any, seat: Any, hunter: Any) -> Any:
    players = get(state, PLAYERS)
    other = seat_after(seat, players)
    while other != seat and not prey_of(state, hunter, seat_base(other)):
        other = seat_after(other, players)
    return int(other != seat)


@force_inline
def eaters_of(state: Any, seat: Any, row: Any, count: Any) -> Any:
    """Return the set of the boards of a row that can eat."""
    eaters = 0
    for index in range(count):
        eaters |= eats(state, seat, board_at(state, row, index)) << index
    return eaters


@force_inline
def reveal(state: Any, count: Any, hole: Any) -> Any:
    """Apply the traits that act at the reveal.  Return the food left at the watering hole."""
    traits = 0
    for index in range(count):
        board = get(state, SCRATCH_ROW + index)
        traits |= board
        born = min(popcount(board & GROWS), MOST_POPULATION - population(board))
        put(state, SCRATCH_ROW + index, board + (born << POPULATION))
    if traits & (FEEDS_AT_REVEAL | BURNS_FAT):
        for bit in REVEAL_FEEDINGS:
            for index in range(count):
                if get(state, SCRATCH_ROW + index) & bit:
                    hole = eat(state, count, index, hole)
        for index in range(count):
            board = get(state, SCRATCH_ROW + index)
            if board & BURNS_FAT:
                put(state, SCRATCH_ROW + index, board + min(fat(board), population(board) - food(board)) * ONE_FOOD)
    return hole


@force_inline
def eat(state: Any, count: Any, index: Any, hole: Any) -> Any:
    """Feed a board, and its right neighbours through cooperation.  Return the food left at the watering hole."""
    feedings = 1
    while feedings and index < count:
        board = get(state, SCRATCH_ROW + index)
        meals = min(min(feedings * (1 + extra_bites(board)), population(board) - food(board)), hole)
        put(state, SCRATCH_ROW + index, board + meals * ONE_FOOD)
        hole -= meals
        feedings = meals if board & FEEDS_RIGHT else 0
        index += 1
    return hole


@force_inline
def attack(state: Any, count: Any, index: Any, wounding: Any, hole: Any) -> Any:
    """Apply an attack on prey with these wounding traits.  Return the food left at the watering hole."""
    hunter = get(state, SCRATCH_ROW + index)
    for _ in range(min(wounds(wounding), population(hunter))):
        hunter -= ONE_ANIMAL
        if food(hunter) > population(hunter):
            hunter -= ONE_FOOD
    put(state, SCRATCH_ROW + index, hunter)
    if population(hunter):
        hole = eat(state, count, index, hole)
        for other in range(count):
            if get(state, SCRATCH_ROW + other) & EATS_AFTER_ATTACK:
                hole = eat(state, count, other, hole)
    return hole


@jit
def eat_rest(state: Any, count: Any, eaters: Any, hole: Any, appetite: Any) -> None:
    """Play the rest of the feeding rounds.

    The board that has eaten least eats; then each other player takes a token, up to their common `appetite`.
    """
    others = get(state, PLAYERS) - 1
    least = 0
    ready = 0
    while hole > 0:
        if not ready:
            least, ready = _hungriest(state, count, eaters)
            if not ready:
                return
        index = trailing_zeros(ready)
        ready &= ready - 1
        board = get(state, SCRATCH_ROW + index)
        # Cooperation may have fed it in the meantime.
        if food(board) == least and is_hungry(board):
            hole = eat(state, count, index, hole)
            taken = min(others, appetite)
            appetite -= taken
            hole -= taken


@force_inline
def _hungriest(state: Any, count: Any, eaters: Any) -> Any:
    """Return the least food of a hungry eater, and the set of the eaters with no more food."""
    least = MOST_POPULATION
    hungriest = 0
    for index in range(count):
        board = get(state, SCRATCH_ROW + index)
        eaten = food(board) if is_hungry(board) and eaters >> index & 1 else MOST_POPULATION
        hungriest = hungriest if eaten >= least else 0
        hungriest |= int(eaten <= least) << index
        least = min(least, eaten)
    return least, hungriest if least < MOST_POPULATION else 0


# ── the worth of a row ────────────────────────────────────────────────────────────────────


@force_inline
def fed_and_sated(state: Any, count: Any) -> Any:
    """Return two sets of boards: those that have eaten, and those that are full."""
    fed = 0
    sated = 0
    for index in range(count):
        board = get(state, SCRATCH_ROW + index)
        fed |= int(food(board) > 0) << index
        sated |= int(not is_hungry(board)) << index
    return fed, sated


@jit
def row_worth(state: Any, seat: Any, outlook: Any, count: Any) -> Any:
    """Return the worth of the scratch row if it eats no more this turn."""
    last = outlook & LAST
    token, living, lost = weights.POINT + weights.ANIMAL, weights.BOARD, weights.LOST_BOARD
    if last:
        counts_boards = get(state, SCORES_BOARDS)
        token = weights.POINT if counts_boards else 2 * weights.POINT
        living, lost = weights.POINT if counts_boards else 0, 0
    worth = 0
    for index in range(count):
        board = get(state, SCRATCH_ROW + index)
        starved = lost if population(board) else 0
        worth += food(board) * token
        worth += living + trait_worth(board & TRAIT_BITS, last) if food(board) else starved
        if board & TWIN_BITS and food(board):
            worth += repeats(board) * trait_worth(repeated_trait(board), last)
    if outlook & FEARED:
        worth -= weights.DANGER * _number_in_danger(state, seat, count)
    return worth


@jit
def _number_in_danger(state: Any, seat: Any, count: Any) -> Any:
    """Return how many surviving boards a carnivore of another player could attack."""
    found = 0
    left = 0
    for index in range(count):
        board = get(state, SCRATCH_ROW + index)
        right = get(state, SCRATCH_ROW + index + 1) if index + 1 < count else 0
        if food(board):
            found += _is_in_danger(state, seat, board, left, right)
        left = board
    return found


_SOME_USE: Final = tuple(sum(bit_of(trait) for trait in Trait if weights.USE[trait] & value) for value in (1, 2, 4))
assert all(0 <= weights.USE[trait] < 8 for trait in Trait), "a use has three binary digits"
"""Three sets of traits: those with the binary digit 1, 2 and 4 in their use."""


@force_inline
def use_of(traits: Any) -> Any:
    """Return the use of a set of traits in the coming turns."""
    return popcount(traits & _SOME_USE[0]) + 2 * popcount(traits & _SOME_USE[1]) + 4 * popcount(traits & _SOME_USE[2])


@force_inline
def trait_worth(traits: Any, last: Any) -> Any:
    """Return the worth of a set of traits on a surviving board."""
    if last:
        return popcount(traits) * weights.POINT
    return popcount(traits) * weights.TRAIT + use_of(traits)


@force_inline
def _is_in_danger(state: Any, seat: Any, board: Any, left: Any, right: Any) -> Any:
    """Return 1 if a carnivore of another player could attack the board, otherwise 0."""
    if not (board & SHIELDS or (left | right) & CALLS):
        return 1
    for other in range(get(state, PLAYERS)):
        if other != seat:
            base = seat_base(other)
            for index in range(get(state, base + COUNT)):
                hunter = board_at(state, base, index)
                if hunter & HUNTS and not shields(state, board, left, right, hunter):
                    return 1
    return 0
