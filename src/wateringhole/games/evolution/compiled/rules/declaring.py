"""Drafts of declarations on words, with the rules of the referee's draft.

In addition to its word in the plan, each board of a draft has the words `LAID`, `REPLACED` and

| Word | Bits | Holds |
|---|---|---|
| `SLOTS` | `SLOT` times 3 | the traits in its three slots now |
| | the same from `AS_BOUGHT` | the traits as they were bought, or owned before |
| | 2 from `FILLED` | how many slots are filled |

because a replacement is checked against the board as it was bought, and a purchase against the
earlier replacements.
"""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    AS_BOUGHT,
    ASKED,
    BUY_BOARD,
    COUNT,
    DECISIONS,
    EQUALS,
    FAT,
    FAT_IS_LOST,
    FILLED,
    FOOD_CARD,
    GIVE_FOOD,
    GROW_BODY,
    GROW_POPULATION,
    HALF,
    HAND,
    KEPT,
    LAID,
    LAY_TRAIT,
    MOST_BOARDS,
    MOST_LAID,
    NEW_BOARD,
    NEW_BODY_LIMIT,
    NO_CARD,
    ON_BOARD,
    ONE_ANIMAL,
    ONE_BODY,
    OVER,
    OVERFLOWED,
    PER_BOARD,
    PHASE,
    PLAN,
    PLANNED,
    REPLACE_TRAIT,
    REPLACED,
    RESTART,
    SLOT,
    SLOT_BITS,
    SLOTS,
    TRAIT_BITS,
    TRAITS_DIFFER,
    TRAITS_LAID,
    TWIN_BITS,
    TWINS,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    body,
    fat,
    population,
    put_board,
    repeated_trait,
    repeats,
    seat_base,
)
from wateringhole.games.evolution.compiled.rules.cards import (
    get_cards,
    hand_of,
    lowest,
    put_cards,
    trait_bit_of,
    without,
    without_lowest,
)
from wateringhole.games.evolution.compiled.rules.traits import BURNS_FAT
from wateringhole.games.evolution.rules.options import MOST_BODY, MOST_POPULATION, MOST_TRAITS
from wateringhole.sim.kernel import force_inline, get, jit, popcount, put, trailing_zeros

__all__ = [
    "begin_draft",
    "forbidden_traits",
    "is_finished",
    "overflow",
    "restart_draft",
    "take_step",
    "way_out",
]


@jit
def begin_draft(state: Any, seat: Any) -> None:
    """Start a draft of a player with its hand and row."""
    base = seat_base(seat)
    low, high = hand_of(state, base)
    put_cards(state, ASKED, low, high)
    _start_over(state, base)


@jit
def restart_draft(state: Any, seat: Any) -> None:
    """Take back all steps."""
    base = seat_base(seat)
    low, high = get_cards(state, ASKED)
    put_cards(state, base + HAND, low, high)
    _start_over(state, base)


@force_inline
def _start_over(state: Any, base: Any) -> None:
    put(state, base + FOOD_CARD, NO_CARD)
    put(state, base + KEPT, 0)
    put(state, EQUALS, 0)
    put(state, TRAITS_LAID, 0)
    owned = get(state, base + COUNT)
    put(state, base + PLANNED, owned)
    for index in range(owned):
        board = board_at(state, base, index)
        put_board(state, base + PLAN, index, board)
        put(state, LAID + index, board & TRAIT_BITS)
        put(state, REPLACED + index, 0)
        traits = board & TRAIT_BITS
        slots = 0
        filled = 0
        while traits:
            slots |= trailing_zeros(traits) << SLOT * filled
            filled += 1
            traits &= traits - 1
        if board & TWIN_BITS:
            for _ in range(repeats(board)):
                slots |= trailing_zeros(repeated_trait(board)) << SLOT * filled
                filled += 1
        put(state, SLOTS + index, slots | slots << AS_BOUGHT | filled << FILLED)


@force_inline
def forbidden_traits(state: Any, base: Any, step: Any) -> Any:
    """Return the traits that a card for this step must not have; all of them if the step is illegal."""
    if step < ON_BOARD:
        if step == BUY_BOARD or (step == GIVE_FOOD and get(state, base + FOOD_CARD) == NO_CARD):
            return 0
        return TRAIT_BITS
    index = (step - ON_BOARD) // PER_BOARD
    operation = (step - ON_BOARD) % PER_BOARD
    if index >= get(state, base + PLANNED):
        return TRAIT_BITS
    if operation >= LAY_TRAIT:
        if get(state, TRAITS_LAID) >= get(state, MOST_LAID):
            return TRAIT_BITS
        slots = get(state, SLOTS + index)
        laid = get(state, LAID + index)
        if operation == LAY_TRAIT:
            is_free = index >= get(state, base + COUNT) and slots >> FILLED < MOST_TRAITS
            return laid | get(state, REPLACED + index) if is_free else TRAIT_BITS
        slot = operation - REPLACE_TRAIT
        if slot >= slots >> FILLED:
            return TRAIT_BITS
        others = laid & ~(1 << (slots >> (AS_BOUGHT + SLOT * slot) & SLOT_BITS))
        return others | repeated_trait(board_at(state, base, index)) if index < get(state, base + COUNT) else others
    board = board_at(state, base + PLAN, index)
    if operation == GROW_POPULATION:
        return 0 if population(board) < MOST_POPULATION else TRAIT_BITS
    limit = MOST_BODY if index < get(state, base + COUNT) else get(state, NEW_BODY_LIMIT)
    return 0 if body(board) < limit else TRAIT_BITS


