"""The possible feedings of a player, and carrying them out.

Sets of boards of a row are bits, the leftmost board the lowest bit.
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
from wateringhole.games.evolution.compiled.rules.state import attack, feed, store_fat
from wateringhole.games.evolution.compiled.rules.traits import HUNTS
from wateringhole.sim.kernel import force_inline, get, jit, popcount, put, trailing_zeros

__all__ = [
    "appetites",
    "attack_number",
    "carry_out",
    "count_attacks",
    "feed_unasked",
    "mark_idle",
    "most_storable",
    "prey_of",
    "storing",
]


@force_inline
def appetites(state: Any, base: Any) -> Any:
    """Return three sets of boards: hungry vegetarians, boards with room for fat, hungry carnivores."""
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
    """Return the set of the boards of a row that an attacker may attack."""
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
    """Return the number of legal attacks of a set of carnivores.  Stop counting when there are enough."""
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
    """Return the attack with this number in the list of attacks: the carnivore's action, and above it the target."""
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
    """Return how many tokens a board can store: its room, limited by the watering hole."""
    return min(fat_room(board_at(state, base, index)), get(state, HOLE))


@force_inline
def storing(index: Any, tokens: Any) -> Any:
    """Return the action of storing tokens on a board."""
    return STORE + MOST_FAT * index + tokens - 1


@force_inline
def carry_out(state: Any, seat: Any, answer: Any) -> None:
    """Carry out a legal feeding, with the target of an attack above the first half."""
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
    # After an attack, players who had nothing to feed may have a feeding again.
    # A player that skipped is asked again after every feeding.
    if skipping or ATTACK <= action < STORE:
        put(state, AWAKE, get(state, FEEDS))


@force_inline
def mark_idle(state: Any, seat: Any) -> None:
    """Note that a player has nothing to feed now."""
    put(state, AWAKE, get(state, AWAKE) & ~(1 << seat))
    put(state, FEEDS, get(state, FEEDS) & ~(get(state, IDLE_LEAVE) << seat))


@jit
def feed_unasked(state: Any, seat: Any) -> Any:
    """Return whether the player must be asked.  Otherwise carry out its only feeding, if it has one."""
    base = seat_base(seat)
    eaters, stores, hunters = appetites(state, base)
    options = popcount(eaters) + popcount(stores)
    if options < 2 and hunters:
        options += count_attacks(state, seat, hunters, 2 - options)
    if options > get(state, UNASKED):
        return True
    if options == 0:
        mark_idle(state, seat)
        return False
    # Carnivores without prey have no options, so they must not be selected here.
    index = trailing_zeros(eaters | stores)
    if eaters:
        answer = EAT + index
    elif stores:
        answer = storing(index, most_storable(state, base, index))
    else:
        answer = attack_number(state, seat, hunters, 0)
    carry_out(state, seat, answer)
    return False
