"""The course's harnesses: what the cases written from the rulebook cannot say, and input of wrong shape."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.evolution.builders import COURSE
from tests.games.evolution.builders import rules as options
from tests.games.evolution.scenarios import configuration, lay, row, snapshot, species, state_of
from wateringhole.games.evolution import PROFILES
from wateringhole.games.evolution.harness import HARNESSES, choose, feed, step, step4
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.protocol.json import parse

REFERENCE = PROFILES["reference"]
NOTHING: list[Any] = [0, [], [], [], []]
"""An Action4 that gives the first card and does nothing else."""


def situation(defender: str, attacker: str, left: str = "", right: str = "") -> list[Any]:
    boards = [codec.species_to_json(species(text)) if text else False for text in (defender, attacker, left, right)]
    return boards


def feeding(boards: str, *others: str, hole: int = 5) -> list[Any]:
    players = configuration(lay(boards, *others))[0]
    return [players[0], hole, players[1:]]


def choice(boards: str, cards: str, before: tuple[str, ...] = (), after: tuple[str, ...] = ()) -> list[Any]:
    player = codec.player_to_json(lay(boards, hands={"A": cards}).players[0], 1)
    return [player, [codec.row_to_json(row(text)) for text in before], [codec.row_to_json(row(text)) for text in after]]


def difference(before: GameState, after: Any) -> dict[str, Any]:
    """Return the parts of a state that a harness has changed, with their new values, or None for removed parts."""
    was, now = snapshot(before), snapshot(state_of(before, after))
    return {part: now.get(part) for part in was | now if was.get(part) != now.get(part)}


# feed


def test_feed_ignores_stored_food_on_a_board_without_fat_tissue() -> None:
    board = [["food", 1], ["body", 3], ["population", 2], ["traits", []], ["fat-food", 2]]
    assert feed([[["id", 1], ["species", [board]], ["bag", 0]], 5, []], COURSE) == 0


def test_feed_reads_stored_food_of_zero_like_a_missing_one() -> None:
    board = [["food", 1], ["body", 3], ["population", 2], ["traits", ["fat-tissue"]], ["fat-food", 0]]
    assert feed([[["id", 1], ["species", [board]], ["bag", 0]], 5, []], COURSE) == [0, 3]


def test_feed_under_the_reference_rules_fills_the_store_and_attacks_the_last_equal_target() -> None:
    assert feed(feeding("0/1 b7 fat-tissue", hole=3), REFERENCE) == [0, 7]
    assert feed(feeding("0/1 carnivore", "0/1", "0/2, 0/2", "0/2"), REFERENCE) == [0, 1, 1]


def test_feed_compares_stores_by_room_even_if_storing_more_than_the_hole_has_is_illegal() -> None:
    assert feed(feeding("0/2 b2 fat-tissue, 0/1 b3 fat-tissue", hole=1), options(fat_over_request="illegal")) == [1, 1]


# step


def test_step_without_players_changes_nothing() -> None:
    assert step([[], 3, []], COURSE) == [[], 3, []]


def test_step_as_the_rulebook_writes_it() -> None:
    hunter, fat = ["carnivore"], ["fat-tissue"]
    before = [
        [
            [["id", 1], ["species", [[["food", 1], ["body", 4], ["population", 2], ["traits", hunter]]]], ["bag", 3]],
            [
                ["id", 2],
                [
                    "species",
                    [
                        [["food", 0], ["body", 0], ["population", 1], ["traits", ["horns"]]],
                        [["food", 1], ["body", 2], ["population", 3], ["traits", fat], ["fat-food", 1]],
                    ],
                ],
                ["bag", 0],
            ],
            [
                ["id", 3],
                ["species", [[["food", 0], ["body", 1], ["population", 2], ["traits", ["scavenger"]]]]],
                ["bag", 1],
                ["cards", [[2, "climbing"]]],
            ],
        ],
        5,
        [[-3, "ambush"], [-2, "ambush"]],
    ]
    after = copy.deepcopy(before)
    players: Any = after[0]
    players[0][1][1][0][0] = ["food", 2]
    players[1][1][1][1][2] = ["population", 2]
    players[2][1][1][0][0] = ["food", 1]
    after[1] = 3
    assert step(before, COURSE) == after


def test_step_keeps_the_given_identities_even_if_two_are_equal() -> None:
    before = configuration(lay("0/1", "", "", hole=1))
    for player, identity in zip(before[0], (7, 7, 10**30), strict=True):
        player[0][1] = identity
    assert [player[0] for player in step(before, COURSE)[0]] == [["id", 7], ["id", 7], ["id", 10**30]]


def test_step_normalises_unchanged_parts() -> None:
    useless = [["food", 1], ["body", 3], ["population", 1], ["traits", []], ["fat-food", 2]]
    empty = [["food", 1], ["body", 3], ["population", 1], ["traits", ["fat-tissue"]], ["fat-food", 0]]
    before = [[[["id", 1], ["species", [useless, empty]], ["bag", 0], ["cards", []]]], 0, []]
    assert step(before, COURSE) == [[[["id", 1], ["species", [useless[:4], empty[:4]]], ["bag", 0]]], 0, []]


def test_step_throws_the_silly_player_out_when_the_rules_make_its_answer_illegal() -> None:
    # Nothing but own boards to attack: it declines.
    strict = options(own_attacks=True, false_reply="cheat")
    before = lay("0/2 carnivore, 0/2 carnivore", "0/1 climbing", hole=2, rules=strict)
    assert difference(before, step(configuration(before), strict)) == {
        "order": "B",
        **dict.fromkeys(("A", "A hand", "A bag", "A is owed")),
    }


# step4


def declared(*rows: str, actions: list[Any] | None = None, **things: Any) -> tuple[GameState, list[Any]]:
    """Return a state and the players' actions; without actions every player gives a card worth 0."""
    if actions is None:
        things["hands"] = dict.fromkeys("ABCDEFGH"[: len(rows)], "horns+0")
        actions = [NOTHING] * len(rows)
    return lay(*rows, **things), actions


