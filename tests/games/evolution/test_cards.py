"""The pieces of section 1: cards, their order, boards."""

from __future__ import annotations

import copy
import pickle
from collections import Counter

import pytest

from tests.games.evolution.builders import board
from wateringhole.games.evolution import CARDS, TRAITS, SpeciesBoard, Trait, card
from wateringhole.games.evolution.rules.species import new_board

NAMES = """
    ambush burrowing carnivore climbing cooperation fat-tissue fertile foraging hard-shell herding horns
    long-neck pack-hunting scavenger symbiosis warning-call
"""


def test_there_are_122_different_cards() -> None:
    assert len(CARDS) == 122
    assert len({(card.points, card.trait) for card in CARDS}) == 122


def test_the_traits_are_named_and_ordered_as_in_the_rulebook() -> None:
    assert list(Trait) == NAMES.split()
    assert sorted(Trait) == NAMES.split()


@pytest.mark.parametrize("trait", Trait)
def test_a_trait_has_a_card_for_each_of_its_points(trait: Trait) -> None:
    most = 8 if trait == "carnivore" else 3
    assert [card.points for card in CARDS if card.trait is trait] == list(range(-most, most + 1))
    assert TRAITS[trait].points == most


def test_there_are_17_carnivores_and_7_cards_of_every_other_trait() -> None:
    assert Counter(card.trait for card in CARDS) == {trait: 17 if trait == "carnivore" else 7 for trait in Trait}


def test_cards_are_ordered_by_trait_and_then_by_points() -> None:
    assert sorted(CARDS, key=lambda card: (card.trait.value, card.points)) == list(CARDS)
    assert sorted(CARDS, reverse=True)[::-1] == list(CARDS)
    assert [card.rank for card in CARDS] == list(range(122))
    assert repr((CARDS[0], CARDS[-1])) == "(card(-3, 'ambush'), card(3, 'warning-call'))"


def test_copying_a_card_returns_the_same_card() -> None:
    horns = card(1, "horns")
    assert horns is card(1, Trait.HORNS)
    assert copy.copy(horns) is horns
    assert copy.deepcopy([horns])[0] is horns
    assert pickle.loads(pickle.dumps(horns)) is horns


@pytest.mark.parametrize(
    ("points", "trait", "message"),
    [
        (4, "ambush", 'no card [4, "ambush"]: its points go from -3 to 3'),
        (-9, "carnivore", 'no card [-9, "carnivore"]: its points go from -8 to 8'),
        (1, "wings", "no trait 'wings'; there are ambush, burrowing,"),
        (1, ["horns"], "no trait ['horns']"),
        ([], "horns", 'no card [[], "horns"]'),
    ],
)
def test_an_unknown_card_raises_an_error_that_names_it(points: int, trait: str, message: str) -> None:
    with pytest.raises(ValueError, match="there is no") as caught:
        card(points, trait)
    assert message in str(caught.value)


def test_a_card_is_shown_with_the_sign_of_its_points() -> None:
    assert [str(card(points, "long-neck")) for points in (-2, 0, 3)] == ["long-neck -2", "long-neck +0", "long-neck +3"]


def test_a_new_board_has_one_animal_and_nothing_else() -> None:
    assert new_board() == board(population=1, body=0, food=0, fat=0)
    assert new_board(0) == board(population=0)


def test_a_board_is_hungry_until_every_animal_has_eaten() -> None:
    assert [board(population=2, food=food).is_hungry for food in (0, 1, 2)] == [True, True, False]


def test_a_board_without_carnivore_is_a_vegetarian() -> None:
    assert board("ambush", "carnivore").is_carnivore
    assert not board("ambush", "pack-hunting", "scavenger").is_carnivore


@pytest.mark.parametrize(
    ("species", "room"),
    [
        (board("fat-tissue", body=4), 4),
        (board("fat-tissue", body=4, fat=3), 1),
        (board("fat-tissue", body=4, fat=4), 0),
        (board("fat-tissue"), 0),
        (board("foraging", body=4), 0),
        (board("foraging", body=4, fat=2), 0),
        (board("fat-tissue", population=0, body=4), 0),
    ],
    ids=["empty", "some", "filled", "no body", "other trait", "hidden store", "no animals yet"],
)
def test_the_room_for_fat_is_the_body_minus_the_stored_fat(species: SpeciesBoard, room: int) -> None:
    assert species.fat_room == room


def test_a_smaller_population_loses_the_food_it_cannot_hold() -> None:
    assert board(population=4, food=3).with_population(3).food == 3
    assert board(population=4, food=4).with_population(3) == board(population=3, food=3)


def test_size_compares_population_then_food_then_body() -> None:
    ascending = [
        board(population=2, food=2, body=7),
        board(population=3, food=0, body=7),
        board(population=3, food=1, body=0),
        board(population=3, food=1, body=1),
    ]
    assert sorted(ascending, key=lambda species: species.size, reverse=True) == ascending[::-1]
