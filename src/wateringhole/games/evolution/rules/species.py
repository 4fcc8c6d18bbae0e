"""Species boards.  They are frozen because views, events and the game state share them."""

from __future__ import annotations

import msgspec

from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, Trait

__all__ = ["Row", "SpeciesBoard", "new_board"]


# Python 3.11 looks up members of an enumeration slowly, and this one is used very often.
_FAT_TISSUE = Trait.FAT_TISSUE


class SpeciesBoard(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A species.  Invariants: 0 <= food <= population <= 7, 0 <= fat <= body <= 7, traits differ.

    A board with population 0 exists only under `new_board_population=0`, in its first turn.
    """

    population: int
    """The number of animals."""
    body: int
    """The body size."""
    food: int
    """Tokens eaten this turn."""
    traits: tuple[Trait, ...]
    """At most three; the order matters only for addressing a slot."""
    fat: int
    """Tokens stored; they count only while the board has fat tissue."""
    cards: tuple[TraitCard, ...] = ()
    """The cards of the traits, slot by slot.  Kept only if spent cards are kept (`spent_cards`); empty for
    a board that was read without cards (harnesses)."""

    @property
    def is_hungry(self) -> bool:
        """True if it has eaten fewer tokens this turn than it has animals."""
        return self.food < self.population

    @property
    def is_carnivore(self) -> bool:
        """True if it eats by attacking."""
        return TRAIT_EFFECTS[self.traits].hunts

    @property
    def fat_room(self) -> int:
        """The number of tokens that it can still store."""
        if _FAT_TISSUE in self.traits and self.population:
            return self.body - self.fat
        return 0

    @property
    def size(self) -> tuple[int, int, int]:
        """The sort key of the rulebook's size order; a larger key is a larger species."""
        return self.population, self.food, self.body

    def with_food(self, food: int) -> SpeciesBoard:
        """Return the board with this food."""
        return SpeciesBoard(self.population, self.body, food, self.traits, self.fat, self.cards)

    def with_population(self, population: int) -> SpeciesBoard:
        """Return the board with this population; food that its animals cannot hold is lost."""
        return SpeciesBoard(population, self.body, min(self.food, population), self.traits, self.fat, self.cards)

    def with_body(self, body: int) -> SpeciesBoard:
        """Return the board with this body size."""
        return SpeciesBoard(self.population, body, self.food, self.traits, self.fat, self.cards)

    def with_card(self, slot: int, card: TraitCard, *, keep: bool) -> SpeciesBoard:
        """Return the board with the card's trait in a slot, which is the next free one if it has no trait yet."""
        traits = self.traits[:slot] + (card.trait,) + self.traits[slot + 1 :]  # noqa: RUF005  (three times as fast)
        known = keep and len(self.cards) == len(self.traits)
        cards = (*self.cards[:slot], card, *self.cards[slot + 1 :]) if known else ()
        return SpeciesBoard(self.population, self.body, self.food, traits, self.fat, cards)

    def with_numbers(self, population: int, body: int, food: int, fat: int) -> SpeciesBoard:
        """Return the board with all its numbers replaced."""
        return SpeciesBoard(population, body, food, self.traits, fat, self.cards)

    def with_fat(self, fat: int) -> SpeciesBoard:
        """Return the board with this stored fat."""
        return SpeciesBoard(self.population, self.body, self.food, self.traits, fat, self.cards)


def new_board(population: int = 1) -> SpeciesBoard:
    """Return a board as it is given or bought."""
    return SpeciesBoard(population, 0, 0, (), 0)


Row = tuple[SpeciesBoard, ...]
"""The boards of one player from left to right."""