GIVEN = {f"{name} hand": "" for name in "ABC"}
"""Every player has given its only card."""

STEP4S: list[tuple[str, tuple[GameState, list[Any]], dict[str, Any]]] = [
    ("14.6: the hole is cut after every card", declared(
        "", "", "", actions=[NOTHING] * 3, hole=1, hands={"A": "horns-3", "B": "horns+2", "C": "horns-1"},
    ), GIVEN),
    ("14.7: fertile, then long necks, then fat", declared(
        "0/2 b4 fat3 fat-tissue fertile long-neck", "0/1 long-neck cooperation, 0/2 carnivore", "", hole=3,
    ), {
        "A": "3/3 b4 fat1 fat-tissue fertile long-neck", "B": "1/1 long-neck cooperation, 1/2 carnivore", "hole": 0,
        **GIVEN,
    }),
    ("14.7: with one token less", declared(
        "0/2 b4 fat3 fat-tissue fertile long-neck", "0/1 long-neck cooperation, 0/2 carnivore", "", hole=2,
    ), {
        "A": "3/3 b4 fat1 fat-tissue fertile long-neck", "B": "1/1 long-neck cooperation, 0/2 carnivore", "hole": 0,
        **GIVEN,
    }),
    ("all five kinds of choices", declared(
        "0/1 b1 horns", hands={"A": "ambush-1 ambush+1 climbing+1 herding+1 foraging+1 burrowing+1 fertile+2"},
        actions=[[0, [[0, 1]], [[1, 2]], [[3, 4]], [[0, 0, 5]]]],
    ), {"A": "0/2 b1 burrowing, 0/1 b1 foraging", "A hand": "fertile+2"}),
    ("new boards join on the right with one animal", declared(
        "0/2 b1", hands={"A": "ambush+0 climbing+1 herding+1 foraging+1 horns+1"},
        actions=[[0, [], [], [[1, 2, 3], [4]], []]],
    ), {"A": "0/2 b1, 0/1 herding foraging, 0/1", "A hand": ""}),
    ("a board bought just now can be grown and changed", declared(
        "", hands={"A": "ambush+0 climbing+1 herding+1 foraging+1 horns+1 fertile+1"},
        actions=[[0, [[0, 3]], [[0, 4]], [[1, 2]], [[0, 0, 5]]]],
    ), {"A": "0/3 b1 fertile", "A hand": ""}),
    ("card choices come before the traits that react", declared(
        "0/1 horns", hands={"A": "ambush+0 fertile+1"}, actions=[[0, [], [], [], [[0, 0, 1]]]],
    ), {"A": "0/2 fertile", "A hand": ""}),
    ("a trait may be replaced by itself", declared(
        "1/1 horns climbing", hands={"A": "ambush+0 horns+1"}, actions=[[0, [], [], [], [[0, 0, 1]]]],
    ), {"A hand": ""}),
    ("the last replacement of a slot wins", declared(
        "1/1 horns", hands={"A": "ambush+0 herding+1 climbing+1"}, actions=[[0, [], [], [], [[0, 0, 1], [0, 0, 2]]]],
    ), {"A": "1/1 climbing", "A hand": ""}),
    ("fat tissue that is replaced by fat tissue keeps its store", declared(
        "1/1 b3 fat2 fat-tissue", hands={"A": "ambush+0 fat-tissue+1"}, actions=[[0, [], [], [], [[0, 0, 1]]]],
    ), {"A hand": ""}),
    ("a store comes back with its trait", declared(
        "1/1 b3 fat2 fat-tissue", hands={"A": "ambush+0 horns+1 fat-tissue+1"},
        actions=[[0, [], [], [], [[0, 0, 1], [0, 0, 2]]]],
    ), {"A hand": ""}),
    ("old labels of growth are read", declared(
        "1/1", hands={"A": "ambush+0 horns+1 horns+2"}, actions=[[0, [["population", 0, 1]], [["body", 0, 2]], [], []]],
    ), {"A": "1/2 b1", "A hand": ""}),
    ("fertile does not go beyond seven", declared("7/7 fertile"), {"A hand": ""}),
    ("a fertile animal just born is fed by its long neck", declared("1/1 fertile long-neck", hole=1), {
        "A": "2/2 fertile long-neck", "hole": 0, "A hand": "",
    }),
    ("a long neck forages", declared("0/3 long-neck foraging", hole=2), {
        "A": "2/3 long-neck foraging", "hole": 0, "A hand": "",
    }),
    ("long necks eat in turn order", declared("0/1", "0/1 long-neck", "0/1 long-neck", hole=1), {
        "B": "1/1 long-neck", "hole": 0, **GIVEN,
    }),
    ("fat is burned before the feeding rounds", declared("0/2 b1 fat1 fat-tissue", hole=9), {
        "A": "2/2 b1 fat1 fat-tissue", "hole": 7, "A hand": "",
    }),
    ("players feed in turn", declared("0/3", "0/3", "0/3", hole=5), {
        "A": "2/3", "B": "2/3", "C": "1/3", "hole": 0, **GIVEN,
    }),
    ("food that no species can eat stays in the hole", declared("0/1 climbing", "0/1 carnivore", "", hole=9), {
        "A": "1/1 climbing", "hole": 8, **GIVEN,
    }),
    ("cards for an extinct board are drawn at once, in front", declared(
        "0/1 carnivore", "0/1", hole=5, deck="ambush+1 ambush+2 ambush+3", actions=[NOTHING] * 2,
        hands={"A": "horns+0", "B": "herding+0 climbing+1"},
    ), {
        "A": "1/1 carnivore", "A hand": "", "B": "", "B hand": "ambush+1 ambush+2 climbing+1", "deck": "ambush+3",
        "hole": 4,
    }),
    ("an idle player feeds after an attack has given it an option", declared(
        "0/2 b1 carnivore hard-shell", "2/3 carnivore climbing", "2/2 herding", hole=5,
    ), {"A": "1/2 b1 carnivore hard-shell", "B": "3/3 carnivore climbing", "C": "", "hole": 3, **GIVEN}),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "expected"), [case[1:] for case in STEP4S], ids=[case[0] for case in STEP4S])
