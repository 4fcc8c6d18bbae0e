"""The trait table: one row per trait, the only description of that trait.

A row describes or tests; only the methods of `GameState` change anything.  A `TraitEffects` combines
the rows of a species' traits, and the rules read these.  The compiled rules compute their bit masks
from the same rows, so functions in a row take whole numbers only.

A trait that a user adds has no row and no effect here (`custom_traits`).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from wateringhole.games.evolution.rules.options import Rules

__all__ = [
    "REVEAL_ORDER",
    "TRAITS",
    "TRAIT_EFFECTS",
    "Effect",
    "Family",
    "Shield",
    "Trait",
    "TraitEffects",
    "TraitRule",
    "TraitType",
    "declared_traits",
    "size_of_herd",
    "size_of_hunter",
]


class Trait(StrEnum):
    """A trait by name.  The order, by name, is the rulebook's; the value is its spelling in JSON.

    The members are the built-in traits.  `custom` returns a further value, which is not listed among them.
    """

    AMBUSH = "ambush"
    BURROWING = "burrowing"
    CARNIVORE = "carnivore"
    CLIMBING = "climbing"
    COOPERATION = "cooperation"
    FAT_TISSUE = "fat-tissue"
    FERTILE = "fertile"
    FORAGING = "foraging"
    HARD_SHELL = "hard-shell"
    HERDING = "herding"
    HORNS = "horns"
    LONG_NECK = "long-neck"
    PACK_HUNTING = "pack-hunting"
    SCAVENGER = "scavenger"
    SYMBIOSIS = "symbiosis"
    WARNING_CALL = "warning-call"

    @classmethod
    def custom(cls, name: str) -> Trait:
        """Return the trait of this name that a user added: always the same object, which means the name alone."""
        return _custom(name)

    @classmethod
    def _missing_(cls, value: object) -> Trait | None:
        """Read a custom trait that the rules of a game declare.  Any other name raises ValueError."""
        return _DECLARED.get().get(value)


@functools.cache
def _custom(name: str) -> Trait:
    trait = str.__new__(Trait, name)
    trait._name_ = name.replace("-", "_").upper()
    trait._value_ = name
    return trait


_DECLARED: ContextVar[Mapping[object, Trait]] = ContextVar("declared traits", default={})  # noqa: B039  (never changed)


@contextlib.contextmanager
def declared_traits(names: Iterable[str]) -> Iterator[None]:
    """Let `Trait` read the names of custom traits inside of the block."""
    token = _DECLARED.set({name: Trait.custom(name) for name in names})
    try:
        yield
    finally:
        _DECLARED.reset(token)


Family = Literal["defence", "hunting", "feeding", "growth"]
"""Traits of one family look similar on the page and on a terminal."""

Shield = Callable[[int, int, int, int, bool, int, int], bool]
"""Whether a trait protects its own board, by seven numbers of an attack:

`size` of the attacker, `herd` of the attacker, `body` of the defender, `own_herd` of the defender,
`hungry` (whether the defender is), `right_body` and `gap`.

