"""The 122 cards, built from the trait table, and the cards of custom traits.

Every card exists once, in memory too: `card(points, trait)` is the only way to get one of the 122, and `custom_cards`
returns the others.  Cards are therefore compared by identity, and sorted by their rank in the
rulebook's card order.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping

from msgspec import UNSET, UnsetType

from wateringhole.games.evolution.rules.custom_traits import CustomTraits
from wateringhole.games.evolution.rules.traits import TRAITS, Trait

__all__ = ["CARDS", "TraitCard", "card", "custom_cards", "full_deck"]


class TraitCard:
    """A card: a trait, and its food points at the watering hole."""

    __slots__ = ("name", "points", "rank", "trait")

    points: int
    """The food that the card adds to the watering hole; it can be negative."""
    trait: Trait
    """The trait that the card gives to a species."""
    name: str
    """The name of the trait as a plain string: every recorded game writes a deck, and reading an enum is slow."""
    rank: int
    """Its position in the card order: by trait, then by points, smallest first; custom cards come last."""

    def __init__(self, points: int, trait: Trait, rank: int) -> None:
        for name, value in (("points", points), ("trait", trait), ("name", trait.value), ("rank", rank)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a card cannot be changed: all games share it")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a card cannot be changed: all games share it")

    def __lt__(self, other: TraitCard) -> bool:
        return self.rank < other.rank

    def __repr__(self) -> str:
        return f"card({self.points}, {self.trait.value!r})"

    def __str__(self) -> str:
        return f"{self.trait} {self.points:+d}"

    def __copy__(self) -> TraitCard:
        return self

    def __deepcopy__(self, memo: object) -> TraitCard:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        if self.trait in TRAITS:
            return card, (self.points, self.trait)
        return _custom_card, (self.points, self.name, self.rank)


CARDS = tuple(
    TraitCard(points, trait, rank)
    for rank, (trait, points) in enumerate(
        (trait, points) for trait in Trait for points in range(-TRAITS[trait].points, TRAITS[trait].points + 1)
    )
)
"""All cards in card order."""


@functools.cache
def _custom_card(points: int, trait: str, rank: int) -> TraitCard:
    return TraitCard(points, Trait.custom(trait), rank)


@functools.lru_cache(maxsize=64)
def custom_cards(custom: CustomTraits) -> Mapping[tuple[int, str], TraitCard]:
    """Return the cards of custom traits, by points and name, in card order: by trait, then by points."""
    named = [(points, each.name) for each in custom.traits for points in sorted(each.points)]
    return {(points, name): _custom_card(points, name, rank) for rank, (points, name) in enumerate(named, len(CARDS))}


def full_deck(custom: CustomTraits | UnsetType) -> tuple[TraitCard, ...]:
    """Return all cards of a game, in card order."""
    return CARDS if custom is UNSET else (*CARDS, *custom_cards(custom).values())


_BY_NAME = {(card.points, card.trait.value): card for card in CARDS}


def card(points: int, trait: str) -> TraitCard:
    """Return the card with these points and this trait.

    >>> card(3, "ambush")
    card(3, 'ambush')
    >>> card(4, "ambush")
    Traceback (most recent call last):
    ValueError: there is no card [4, "ambush"]: its points go from -3 to 3
    """
    try:
        return _BY_NAME[points, trait]
    except (KeyError, TypeError):
        pass
    if trait not in tuple(Trait):
        raise ValueError(f"there is no trait {trait!r}; there are {', '.join(Trait)}")
    most = TRAITS[Trait(trait)].points
    raise ValueError(f'there is no card [{points}, "{trait}"]: its points go from {-most} to {most}')