def test_step4(declared: tuple[GameState, list[Any]], expected: dict[str, Any]) -> None:
    before, actions = declared
    assert difference(before, step4([configuration(before), actions], COURSE)) == expected


ILLEGAL_ACTIONS: list[tuple[str, list[Any]]] = [
    ("a food card beyond the hand", [8, [], [], [], []]),
    ("a huge card index", [10**30, [], [], [], []]),
    ("a card used twice", [0, [[0, 0]], [], [], []]),
    ("a board beyond the row", [0, [[1, 1]], [], [], []]),
    ("a board beyond those bought", [0, [], [[2, 1]], [[2]], []]),
    ("population beyond seven", [0, [[0, 1], [0, 2], [0, 3]], [], [], []]),
    ("body beyond seven", [0, [], [[0, 1], [0, 2], [0, 3]], [], []]),
    ("a new board with equal traits", [0, [], [], [[1, 2, 3]], []]),
    ("a slot that does not exist", [0, [], [], [], [[0, 2, 1]]]),
    ("a free slot of a new board", [0, [], [], [[1, 2]], [[1, 1, 4]]]),
    ("a replacement that doubles a trait", [0, [], [], [], [[0, 1, 4]]]),
    ("a replacement that doubles a trait about to go", [0, [], [], [], [[0, 0, 2], [0, 1, 4]]]),
    ("replacements that together double a trait", [0, [], [], [], [[0, 0, 2], [0, 1, 3]]]),
]


