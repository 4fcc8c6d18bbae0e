"""A species board: frozen, because views, events and answers all share it with the table."""

from __future__ import annotations

import msgspec

from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, Trait

__all__ = ["Row", "SpeciesBoard", "new_board"]


# Python 3.11 looks up members of an enumeration slowly, and this one is asked for all the time.
_FAT_TISSUE = Trait.FAT_TISSUE


class SpeciesBoard(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """A species.  Invariants: 0 <= food <= population <= 7, 0 <= fat <= body <= 7, traits differ.

    A board of population 0 exists only under `new_board_population=0`, in its first turn.
    """

    population: int
    body: int
    food: int
    """Tokens eaten this turn."""
    traits: tuple[Trait, ...]
    """At most three; the order matters only for addressing a slot."""
    fat: int
    """Tokens stored; they count only while the board has fat tissue."""
    cards: tuple[TraitCard, ...] = ()
    """The cards behind the traits, slot by slot; kept only where spent cards are (`spent_cards`), and
    empty for a board that came without them (harnesses)."""

    @property
    def is_hungry(self) -> bool:
        return self.food < self.population

    @property
    def is_carnivore(self) -> bool:
        return TRAIT_EFFECTS[self.traits].hunts

    @property
    def fat_room(self) -> int:
        """How many more tokens it can store."""
        if _FAT_TISSUE in self.traits and self.population:
            return self.body - self.fat
        return 0

    @property
    def size(self) -> tuple[int, int, int]:
        """The rulebook's size order: larger is larger."""
        return self.population, self.food, self.body

    def with_food(self, food: int) -> SpeciesBoard:
        return SpeciesBoard(self.population, self.body, food, self.traits, self.fat, self.cards)

    def with_population(self, population: int) -> SpeciesBoard:
        """Food that the animals left cannot hold is gone."""
        return SpeciesBoard(population, self.body, min(self.food, population), self.traits, self.fat, self.cards)

    def with_body(self, body: int) -> SpeciesBoard:
        return SpeciesBoard(self.population, body, self.food, self.traits, self.fat, self.cards)

    def with_card(self, slot: int, card: TraitCard, *, keep: bool) -> SpeciesBoard:
        """The card's trait takes a slot; the slot after the last one is a free one."""
        traits = self.traits[:slot] + (card.trait,) + self.traits[slot + 1 :]  # noqa: RUF005  (three times as fast)
        known = keep and len(self.cards) == len(self.traits)
        cards = (*self.cards[:slot], card, *self.cards[slot + 1 :]) if known else ()
        return SpeciesBoard(self.population, self.body, self.food, traits, self.fat, cards)

    def with_fat(self, fat: int) -> SpeciesBoard:
        return SpeciesBoard(self.population, self.body, self.food, self.traits, fat, self.cards)


def new_board(population: int = 1) -> SpeciesBoard:
    """A board as it is handed out or bought."""
    return SpeciesBoard(population, 0, 0, (), 0)


Row = tuple[SpeciesBoard, ...]
"""The boards of one player from left to right."""
