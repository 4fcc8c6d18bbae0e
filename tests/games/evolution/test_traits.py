"""The attack test of section 2.2, and the trait table."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from tests.games.evolution.builders import COURSE, rules
from tests.games.evolution.scenarios import species
from wateringhole.games.evolution import TRAITS, Rules, Trait, TraitType
from wateringhole.games.evolution.rulebook import rulebook
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.traits import REVEAL_ORDER, TRAIT_EFFECTS, Effect, TraitRule

# name: attacker, left neighbour, defender, right neighbour, the trait that makes the defender safe.
SITUATIONS: dict[str, tuple[str, str | None, str, str | None, str | None]] = {
    "nothing protects": ("0/1 carnivore", None, "0/1", None, None),
    "plain neighbours do not protect": ("0/1 carnivore", "0/1", "0/1", "0/1", None),
    "a large body alone does not protect": ("0/1 carnivore", None, "0/7 b7", None, None),
    "1 warning call on the left": ("0/7 b7 carnivore", "0/1 warning-call", "0/1", None, "warning-call"),
    "1 warning call on the right": ("0/7 b7 carnivore", None, "0/1", "0/1 warning-call", "warning-call"),
    "1 warning call on both sides": (
        "0/1 carnivore",
        "0/1 warning-call",
        "0/1",
        "0/1 warning-call",
        "warning-call",
    ),
    "1 ambush overcomes warning calls": (
        "0/1 ambush carnivore",
        "0/1 warning-call",
        "0/1",
        "0/1 warning-call",
        None,
    ),
    "1 a warning call does not protect its own board": ("0/1 carnivore", None, "0/1 warning-call", None, None),
    "1 two warning calls protect each other": (
        "0/1 carnivore",
        None,
        "0/1 warning-call",
        "0/1 warning-call",
        "warning-call",
    ),
    "1 a full or small neighbour warns too": ("0/1 carnivore", "1/1 warning-call", "0/5", None, "warning-call"),
    "2 burrowing while full": ("0/7 b7 carnivore", None, "2/2 burrowing", None, "burrowing"),
    "2 burrowing while hungry": ("0/1 carnivore", None, "1/2 burrowing", None, None),
    "2 full without burrowing": ("0/1 carnivore", None, "2/2", None, None),
    "2 ambush does not overcome burrowing": ("0/1 ambush carnivore", None, "2/2 burrowing", None, "burrowing"),
    "3 climbing": ("0/7 b7 carnivore", None, "0/1 climbing", None, "climbing"),
    "3 climbing overcomes climbing": ("0/1 carnivore climbing", None, "0/1 climbing", None, None),
    "3 a climber may attack on the ground": ("0/1 carnivore climbing", None, "0/1", None, None),
    "3 ambush does not overcome climbing": ("0/1 ambush carnivore", None, "0/1 climbing", None, "climbing"),
    "4 herding, attacker smaller": ("0/2 carnivore", None, "0/3 herding", None, "herding"),
    "4 herding, populations equal": ("0/3 carnivore", None, "0/3 herding", None, "herding"),
    "4 herding, attacker larger": ("0/4 carnivore", None, "0/3 herding", None, None),
    "4 herding ignores bodies": ("0/2 b7 carnivore", None, "0/3 herding", None, "herding"),
    "4 herding ignores pack hunting": ("0/3 b7 carnivore pack-hunting", None, "0/3 herding", None, "herding"),
    "4 herding ignores the herd's pack hunting": (
        "0/4 carnivore",
        None,
        "0/3 b7 herding pack-hunting",
        None,
        None,
    ),
    "4 ambush does not overcome herding": ("0/3 ambush carnivore", None, "0/3 herding", None, "herding"),
    "5 hard shell, 3 larger": ("0/7 b4 carnivore", None, "0/1 b1 hard-shell", None, "hard-shell"),
    "5 hard shell, 4 larger": ("0/1 b5 carnivore", None, "0/1 b1 hard-shell", None, None),
    "5 pack hunting adds the population": (
        "0/3 b2 carnivore pack-hunting",
        None,
        "0/1 b1 hard-shell",
        None,
        None,
    ),
    "5 pack hunting, one animal short": (
        "0/2 b2 carnivore pack-hunting",
        None,
        "0/1 b1 hard-shell",
        None,
        "hard-shell",
    ),
    "5 a shelled attacker is no larger": (
        "0/1 b4 carnivore hard-shell",
        None,
        "0/1 b1 hard-shell",
        None,
        "hard-shell",
    ),
    "5 pack hunting of the defender is irrelevant": (
        "0/1 b5 carnivore",
        None,
        "0/7 b1 hard-shell pack-hunting",
        None,
        None,
    ),
    "5 the largest shell cannot be broken by body": (
        "0/7 b7 carnivore",
        None,
        "0/1 b7 hard-shell",
        None,
        "hard-shell",
    ),
    "5 ... but by a pack": ("0/4 b7 carnivore pack-hunting", None, "0/1 b7 hard-shell", None, None),
    "6 symbiosis, larger body on the right": ("0/7 b7 carnivore", None, "0/1 b1 symbiosis", "0/1 b2", "symbiosis"),
    "6 symbiosis, equal body on the right": ("0/1 carnivore", None, "0/1 b2 symbiosis", "0/1 b2", None),
    "6 symbiosis, smaller body on the right": ("0/1 carnivore", None, "0/1 b3 symbiosis", "0/1 b2", None),
    "6 symbiosis, no neighbour on the right": ("0/1 carnivore", None, "0/1 symbiosis", None, None),
    "6 symbiosis does not look to the left": ("0/1 carnivore", "0/1 b7", "0/1 symbiosis", None, None),
    "6 the neighbour's symbiosis protects only itself": ("0/1 carnivore", "0/1 symbiosis", "0/1 b1", None, None),
    "horns do not prevent an attack": ("0/1 carnivore", None, "0/1 horns", None, None),
    "defences are independent": (
        "0/7 b7 carnivore climbing",
        None,
        "1/1 burrowing climbing",
        None,
        "burrowing",
    ),
    "the attack test does not check that the attacker is a hungry carnivore": ("1/1", None, "0/1", None, None),
    # Worked example 14.1.
    "14.1 body 4 against body 1": ("0/1 b4 carnivore", None, "0/1 b1 hard-shell", None, "hard-shell"),
    "14.1 body 5 against body 1": ("0/1 b5 carnivore", None, "0/1 b1 hard-shell", None, None),
    "14.1 a pack of 3 with body 2": ("0/3 b2 carnivore pack-hunting", None, "0/1 b1 hard-shell", None, None),
}


def _shield(attacker: str, left: str | None, defender: str, right: str | None, under: Rules = COURSE) -> Trait | None:
    beside = [species(text) if text else None for text in (left, right)]
    return shield_against(Attack(species(attacker), species(defender), beside[0], beside[1]), under)


@pytest.mark.parametrize("name", SITUATIONS)
def test_attack_test(name: str) -> None:
    *situation, safe_by = SITUATIONS[name]
    assert _shield(*situation) == safe_by  # type: ignore[arg-type]


def test_each_shield_has_a_case_that_holds_and_one_that_is_overcome() -> None:
    shields = {trait for trait, rule in TRAITS.items() if rule.shields or rule.shields_neighbours}
    held = {situation[-1] for situation in SITUATIONS.values()} - {None}
    overcome = {
        trait
        for attacker, left, defender, right, safe_by in SITUATIONS.values()
        if safe_by is None
        for trait in " ".join(filter(None, (left, defender, right))).split()
    }
    assert held == shields
    assert shields <= overcome


@pytest.mark.parametrize("attacker", [trait for trait in Trait if trait not in ("ambush", "climbing", "pack-hunting")])
def test_no_other_trait_helps_an_attacker(attacker: Trait) -> None:
    """A defender that is safe from a plain carnivore is also safe from one with this trait."""
    for plain, left, defender, right, safe_by in SITUATIONS.values():
        if plain.split()[2:] in (["carnivore"], ["b7", "carnivore"]):
            assert _shield(f"{plain} {attacker}", left, defender, right) == safe_by


# Options of section 9.1.  name: options, situation, the trait that makes the defender safe under them.
OPTIONS: dict[str, tuple[dict[str, Any], tuple[str, str | None, str, str | None], str | None]] = {
    "symbiosis=false": ({"symbiosis": False}, ("0/1 carnivore", None, "0/1 symbiosis", "0/1 b1"), None),
    "hard_shell_gap=5": (
        {"hard_shell_gap": 5},
        ("0/1 b5 carnivore", None, "0/1 b1 hard-shell", None),
        "hard-shell",
    ),
    "hard_shell_gap=3": ({"hard_shell_gap": 3}, ("0/1 b4 carnivore", None, "0/1 b1 hard-shell", None), None),
    "hard_shell_arms_attacker=true": (
        {"hard_shell_arms_attacker": True},
        ("0/1 b1 carnivore hard-shell", None, "0/1 b1 hard-shell", None),
        None,
    ),
    "hard_shell_arms_attacker=true ignores pack hunting": (
        {"hard_shell_arms_attacker": True},
        ("0/7 b1 carnivore hard-shell pack-hunting", None, "0/1 b2 hard-shell", None),
        "hard-shell",
    ),
    "herding_counts_pack=true for the attacker": (
        {"herding_counts_pack": True},
        ("0/1 b3 carnivore pack-hunting", None, "0/3 herding", None),
        None,
    ),
    "herding_counts_pack=true for the defender": (
        {"herding_counts_pack": True},
        ("0/4 carnivore", None, "0/3 b1 herding pack-hunting", None),
        "herding",
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_that_change_the_attack_test(name: str) -> None:
    options, situation, safe_by = OPTIONS[name]
    assert _shield(*situation, under=rules(**options)) == safe_by
    assert _shield(*situation) != safe_by


@pytest.mark.parametrize(
    ("attacker", "safe_by"),
    [
        ("0/1 b5 carnivore", "hard-shell"),
        ("0/1 b6 carnivore", None),
        ("0/1 b1 carnivore hard-shell", "hard-shell"),
        ("0/1 b2 carnivore hard-shell", None),
    ],
)
def test_reference_program_demands_a_size_difference_of_more_than_four(attacker: str, safe_by: str | None) -> None:
    """14.1 in the published program: a shell of the attacker counts 4, not 5."""
    assert _shield(attacker, None, "0/1 b1 hard-shell", None, rules("reference")) == safe_by


# The trait table.


def test_every_trait_has_a_row_with_one_sentence() -> None:
    assert list(TRAITS) == list(Trait)
    sentences = [rule.text(COURSE) for rule in TRAITS.values()]
    assert [text for text in sentences if not text.endswith(".") or text.count(".") > 1] == []
    assert len(set(sentences)) == 16


def test_fertile_acts_before_long_neck_before_fat_tissue() -> None:
    assert REVEAL_ORDER == ("fertile", "long-neck", "fat-tissue")
    assert [TRAITS[trait].at_reveal for trait in REVEAL_ORDER] == [Effect.GROW, Effect.FEED, Effect.BURN_FAT]
    assert {trait for trait, rule in TRAITS.items() if rule.at_reveal} == set(REVEAL_ORDER)


def test_trait_effects_combine_the_traits_of_a_species() -> None:
    both = TRAIT_EFFECTS[Trait.CARNIVORE, Trait.FORAGING]
    assert (both.hunts, both.bites, both.feeds_right_neighbour) == (True, 2, False)
    assert TRAIT_EFFECTS[()].bites == 1


@pytest.mark.parametrize("trait", Trait)
def test_having_a_trait_twice_is_like_having_it_once(trait: Trait) -> None:
    """The published program allows replacements that leave equal traits on a board (`final_traits_distinct`)."""
    assert TRAIT_EFFECTS[trait, trait] == TRAIT_EFFECTS[trait,]


# The types of the framework document.  It names only carnivore; the moment of the effect decides the others.
TYPES = {
    "ambush": "NoReaction",  # changes what its own attacks may do; the warning call does the preventing
    "burrowing": "PreventsAttack",
    "carnivore": "NoReaction",
    "climbing": "PreventsAttack",
    "cooperation": "FoodEaten",
    "fat-tissue": "FoodRevealed",  # storing is the player's decision, so only the reveal is a reaction
    "fertile": "FoodRevealed",
    "foraging": "FoodEaten",
    "hard-shell": "PreventsAttack",
    "herding": "PreventsAttack",
    "horns": "WasAttacked",
    "long-neck": "FoodRevealed",
    "pack-hunting": "NoReaction",  # as ambush; the hard shell does the preventing
    "scavenger": "WasAttacked",  # reacts to an attack on any species, and to no vegetarian's meal
    "symbiosis": "PreventsAttack",
    "warning-call": "PreventsAttack",  # its owner is a neighbour of the attacked species
}


@pytest.mark.parametrize("trait", Trait)
def test_trait_has_the_type_of_the_framework_document(trait: Trait) -> None:
    assert TRAITS[trait].type == TYPES[trait]


def test_rulebook_shows_the_type_of_every_trait() -> None:
    rows = {cells[1].strip("` "): cells[2].strip("` ") for cells in map(_cells, rulebook().splitlines())}
    assert {trait: rows.get(trait) for trait in Trait} == TYPES


def _cells(line: str) -> list[str]:
    return [*line.split("|"), "", ""]


EFFECTS: dict[str, dict[str, Any]] = {
    "PreventsAttack": {"shields": lambda *numbers: True, "shields_neighbours": True},
    "WasAttacked": {"wounds_attacker": 1, "eats_after_attack": True},
    "FoodRevealed": {"at_reveal": Effect.FEED},
    "FoodEaten": {"extra_bites": 1, "feeds_right_neighbour": True},
    "NoReaction": {"hunts": True, "hunts_in_packs": True, "armour": 4, "cancels": frozenset({Trait.CLIMBING})},
}


def _row(**effects: Any) -> TraitRule:
    return TraitRule(family="defence", text=lambda rules: "", **effects)


def test_type_follows_from_each_effect_of_a_row() -> None:
    found = {
        (name, effect): _row(**{effect: EFFECTS[name][effect]}).type for name in EFFECTS for effect in EFFECTS[name]
    }
    assert found == {(name, effect): name for name in EFFECTS for effect in EFFECTS[name]}
    described = {"family", "text", "points"}
    assert {effect for _, effect in found} | described == {field.name for field in dataclasses.fields(TraitRule)}


@pytest.mark.parametrize("name", TraitType)
def test_the_first_type_counts_if_a_row_has_effects_of_several(name: TraitType) -> None:
    later = list(TraitType)[list(TraitType).index(name) :]
    assert _row(**{effect: value for each in later for effect, value in EFFECTS[each].items()}).type == name