@pytest.mark.parametrize("action", [action for _, action in ILLEGAL_ACTIONS], ids=[name for name, _ in ILLEGAL_ACTIONS])
def test_an_illegal_action_throws_its_player_out(action: list[Any]) -> None:
    # Neither A's food card nor its boards matter any more.
    hands = {"A": "ambush+3 ambush+2 herding+1 herding+2 horns+1", "B": "horns+0"}
    before = lay("0/5 b5 horns climbing", "0/1 carnivore", hole=1, hands=hands)
    assert difference(before, step4([configuration(before), [action, NOTHING]], COURSE)) == {
        "order": "B",
        **dict.fromkeys(("A", "A hand", "A bag", "A is owed")),
        "B hand": "",
    }


def test_all_players_can_be_thrown_out() -> None:
    before = lay("0/1", "0/1", hole=4, deck="horns+1")
    assert step4([configuration(before), [NOTHING, NOTHING]], COURSE) == [[], 4, [[1, "horns"]]]


def test_step4_follows_the_options_it_is_given() -> None:
    before, actions = declared(
        "0/2 b1 carnivore hard-shell",
        "2/3 carnivore climbing",
        "2/2 herding",
        hole=5,
        rules=options(idle_players="leave"),
    )
    assert difference(before, step4([configuration(before), actions], before.rules)) == {
        "B": "3/3 carnivore climbing", "C": "1/1 herding", "hole": 4, **GIVEN,
    }  # fmt: skip


def test_the_same_card_may_occur_twice() -> None:
    before = lay("1/1", hole=0, deck="horns+1 horns+1", hands={"A": "horns+1 horns+1"})
    after = step4([configuration(before), [NOTHING]], COURSE)
    assert difference(before, after) == {"A hand": "horns+1", "hole": 1}


# choose


CHOICES: list[tuple[str, list[Any], list[Any]]] = [
    ("14.8", choice("0/1, 0/1", "horns+2 carnivore-1 ambush+3 horns+0 carnivore-8 burrowing+1 warning-call+0"),
     [2, [[2, 1]], [[2, 3]], [[5, 4]], [[2, 0, 0]]]),
    ("four cards", choice("0/1", "horns+3 horns+2 horns+1 horns+0"), [3, [[1, 0]], [], [[2, 1]], []]),
    ("five cards", choice("", "horns+0 horns+1 horns+2 horns+3 long-neck+0"), [0, [[0, 3]], [[0, 4]], [[1, 2]], []]),
    ("the others do not matter", choice("", "horns+0 horns+1 horns+2 horns+3", ("0/7 carnivore",), ("", "0/1, 0/1")),
     [0, [[0, 3]], [], [[1, 2]], []]),
]  # fmt: skip