@force_inline
def is_finished(state: Any, base: Any) -> Any:
    """Return whether the draft can be declared as it is."""
    return get(state, base + FOOD_CARD) != NO_CARD and get(state, EQUALS) == 0


@jit
def way_out(state: Any, base: Any) -> Any:
    """Return a step, and above the first half its card, that repairs a draft of another player.

    Such a draft has no card for the watering hole, or equal traits on a board.  The lowest card that makes
    equal traits differ replaces one of them.  If there is none, cards are spent until the draft may restart.
    """
    low, high = hand_of(state, base)
    if low | high == 0:
        return RESTART
    card = lowest(low, high)
    if get(state, base + FOOD_CARD) == NO_CARD:
        return GIVE_FOOD | card << HALF
    index = trailing_zeros(get(state, EQUALS))
    traits = board_at(state, base + PLAN, index) & TRAIT_BITS
    filled = get(state, SLOTS + index) >> FILLED
    while low | high:
        bit = trait_bit_of(lowest(low, high))
        for slot in range(filled):
            step = ON_BOARD + PER_BOARD * index + REPLACE_TRAIT + slot
            if _is_repeated(state, index, slot) and not bit & (traits | forbidden_traits(state, base, step)):
                return step | lowest(low, high) << HALF
        low, high = without_lowest(low, high)
    return BUY_BOARD | card << HALF


@force_inline
def _is_repeated(state: Any, index: Any, slot: Any) -> Any:
    """Return whether the trait in a slot is also in another slot."""
    slots = get(state, SLOTS + index)
    times = 0
    for other in range(slots >> FILLED):
        times += int((slots >> SLOT * other & SLOT_BITS) == (slots >> SLOT * slot & SLOT_BITS))
    return times > 1


@force_inline
def take_step(state: Any, base: Any, step: Any, card: Any) -> None:
    """Take a legal step with a card of the hand."""
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    low, high = hand_of(state, base)
    low, high = without(low, high, card)
    put_cards(state, base + HAND, low, high)
    if step == GIVE_FOOD:
        put(state, base + FOOD_CARD, card)
    elif step == BUY_BOARD:
        _buy_board(state, base)
    else:
        index = (step - ON_BOARD) // PER_BOARD
        operation = (step - ON_BOARD) % PER_BOARD
        board = board_at(state, base + PLAN, index)
        if operation == GROW_POPULATION:
            board += ONE_ANIMAL
        elif operation == GROW_BODY:
            board += ONE_BODY
        elif operation == LAY_TRAIT:
            board = _lay_trait(state, index, board, trait_bit_of(card))
        else:
            board = _replace_trait(state, index, board, operation - REPLACE_TRAIT, trait_bit_of(card))
            if get(state, FAT_IS_LOST) and index < get(state, base + COUNT):
                board = _with_fat_of(board, board_at(state, base, index))
        put_board(state, base + PLAN, index, board)


@force_inline
def _buy_board(state: Any, base: Any) -> None:
    planned = get(state, base + PLANNED)
    if planned == MOST_BOARDS:
        overflow(state)
        return
    put_board(state, base + PLAN, planned, NEW_BOARD)
    put(state, SLOTS + planned, 0)
    put(state, LAID + planned, 0)
    put(state, REPLACED + planned, 0)
    put(state, base + PLANNED, planned + 1)


@force_inline
def overflow(state: Any) -> None:
    """End a game that reached a bound of the row, so that it does not count."""
    put(state, OVERFLOWED, 1)
    put(state, PHASE, OVER)


@force_inline
def _lay_trait(state: Any, index: Any, board: Any, bit: Any) -> Any:
    slots = get(state, SLOTS + index)
    filled = slots >> FILLED
    trait = trailing_zeros(bit)
    put(state, SLOTS + index, slots + (1 << FILLED) | trait << SLOT * filled | trait << (AS_BOUGHT + SLOT * filled))
    put(state, LAID + index, get(state, LAID + index) | bit)
    put(state, TRAITS_LAID, get(state, TRAITS_LAID) + 1)
    return _with_slots(board, get(state, SLOTS + index)) if board & TWIN_BITS else board | bit


@force_inline
def _replace_trait(state: Any, index: Any, board: Any, slot: Any, bit: Any) -> Any:
    slots = get(state, SLOTS + index)
    slots = slots & ~(SLOT_BITS << SLOT * slot) | trailing_zeros(bit) << SLOT * slot
    put(state, SLOTS + index, slots)
    put(state, REPLACED + index, get(state, REPLACED + index) | bit)
    put(state, TRAITS_LAID, get(state, TRAITS_LAID) + 1)
    board = _with_slots(board, slots)
    equals = get(state, EQUALS) & ~(1 << index)
    put(state, EQUALS, equals | 1 << index if board & TWIN_BITS and get(state, TRAITS_DIFFER) else equals)
    return board


@force_inline
def _with_slots(board: Any, slots: Any) -> Any:
    """Return a board with the traits in its slots."""
    traits = 0
    again = 0
    filled = slots >> FILLED
    for number in range(filled):
        bit = 1 << (slots >> SLOT * number & SLOT_BITS)
        again |= traits & bit
        traits |= bit
    different = popcount(traits)
    twins = filled - different
    if twins and different > 1:
        twins = 1 if again == traits & -traits else 2
    return board & ~(TRAIT_BITS | TWIN_BITS) | twins << TWINS | traits


@force_inline
def _with_fat_of(board: Any, before: Any) -> Any:
    """Return a board with the fat of the earlier board, unless it has lost the trait that stores fat."""
    kept = 0 if before & BURNS_FAT and not board & BURNS_FAT else fat(before)
    return board & ~(7 << FAT) | kept << FAT
