"""The answers of players: a declaration of cards, a feeding, an order of boards.

All are frozen records.  A card is named by its index in the hand at the time of the request,
a board by its index in the row.  The boards bought in a declaration follow the owned ones,
in the order of purchase.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from wateringhole.game import Seat

__all__ = [
    "AttackSpecies",
    "BoardOrder",
    "BuyBoard",
    "Declaration",
    "FeedPlants",
    "Feeding",
    "GiveFood",
    "GrowBody",
    "GrowPopulation",
    "Growth",
    "LayTrait",
    "NewBoard",
    "Pass",
    "ReplaceTrait",
    "Replacement",
    "Side",
    "Step",
    "StoreFat",
]

Side = Literal["right", "left"]
"""The end of the row where a bought board joins."""


# The steps of a declaration.


class GiveFood(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Give a card to the watering hole."""

    card: int


class BuyBoard(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Pay with a card for a new board."""

    card: int
    side: Side | None = None
    """The side, or None for the side that the rules fix; if they leave the choice, the right side."""


class LayTrait(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Lay a trait card on a free slot of a board."""

    board: int
    card: int


class ReplaceTrait(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Replace the trait in a slot with a trait card."""

    board: int
    slot: int
    card: int


class GrowPopulation(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Spend a card for one more animal."""

    board: int
    card: int


class GrowBody(msgspec.Struct, frozen=True, tag=True, gc=False):
    """Spend a card for a larger body."""

    board: int
    card: int


Step = GiveFood | BuyBoard | LayTrait | ReplaceTrait | GrowPopulation | GrowBody


# A complete declaration: the course's Action4.


class Growth(msgspec.Struct, frozen=True, array_like=True):
    """`card` is spent to grow the population or the body of `board`."""

    board: int
    card: int


class NewBoard(msgspec.Struct, frozen=True):
    """`payment` is spent for a board with the traits of the cards `traits`."""

    payment: int
    traits: tuple[int, ...] = ()
    side: Side | None = None
    """The same as in `BuyBoard`."""


class Replacement(msgspec.Struct, frozen=True, array_like=True):
    """The trait of `card` takes `slot` of `board`."""

    board: int
    slot: int
    card: int


class Declaration(msgspec.Struct, frozen=True):
    """The cards that one player uses in one turn."""

    food_card: int
    population: tuple[Growth, ...] = ()
    body: tuple[Growth, ...] = ()
    new_boards: tuple[NewBoard, ...] = ()
    replacements: tuple[Replacement, ...] = ()

    def steps(self, owned: int) -> list[Step]:
        """Return the same as steps, in the order in which they are applied, for a row of `owned` boards."""
        steps: list[Step] = [GiveFood(self.food_card)]
        for board, bought in enumerate(self.new_boards, owned):
            steps.append(BuyBoard(bought.payment, bought.side))
            steps += [LayTrait(board, card) for card in bought.traits]
        steps += [ReplaceTrait(laid.board, laid.slot, laid.card) for laid in self.replacements]
        steps += [GrowPopulation(growth.board, growth.card) for growth in self.population]
        steps += [GrowBody(growth.board, growth.card) for growth in self.body]
        return steps


# The four answers to `FeedNext`.


class FeedPlants(msgspec.Struct, frozen=True, tag=True):
    """A vegetarian eats."""

    board: int


class StoreFat(msgspec.Struct, frozen=True, tag=True):
    """A board with fat tissue stores tokens."""

    board: int
    tokens: int
    """In an option: the most that an answer may name."""


class AttackSpecies(msgspec.Struct, frozen=True, tag=True):
    """A carnivore attacks the board `target` of the player in `seat`."""

    board: int
    seat: Seat
    target: int


class Pass(msgspec.Struct, frozen=True, tag=True):
    """The player declines to feed."""


Feeding = FeedPlants | StoreFat | AttackSpecies | Pass


class BoardOrder(msgspec.Struct, frozen=True):
    """A new order of the player's row: the old indexes from left to right."""

    boards: tuple[int, ...]


EvolutionAnswer = BoardOrder | Declaration | Feeding