@pytest.mark.parametrize(("value", "expected"), [case[1:] for case in CHOICES], ids=[case[0] for case in CHOICES])
def test_choose(value: list[Any], expected: list[Any]) -> None:
    assert choose(value, COURSE) == expected


# Input of wrong shape


CARDS = "horns+0 horns+1 horns+2 horns+3"
GOOD: dict[str, list[Any]] = {
    "attack": situation("0/1 b1 horns", "0/2 carnivore", "0/1"),
    "feed": feeding("0/1 b3 fat2 fat-tissue horns", "0/1, 0/2", "", hole=3),
    "step": configuration(lay("0/1", "0/1 b1 fat1 fat-tissue", hole=2, deck="horns+1", hands={"A": "ambush+2"})),
    "step4": [
        configuration(lay("0/1 horns", "0/1", hole=2, deck="horns-1", hands={"A": CARDS, "B": CARDS})),
        [[0, [[0, 1]], [], [[2]], [[0, 0, 3]]], [3, [], [[1, 2]], [[0, 1]], []]],
    ],
    "choose": choice("0/1", CARDS, ("0/1",), ("0/1, 0/1", "")),
}
Position = tuple[int, ...]
ILL_SHAPED: list[tuple[str, str, Position, Any, str]] = [
    ("attack", "not a list", (), 7, "7 is not a situation"),
    ("attack", "three boards", (), [1, 2, 3], "a list of 3 is not a situation"),
    ("attack", "no defender", (0,), False, "defender: false is not a species"),
    ("attack", "a neighbour that is null", (2,), None, "left neighbour: null is not a species"),
    ("attack", "an object", (3,), {"food": 1}, "right neighbour: an object is not a species"),
    ("attack", "a field with another name", (0, 0, 0), "meal", 'defender: a species has the field ["food", ...] here'),
    ("attack", "a field without value", (0, 0), ["food"], 'has the field ["food", ...]'),
    ("attack", "stored food", (1,), [*GOOD["attack"][1], ["fat-food", 0]], "attacker: a list of 5 is not a species"),
    ("attack", "a missing field", (1,), GOOD["attack"][1][:3], "attacker: a list of 3 is not a species"),
    ("attack", "food below 0", (0, 0, 1), -1, "food is a whole number from 0 to 7, not -1"),
    ("attack", "food above population", (0, 0, 1), 2, "food is 2, more than the population of 1"),
    ("attack", "body above 7", (0, 1, 1), 8, "body is a whole number from 0 to 7, not 8"),
    ("attack", "population 0", (0, 2, 1), 0, "population is a whole number from 1 to 7, not 0"),
    ("attack", "population 8", (0, 2, 1), 8, "population is a whole number from 1 to 7, not 8"),
    ("attack", "a float", (0, 2, 1), 1.0, "population is a whole number from 1 to 7, not 1.0"),
    ("attack", "a truth value", (0, 2, 1), True, "population is a whole number from 1 to 7, not true"),
    ("attack", "a number in quotes", (0, 2, 1), "1", 'population is a whole number from 1 to 7, not "1"'),
    ("attack", "an unknown trait", (0, 3, 1, 0), "wings", 'trait 0: "wings" is no trait'),
    ("attack", "a trait in capitals", (0, 3, 1, 0), "Horns", 'trait 0: "Horns" is no trait'),
    ("attack", "a trait that is no text", (0, 3, 1, 0), ["horns"], "trait 0: a list of 1 is no trait"),
    ("attack", "one trait without a list", (0, 3, 1), "horns", '"horns" is not a list of traits'),
    ("attack", "four traits", (0, 3, 1), ["ambush", "horns", "herding", "fertile"], "there are 4 traits"),
    ("attack", "equal traits", (0, 3, 1), ["horns", "horns"], "horns, horns are not all different"),
    ("feed", "no others", (), GOOD["feed"][:2], "a list of 2 is not a feeding"),
    ("feed", "an empty hole", (1,), 0, "the hole is a whole number from 1, not 0"),
    ("feed", "others that are no list", (2,), False, "false is not a list of other players"),
    ("feed", "identity 0", (0, 0, 1), 0, "id is a whole number from 1, not 0"),
    ("feed", "a bag below 0", (2, 1, 2, 1), -1, "other player 1: bag is a whole number from 0, not -1"),
    ("feed", "cards", (2, 0), [*GOOD["feed"][2][0], ["cards", []]], "other player 0: a list of 4 is not a player"),
    ("feed", "stored food above the body", (0, 1, 1, 0, 4, 1), 4, "board 0: fat-food is 4, more than the body of 3"),
    ("feed", "stored food above 7", (0, 1, 1, 0, 4, 1), 8, "fat-food is a whole number from 0 to 7, not 8"),
    ("feed", "fields in another order", (0,), GOOD["feed"][0][::-1], 'a player has the field ["id", ...] here'),
    ("feed", "the second board of another", (2, 0, 1, 1, 1, 0, 1), 9, "other player 0: board 1: food is a whole"),
    ("step", "a hole below 0", (1,), -1, "the hole is a whole number from 0, not -1"),
    ("step", "a hole with a fraction", (1,), 2.5, "the hole is a whole number from 0, not 2.5"),
    ("step", "no deck", (), GOOD["step"][:2], "a list of 2 is not a configuration"),
    ("step", "a card without points", (2, 0), ["horns"], "deck: card 0: a list of 1 is not a card"),
    ("step", "points no card has", (2, 0, 0), 4, 'deck: card 0: there is no card [4, "horns"]'),
    ("step", "points that are a truth value", (2, 0, 0), True, "food points are a whole number, not true"),
    ("step", "a card with an unknown trait", (2, 0, 1), "wings", 'deck: card 0: "wings" is no trait'),
    ("step", "a card in a hand", (0, 0, 3, 1, 0, 0), 9, 'player 0: card 0: there is no card [9, "ambush"]'),
    ("step", "five fields of a player", (0, 0), [*GOOD["step"][0][0], ["name", "A"]], "player 0: a list of 5"),
    ("step", "a player that is an object", (0, 1), {"id": 1}, "player 1: an object is not a player"),
    ("step4", "no actions", (), GOOD["step4"][:1], "a list of 1 is not an input of step4"),
    ("step4", "too few actions", (1,), GOOD["step4"][1][:1], "there are 2 players, but 1 actions"),
    ("step4", "too many actions", (1,), GOOD["step4"][1] * 2, "there are 2 players, but 4 actions"),
    ("step4", "actions that are no list", (1,), {}, "an object is not a list of actions"),
    ("step4", "four parts", (1, 0), [0, [], [], []], "action 0: a list of 4 is not an Action4"),
    ("step4", "six parts", (1, 1), [0, [], [], [], [], []], "action 1: a list of 6 is not an Action4"),
    ("step4", "a food card below 0", (1, 0, 0), -1, "action 0: the food card is a whole number from 0, not -1"),
    ("step4", "a food card in a list", (1, 0, 0), [0], "action 0: the food card is a whole number from 0"),
    ("step4", "a growth of one number", (1, 0, 1, 0), [0], "action 0: population growth 0: a list of 1 is not"),
    ("step4", "a growth with a wrong label", (1, 0, 1, 0), ["body", 0, 1], "population growth 0: a list of 3"),
    ("step4", "a body growth with a float", (1, 1, 2, 0, 0), 1.0, "action 1: body growth 0: a board is a whole number"),
    ("step4", "a purchase without payment", (1, 0, 3, 0), [], "action 0: new board 0: a list of 0 is no purchase"),
    ("step4", "a purchase with four traits", (1, 0, 3, 0), [0, 1, 2, 3, 4], "new board 0: a list of 5 is no purchase"),
    ("step4", "a purchase with a side", (1, 0, 3, 0), [2, "left"], 'new board 0: a card is a whole number'),
    ("step4", "a replacement without slot", (1, 0, 4, 0), [0, 3], "replacement 0: a list of 2 is not a replacement"),
    ("step4", "a slot below 0", (1, 0, 4, 0, 1), -1, "replacement 0: a slot is a whole number from 0, not -1"),
    ("choose", "three cards", (0, 3, 1), GOOD["choose"][0][3][1][:3], "the player has 3 cards; choosing takes 4"),
    ("choose", "no cards", (0,), GOOD["choose"][0][:3], "the player has 0 cards; choosing takes 4"),
    ("choose", "players instead of rows", (1, 0), GOOD["choose"][0], "row 0: board 0: a list of 2 is not a species"),
    ("choose", "one list of rows", (), GOOD["choose"][:2], "a list of 2 is not a choice"),
]  # fmt: skip


