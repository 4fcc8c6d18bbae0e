"""The silly player: each single decision, and complete declarations and feedings."""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.evolution.compiled.layout import (
    ATTACK,
    BODY,
    BUY_BOARD,
    COUNT,
    DECISIONS,
    DONE,
    EAT,
    FILLED,
    FIRST_HALF,
    FOOD_CARD,
    GROW_BODY,
    GROW_POPULATION,
    HALF,
    HAND,
    KEPT,
    LAST_OF_EQUALS,
    LAY_TRAIT,
    MOST_BOARDS,
    ON_BOARD,
    ONE_ANIMAL,
    PER_BOARD,
    PLAN,
    PLANNED,
    PLAYERS,
    REPLACE_TRAIT,
    REPLACED,
    SHOWN,
    SLOTS,
    UNASKED,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    body,
    fat_room,
    population,
    seat_after,
    seat_base,
    shields,
)
from wateringhole.games.evolution.compiled.rules.cards import hand_of, lowest, put_cards, trait_bit_of, without_lowest
from wateringhole.games.evolution.compiled.rules.declaring import is_finished, overflow, way_out
from wateringhole.games.evolution.compiled.rules.feeding import (
    appetites,
    carry_out,
    count_attacks,
    mark_idle,
    most_storable,
    storing,
)
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, popcount, put, trailing_zeros

__all__ = [
    "FEWEST_CARDS",
    "silly_declares",
    "silly_feeding",
    "silly_feeds",
    "silly_step",
]

FEWEST_CARDS: Final = 4
"""With fewer cards it gives one to the watering hole and buys nothing."""


# ── cards ─────────────────────────────────────────────────────────────────────────────────


@force_inline
def silly_step(state: Any, base: Any) -> Any:
    """Return its next step, and above the first half the card, always the lowest left.

    The step depends only on the draft, so that it can continue a draft that another player began: it keeps
    what is there, and adds what is missing of its own plan.
    """
    if not is_finished(state, base):
        return way_out(state, base)
    low, high = hand_of(state, base)
    if low | high == 0 or get(state, base + SHOWN) < FEWEST_CARDS:
        return DONE
    owned = get(state, base + COUNT)
    step = BUY_BOARD
    if get(state, base + PLANNED) > owned:
        bought = ON_BOARD + PER_BOARD * owned
        board = board_at(state, base + PLAN, owned)
        filled = get(state, SLOTS + owned) >> FILLED
        if filled == 0:
            step = bought + LAY_TRAIT
        elif population(board) == 1:
            step = bought + GROW_POPULATION
        elif body(board) == 0:
            step = bought + GROW_BODY
        elif filled == 1 and get(state, REPLACED + owned) == 0:
            step = bought + REPLACE_TRAIT
        else:
            return DONE
    return step | lowest(low, high) << HALF


@ir_inline
def silly_declares(state: Any, base: Any) -> None:
    """Make its complete declaration, without a draft."""
    low, high = hand_of(state, base)
    count = get(state, base + COUNT)
    put(state, base + FOOD_CARD, lowest(low, high))
    put(state, base + KEPT, count)
    low, high = without_lowest(low, high)
    if get(state, base + SHOWN) < FEWEST_CARDS:
        put_cards(state, base + HAND, low, high)
        put(state, base + PLANNED, count)
        put(state, DECISIONS, get(state, DECISIONS) + 2)
        return
    low, high = without_lowest(low, high)  # the payment
    laid = trait_bit_of(lowest(low, high))
    low, high = without_lowest(low, high)
    low, high = without_lowest(low, high)  # the population
    grows = int(low | high != 0)
    low, high = without_lowest(low, high)
    instead = trait_bit_of(lowest(low, high))
    low, high = without_lowest(low, high)
    put_cards(state, base + HAND, low, high)
    steps = 5 + grows + int(instead != 0)
    put(state, DECISIONS, get(state, DECISIONS) + steps)
    if count == MOST_BOARDS:
        overflow(state)
        return
    put(state, base + PLAN + count, 2 * ONE_ANIMAL + (grows << BODY) | (instead if instead else laid))
    put(state, base + PLANNED, count + 1)


