"""The greedy player, who looks one step ahead; `players.evolution.greedy` explains what it thinks.

A row that it imagines is a row of board words whose population and food change as it eats.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.evolution.cards import Trait
from wateringhole.evolution.rules import COMPENSATION, MOST_BODY, MOST_POPULATION
from wateringhole.sim.compiled import get, popcount, put, rare, rule, trailing_zeros
from wateringhole.sim.evolution.boards import (
    CARNIVORE,
    COOPERATION,
    FAT_TISSUE,
    FERTILE,
    FORAGING,
    HORNS,
    LONG_NECK,
    SCAVENGER,
    board_at,
    body,
    fat,
    food,
    is_hungry,
    number_of_traits,
    population,
    seat_after,
    seat_base,
    shields,
)
from wateringhole.sim.evolution.cards import cards_of, hand_of, lowest, points_of, trait_bit_of, without_lowest
from wateringhole.sim.evolution.dealing import cards_needed
from wateringhole.sim.evolution.declaring import forbidden_traits, is_finished, way_out
from wateringhole.sim.evolution.feeding import appetites, attack_number, count_attacks, most_storable, prey_of, storing
from wateringhole.sim.evolution.layout import (
    ATTACK,
    BUY_BOARD,
    COUNT,
    DECLINE,
    DONE,
    EAT,
    END,
    FIRST_HALF,
    FOOD_CARD,
    FRONT,
    GIVE_FOOD,
    GROW_BODY,
    GROW_POPULATION,
    HALF,
    HOLE,
    IMAGINED,
    LAY_TRAIT,
    MOST_BOARDS,
    MOST_FAT,
    NEW_BOARD,
    NEW_BODY_LIMIT,
    NO_CARD,
    ON_BOARD,
    ONE_ANIMAL,
    ONE_BODY,
    ONE_FOOD,
    PER_BOARD,
    PLAN,
    PLANNED,
    PLAYERS,
    RESTART,
    SCORES_BOARDS,
    STORE,
    TRAIT_BITS,
    TRAITS,
)

__all__ = [
    "ANIMAL",
    "BOARD",
    "CARD",
    "DANGER",
    "FAT",
    "FOOD_OF_OTHERS",
    "HARM",
    "LOST_BOARD",
    "POINT",
    "TRAIT",
    "USE",
    "greedy_feeding",
    "greedy_step",
]

# Its opinions, in tenths of a point; a test holds them against the player's own.

POINT: Final = 10
HARM: Final = 5
DANGER: Final = 6
FOOD_OF_OTHERS: Final = 2
ANIMAL: Final = 6
TRAIT: Final = 8
BOARD: Final = 10
LOST_BOARD: Final = 6
CARD: Final = 2
FAT: Final = 6
USE: Final = {
    Trait.LONG_NECK: 6,
    Trait.COOPERATION: 5,
    Trait.BURROWING: 4,
    Trait.CLIMBING: 4,
    Trait.FERTILE: 4,
    Trait.FORAGING: 4,
    Trait.HARD_SHELL: 3,
    Trait.HERDING: 3,
    Trait.SCAVENGER: 3,
    Trait.HORNS: 2,
    Trait.FAT_TISSUE: 1,
    Trait.SYMBIOSIS: 1,
    Trait.WARNING_CALL: 1,
    Trait.AMBUSH: 0,
    Trait.CARNIVORE: 0,
    Trait.PACK_HUNTING: 0,
}

_USES: Final = sum(USE[trait] << 3 * number for number, trait in enumerate(Trait))
"""Three bits for each trait."""

_NEVER: Final = -1_000_000
_MANY: Final = 1 << 20


# ── card choices ──────────────────────────────────────────────────────────────────────────


@rare
def greedy_step(state: Any, seat: Any) -> Any:
    """Its next step, and above the first half the card."""
    base = seat_base(seat)
    given = get(state, base + FOOD_CARD)
    low, high = hand_of(state, base)
    if low | high == 0:
        return DONE if is_finished(state, base) else RESTART
    if given == NO_CARD:
        return GIVE_FOOD | _best_food_card(state, base) << HALF
    if not is_finished(state, base):
        return way_out(state, base)
    hole = get(state, HOLE) + points_of(given) + FOOD_OF_OTHERS * (get(state, PLAYERS) - 1)
    return _best_step(state, seat, max(0, hole))


@rule
def _best_food_card(state: Any, base: Any) -> Any:
    """The most food, then the least useful trait, then the smallest card."""
    low, high = hand_of(state, base)
    best = NO_CARD
    most = _NEVER
    while low | high:
        card = lowest(low, high)
        low, high = without_lowest(low, high)
        worth = 8 * points_of(card) - _use_of(trait_bit_of(card))
        if worth > most:
            best, most = card, worth
    return best


@rare
def _best_step(state: Any, seat: Any, hole: Any) -> Any:
    """The step that gains most, of equal ones the first listed: more animals, traits, a board, bodies.

    Of equal traits for a board that is taken whose best card is dearest in the hand, then richest
    in food, then largest.
    """
    base = seat_base(seat)
    outlook = _outlook(state, seat)
    last = outlook & _LAST
    owned, planned = get(state, base + COUNT), get(state, base + PLANNED)
    traits_from, board_at_number = planned, planned + TRAITS * (planned - owned)
    cheapest = _cheapest_card(state, base, last)
    now = 0
    best, most = DONE, 0
    best_laid_on, dearest = -1, 0
    for number in range(-1, board_at_number + 1 + planned):
        step, changed, board = BUY_BOARD, planned + 1, NEW_BOARD
        card, laid_on, key = cheapest, -1, 0
        if number < 0:
            changed = planned
        elif number < traits_from:
            changed = number
            step = _on_board(number, GROW_POPULATION)
            board = board_at(state, base + PLAN, number)
            if population(board) == MOST_POPULATION:
                continue
            board += ONE_ANIMAL
        elif number < board_at_number:
            changed = laid_on = owned + (number - traits_from) // TRAITS
            trait = (number - traits_from) % TRAITS
            step = _on_board(changed, LAY_TRAIT)
            board = board_at(state, base + PLAN, changed)
            card, key = _cards_of_trait(state, base, trait, last)
            if card == NO_CARD or forbidden_traits(state, base, step) >> trait & 1:
                continue
            board |= 1 << trait
        elif number > board_at_number:
            changed = number - board_at_number - 1
            step = _on_board(changed, GROW_BODY)
            board = board_at(state, base + PLAN, changed)
            if body(board) == (MOST_BODY if changed < owned else get(state, NEW_BODY_LIMIT)):
                continue
            board += ONE_BODY
        worth = _worth_with(state, seat, outlook, hole, changed, board)
        if number < 0:
            now = worth
            continue
        gain = worth - now - _price(trait_bit_of(card), last)
        if gain > most or (gain == most and laid_on >= 0 and laid_on == best_laid_on and key > dearest):
            best, most = step | card << HALF, gain
            best_laid_on, dearest = laid_on, key
    return best


@rule
def _on_board(index: Any, deed: Any) -> Any:
    return ON_BOARD + PER_BOARD * index + deed


@rare
def _cards_of_trait(state: Any, base: Any, trait: Any, last: Any) -> Any:
    """The smallest card of a trait in the hand, and what its traits compare by: price and value of the largest."""
    low, high = hand_of(state, base)
    one, other = cards_of(trait)
    one, other = low & one, high & other
    smallest = lowest(one, other)
    largest = NO_CARD
    while one | other:
        largest = lowest(one, other)
        one, other = without_lowest(one, other)
    return smallest, (_price(1 << trait, last) << 8 | (points_of(largest) + 8)) << 8 | largest


@rule
def _cheapest_card(state: Any, base: Any, last: Any) -> Any:
    """By price, then by food, then the smallest."""
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


@rule
def _price(bit: Any, last: Any) -> Any:
    return 0 if last else CARD + _use_of(bit)


@rule
def _use_of(bit: Any) -> Any:
    """What a trait does for its species in the turns to come."""
    return _USES >> 3 * trailing_zeros(bit) & 7


@rare
def _worth_with(state: Any, seat: Any, outlook: Any, hole: Any, changed: Any, board: Any) -> Any:
    """What the plan is worth after the reveal with one board changed; past the plan's end: with one more,
    just past it: as it is."""
    base = seat_base(seat)
    count = get(state, base + PLANNED)
    for index in range(count):
        put(state, IMAGINED + index, board_at(state, base + PLAN, index))
    if changed < count:
        put(state, IMAGINED + changed, board)
    elif changed > count:
        put(state, IMAGINED + count, board)
        count += 1
    eaters = _eaters(state, seat, count)
    hole = _reveal(state, count, hole)
    _eat_on(state, outlook, count, eaters, hole, 0)
    return _worth(state, seat, outlook, count)


# ── feeding ───────────────────────────────────────────────────────────────────────────────


@rare
def greedy_feeding(state: Any, seat: Any) -> Any:
    """Its answer, and above the first half the target of an attack."""
    base = seat_base(seat)
    eaters, stores, hunters = appetites(state, base)
    outlook = _outlook(state, seat)
    best = DECLINE
    most = _worth_of(state, seat, outlook, DECLINE)
    while eaters:
        index = trailing_zeros(eaters)
        eaters &= eaters - 1
        worth = _worth_of(state, seat, outlook, EAT + index)
        if worth > most:
            best, most = EAT + index, worth
    while stores:
        index = trailing_zeros(stores)
        stores &= stores - 1
        answer = storing(index, most_storable(state, base, index))
        worth = _worth_of(state, seat, outlook, answer)
        if worth > most:
            best, most = answer, worth
    for number in range(count_attacks(state, seat, hunters, _MANY)):
        answer = attack_number(state, seat, hunters, number)
        worth = _worth_of(state, seat, outlook, answer)
        if worth > most:
            best, most = answer, worth
    return best


@rare
def _worth_of(state: Any, seat: Any, outlook: Any, answer: Any) -> Any:
    """What the row is worth after a feeding and what follows; or as it is now, for declining."""
    base = seat_base(seat)
    count = get(state, base + COUNT)
    for index in range(count):
        put(state, IMAGINED + index, board_at(state, base, index))
    choice = answer & FIRST_HALF
    extra = 0
    if choice != DECLINE:
        eaters = _eaters(state, seat, count)
        hole = get(state, HOLE)
        if choice < ATTACK:
            hole = _feed(state, count, choice - EAT, hole)
        elif choice >= STORE:
            tokens = (choice - STORE) % MOST_FAT + 1
            hole -= tokens
            extra = 0 if outlook & _LAST else tokens * FAT
        else:
            prey = board_at(state, seat_base((answer >> HALF) // MOST_BOARDS), (answer >> HALF) % MOST_BOARDS)
            hole = _attack(state, count, choice - ATTACK, prey, hole)
            extra = HARM
            if population(prey) == 1:
                extra += HARM * number_of_traits(prey) - COMPENSATION * CARD
        taken = min(get(state, PLAYERS) - 1, outlook >> _APPETITE)
        _eat_on(state, outlook, count, eaters, hole - taken, taken)
    return _worth(state, seat, outlook, count) + extra


@rule
def _attack(state: Any, count: Any, index: Any, prey: Any, hole: Any) -> Any:
    """What an attack costs and feeds in the imagined row; returns what is left."""
    hunter = get(state, IMAGINED + index)
    if prey & HORNS:
        hunter -= ONE_ANIMAL
        if food(hunter) > population(hunter):
            hunter -= ONE_FOOD
        put(state, IMAGINED + index, hunter)
    if population(hunter):
        hole = _feed(state, count, index, hole)
        for other in range(count):
            if get(state, IMAGINED + other) & SCAVENGER:
                hole = _feed(state, count, other, hole)
    return hole


# ── what both look at ─────────────────────────────────────────────────────────────────────


# Bits of an outlook.
_LAST: Final = 1
_FEARED: Final = 2
_APPETITE: Final = 2


@rare
def _outlook(state: Any, seat: Any) -> Any:
    """What the others are like: how much they could eat, whether they hunt; and whether the turn is the last."""
    appetite = 0
    traits = 0
    for other in range(get(state, PLAYERS)):
        if other != seat:
            base = seat_base(other)
            for index in range(get(state, base + COUNT)):
                board = board_at(state, base, index)
                appetite += population(board) - food(board)
                traits |= board
    last = _LAST if get(state, END) - get(state, FRONT) < cards_needed(state) else 0
    return appetite << _APPETITE | (_FEARED if traits & CARNIVORE else 0) | last


@rare
def _eaters(state: Any, seat: Any, count: Any) -> Any:
    """The boards of the imagined row that eat: not carnivores without prey."""
    eaters = 0
    for index in range(count):
        board = get(state, IMAGINED + index)
        if not board & CARNIVORE or _has_prey(state, seat, board):
            eaters |= 1 << index
    return eaters


@rule
def _has_prey(state: Any, seat: Any, hunter: Any) -> Any:
    players = get(state, PLAYERS)
    other = seat_after(seat, players)
    while other != seat and not prey_of(state, hunter, seat_base(other)):
        other = seat_after(other, players)
    return other != seat


@rule
def _reveal(state: Any, count: Any, hole: Any) -> Any:
    """The traits that act when the food is revealed; returns what they leave at the watering hole."""
    for index in range(count):
        board = get(state, IMAGINED + index)
        if board & FERTILE and population(board) < MOST_POPULATION:
            put(state, IMAGINED + index, board + ONE_ANIMAL)
    for index in range(count):
        if get(state, IMAGINED + index) & LONG_NECK:
            hole = _feed(state, count, index, hole)
    for index in range(count):
        board = get(state, IMAGINED + index)
        if board & FAT_TISSUE:
            put(state, IMAGINED + index, board + min(fat(board), population(board) - food(board)) * ONE_FOOD)
    return hole


@rare
def _feed(state: Any, count: Any, index: Any, hole: Any) -> Any:
    """One feeding, and what cooperation passes on to the right; returns what is left."""
    feedings = 1
    while feedings and index < count:
        board = get(state, IMAGINED + index)
        bites = 2 if board & FORAGING else 1
        meals = min(min(feedings * bites, population(board) - food(board)), hole)
        put(state, IMAGINED + index, board + meals * ONE_FOOD)
        hole -= meals
        feedings = meals if board & COOPERATION else 0
        index += 1
    return hole


@rare
def _eat_on(state: Any, outlook: Any, count: Any, eaters: Any, hole: Any, taken: Any) -> None:
    """The rest of the feeding rounds: whoever has eaten least eats, then the others take a token each."""
    others = get(state, PLAYERS) - 1
    appetite = outlook >> _APPETITE
    while hole > 0:
        least = 8
        eater = 0
        for index in range(count):
            board = get(state, IMAGINED + index)
            if eaters >> index & 1 and is_hungry(board) and food(board) < least:
                least, eater = food(board), index
        if least == 8:
            return
        hole = _feed(state, count, eater, hole)
        takes = min(others, appetite - taken)
        taken += takes
        hole -= takes


@rare
def _worth(state: Any, seat: Any, outlook: Any, count: Any) -> Any:
    """What the imagined row is worth if it eats no more this turn."""
    last = outlook & _LAST
    animal, board_worth, trait_worth, lost = ANIMAL, BOARD, TRAIT, LOST_BOARD
    if last:
        counts_boards = get(state, SCORES_BOARDS)
        animal, board_worth, trait_worth, lost = 0 if counts_boards else POINT, POINT if counts_boards else 0, POINT, 0
    worth = 0
    left = 0
    for index in range(count):
        board = get(state, IMAGINED + index)
        right = get(state, IMAGINED + index + 1) if index + 1 < count else 0
        if food(board) == 0:
            worth += lost if population(board) else 0
        else:
            traits = board & TRAIT_BITS
            worth += food(board) * (POINT + animal) + board_worth + popcount(traits) * trait_worth
            while traits and not last:
                worth += _use_of(traits & -traits)
                traits &= traits - 1
            if outlook & _FEARED and _is_in_danger(state, seat, board, left, right):
                worth -= DANGER
        left = board
    return worth


@rare
def _is_in_danger(state: Any, seat: Any, board: Any, left: Any, right: Any) -> Any:
    """Whether some carnivore at the table could attack it."""
    for other in range(get(state, PLAYERS)):
        if other != seat:
            base = seat_base(other)
            for index in range(get(state, base + COUNT)):
                hunter = board_at(state, base, index)
                if hunter & CARNIVORE and not shields(state, board, left, right, hunter):
                    return True
    return False