@pytest.mark.parametrize("name", HARNESSES)
def test_inputs_are_valid_before_they_are_spoiled(name: str) -> None:
    HARNESSES[name](GOOD[name], COURSE)


@pytest.mark.parametrize(
    ("name", "position", "spoiled", "sentence"),
    [(name, *case) for name, _, *case in ILL_SHAPED],
    ids=[f"{name}: {what}" for name, what, *_ in ILL_SHAPED],
)
def test_input_of_wrong_shape_is_refused_with_a_message(
    name: str, position: Position, spoiled: Any, sentence: str
) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is compared below
        HARNESSES[name](_with(GOOD[name], position, spoiled), COURSE)
    assert sentence in str(refused.value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-10, 10)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(["food", "traits", "fat-food", "cards", "horns", "left", "population", ""]),
    lambda values: st.lists(values, max_size=5) | st.dictionaries(st.text(max_size=3), values, max_size=2),
    max_leaves=8,
)


@given(st.data(), st.sampled_from(sorted(HARNESSES)), JSON)
def test_any_value_anywhere_gives_an_answer_or_a_value_error(data: st.DataObject, name: str, value: Any) -> None:
    position = data.draw(st.sampled_from(list(_positions(GOOD[name]))))
    try:
        answer = HARNESSES[name](_with(GOOD[name], position, value), COURSE)
    except ValueError:
        return
    assert parse(msgspec.json.encode(answer)) == answer


