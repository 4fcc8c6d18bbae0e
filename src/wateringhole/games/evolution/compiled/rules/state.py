"""Operations that move tokens, animals and cards, like the referee's game state, on words."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    BAG,
    COUNT,
    END,
    FAT,
    FIRST,
    FOOD,
    FOOD_CARD,
    FRONT,
    FULL_ATTACKERS_COUNT,
    HAND,
    HOLE,
    KEPT,
    NEW_BOARD,
    ONE_ANIMAL,
    ONE_FAT,
    ONE_FOOD,
    PLAN,
    PLANNED,
    PLAYERS,
    POPULATION,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    fat,
    food,
    is_hungry,
    population,
    put_board,
    seat_after,
    seat_base,
)
from wateringhole.games.evolution.compiled.rules.cards import deck_card, hand_of, points_of, put_cards, with_card
from wateringhole.games.evolution.compiled.rules.traits import (
    BITES_MORE,
    BURNS_FAT,
    EATS_AFTER_ATTACK,
    FEEDS_AT_REVEAL,
    FEEDS_RIGHT,
    GROWS,
    MOST_BITES,
    REVEAL_FEEDINGS,
    WOUNDS,
    extra_bites,
    wounds,
)
from wateringhole.games.evolution.rules.options import COMPENSATION, MOST_POPULATION
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, popcount, put, trailing_zeros

__all__ = [
    "attack",
    "draw",
    "feed",
    "feed_on",
    "give_board",
    "lose_animal",
    "react_to_food",
    "reveal_plan",
    "starve_and_bag",
    "store_fat",
]

# ── cards ─────────────────────────────────────────────────────────────────────────────────


@force_inline
def draw(state: Any, base: Any, wanted: Any) -> None:
    """Deal up to `wanted` cards to a hand.

    Nearly all draws are of two or four cards, so the code always reads four; cards that are not wanted,
    or are past the end of the deck, add nothing.
    """
    front = get(state, FRONT)
    stop = min(front + wanted, get(state, END))
    low, high = hand_of(state, base)
    for place in range(front, front + 4):
        low, high = with_card(low, high, deck_card(state, place), int(place < stop))
    for place in range(front + 4, stop):
        low, high = with_card(low, high, deck_card(state, place), 1)
    put(state, FRONT, stop)
    put_cards(state, base + HAND, low, high)


@ir_inline
def reveal_plan(state: Any, base: Any) -> Any:
    """Apply the declaration of a seat, and return the points of its food card."""
    planned = get(state, base + PLANNED)
    for index in range(get(state, base + KEPT), planned):
        put_board(state, base, index, board_at(state, base + PLAN, index))
    put(state, base + COUNT, planned)
    return points_of(get(state, base + FOOD_CARD))


# ── eating ────────────────────────────────────────────────────────────────────────────────


if MOST_BITES > 3:
    raise ValueError(f"a board takes up to {MOST_BITES} tokens at a feeding; the compiled game supports 3")


@jit
def feed_on(state: Any, base: Any, index: Any) -> None:
    """Feed a board: foraging first, then cooperation to the right."""
    hole = get(state, HOLE)
    count = get(state, base + COUNT)
    level = 0
    owed = 1  # feedings still to come, two bits for each board from this one on
    while hole > 0:
        if not owed >> 2 * level & 3:
            if level == 0:
                break
            level -= 1
            continue
        owed -= 1 << 2 * level
        board = board_at(state, base, index + level)
        if not is_hungry(board):
            continue
        meals = min(min(1 + extra_bites(board), population(board) - food(board)), hole)
        hole -= meals
        put_board(state, base, index + level, board + (meals << FOOD))
        if board & FEEDS_RIGHT and index + level + 1 < count:
            level += 1
            owed |= meals << 2 * level
    put(state, HOLE, hole)


@force_inline
def feed(state: Any, base: Any, index: Any) -> None:
    """Feed a board, with a short path for the many boards that eat only one token."""
    board = board_at(state, base, index)
    if board & (BITES_MORE | FEEDS_RIGHT):
        feed_on(state, base, index)
    else:
        hole = get(state, HOLE)
        eats = int(is_hungry(board)) & int(hole > 0)
        put_board(state, base, index, board + (eats << FOOD))
        put(state, HOLE, hole - eats)


@force_inline
def store_fat(state: Any, base: Any, index: Any, tokens: Any) -> None:
    """Store fat, which is not eating.  The watering hole must have enough tokens."""
    put(state, HOLE, get(state, HOLE) - tokens)
    put_board(state, base, index, board_at(state, base, index) + (tokens << FAT))


# ── hunting ───────────────────────────────────────────────────────────────────────────────


@jit
def lose_animal(state: Any, base: Any, index: Any) -> Any:
    """Remove an animal.  Return whether the species died out, for which its owner draws two cards."""
    board = board_at(state, base, index) - ONE_ANIMAL
    if food(board) > population(board):
        board -= ONE_FOOD
    if population(board) > 0:
        put_board(state, base, index, board)
        return False
    count = get(state, base + COUNT) - 1
    for place in range(index, count):
        put_board(state, base, place, board_at(state, base, place + 1))
    put(state, base + COUNT, count)
    draw(state, base, COMPENSATION)
    return True


@jit
def attack(state: Any, seat: Any, index: Any, prey_seat: Any, target: Any) -> None:
    """Carry out a legal attack with all its consequences."""
    hunter, prey = seat_base(seat), seat_base(prey_seat)
    wounding = board_at(state, prey, target) & WOUNDS
    lose_animal(state, prey, target)
    for _ in range(wounds(wounding)):
        if lose_animal(state, hunter, index):
            return
    if not (get(state, FULL_ATTACKERS_COUNT) or is_hungry(board_at(state, hunter, index))):
        return
    feed(state, hunter, index)
    players = get(state, PLAYERS)
    for _ in range(players):  # scavengers, from the attacker's owner on
        base = seat_base(seat)
        for other in range(get(state, base + COUNT)):
            if board_at(state, base, other) & EATS_AFTER_ATTACK:
                feed_on(state, base, other)
        seat = seat_after(seat, players)


# ── traits that act when the food is revealed ─────────────────────────────────────────────


@jit
def _feed_at_reveal(state: Any, seats: Any) -> None:
    """Feed the boards of some seats, trait by trait, in turn order."""
    players = get(state, PLAYERS)
    for bit in REVEAL_FEEDINGS:
        seat = get(state, FIRST)
        for _ in range(players):
            if seats >> seat & 1:
                base = seat_base(seat)
                for index in range(get(state, base + COUNT)):
                    if board_at(state, base, index) & bit:
                        feed_on(state, base, index)
            seat = seat_after(seat, players)


@jit
def _burn_fat(state: Any, seats: Any) -> None:
    while seats:
        base = seat_base(trailing_zeros(seats))
        seats &= seats - 1
        for index in range(get(state, base + COUNT)):
            board = board_at(state, base, index)
            if board & BURNS_FAT:
                tokens = min(fat(board), population(board) - food(board))
                put_board(state, base, index, board + tokens * (ONE_FOOD - ONE_FAT))


@ir_inline
def react_to_food(state: Any) -> None:
    """Apply the traits that let boards grow, then those that feed them, then those that burn fat."""
    fed = 0
    burning = 0
    for seat in range(get(state, PLAYERS)):
        base = seat_base(seat)
        traits = 0
        for index in range(get(state, base + COUNT)):
            board = board_at(state, base, index)
            traits |= board
            born = min(popcount(board & GROWS), MOST_POPULATION - population(board))
            put_board(state, base, index, board + (born << POPULATION))
        fed |= int(traits & FEEDS_AT_REVEAL != 0) << seat
        burning |= int(traits & BURNS_FAT != 0) << seat
    if fed:
        _feed_at_reveal(state, fed)
    if burning:
        _burn_fat(state, burning)


# ── the start and end of a turn ───────────────────────────────────────────────────────────


@force_inline
def give_board(state: Any, base: Any) -> None:
    """Give a board to a player without boards."""
    if get(state, base + COUNT) == 0:
        put_board(state, base, 0, NEW_BOARD)
        put(state, base + COUNT, 1)


@ir_inline
def starve_and_bag(state: Any, base: Any) -> None:
    """Remove the animals that did not eat, and put the food into the bag; fat stays."""
    count = get(state, base + COUNT)
    alive = 0
    bag = get(state, base + BAG)
    for index in range(count):
        board = board_at(state, base, index)
        eaten = food(board)
        put_board(state, base, alive, board & (ONE_FOOD - 1) | eaten << POPULATION)
        alive += int(eaten > 0)
        bag += eaten
    put(state, base + BAG, bag)
    put(state, base + COUNT, alive)
    draw(state, base, COMPENSATION * (count - alive))
