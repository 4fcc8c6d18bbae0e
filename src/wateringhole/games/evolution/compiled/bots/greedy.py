"""The greedy player, which looks one step ahead; `evolution.bots.greedy` explains its reasoning.

Most steps cannot change how its row eats, so their gain is computed without simulating the row again.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.games.evolution.bots import greedy as weights
from wateringhole.games.evolution.compiled.bots.foresight import (
    APPETITE,
    FEARED,
    LAST,
    attack,
    copy_row,
    eat,
    eat_rest,
    eaters_of,
    eats,
    fed_and_sated,
    outlook_of,
    reveal,
    row_worth,
    trait_worth,
    use_of,
)
from wateringhole.games.evolution.compiled.layout import (
    ATTACK,
    BUY_BOARD,
    CHEATS,
    COUNT,
    DECLINE,
    DONE,
    EAT,
    FALSE_REPLY,
    FOOD_CARD,
    GIVE_FOOD,
    GROW_BODY,
    GROW_POPULATION,
    HALF,
    HOLE,
    LAY_TRAIT,
    MOST_BOARDS,
    NEW_BOARD,
    NEW_BODY_LIMIT,
    NO_CARD,
    ON_BOARD,
    ONE_ANIMAL,
    ONE_BODY,
    PER_BOARD,
    PLAN,
    PLANNED,
    PLAYERS,
    RESTART,
    SCRATCH_ROW,
    TRAIT_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    body,
    number_of_traits,
    population,
    seat_after,
    seat_base,
)
from wateringhole.games.evolution.compiled.rules.cards import (
    cards_of,
    hand_of,
    lowest,
    points_of,
    trait_bit_of,
    traits_of,
    without_lowest,
)
from wateringhole.games.evolution.compiled.rules.declaring import forbidden_traits, is_finished, way_out
from wateringhole.games.evolution.compiled.rules.feeding import appetites, most_storable, prey_of, storing
from wateringhole.games.evolution.compiled.rules.traits import (
    BITES_MORE,
    FEEDS_AT_REVEAL,
    FEEDS_RIGHT,
    GROWS,
    HUNTS,
    WOUNDS,
)
from wateringhole.games.evolution.rules.options import COMPENSATION, MOST_BODY, MOST_POPULATION
from wateringhole.sim.kernel import force_inline, get, jit, put, trailing_zeros

__all__ = [
    "greedy_feeding",
    "greedy_step",
]

_NEVER: Final = -1_000_000

_GAIN: Final = 2 * HALF
"""The bit position of a gain, above both halves of an answer."""
_ANSWER: Final = (1 << _GAIN) - 1


@force_inline
def _better(best: Any, gain: Any, answer: Any) -> Any:
    """Return the better of the best answer so far and another, each with its gain above it."""
    return gain << _GAIN | answer if gain > best >> _GAIN else best


# ── card choices ──────────────────────────────────────────────────────────────────────────


@jit
def greedy_step(state: Any, seat: Any) -> Any:
    """Return its next step, and above the first half the card."""
    base = seat_base(seat)
    given = get(state, base + FOOD_CARD)
    low, high = hand_of(state, base)
    if low | high == 0:
        return DONE if is_finished(state, base) else RESTART
    if given == NO_CARD:
        return GIVE_FOOD | _best_food_card(state, base) << HALF
    if not is_finished(state, base):
        return way_out(state, base)
    hole = get(state, HOLE) + points_of(given) + weights.FOOD_OF_OTHERS * (get(state, PLAYERS) - 1)
    return _best_step(state, seat, max(0, hole))


@force_inline
def _best_food_card(state: Any, base: Any) -> Any:
    """Return the card with the most food, then the least useful trait, then the lowest rank."""
    low, high = hand_of(state, base)
    best = NO_CARD
    most = _NEVER
    while low | high:
        card = lowest(low, high)
        low, high = without_lowest(low, high)
        worth = 8 * points_of(card) - use_of(trait_bit_of(card))
        if worth > most:
            best, most = card, worth
    return best


@jit
def _best_step(state: Any, seat: Any, hole: Any) -> Any:
    """Return the step that gains most; of equal steps the first in the order population, traits, new board, bodies."""
    base = seat_base(seat)
    outlook = outlook_of(state, seat)
    feared = outlook & FEARED
    low, high = hand_of(state, base)
    owned, planned = get(state, base + COUNT), get(state, base + PLANNED)
    eaters = eaters_of(state, seat, base + PLAN, planned)
    copy_row(state, base + PLAN, planned)
    now = _worth_at_reveal(state, seat, outlook, hole, eaters, planned)
    fed, sated = fed_and_sated(state, planned)
    cheapest = _cheapest_card(state, base, outlook & LAST)
    # The worth that any step with this card must exceed.
    dear = now + _price(trait_bit_of(cheapest), outlook & LAST)
    best = DONE
    for index in range(planned):
        board = board_at(state, base + PLAN, index)
        # One more animal in a herd that stays hungry gets no food, but it may deter hunters, or hunt.
        if population(board) < MOST_POPULATION and (sated >> index & 1 or feared or board & HUNTS):
            worth = _worth_with(state, seat, outlook, hole, eaters, index, board + ONE_ANIMAL)
            best = _better(best, worth - dear, ON_BOARD + PER_BOARD * index + GROW_POPULATION | cheapest << HALF)
    held = traits_of(low, high) if owned < planned else 0
    for index in range(owned, planned):
        traits = held & ~forbidden_traits(state, base, ON_BOARD + PER_BOARD * index + LAY_TRAIT)
        lives, full = fed >> index & 1, sated >> index & 1
        best = _best_trait(state, seat, outlook, hole, eaters, now, index, traits, lives, full, best)
    worth = _worth_with(state, seat, outlook, hole, eaters, planned, NEW_BOARD)
    best = _better(best, worth - dear, BUY_BOARD | cheapest << HALF)
    for index in range(planned):
        board = board_at(state, base + PLAN, index)
        limit = MOST_BODY if index < owned else get(state, NEW_BODY_LIMIT)
        # The body matters only against hunters and for hunting.
        if body(board) < limit and (feared or board & HUNTS):
            worth = _worth_with(state, seat, outlook, hole, eaters, index, board + ONE_BODY)
            best = _better(best, worth - dear, ON_BOARD + PER_BOARD * index + GROW_BODY | cheapest << HALF)
    return best & _ANSWER


@jit
def _best_trait(
    state: Any,
    seat: Any,
    outlook: Any,
    hole: Any,
    eaters: Any,
    now: Any,
    index: Any,
    traits: Any,
    lives: Any,
    sated: Any,
    best: Any,
) -> Any:
    """Return laying the trait that gains most on a board just bought, or the best step so far if that is better.

    Of equal traits, take the one whose best card has the highest price, then the most food, then the highest
    rank.
    """
    base = seat_base(seat)
    last = outlook & LAST
    board = board_at(state, base + PLAN, index)
    tried = TRAIT_BITS
    if not (outlook & FEARED or board & HUNTS):
        tried = _feeding_traits(board, sated, index + 1 == get(state, base + PLANNED))
    most = best >> _GAIN
    dearest = 0
    while traits:
        bit = traits & -traits
        traits &= traits - 1
        gain = lives * trait_worth(bit, last)
        if bit & tried:
            gain = _worth_with(state, seat, outlook, hole, eaters, index, board | bit) - now
        gain -= _price(bit, last)
        if gain > most or (gain == most and dearest):
            smallest, key = _cards_of_trait(state, base, bit, last)
            if gain > most or key > dearest:
                step = ON_BOARD + PER_BOARD * index + LAY_TRAIT
                best, most, dearest = gain << _GAIN | step | smallest << HALF, gain, key
    return best


@force_inline
def _feeding_traits(board: Any, sated: Any, rightmost: Any) -> Any:
    """Return the traits that may change how a row eats if a board without fat gets them."""
    traits = HUNTS | FEEDS_AT_REVEAL
    traits |= GROWS if sated else 0
    traits |= BITES_MORE if population(board) > 1 or board & GROWS else 0
    return traits if rightmost else traits | FEEDS_RIGHT


@force_inline
def _cards_of_trait(state: Any, base: Any, bit: Any, last: Any) -> Any:
    """Return the lowest card of a trait in the hand, and the key of the trait: price, food and rank of the highest."""
    low, high = hand_of(state, base)
    one, other = cards_of(trailing_zeros(bit))
    one, other = low & one, high & other
    smallest = largest = lowest(one, other)
    while one | other:
        largest = lowest(one, other)
        one, other = without_lowest(one, other)
    return smallest, (_price(bit, last) << 8 | (points_of(largest) + 8)) << 8 | largest


@force_inline
def _cheapest_card(state: Any, base: Any, last: Any) -> Any:
    """Return the card with the lowest price, then the least food, then the lowest rank."""
    low, high = hand_of(state, base)
    best = NO_CARD
    least = -_NEVER
    while low | high:
        card = lowest(low, high)
        low, high = without_lowest(low, high)
        key = _price(trait_bit_of(card), last) << 8 | (points_of(card) + 8)
        if key < least:
            best, least = card, key
    return best


@force_inline
def _price(bit: Any, last: Any) -> Any:
    return 0 if last else weights.CARD + use_of(bit)


@jit
def _worth_with(state: Any, seat: Any, outlook: Any, hole: Any, eaters: Any, changed: Any, board: Any) -> Any:
    """Return the worth of the plan after the reveal with one board changed or added; `eaters` are those of the plan."""
    base = seat_base(seat)
    count = get(state, base + PLANNED)
    copy_row(state, base + PLAN, count)
    put(state, SCRATCH_ROW + changed, board)
    eaters = eaters & ~(1 << changed) | eats(state, seat, board) << changed
    return _worth_at_reveal(state, seat, outlook, hole, eaters, max(count, changed + 1))


@jit
def _worth_at_reveal(state: Any, seat: Any, outlook: Any, hole: Any, eaters: Any, count: Any) -> Any:
    """Return the worth of the scratch row after the reveal and the feeding rounds."""
    hole = reveal(state, count, hole)
    eat_rest(state, count, eaters, hole, outlook >> APPETITE)
    return row_worth(state, seat, outlook, count)


# ── feeding ───────────────────────────────────────────────────────────────────────────────


@jit
def greedy_feeding(state: Any, seat: Any) -> Any:
    """Return its feeding, and above the first half the target of an attack."""
    base = seat_base(seat)
    count = get(state, base + COUNT)
    outlook = outlook_of(state, seat)
    eaters = eaters_of(state, seat, base, count)
    plants, stores, hunters = appetites(state, base)
    copy_row(state, base, count)
    best = _NEVER << _GAIN | DECLINE
    if get(state, FALSE_REPLY) != CHEATS:
        best = row_worth(state, seat, outlook, count) << _GAIN | DECLINE
    while plants:
        index = trailing_zeros(plants)
        plants &= plants - 1
        copy_row(state, base, count)
        hole = eat(state, count, index, get(state, HOLE))
        best = _better(best, _worth_after(state, seat, outlook, eaters, hole), EAT + index)
    while stores:
        index = trailing_zeros(stores)
        stores &= stores - 1
        tokens = most_storable(state, base, index)
        copy_row(state, base, count)
        worth = _worth_after(state, seat, outlook, eaters, get(state, HOLE) - tokens)
        worth += 0 if outlook & LAST else tokens * weights.FAT
        best = _better(best, worth, storing(index, tokens))
    hunters &= eaters
    while hunters:
        best = _best_attack(state, seat, outlook, eaters, trailing_zeros(hunters), best)
        hunters &= hunters - 1
    return best & _ANSWER


@jit
def _worth_after(state: Any, seat: Any, outlook: Any, eaters: Any, hole: Any) -> Any:
    """Return the worth of the scratch row after the rest of the feeding rounds, in which the others are next."""
    count = get(state, seat_base(seat) + COUNT)
    appetite = outlook >> APPETITE
    taken = min(get(state, PLAYERS) - 1, appetite)
    eat_rest(state, count, eaters, hole - taken, appetite - taken)
    return row_worth(state, seat, outlook, count)


@jit
def _best_attack(state: Any, seat: Any, outlook: Any, eaters: Any, hunter: Any, best: Any) -> Any:
    """Return the best attack of a carnivore, or the best answer so far if that is better."""
    base = seat_base(seat)
    # Only the wounding traits of the prey make a difference to the player's own row.
    wounding = -1
    row = 0
    other = seat_after(seat, get(state, PLAYERS))
    while other != seat:
        targets = prey_of(state, board_at(state, base, hunter), seat_base(other))
        while targets:
            target = trailing_zeros(targets)
            targets &= targets - 1
            prey = board_at(state, seat_base(other), target)
            if prey & WOUNDS != wounding:
                wounding = prey & WOUNDS
                row = _worth_after_attack(state, seat, outlook, eaters, hunter, wounding)
            worth = row + weights.HARM
            if population(prey) == 1:
                worth += weights.HARM * number_of_traits(prey) - COMPENSATION * weights.CARD
            best = _better(best, worth, ATTACK + hunter | (other * MOST_BOARDS + target) << HALF)
        other = seat_after(other, get(state, PLAYERS))
    return best


@jit
def _worth_after_attack(state: Any, seat: Any, outlook: Any, eaters: Any, hunter: Any, wounding: Any) -> Any:
    base = seat_base(seat)
    count = get(state, base + COUNT)
    copy_row(state, base, count)
    hole = attack(state, count, hunter, wounding, get(state, HOLE))
    return _worth_after(state, seat, outlook, eaters, hole)