def test_a_harness_does_not_change_its_input() -> None:
    for name, value in GOOD.items():
        before = copy.deepcopy(value)
        HARNESSES[name](value, COURSE)
        assert value == before


def _with(value: Any, position: Position, spoiled: Any) -> Any:
    """Return the input with another value at one position."""
    if not position:
        return spoiled
    index, *rest = position
    return [*value[:index], _with(value[index], tuple(rest), spoiled), *value[index + 1 :]]


def _positions(value: Any) -> Iterator[Position]:
    yield ()
    if isinstance(value, list):
        for index, part in enumerate(value):
            for position in _positions(part):
                yield (index, *position)


# JSON text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (b" [1,\n2] ", [1, 2]),
        ("false", False),
        (b"-0", 0),
        (b"9" * 100, 10**100 - 1),
        ('"\\u00e9"', "\u00e9"),
    ],
)
def test_one_json_value_is_parsed(text: bytes | str, value: Any) -> None:
    assert parse(text) == value


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"   ",
        b"NaN",
        b"[Infinity]",
        b"1 2",
        b"[1,]",
        b"[1",
        b"01",
        b"+1",
        b"1e999",
        b"{'a': 1}",
        b"9" * 5000,
        b'"\xff"',
        b'"\\ud800"',
        '"\ud800"',
        b"[" * 100_000,
        b"\xef\xbb\xbf1",
        b"// a remark\n1",
    ],
    ids=lambda text: repr(text[:20]),
)
def test_text_other_than_one_json_value_is_refused(text: bytes | str) -> None:
    with pytest.raises(ValueError, match=r"^this (is not|JSON cannot)"):
        parse(text)


def test_deep_nesting_is_refused_by_every_harness() -> None:
    deep: Any = parse(b"[" * 500 + b"]" * 500)
    for name, harness in HARNESSES.items():
        for position in _positions(GOOD[name]):
            with pytest.raises(ValueError, match=r"a list of|whole number|but 1 actions"):
                harness(_with(GOOD[name], position, deep), COURSE)