# ── feeding ───────────────────────────────────────────────────────────────────────────────


@force_inline
def _size_key(board: Any, index: Any) -> Any:
    """Return a key for the size order, of equal boards the left one first; it is never 0 for a living board."""
    return board >> BODY << 5 | (MOST_BOARDS - 1 - index)


@force_inline
def _index_of(key: Any) -> Any:
    return MOST_BOARDS - 1 - (key & (MOST_BOARDS - 1))


@force_inline
def _largest(state: Any, base: Any, boards: Any) -> Any:
    """Return the first board of a non-empty set in the size order."""
    best = 0
    while boards:
        index = trailing_zeros(boards)
        boards &= boards - 1
        best = max(best, _size_key(board_at(state, base, index), index))
    return _index_of(best)


@force_inline
def _most_room(state: Any, base: Any, stores: Any) -> Any:
    """Return the board with the most room for fat; of equal ones the first in the size order."""
    best = 0
    while stores:
        index = trailing_zeros(stores)
        stores &= stores - 1
        board = board_at(state, base, index)
        best = max(best, fat_room(board) << 14 | _size_key(board, index))
    return _index_of(best)


@jit
def _best_target(state: Any, seat: Any, attacker: Any) -> Any:
    """Return the action of attacking the largest legal target, with a 1 above the first half, or 0 if there is none.

    Of equal boards, take that of the earlier player in turn order, and of one player the left one, or the right
    one under `silly_target_tie=last`.
    """
    players = get(state, PLAYERS)
    last = get(state, LAST_OF_EQUALS)
    best = 0
    found = 0
    other = seat_after(seat, players)
    while other != seat:
        base = seat_base(other)
        count = get(state, base + COUNT)
        left = 0
        earlier = best
        for index in range(count):
            board = board_at(state, base, index)
            if board >> BODY > best or (last and board >> BODY == best > earlier):
                right = board_at(state, base, index + 1) if index + 1 < count else 0
                if shields(state, board, left, right, attacker) == 0:
                    best = board >> BODY
                    found = 1 << HALF | other * MOST_BOARDS + index
            left = board
        other = seat_after(other, players)
    return found


@jit
def _silly_attack(state: Any, seat: Any, hunters: Any) -> Any:
    """Return an attack of the largest carnivore that has a target on the largest target, or 0 if there is none."""
    base = seat_base(seat)
    while hunters:
        index = _largest(state, base, hunters)
        target = _best_target(state, seat, board_at(state, base, index))
        if target:
            return ATTACK + index | (target & FIRST_HALF) << HALF
        hunters &= ~(1 << index)
    return 0


@force_inline
def silly_feeding(state: Any, seat: Any, eaters: Any, stores: Any, hunters: Any) -> Any:
    """Return its feeding, whether it is asked or not, or 0 if it has nothing to feed."""
    base = seat_base(seat)
    if stores:
        index = _most_room(state, base, stores)
        return storing(index, most_storable(state, base, index))
    if eaters:
        return EAT + _largest(state, base, eaters)
    return _silly_attack(state, seat, hunters) if hunters else 0


@ir_inline
def silly_feeds(state: Any, seat: Any) -> None:
    """Carry out its next feeding; asked or not, it is the same."""
    eaters, stores, hunters = appetites(state, seat_base(seat))
    answer = silly_feeding(state, seat, eaters, stores, hunters)
    if not answer:
        mark_idle(state, seat)
        return
    options = popcount(eaters) + popcount(stores)
    if options < 2 and hunters:
        options += count_attacks(state, seat, hunters, 2 - options)
    put(state, DECISIONS, get(state, DECISIONS) + int(options > get(state, UNASKED)))
    carry_out(state, seat, answer)
