"""The 122 cards, built from the trait table.

Every card exists once, in memory too: `card(points, trait)` is the only way to get one.  Cards are
therefore compared by identity, and sorted by their rank in the rulebook's card order.
"""

from __future__ import annotations

from wateringhole.games.evolution.rules.traits import TRAITS, Trait

__all__ = ["CARDS", "TraitCard", "card"]


class TraitCard:
    """A card: a trait, and its food points at the watering hole."""

    __slots__ = ("points", "rank", "trait")

    points: int
    trait: Trait
    rank: int
    """Its position in the card order: by trait, then by points, smallest first."""

    def __init__(self, points: int, trait: Trait, rank: int) -> None:
        for name, value in (("points", points), ("trait", trait), ("rank", rank)):
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
        return card, (self.points, self.trait)


CARDS = tuple(
    TraitCard(points, trait, rank)
    for rank, (trait, points) in enumerate(
        (trait, points) for trait in Trait for points in range(-TRAITS[trait].points, TRAITS[trait].points + 1)
    )
)
"""All cards in card order."""

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
