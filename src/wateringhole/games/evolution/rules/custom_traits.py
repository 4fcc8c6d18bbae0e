"""Traits that users add to a game: their base classes, what their hooks get, and their declarations.

A built-in trait is a row of the trait table; a custom trait is a class with a hook of the framework
document.  The design:

- **The rules of a game carry its custom traits** (`Rules.custom_traits`).  Setups, views, records and the message
  that starts a game contain the rules, so names and texts reach every player, page and replay.
- Rules hold declarations (`CustomTrait`), which are plain data.  The code (`hooks.Hooks`) belongs to the setup of the
  process that loaded the file, and never travels.  The referee runs the hooks; players decide without
  them, in every process alike.  A dealer refuses a setup whose rules declare traits without code.
- On boards and cards, a custom trait is a `Trait` without a row in the trait table: a name, and nothing else.  `Trait`
  reads such a name only while the rules that declare it are being read (`traits.declared_traits`).  No
  process-wide table exists, so games with different files can run side by side.
- `hooks` calls the code and checks what it returns.  `GameState` applies the result within the rules.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec

from wateringhole.games.evolution.rules.traits import TRAITS, Family, Trait, TraitRule, TraitType

if TYPE_CHECKING:
    from wateringhole.games.evolution.rules.options import Rules

__all__ = [
    "MOST_POINTS",
    "TRAIT_BASES",
    "CustomTrait",
    "CustomTraits",
    "FoodEaten",
    "FoodRevealed",
    "NoReaction",
    "PreventsAttack",
    "Species",
    "TraitBase",
    "WasAttacked",
    "rule_of",
]

MOST_POINTS = 3
"""The most food points on a card of a custom trait; the fewest are the negative of this number."""


# What hooks get


class Species:
    """A species as a hook gets it.  It cannot be changed; `replace` returns an altered copy."""

    __slots__ = ("_index", "_row", "body", "fat", "food", "population", "traits")

    food: int
    population: int
    body: int
    fat: int
    """Tokens stored on its fat tissue."""
    traits: tuple[str, ...]
    _row: Sequence[Species]
    _index: int

    def __init__(
        self,
        food: int,
        population: int,
        body: int,
        fat: int = 0,
        traits: Sequence[str] = (),
        row: Sequence[Species] = (),
        index: int = 0,
    ) -> None:
        """Create the species at an index of a row; the row gives it its neighbors."""
        values = {"food": food, "population": population, "body": body, "fat": fat, "traits": tuple(traits)}
        for name, value in (*values.items(), ("_row", row), ("_index", index)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a species cannot be changed: return species.replace({name}=…)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a species cannot be changed")

    @property
    def left_neighbor(self) -> Species | None:
        return self._row[self._index - 1] if self._index else None

    @property
    def right_neighbor(self) -> Species | None:
        return self._row[self._index + 1] if self._index + 1 < len(self._row) else None

    def replace(
        self, *, food: int | None = None, population: int | None = None, body: int | None = None, fat: int | None = None
    ) -> Species:
        """Return a copy with other numbers."""
        return Species(
            self.food if food is None else food,
            self.population if population is None else population,
            self.body if body is None else body,
            self.fat if fat is None else fat,
            self.traits,
            self._row,
            self._index,
        )

    def is_copy_of(self, other: Species) -> bool:
        """Return whether both stand for the species at the same index of the same row."""
        return self._row is other._row and self._index == other._index

    def __repr__(self) -> str:
        numbers = f"food={self.food}, population={self.population}, body={self.body}, fat={self.fat}"
        return f"Species({numbers}, traits={self.traits})"


# Base classes, one for each type of the framework document


class TraitBase:
    """The common part of the base classes.  A custom trait derives from one of the five below."""

    trait_id: ClassVar[str]
    """The name of the trait: lower-case letters, digits and hyphens."""
    text: ClassVar[str]
    """What it does, in one sentence for players."""
    food_points: ClassVar[Sequence[int]] = range(-MOST_POINTS, MOST_POINTS + 1)
    """The food points of its cards, one card each."""

    type: ClassVar[TraitType]
    hook: ClassVar[str | None]
    """The name of the method that the referee calls, or None."""
    family: ClassVar[Family]
    """Decides how its cards look."""


class PreventsAttack(TraitBase):
    """A trait that can make attacks impossible."""

    type = TraitType.PREVENTS_ATTACK
    hook = "prevent_attack"
    family = "defence"

    def prevent_attack(self, attacker: Species, attacked: Species, owner: Species) -> bool:
        """Return False if the attack is not possible.

        It is called for every species with this trait on the table, whichever species attacks.
        """
        raise NotImplementedError


class WasAttacked(TraitBase):
    """A trait that reacts to attacks."""

    type = TraitType.WAS_ATTACKED
    hook = "was_attacked"
    family = "defence"

    def was_attacked(self, attacker: Species, attacked: Species, owner: Species) -> tuple[Species, Species, Species]:
        """Return the three species, altered or not, before the attack takes its toll.

        It is called for every species with this trait on the table, whichever species attacks.
        """
        raise NotImplementedError


class FoodRevealed(TraitBase):
    """A trait that acts when the food is revealed."""

    type = TraitType.FOOD_REVEALED
    hook = "food_was_revealed"
    family = "growth"

    def food_was_revealed(self, quantity: int, owner: Species) -> tuple[int, Species]:
        """Return the tokens at the watering hole and the owner, each altered or not."""
        raise NotImplementedError


class FoodEaten(TraitBase):
    """A trait that acts when a vegetarian eats."""

    type = TraitType.FOOD_EATEN
    hook = "food_eaten"
    family = "feeding"

    def food_eaten(self, eater: Species, quantity: int, owner: Species) -> int:
        """Return the tokens at the watering hole; `quantity` are those that the eater has left there.

        It is called for every species with this trait on the table, whichever species eats.
        """
        raise NotImplementedError


class NoReaction(TraitBase):
    """A trait without a hook: it only counts at the end of the game."""

    type = TraitType.NO_REACTION
    hook = None
    family = "growth"


TRAIT_BASES: Mapping[TraitType, type[TraitBase]] = {
    base.type: base for base in (PreventsAttack, WasAttacked, FoodRevealed, FoodEaten, NoReaction)
}


# Declarations


class CustomTrait(msgspec.Struct, frozen=True):
    """A custom trait as players know it."""

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*\Z", max_length=30)]
    type: TraitType
    text: Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+\Z", max_length=300)]
    """A text on one line, without control characters, that UTF-8 can represent."""
    points: tuple[Annotated[int, msgspec.Meta(ge=-MOST_POINTS, le=MOST_POINTS)], ...]
    """The food points of its cards."""

    @property
    def trait(self) -> Trait:
        """Its name on boards and cards."""
        return Trait.custom(self.name)

    @property
    def rule(self) -> TraitRule:
        """A row without effects, for the text and the look of the trait."""
        return TraitRule(family=TRAIT_BASES[self.type].family, text=lambda rules: self.text)


class CustomTraits(msgspec.Struct, frozen=True, dict=True):
    """The custom traits of a game, from one file."""

    digest: str
    """The digest of the file, which decides what the traits do."""
    traits: tuple[CustomTrait, ...]

    @functools.cached_property
    def by_trait(self) -> Mapping[Trait, CustomTrait]:
        return {each.trait: each for each in self.traits}


def rule_of(trait: Trait, rules: Rules) -> TraitRule:
    """Return the row of a trait in the trait table, or what the rules declare about a custom one."""
    row = TRAITS.get(trait)
    if row is None:
        assert rules.custom_traits is not msgspec.UNSET, f"no rules declare {trait}"
        row = rules.custom_traits.by_trait[trait].rule
    return row
