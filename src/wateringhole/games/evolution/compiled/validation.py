"""Validation of rows from callers: on a valid row, the rules terminate and stay within it."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.layout import (
    ACTING,
    ASKED,
    ATTACK,
    AWAKE,
    CARDS,
    CHOOSING,
    COUNT,
    DECLARED,
    END,
    FEEDING,
    FEEDS,
    FIRST,
    FOOD_CARD,
    FRONT,
    HAND,
    HOLE,
    KEPT,
    MOST_BOARDS,
    NO_CARD,
    ON_BOARD,
    OVER,
    PENDING,
    PER_BOARD,
    PHASE,
    PLAN,
    PLANNED,
    PLAYERS,
    POPULATION,
    RULES,
    SETUP,
    TRAIT_BITS,
    TWINS,
)
from wateringhole.games.evolution.compiled.rules.boards import board_at, number_of_traits, seat_after, seat_base
from wateringhole.games.evolution.compiled.rules.cards import deck_card, get_cards
from wateringhole.games.evolution.rules.options import MOST_POPULATION, MOST_TRAITS
from wateringhole.sim.kernel import force_inline, get, jit

__all__ = ["is_valid"]


@jit
def is_valid(state: Any, setup: Any) -> Any:
    """Return whether a row can be a game with this number of players and these rules."""
    players = get(setup, 0)
    valid = get(state, PLAYERS) == players
    for number in range(1, SETUP):
        valid &= get(state, RULES - 1 + number) == get(setup, number)
    valid = valid and _is_valid_header(state, players)
    for seat in range(players):
        valid = valid and _is_valid_seat(state, seat_base(seat))
    return valid


@force_inline
def _is_valid_header(state: Any, players: Any) -> Any:
    valid = get(state, FIRST) < players and get(state, ACTING) < players and get(state, PHASE) <= OVER
    # After all have declared, no player is asked.
    valid &= get(state, DECLARED) < players + int(get(state, PHASE) != CHOOSING)
    valid &= (get(state, FEEDS) | get(state, AWAKE)) >> players == 0
    valid &= _is_set_of_cards(state, ASKED) and get(state, FRONT) <= get(state, END) <= CARDS
    if valid:
        for place in range(get(state, FRONT), get(state, END)):
            valid &= deck_card(state, place) < CARDS
    return valid and _is_valid_decision(state, players)


@force_inline
def _is_valid_decision(state: Any, players: Any) -> Any:
    phase, pending, acting = get(state, PHASE), get(state, PENDING), get(state, ACTING)
    if phase == CHOOSING:
        valid = pending < ON_BOARD + PER_BOARD * MOST_BOARDS and _has_cards(state, ASKED)
        # A player without cards cannot finish a declaration.
        seat = seat_after(acting, players)
        for _ in range(get(state, DECLARED) + 1, players):
            valid = valid and _has_cards(state, seat_base(seat) + HAND)
            seat = seat_after(seat, players)
        return valid
    if phase == FEEDING:
        # No player is asked when the watering hole is empty, and an attacker can be lost.
        hunter = pending - ATTACK
        return get(state, HOLE) > 0 and (pending == 0 or 0 <= hunter < get(state, seat_base(acting) + COUNT))
    return pending == 0


@force_inline
def _has_cards(state: Any, place: Any) -> Any:
    low, high = get_cards(state, place)
    return low | high != 0


@force_inline
def _is_valid_seat(state: Any, base: Any) -> Any:
    valid = _is_set_of_cards(state, base + HAND) and get(state, base + FOOD_CARD) <= NO_CARD
    valid &= get(state, base + KEPT) <= get(state, base + PLANNED) <= MOST_BOARDS
    valid &= get(state, base + COUNT) <= MOST_BOARDS
    return valid and _are_valid_boards(state, base, COUNT) and _are_valid_boards(state, base + PLAN, PLANNED - PLAN)


@force_inline
def _are_valid_boards(state: Any, row: Any, count: Any) -> Any:
    valid = True
    for index in range(get(state, row + count)):
        board = board_at(state, row, index)
        valid &= board >> POPULATION <= MOST_POPULATION and number_of_traits(board) <= MOST_TRAITS
        # A board without traits has none to repeat; of two traits, the first or the second is repeated.
        twins = board >> TWINS & 3
        valid &= twins == 0 or (twins < 3 and board & TRAIT_BITS != 0)
    return valid


@force_inline
def _is_set_of_cards(state: Any, place: Any) -> Any:
    _, high = get_cards(state, place)
    return high >> CARDS - 64 == 0
