"""What the sixteen traits mean: one table, one row a trait, card text and behaviour together.

A row asks or declares; only the verbs of the table change anything.  A `Nature` adds up the
rows of a species' traits, and the rules read natures.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import msgspec

from wateringhole.games.evolution.rules.cards import Trait
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.species import SpeciesBoard

__all__ = [
    "NATURES",
    "REVEAL_ORDER",
    "TRAITS",
    "Attack",
    "Effect",
    "Nature",
    "TraitRule",
    "herd_size",
    "hunting_size",
    "shield_against",
]


class Attack(msgspec.Struct, frozen=True):
    """A carnivore facing a board of another player, with that board's neighbours."""

    attacker: SpeciesBoard
    defender: SpeciesBoard
    left: SpeciesBoard | None
    right: SpeciesBoard | None


Shield = Callable[[Attack, Rules], bool]


class Effect(Enum):
    """What a trait does to its board when the food is revealed."""

    GROW = "gains an animal"
    FEED = "gets one feeding"
    BURN_FAT = "turns stored tokens into food"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraitRule:
    """The meaning of one trait.  Defaults: the trait does nothing of the kind."""

    text: Callable[[Rules], str]
    """One sentence as it holds under some rules, for the rulebook, tooltips and error messages."""
    hunts: bool = False
    """Eats only by attacking during the feeding rounds."""
    shields: Shield | None = None
    """Whether it protects its own board against an attack."""
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
    """What happens to it when the food is revealed."""
    eats_after_attack: bool = False
    """Is fed each time an attacker has eaten."""


def hunting_size(attacker: SpeciesBoard, rules: Rules) -> int:
    """How large an attacker is against a hard shell."""
    if rules.hard_shell_arms_attacker and Trait.HARD_SHELL in attacker.traits:
        return attacker.body + 4
    if Trait.PACK_HUNTING in attacker.traits:
        return attacker.body + attacker.population
    return attacker.body


def herd_size(board: SpeciesBoard, rules: Rules) -> int:
    """How many animals a species counts where herding compares them."""
    if rules.herding_counts_pack and Trait.PACK_HUNTING in board.traits:
        return board.population + board.body
    return board.population


def _always(text: str) -> Callable[[Rules], str]:
    """Return a sentence that holds under all rules."""
    return lambda rules: text


TRAITS = {
    Trait.AMBUSH: TraitRule(
        text=_always("As attacker it ignores the warning calls of its target's neighbours."),
        cancels=frozenset({Trait.WARNING_CALL}),
    ),
    Trait.BURROWING: TraitRule(
        text=_always("It cannot be attacked while it is full."),
        shields=lambda attack, rules: not attack.defender.is_hungry,
    ),
    Trait.CARNIVORE: TraitRule(
        text=_always("During the feeding rounds it eats only by attacking a board of another player."),
        hunts=True,
    ),
    Trait.CLIMBING: TraitRule(
        text=_always("It can be attacked only by an attacker that climbs too."),
        shields=lambda attack, rules: True,
        cancels=frozenset({Trait.CLIMBING}),
    ),
    Trait.COOPERATION: TraitRule(
        text=_always("Each token it eats gives its right-hand neighbour one feeding from the watering hole."),
        feeds_right_neighbour=True,
    ),
    Trait.FAT_TISSUE: TraitRule(
        text=_always("It can store as many tokens as its body is large; they turn into food at the next reveal."),
        at_reveal=Effect.BURN_FAT,
    ),
    Trait.FERTILE: TraitRule(
        text=_always("It gains an animal when the food is revealed."),
        at_reveal=Effect.GROW,
    ),
    Trait.FORAGING: TraitRule(
        text=_always("Each feeding is worth two tokens, if watering hole and appetite allow the second."),
        extra_bites=1,
    ),
    Trait.HARD_SHELL: TraitRule(
        text=lambda rules: (
            f"It cannot be attacked unless the attacker's size is at least {rules.hard_shell_gap} more than its body."
        ),
        shields=lambda attack, rules: (
            hunting_size(attack.attacker, rules) < attack.defender.body + rules.hard_shell_gap
        ),
    ),
    Trait.HERDING: TraitRule(
        text=_always("It cannot be attacked by a species whose population is not larger than its own."),
        shields=lambda attack, rules: herd_size(attack.attacker, rules) <= herd_size(attack.defender, rules),
    ),
    Trait.HORNS: TraitRule(
        text=_always("When it is attacked it kills one animal of the attacker."),
        wounds_attacker=1,
    ),
    Trait.LONG_NECK: TraitRule(
        text=_always("It gets one feeding when the food is revealed, before any other eating."),
        at_reveal=Effect.FEED,
    ),
    Trait.PACK_HUNTING: TraitRule(
        text=_always("As attacker its size is body plus population, which matters against hard shells."),
    ),
    Trait.SCAVENGER: TraitRule(
        text=_always("It gets one feeding each time an attacker has eaten, whoever was attacked."),
        eats_after_attack=True,
    ),
    Trait.SYMBIOSIS: TraitRule(
        text=lambda rules: (
            "It cannot be attacked while its right-hand neighbour has a larger body."
            if rules.symbiosis
            else "It protects nothing under the rules of this table."
        ),
        shields=lambda attack, rules: (
            rules.symbiosis and attack.right is not None and attack.right.body > attack.defender.body
        ),
    ),
    Trait.WARNING_CALL: TraitRule(
        text=_always("It protects both its neighbours, not itself, against attackers without ambush."),
        shields_neighbours=True,
    ),
}