`right_body` is the body of the right-hand neighbour.  It is 0 if there is none, or if `symbiosis` is off.
`gap` is the option `hard_shell_gap`.
"""


class Effect(Enum):
    """The effect of a trait on its board when the food is revealed, in the order of the rulebook."""

    GROW = "gains an animal"
    FEED = "gets one feeding"
    BURN_FAT = "turns stored tokens into food"


class TraitType(StrEnum):
    """The type of a trait in the framework document: the moment at which the trait reacts."""

    PREVENTS_ATTACK = "PreventsAttack"
    """It reacts when the rules check whether an attack is possible."""
    WAS_ATTACKED = "WasAttacked"
    """It reacts to an attack."""
    FOOD_REVEALED = "FoodRevealed"
    """It reacts when the food is revealed."""
    FOOD_EATEN = "FoodEaten"
    """It reacts when its species eats."""
    NO_REACTION = "NoReaction"
    """It changes only how its own species hunts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitRule:
    """A row of the trait table.  A field with its default value has no effect."""

    family: Family
    text: Callable[[Rules], str]
    """A description under given rules, for the rulebook, tooltips and error messages."""
    points: int = 3
    """The most food points on one of its cards; the fewest are the negative of this number."""
    hunts: bool = False
    """Eats only by attacking during the feeding rounds."""
    hunts_in_packs: bool = False
    """As attacker, its size is body plus population."""
    armour: int = 0
    """The amount added to the size of an attacker under `hard_shell_arms_attacker`; packs then do not count."""
    shields: Shield | None = None
    """Test whether it protects its own board against an attack."""
    shields_neighbours: bool = False
    """Protects the boards left and right of it."""
    cancels: frozenset[Trait] = frozenset()
    """Protections that do not hold against an attacker with this trait."""
    wounds_attacker: int = 0
    """Animals the attacker loses."""
    extra_bites: int = 0
    """Tokens beyond the first at each feeding."""
    feeds_right_neighbour: bool = False
    """Each token eaten gives the right-hand neighbour one feeding."""
    at_reveal: Effect | None = None
    """The effect on its board when the food is revealed."""
    eats_after_attack: bool = False
    """Is fed each time an attacker has eaten."""

    @property
    def type(self) -> TraitType:
        """The type that follows from the effects, or the first one, in the order of `TraitType`, if several do."""
        if self.shields or self.shields_neighbours:
            return TraitType.PREVENTS_ATTACK
        if self.wounds_attacker or self.eats_after_attack:
            return TraitType.WAS_ATTACKED
        if self.at_reveal:
            return TraitType.FOOD_REVEALED
        if self.extra_bites or self.feeds_right_neighbour:
            return TraitType.FOOD_EATEN
        return TraitType.NO_REACTION


def size_of_hunter(body: int, population: int, in_packs: bool, armour: int) -> int:
    """Return the size of an attacker against a hard shell."""
    if armour:
        return body + armour
    return body + population if in_packs else body


def size_of_herd(population: int, body: int, in_packs: bool) -> int:
    """Return the number of animals that herding compares."""
    return population + body if in_packs else population


def _burrowing(size: int, herd: int, body: int, own_herd: int, hungry: bool, right_body: int, gap: int) -> bool:
    return not hungry


def _climbing(size: int, herd: int, body: int, own_herd: int, hungry: bool, right_body: int, gap: int) -> bool:
    return True


def _hard_shell(size: int, herd: int, body: int, own_herd: int, hungry: bool, right_body: int, gap: int) -> bool:
    return size < body + gap


def _herding(size: int, herd: int, body: int, own_herd: int, hungry: bool, right_body: int, gap: int) -> bool:
    return herd <= own_herd


def _symbiosis(size: int, herd: int, body: int, own_herd: int, hungry: bool, right_body: int, gap: int) -> bool:
    return right_body > body


def _always(text: str) -> Callable[[Rules], str]:
    """Return a description that holds under all rules."""
    return lambda rules: text


