"""Conversion of the referee's records to the compiled engine's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BuyBoard,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    Pass,
    ReplaceTrait,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait

__all__ = [
    "State",
    "board_to_word",
    "cards_to_bits",
    "feeding_to_actions",
    "put_deck",
    "put_hand",
    "seat_place",
    "sorted_slots",
    "step_to_actions",
]

State = npt.NDArray[np.uint32]
"""A row of the game."""

_TRAITS = list(Trait)
_NUMBER = {trait: number for number, trait in enumerate(_TRAITS)}


def seat_place(seat: int) -> int:
    """Return where the block of a seat starts."""
    return layout.SEATS + seat * layout.SEAT


# Boards and cards


def board_to_word(board: SpeciesBoard) -> int:
    """Return a board as one word, as `layout` describes it."""
    different = sorted(set(board.traits))
    traits = sum(1 << _NUMBER[trait] for trait in different)
    twins = len(board.traits) - len(different)
    if twins and len(different) > 1:
        twins = 1 if board.traits.count(different[0]) > 1 else 2
    return (
        board.population << layout.POPULATION
        | board.food << layout.FOOD
        | board.body << layout.BODY
        | board.fat << layout.FAT
        | twins << layout.TWINS
        | traits
    )


def cards_to_bits(cards: Iterable[TraitCard]) -> int:
    """Return a set of cards as one number."""
    return sum(1 << card.rank for card in cards)


def put_hand(state: State, place: int, cards: Iterable[TraitCard]) -> None:
    """Write a set of cards to four words."""
    bits = cards_to_bits(cards)
    for word in range(layout.HAND_WORDS):
        state[place + word] = bits >> 32 * word & 0xFFFFFFFF


def put_deck(state: State, cards: Sequence[TraitCard]) -> None:
    """Write a deck, dealt from the front."""
    deck = np.zeros(layout.DECK_BYTES, np.uint8)
    deck[: len(cards)] = [card.rank for card in cards]
    state[layout.DECK : layout.SEATS] = deck.view(np.uint32)
    state[layout.FRONT] = 0
    state[layout.END] = len(cards)


# Actions


def step_to_actions(step: Step, hand: Sequence[TraitCard], row: Sequence[SpeciesBoard]) -> tuple[int, int]:
    """Return a step of a draft that began with this hand and row as two actions: the step and the card."""
    card = hand[step.card].rank
    match step:
        case GiveFood():
            return layout.GIVE_FOOD, card
        case BuyBoard():
            return layout.BUY_BOARD, card
        case GrowPopulation(board):
            return _on(board, layout.GROW_POPULATION), card
        case GrowBody(board):
            return _on(board, layout.GROW_BODY), card
        case LayTrait(board):
            return _on(board, layout.LAY_TRAIT), card
        case ReplaceTrait(board, slot):
            if board < len(row):
                slot = sorted_slots(row[board].traits).index(slot)
            return _on(board, layout.REPLACE_TRAIT + slot), card


def sorted_slots(traits: Sequence[Trait]) -> list[int]:
    """Return slots in the order of a row: by the traits' names, those of repeated traits last."""
    return sorted(range(len(traits)), key=lambda slot: (traits[slot] in traits[:slot], traits[slot]))


def _on(board: int, operation: int) -> int:
    return layout.ON_BOARD + layout.PER_BOARD * board + operation


def feeding_to_actions(feeding: Feeding, hole: int) -> tuple[int, ...]:
    """Return a feeding as one action, or two for an attack.  A request for more fat than the hole holds is cut."""
    match feeding:
        case FeedPlants(board):
            return (layout.EAT + board,)
        case StoreFat(board, tokens):
            return (layout.STORE + layout.MOST_FAT * board + min(tokens, hole) - 1,)
        case AttackSpecies(board, seat, target):
            return layout.ATTACK + board, layout.MOST_BOARDS * seat + target
        case Pass():
            return (layout.DECLINE,)