_WARNING_CALL = Trait.WARNING_CALL

REVEAL_ORDER = (Trait.FERTILE, Trait.LONG_NECK, Trait.FAT_TISSUE)
"""Who acts when the food is revealed: all boards of one trait before any of the next."""


@dataclass(frozen=True, slots=True)
class Nature:
    """What a species is by all its traits together."""

    hunts: bool
    shields: tuple[tuple[Trait, Shield], ...]
    shields_neighbours: bool
    cancels: frozenset[Trait]
    wounds_attacker: int
    bites: int
    """Tokens it takes at one feeding, if it can."""
    feeds_right_neighbour: bool
    eats_after_attack: bool
    acts_at_reveal: bool


class _Natures(dict[tuple[Trait, ...], Nature]):
    """Filled as they are asked for; there are a few thousand combinations of traits."""

    def __missing__(self, traits: tuple[Trait, ...]) -> Nature:
        nature = self[traits] = _add_up(traits)
        return nature


NATURES = _Natures()
"""The nature of a species by its traits."""


def _add_up(traits: tuple[Trait, ...]) -> Nature:
    # A board can have a trait twice under `final_traits_distinct=false`; twice is no more than once.
    distinct = tuple(dict.fromkeys(traits))
    rows = [TRAITS[trait] for trait in distinct]
    return Nature(
        hunts=any(row.hunts for row in rows),
        shields=tuple((trait, shield) for trait in distinct if (shield := TRAITS[trait].shields)),
        shields_neighbours=any(row.shields_neighbours for row in rows),
        cancels=frozenset().union(*(row.cancels for row in rows)),
        wounds_attacker=sum(row.wounds_attacker for row in rows),
        bites=1 + sum(row.extra_bites for row in rows),
        feeds_right_neighbour=any(row.feeds_right_neighbour for row in rows),
        eats_after_attack=any(row.eats_after_attack for row in rows),
        acts_at_reveal=any(row.at_reveal for row in rows),
    )


def shield_against(attack: Attack, rules: Rules) -> Trait | None:
    """The trait that makes the defender safe, or None: then it can be attacked.

    Whether the attacker is a hungry carnivore at all is asked elsewhere.
    """
    cancels = NATURES[attack.attacker.traits].cancels
    for neighbour in (attack.left, attack.right):
        if neighbour and _WARNING_CALL not in cancels and NATURES[neighbour.traits].shields_neighbours:
            return _WARNING_CALL
    for trait, shields in NATURES[attack.defender.traits].shields:
        if trait not in cancels and shields(attack, rules):
            return trait
    return None