TRAITS = {
    Trait.AMBUSH: TraitRule(
        family="hunting",
        text=_always("When it attacks, the warning calls of its target's neighbours have no effect."),
        cancels=frozenset({Trait.WARNING_CALL}),
    ),
    Trait.BURROWING: TraitRule(
        family="defence",
        text=_always("It cannot be attacked while it is full."),
        shields=_burrowing,
    ),
    Trait.CARNIVORE: TraitRule(
        family="hunting",
        points=8,
        text=_always("During the feeding rounds, it eats only by attacking another player's board."),
        hunts=True,
    ),
    Trait.CLIMBING: TraitRule(
        family="defence",
        text=_always("It can be attacked only by a species that also has climbing."),
        shields=_climbing,
        cancels=frozenset({Trait.CLIMBING}),
    ),
    Trait.COOPERATION: TraitRule(
        family="feeding",
        text=_always("Each token it eats gives its right-hand neighbour one feeding from the watering hole."),
        feeds_right_neighbour=True,
    ),
    Trait.FAT_TISSUE: TraitRule(
        family="growth",
        text=_always("It can store tokens up to its body size; they turn into food at the next reveal."),
        at_reveal=Effect.BURN_FAT,
    ),
    Trait.FERTILE: TraitRule(
        family="growth",
        text=_always("It gains an animal when the food is revealed."),
        at_reveal=Effect.GROW,
    ),
    Trait.FORAGING: TraitRule(
        family="feeding",
        text=_always("At each feeding it takes a second token, if the watering hole has one and it is still hungry."),
        extra_bites=1,
    ),
    Trait.HARD_SHELL: TraitRule(
        family="defence",
        text=lambda rules: (
            f"It can be attacked only if the attacker's size is at least {rules.hard_shell_gap} more than its body."
        ),
        shields=_hard_shell,
        armour=4,
    ),
    Trait.HERDING: TraitRule(
        family="defence",
        text=_always("It can be attacked only by a species with a larger population."),
        shields=_herding,
    ),
    Trait.HORNS: TraitRule(
        family="defence",
        text=_always("When it is attacked, the attacker loses one animal."),
        wounds_attacker=1,
    ),
    Trait.LONG_NECK: TraitRule(
        family="feeding",
        text=_always("It gets one feeding when the food is revealed, before other species eat."),
        at_reveal=Effect.FEED,
    ),
    Trait.PACK_HUNTING: TraitRule(
        family="hunting",
        text=_always("When it attacks a hard shell, its size is its body plus its population."),
        hunts_in_packs=True,
    ),
    Trait.SCAVENGER: TraitRule(
        family="feeding",
        text=_always("It gets one feeding each time an attacker has eaten, no matter which species was attacked."),
        eats_after_attack=True,
    ),
    Trait.SYMBIOSIS: TraitRule(
        family="defence",
        text=lambda rules: (
            "It cannot be attacked while its right-hand neighbour has a larger body."
            if rules.symbiosis
            else "It has no effect under these rules."
        ),
        shields=_symbiosis,
    ),
    Trait.WARNING_CALL: TraitRule(
        family="defence",
        text=_always("It protects both its neighbours, but not itself, against attackers without ambush."),
        shields_neighbours=True,
    ),
}

REVEAL_ORDER = tuple(trait for effect in Effect for trait, row in TRAITS.items() if row.at_reveal is effect)
"""The traits that act when the food is revealed: all boards of one trait before any of the next."""


@dataclass(frozen=True, slots=True)
class TraitEffects:
    """The combined effects of all traits of a species."""

    hunts: bool
    hunts_in_packs: bool
    armour: int
    shields: tuple[tuple[Trait, Shield], ...]
    shields_neighbours: tuple[Trait, ...]
    """The traits that protect its neighbours."""
    cancels: frozenset[Trait]
    wounds_attacker: int
    bites: int
    """The most tokens that it takes at one feeding."""
    feeds_right_neighbour: bool
    eats_after_attack: bool
    acts_at_reveal: bool
    custom: tuple[Trait, ...]
    """The traits that a user added; their hooks have the effects."""


class _TraitEffectsByTraits(dict[tuple[Trait, ...], TraitEffects]):
    """A cache, filled on demand; there are a few thousand combinations of traits."""

    def __missing__(self, traits: tuple[Trait, ...]) -> TraitEffects:
        effects = self[traits] = _combine(traits)
        return effects


TRAIT_EFFECTS = _TraitEffectsByTraits()
"""The combined effects by the traits of a species."""


def _combine(traits: tuple[Trait, ...]) -> TraitEffects:
    # A board can have a trait twice under `final_traits_distinct=false`; the second one has no effect.
    distinct = tuple(dict.fromkeys(traits))
    built_in = tuple(trait for trait in distinct if trait in TRAITS)
    rows = [TRAITS[trait] for trait in built_in]
    return TraitEffects(
        hunts=any(row.hunts for row in rows),
        hunts_in_packs=any(row.hunts_in_packs for row in rows),
        armour=sum(row.armour for row in rows),
        shields=tuple((trait, shield) for trait in built_in if (shield := TRAITS[trait].shields)),
        shields_neighbours=tuple(trait for trait in built_in if TRAITS[trait].shields_neighbours),
        cancels=frozenset().union(*(row.cancels for row in rows)),
        wounds_attacker=sum(row.wounds_attacker for row in rows),
        bites=1 + sum(row.extra_bites for row in rows),
        feeds_right_neighbour=any(row.feeds_right_neighbour for row in rows),
        eats_after_attack=any(row.eats_after_attack for row in rows),
        acts_at_reveal=any(row.at_reveal for row in rows),
        custom=tuple(trait for trait in distinct if trait not in TRAITS),
    )
