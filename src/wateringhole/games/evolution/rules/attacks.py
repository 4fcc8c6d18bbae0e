"""The attack test of the rulebook, computed from the trait table."""

from __future__ import annotations

import msgspec

from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, Trait, size_of_herd, size_of_hunter

__all__ = ["Attack", "herd_size", "hunting_size", "shield_against"]


class Attack(msgspec.Struct, frozen=True):
    """A carnivore facing a board of another player, with that board's neighbours."""

    attacker: SpeciesBoard
    defender: SpeciesBoard
    left: SpeciesBoard | None
    right: SpeciesBoard | None
    rows: tuple[Row, ...] = ()
    """All rows on the table, for the hooks of custom traits; empty without hooks."""


def hunting_size(attacker: SpeciesBoard, rules: Rules) -> int:
    """Return the size of an attacker against a hard shell."""
    effects = TRAIT_EFFECTS[attacker.traits]
    armour = effects.armour if rules.hard_shell_arms_attacker else 0
    return size_of_hunter(attacker.body, attacker.population, effects.hunts_in_packs, armour)


def herd_size(board: SpeciesBoard, rules: Rules) -> int:
    """Return the number of animals that herding compares."""
    in_packs = rules.herding_counts_pack and TRAIT_EFFECTS[board.traits].hunts_in_packs
    return size_of_herd(board.population, board.body, in_packs)


def shield_against(attack: Attack, rules: Rules, hooks: Hooks | None = None) -> Trait | None:
    """Return the trait that makes the defender safe, or None if it can be attacked.

    The caller checks that the attacker is a hungry carnivore.  Without `hooks`, custom traits do not count.
    """
    attacker, defender, right = attack.attacker, attack.defender, attack.right
    cancels = TRAIT_EFFECTS[attacker.traits].cancels
    for neighbour in (attack.left, right):
        if neighbour:
            for trait in TRAIT_EFFECTS[neighbour.traits].shields_neighbours:
                if trait not in cancels:
                    return trait
    shields = TRAIT_EFFECTS[defender.traits].shields
    if not shields:
        return hooks.preventing_trait(attack.rows, attacker, defender) if hooks else None
    numbers = (
        hunting_size(attacker, rules),
        herd_size(attacker, rules),
        defender.body,
        herd_size(defender, rules),
        defender.is_hungry,
        right.body if right and rules.symbiosis else 0,
        rules.hard_shell_gap,
    )
    for trait, holds in shields:
        if trait not in cancels and holds(*numbers):
            return trait
    return hooks.preventing_trait(attack.rows, attacker, defender) if hooks else None
