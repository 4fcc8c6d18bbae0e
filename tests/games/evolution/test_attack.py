"""Carrying out an attack (2.3), one feeding of one board (2.4), scavengers (2.5)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import rules
from tests.games.evolution.scenarios import changes, lay, show_row
from wateringhole.games.evolution.rules.events import AnimalLost, CardsDrawn, SpeciesAttacked, SpeciesDied, SpeciesFed
from wateringhole.games.evolution.rules.state import GameState

DECK = "ambush+3 ambush+2 ambush+1"

# name: the state, (attacker's player and board, target's player and board), changes.
ATTACKS: dict[str, tuple[GameState, tuple[int, int, int, int], dict[str, Any]]] = {
    "the victim loses an animal, the attacker eats": (
        lay("0/3 carnivore", "1/4", "0/1", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "1/3", "hole": 4},
    ),
    "a surplus token is lost and does not return to the hole": (
        lay("0/3 carnivore", "4/4", "0/1", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "3/3", "hole": 4},
    ),
    "the victim's store is not touched": (
        lay("0/3 carnivore", "2/2 b3 fat3 fat-tissue", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "1/1 b3 fat3 fat-tissue", "hole": 4},
    ),
    "the victim dies out: its food and fat go, its owner draws two": (
        lay("0/3 carnivore", "0/2, 1/1 b2 fat2 fat-tissue horns, 0/4", hole=5, deck=DECK, hands={"B": "herding+1"}),
        (0, 0, 1, 1),
        {
            "A": "1/2 carnivore",
            "B": "0/2, 0/4",
            "B hand": "ambush+3 ambush+2 herding+1",
            "deck": "ambush+1",
            "hole": 4,
        },
    ),
    "no card is left to draw": (
        lay("0/3 carnivore", "0/1", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "", "hole": 4},
    ),
    "horns kill one animal of the attacker, which then eats": (
        lay("0/3 carnivore", "0/4 horns", hole=5),
        (0, 0, 1, 0),
        {"A": "1/2 carnivore", "B": "0/3 horns", "hole": 4},
    ),
    "horns work although the victim dies out": (
        lay("0/3 carnivore", "0/1 horns", hole=5, deck=DECK),
        (0, 0, 1, 0),
        {"A": "1/2 carnivore", "B": "", "B hand": "ambush+3 ambush+2", "deck": "ambush+1", "hole": 4},
    ),
    "horns of the attacker or of a neighbour do nothing": (
        lay("0/3 carnivore horns", "0/4 horns, 0/4", hole=5),
        (0, 0, 1, 1),
        {"A": "1/3 carnivore horns", "B": "0/4 horns, 0/3", "hole": 4},
    ),
    "horns trim the attacker's food": (
        lay("2/3 carnivore, 0/1", "0/4 horns", hole=5),
        (0, 0, 1, 0),
        {"A": "2/2 carnivore, 0/1", "B": "0/3 horns"},
    ),
    "horns kill the attacker: no species eats, the victim's loss stands": (
        lay("0/2, 0/1 carnivore cooperation, 0/2 scavenger", "1/4 horns", "0/2 scavenger", hole=5, deck=DECK),
        (0, 1, 1, 0),
        {"A": "0/2, 0/2 scavenger", "B": "1/3 horns", "A hand": "ambush+3 ambush+2", "deck": "ambush+1"},
    ),
    "14.3 horns, both die: the victim's owner draws first": (
        lay("0/1 b3 carnivore", "0/1 horns", "", hole=5, deck=DECK, hands={"B": "herding+1"}),
        (0, 0, 1, 0),
        {"A": "", "B": "", "A hand": "ambush+1", "B hand": "ambush+3 ambush+2 herding+1", "deck": ""},
    ),
    "14.4 horns leave the attacker full: it eats nothing, scavengers do": (
        lay("2/3 b3 carnivore", "1/4 horns", "0/2 scavenger", hole=5),
        (0, 0, 1, 0),
        {"A": "2/2 b3 carnivore", "B": "1/3 horns", "C": "1/2 scavenger", "hole": 4},
    ),
    "14.5 scavengers, hole 6": (
        lay("0/3 b3 carnivore foraging, 0/2 scavenger", "0/2 scavenger cooperation, 0/3", "0/1 scavenger", hole=6),
        (0, 0, 1, 1),
        {
            "A": "2/3 b3 carnivore foraging, 1/2 scavenger",
            "B": "1/2 scavenger cooperation, 1/2",
            "C": "1/1 scavenger",
            "hole": 0,
        },
    ),
    "14.5 scavengers, hole 4": (
        lay("0/3 b3 carnivore foraging, 0/2 scavenger", "0/2 scavenger cooperation, 0/3", "0/1 scavenger", hole=4),
        (0, 0, 1, 1),
        {
            "A": "2/3 b3 carnivore foraging, 1/2 scavenger",
            "B": "1/2 scavenger cooperation, 0/2",
            "hole": 0,
        },
    ),
    "scavengers start with the attacker's owner, then in turn order": (
        lay("0/1 scavenger", "0/1 scavenger", "0/1 carnivore, 0/1 scavenger", "0/1 scavenger, 0/2", hole=3),
        (2, 0, 3, 1),
        {"C": "1/1 carnivore, 1/1 scavenger", "D": "1/1 scavenger, 0/1", "hole": 0},
    ),
    "the scavengers of a row eat from left to right": (
        lay("0/1 carnivore", "0/4", "0/3 scavenger, 0/7 scavenger", hole=2),
        (0, 0, 1, 0),
        {"A": "1/1 carnivore", "B": "0/3", "C": "1/3 scavenger, 0/7 scavenger", "hole": 0},
    ),
    "the attacker scavenges from its own attack": (
        lay("0/3 carnivore scavenger", "0/4", hole=5),
        (0, 0, 1, 0),
        {"A": "2/3 carnivore scavenger", "B": "0/3", "hole": 3},
    ),
    "the surviving victim scavenges": (
        lay("0/3 carnivore", "1/4 scavenger", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "2/3 scavenger", "hole": 3},
    ),
    "a victim that died out does not": (
        lay("0/3 carnivore", "0/1 scavenger, 0/2", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "0/2", "hole": 4},
    ),
    "carnivores scavenge without attacking": (
        lay("0/3 carnivore", "0/4", "0/2 carnivore scavenger", hole=5),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "0/3", "C": "1/2 carnivore scavenger", "hole": 3},
    ),
    "scavengers forage and cooperate": (
        lay("0/3 carnivore", "0/4", "0/3 scavenger foraging cooperation, 0/3", hole=7),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore", "B": "0/3", "C": "2/3 scavenger foraging cooperation, 2/3", "hole": 2},
    ),
    "the attacker's whole chain eats before any scavenger": (
        lay("0/3 carnivore cooperation, 0/2 cooperation, 0/2", "0/4 scavenger", hole=3),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore cooperation, 1/2 cooperation, 1/2", "B": "0/3 scavenger", "hole": 0},
    ),
    "a carnivore fed by cooperation feeds no scavengers of its own": (
        lay("0/3 carnivore cooperation, 0/2 carnivore", "0/4", "0/2 scavenger", hole=9),
        (0, 0, 1, 0),
        {"A": "1/3 carnivore cooperation, 1/2 carnivore", "B": "0/3", "C": "1/2 scavenger", "hole": 6},
    ),
    "the boards right of a dead one move up": (
        lay("0/1 carnivore", "0/1, 0/2 b1, 0/3 b2", hole=1, deck=DECK),
        (0, 0, 1, 0),
        {"A": "1/1 carnivore", "B": "0/2 b1, 0/3 b2", "B hand": "ambush+3 ambush+2", "deck": "ambush+1", "hole": 0},
    ),
}


def _attack(state: GameState, attack: tuple[int, int, int, int]) -> None:
    hunter, board, prey, target = attack
    state.attack(state.players[hunter], board, state.players[prey], target)


@pytest.mark.parametrize("name", ATTACKS)
def test_carrying_out_an_attack(name: str) -> None:
    state, attack, expected = ATTACKS[name]
    state = state.copy(emit=True)
    assert changes(state, lambda: _attack(state, attack)) == expected


def test_events_of_an_attack_follow_the_order_of_the_rulebook() -> None:
    state = lay("0/2 carnivore", "0/1 horns", "0/1 scavenger", hole=5, deck=DECK)
    _attack(state, (0, 0, 1, 0))
    assert state.events is not None
    assert [type(event) for event in state.events] == [
        SpeciesAttacked,
        SpeciesDied,
        CardsDrawn,
        AnimalLost,
        SpeciesFed,
        SpeciesFed,
    ]
    assert [event.cause for event in state.events if isinstance(event, SpeciesFed)] == ["meat", "scavenger"]


def test_token_order_of_14_5() -> None:
    state = ATTACKS["14.5 scavengers, hole 6"][0].copy(emit=True)
    _attack(state, (0, 0, 1, 1))
    fed = [event for event in state.events or () if isinstance(event, SpeciesFed)]
    assert [(event.seat, event.board, event.tokens) for event in fed] == [
        (0, 0, 2),
        (0, 1, 1),
        (1, 0, 1),
        (1, 1, 1),
        (2, 0, 1),
    ]


def test_scavengers_stay_hungry_without_a_meal_of_the_attacker() -> None:
    situation = lay(
        "2/3 carnivore", "1/4 horns, 1/4", "0/2 scavenger", hole=5, rules=rules(horns_full_attacker_scavengers=False)
    )
    state = situation.copy(emit=False)
    assert changes(state, lambda: _attack(state, (0, 0, 1, 0))) == {"A": "2/2 carnivore", "B": "1/3 horns, 1/4"}
    state = situation.copy(emit=False)
    assert changes(state, lambda: _attack(state, (0, 0, 1, 1))) == {
        "A": "3/3 carnivore",
        "B": "1/4 horns, 1/3",
        "C": "1/2 scavenger",
        "hole": 3,
    }


def test_compensation_at_the_end_of_the_turn() -> None:
    state = lay("0/1 carnivore", "0/1 horns", hole=5, deck=DECK, rules=rules(compensation="end_of_turn"))
    assert changes(state, lambda: _attack(state, (0, 0, 1, 0))) == {"A": "", "B": "", "A is owed": 2, "B is owed": 2}
    # Cards are then drawn in turn order, not in the order of the losses.
    assert changes(state, state.end_turn) == {
        "A hand": "ambush+3 ambush+2",
        "B hand": "ambush+1",
        "A is owed": 0,
        "B is owed": 0,
        "deck": "",
        "order": "BA",
    }


@pytest.mark.parametrize(
    ("row", "board", "target", "after"),
    [
        ("0/2 carnivore, 0/2", 0, 1, "1/2 carnivore, 0/1"),
        ("0/1, 0/2 carnivore", 1, 0, "1/2 carnivore"),
        ("0/1 horns, 0/1, 0/2 carnivore", 2, 0, "0/1, 1/1 carnivore"),
        ("0/1 horns, 0/1 carnivore, 0/2 scavenger", 1, 0, "0/2 scavenger"),
        ("0/2 carnivore, 0/1 horns, 0/2 scavenger", 0, 1, "1/1 carnivore, 1/2 scavenger"),
    ],
    ids=["to the right", "the attacker moves up", "horns of a dead neighbour", "both die", "scavengers eat"],
)
def test_an_attack_on_an_own_board(row: str, board: int, target: int, after: str) -> None:
    state = lay(row, "0/1", hole=9, rules=rules(own_attacks=True))
    _attack(state, (0, board, 0, target))
    assert show_row(state.players[0].boards) == after
    assert show_row(state.players[1].boards) == "0/1"


# One feeding of one board.  name: row, board fed, hole, row after, hole after.
FEEDINGS: dict[str, tuple[str, int, int, str, int]] = {
    "one token": ("0/2", 0, 3, "1/2", 2),
    "nothing from an empty hole": ("0/2 cooperation, 0/2", 0, 0, "0/2 cooperation, 0/2", 0),
    "nothing for a full board, and it passes nothing on": (
        "2/2 foraging cooperation, 0/2",
        0,
        3,
        "2/2 foraging cooperation, 0/2",
        3,
    ),
    "foraging takes two": ("0/2 foraging", 0, 3, "2/2 foraging", 1),
    "foraging with an appetite for one": ("1/2 foraging", 0, 3, "2/2 foraging", 2),
    "foraging with one token at the hole": ("0/2 foraging", 0, 1, "1/2 foraging", 0),
    "cooperation feeds the right neighbour": ("0/2, 0/2 cooperation, 0/2", 1, 3, "0/2, 1/2 cooperation, 1/2", 1),
    "cooperation at the right end": ("0/2, 0/2 cooperation", 1, 3, "0/2, 1/2 cooperation", 2),
    "cooperation with a full neighbour": ("0/2 cooperation, 1/1, 0/2", 0, 3, "1/2 cooperation, 1/1, 0/2", 2),
    "cooperation takes from the hole, not from the giver": (
        "0/1 cooperation, 0/1",
        0,
        1,
        "1/1 cooperation, 0/1",
        0,
    ),
    "the forager takes both before its neighbour": (
        "0/2 foraging cooperation, 0/2",
        0,
        3,
        "2/2 foraging cooperation, 1/2",
        0,
    ),
    "two meals feed the neighbour twice": (
        "0/2 foraging cooperation, 0/2",
        0,
        9,
        "2/2 foraging cooperation, 2/2",
        5,
    ),
    "a failed second meal feeds it once": (
        "1/2 foraging cooperation, 0/2",
        0,
        9,
        "2/2 foraging cooperation, 1/2",
        7,
    ),
    "the neighbour forages itself": ("0/1 cooperation, 0/3 foraging", 0, 9, "1/1 cooperation, 2/3 foraging", 6),
    "two meals to a foraging neighbour": (
        "0/2 foraging cooperation, 0/4 foraging",
        0,
        9,
        "2/2 foraging cooperation, 4/4 foraging",
        3,
    ),
    "one feeding is complete before the next": (
        "0/2 foraging cooperation, 0/2 cooperation, 0/1",
        0,
        4,
        "2/2 foraging cooperation, 1/2 cooperation, 1/1",
        0,
    ),
    "carnivores take tokens of cooperation": (
        "0/1 cooperation, 0/2 carnivore",
        0,
        3,
        "1/1 cooperation, 1/2 carnivore",
        1,
    ),
    "cooperation feeds no scavenger but its neighbour": (
        "0/1 cooperation, 0/2, 0/2 scavenger",
        0,
        9,
        "1/1 cooperation, 1/2, 0/2 scavenger",
        7,
    ),
    "a chain does not wrap around": ("0/2, 0/2, 0/2 cooperation", 2, 9, "0/2, 0/2, 1/2 cooperation", 8),
    "fat tissue does not store while eating": ("0/2 b3 fat-tissue", 0, 9, "1/2 b3 fat-tissue", 8),
    "14.2 hole 6": (
        "0/4 cooperation foraging, 1/3 cooperation, 0/2",
        0,
        6,
        "2/4 cooperation foraging, 3/3 cooperation, 2/2",
        0,
    ),
    "14.2 hole 3": (
        "0/4 cooperation foraging, 1/3 cooperation, 0/2",
        0,
        3,
        "2/4 cooperation foraging, 2/3 cooperation, 0/2",
        0,
    ),
}


@pytest.mark.parametrize("name", FEEDINGS)
def test_one_feeding_of_one_board(name: str) -> None:
    before, board, hole, after, left = FEEDINGS[name]
    # The rows of others stay as they are: chains do not cross to another player.
    state = lay(before, "0/5 scavenger", hole=hole)
    expected = {part: value for part, value, old in (("A", after, before), ("hole", left, hole)) if value != old}
    assert changes(state, lambda: state.feed(state.players[0], board, "plants")) == expected
