"""The silly player, rule by rule (rulebook, section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.games.evolution.builders import board, cards, rules
from tests.games.tables import declare, feed
from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution import (
    AttackSpecies,
    Declaration,
    Feeding,
    FeedPlants,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    SpeciesBoard,
    StoreFat,
)
from wateringhole.games.evolution.bots.silly import Silly

HAND = cards(
    (2, "horns"),
    (-1, "carnivore"),
    (3, "ambush"),
    (0, "horns"),
    (-8, "carnivore"),
    (1, "burrowing"),
    (0, "warning-call"),
)


def test_it_chooses_as_in_the_worked_example() -> None:
    choice = Silly().choose(declare(HAND, [board(), board()]))
    assert choice == Declaration(2, (Growth(2, 1),), (Growth(2, 3),), (NewBoard(5, (4,)),), (Replacement(2, 0, 0),))


@pytest.mark.parametrize(
    ("cards_held", "expected"),
    [
        (1, Declaration(0)),
        (3, Declaration(2)),
        (4, Declaration(2, (Growth(1, 0),), (), (NewBoard(1, (3,)),))),
        (5, Declaration(2, (Growth(1, 3),), (Growth(1, 0),), (NewBoard(4, (1,)),))),
    ],
)
def test_it_does_less_with_fewer_cards(cards_held: int, expected: Declaration) -> None:
    assert Silly().choose(declare(HAND[:cards_held])) == expected


def test_it_cannot_choose_from_an_empty_hand() -> None:
    with pytest.raises(ValueError, match="empty hand"):
        Silly().choose(declare([]))


def test_its_board_joins_on_the_left_if_the_rules_say_so() -> None:
    request = declare(HAND, rules=rules(new_board_side="left"))
    assert violation_of(request, Silly().choose(request)) is None


def fat(body: int, **fields: int) -> SpeciesBoard:
    return board("fat-tissue", body=body, **fields)


def carnivore(**fields: int) -> SpeciesBoard:
    return board("carnivore", **fields)


def plain(population: int = 1, **fields: int) -> SpeciesBoard:
    return board(population=population, **fields)


FEEDINGS: list[tuple[str, Sequence[Sequence[SpeciesBoard]], int, dict[str, Any], Feeding]] = [
    ("stores fat before a hungry board eats", [[plain(4), fat(2)]], 5, {}, StoreFat(1, 2)),
    ("stores where there is most room", [[fat(3, fat=2), fat(2)]], 5, {}, StoreFat(1, 2)),
    ("asks for no more fat than there is", [[fat(4), plain()]], 3, {}, StoreFat(0, 3)),
    ("asks for all its room", [[fat(4), plain()]], 3, {"silly_caps_fat_request": False}, StoreFat(0, 4)),
    ("stores on the larger of equal rooms", [[fat(2), fat(2, population=3)]], 5, {}, StoreFat(1, 2)),
    ("stores on the first of equals", [[fat(2), fat(2)]], 5, {}, StoreFat(0, 2)),
    ("feeds the largest herd", [[plain(1), plain(3), plain(2)]], 5, {}, FeedPlants(1)),
    ("then the one that has eaten more", [[plain(3), plain(3, food=1)]], 5, {}, FeedPlants(1)),
    ("then the larger body", [[plain(3), plain(3, body=1)]], 5, {}, FeedPlants(1)),
    ("then the first", [[plain(3, food=3), plain(2), plain(2)]], 5, {}, FeedPlants(1)),
    ("feeds before it hunts", [[carnivore(population=5), plain()], [plain()]], 5, {}, FeedPlants(1)),
    (
        "hunts with its largest that can",
        [[carnivore(population=4), carnivore(population=2)], [board("climbing", population=2), plain()]],
        5,
        {},
        AttackSpecies(0, Seat(1), 1),
    ),
    (
        "hunts with a smaller one if the largest cannot",
        [[carnivore(population=4), board("carnivore", "climbing")], [board("climbing")]],
        5,
        {},
        AttackSpecies(1, Seat(1), 0),
    ),
    (
        "attacks the largest of all",
        [[carnivore()], [plain(2), plain(3)], [plain(3, body=1), plain(3)]],
        5,
        {},
        AttackSpecies(0, Seat(2), 0),
    ),
    (
        "attacks the first of equals",
        [[carnivore()], [plain(1), plain(3), plain(3)], [plain(3)]],
        5,
        {},
        AttackSpecies(0, Seat(1), 1),
    ),
    (
        "attacks the last of equals of the first player",
        [[carnivore()], [plain(1), plain(3), plain(3)], [plain(3)]],
        5,
        {"silly_target_tie": "last"},
        AttackSpecies(0, Seat(1), 2),
    ),
    ("spares its own", [[carnivore(), plain(food=1)], []], 5, {"own_attacks": True}, Pass()),
]


@pytest.mark.parametrize(
    ("rows", "hole", "options", "expected"), [row[1:] for row in FEEDINGS], ids=[row[0] for row in FEEDINGS]
)
def test_it_feeds_by_the_first_rule_that_applies(
    rows: Sequence[Sequence[SpeciesBoard]], hole: int, options: dict[str, Any], expected: Feeding
) -> None:
    assert Silly().feed_next(feed(*rows, hole=hole, rules=rules(**options))) == expected
