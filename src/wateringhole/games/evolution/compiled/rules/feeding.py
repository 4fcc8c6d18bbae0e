"""What a player could feed, and carrying it out.

Boards of a row are told as sets of bits, the leftmost board the lowest bit.
"""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    ATTACK,
    AWAKE,
    COUNT,
    DECLINE,
    EAT,
    FALSE_REPLY,
    FEEDS,
    FIRST_HALF,
    HALF,
    HOLE,
    IDLE_LEAVE,
    MOST_BOARDS,
    MOST_FAT,
    PLAYERS,
    SKIPS,
    STORE,
    UNASKED,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    fat_room,
    is_hungry,
    seat_after,
    seat_base,
    shields,
)
from wateringhole.games.evolution.compiled.rules.table import attack, feed, store_fat
from wateringhole.games.evolution.compiled.rules.traits import HUNTS
from wateringhole.sim.kernel import force_inline, get, jit, popcount, put, trailing_zeros

__all__ = [
    "appetites",
    "attack_number",
    "carry_out",
    "count_attacks",
    "feed_unasked",
    "most_storable",
    "prey_of",
    "rest",
    "storing",
]


@force_inline
def appetites(state: Any, base: Any) -> Any:
    """Three sets of boards: hungry vegetarians, stores with room, hungry carnivores."""
    eaters = 0
    stores = 0
    hunters = 0
    for index in range(get(state, base + COUNT)):
        board = board_at(state, base, index)
        wants = int(is_hungry(board))
        hunts = wants & int(board & HUNTS != 0)
        eaters |= (wants ^ hunts) << index
        stores |= int(fat_room(board) > 0) << index
        hunters |= hunts << index
    return eaters, stores, hunters


@force_inline
def prey_of(state: Any, attacker: Any, base: Any) -> Any:
    """The boards of a row that an attacker may attack."""
    count = get(state, base + COUNT)
    prey = 0
    left = 0
    for index in range(count):
        board = board_at(state, base, index)
        right = board_at(state, base, index + 1) if index + 1 < count else 0
        prey |= int(shields(state, board, left, right, attacker) == 0) << index
        left = board
    return prey


@jit
def count_attacks(state: Any, seat: Any, hunters: Any, enough: Any) -> Any:
    """How many attacks are open to these carnivores; when there are enough, it counts no further."""
    players = get(state, PLAYERS)
    base = seat_base(seat)
    found = 0
    while hunters and found < enough:
        attacker = board_at(state, base, trailing_zeros(hunters))
        hunters &= hunters - 1
        other = seat_after(seat, players)
        while other != seat and found < enough:
            found += popcount(prey_of(state, attacker, seat_base(other)))
            other = seat_after(other, players)
    return found


@jit
def attack_number(state: Any, seat: Any, hunters: Any, number: Any) -> Any:
    """The attack with so many listed before it: the carnivore's choice, and above it the target's."""
    players = get(state, PLAYERS)
    base = seat_base(seat)
    while hunters:
        index = trailing_zeros(hunters)
        hunters &= hunters - 1
        other = seat_after(seat, players)
        while other != seat:
            prey = prey_of(state, board_at(state, base, index), seat_base(other))
            there = popcount(prey)
            if number < there:
                for _ in range(number):
                    prey &= prey - 1
                return ATTACK + index | (other * MOST_BOARDS + trailing_zeros(prey)) << HALF
            number -= there
            other = seat_after(other, players)
    return DECLINE


@force_inline
def most_storable(state: Any, base: Any, index: Any) -> Any:
    """How many tokens there are for a board and room for."""
    return min(fat_room(board_at(state, base, index)), get(state, HOLE))


@force_inline
def storing(index: Any, tokens: Any) -> Any:
    """The choice of storing so many tokens on a board."""
    return STORE + MOST_FAT * index + tokens - 1


@force_inline
def carry_out(state: Any, seat: Any, answer: Any) -> None:
    """Take a legal answer: a choice, and above the first half the target of an attack."""
    action = answer & FIRST_HALF
    base = seat_base(seat)
    skipping = get(state, FALSE_REPLY) == SKIPS
    if action == DECLINE:
        put(state, FEEDS, get(state, FEEDS) & ~(int(not skipping) << seat))
        put(state, AWAKE, get(state, AWAKE) & ~(1 << seat))
        return
    if action < ATTACK:
        feed(state, base, action - EAT)
    elif action < STORE:
        target = answer >> HALF
        attack(state, seat, action - ATTACK, target // MOST_BOARDS, target % MOST_BOARDS)
    else:
        store_fat(state, base, (action - STORE) // MOST_FAT, (action - STORE) % MOST_FAT + 1)
    # What an attack leaves behind may open something for those who had nothing to feed.
    # A player that skipped is asked again after every feeding.
    if skipping or ATTACK <= action < STORE:
        put(state, AWAKE, get(state, FEEDS))


@force_inline
def rest(state: Any, seat: Any) -> None:
    """A player has nothing to feed now."""
    put(state, AWAKE, get(state, AWAKE) & ~(1 << seat))
    put(state, FEEDS, get(state, FEEDS) & ~(get(state, IDLE_LEAVE) << seat))


@jit
def feed_unasked(state: Any, seat: Any) -> Any:
    """Whether the player must be asked; what it has no choice in is done."""
    base = seat_base(seat)
    eaters, stores, hunters = appetites(state, base)
    options = popcount(eaters) + popcount(stores)
    if options < 2 and hunters:
        options += count_attacks(state, seat, hunters, 2 - options)
    if options > get(state, UNASKED):
        return True
    if options == 0:
        rest(state, seat)
        return False
    # Carnivores without prey have nothing to choose, so they must not be found here.
    index = trailing_zeros(eaters | stores)
    if eaters:
        answer = EAT + index
    elif stores:
        answer = storing(index, most_storable(state, base, index))
    else:
        answer = attack_number(state, seat, hunters, 0)
    carry_out(state, seat, answer)
    return False
