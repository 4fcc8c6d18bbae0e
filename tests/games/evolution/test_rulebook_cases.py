"""Cases for the harnesses, written from the rulebook: one line each in `cases/`, under the section that decides it.

They cover the rules and rulings that a harness can show, so that a clone can be checked without the course's
own cases.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.games.evolution.scenarios import configuration, hand, lay, row, show_cards, snapshot, species, state_of
from wateringhole.games.evolution import Rules
from wateringhole.games.evolution.harness import HARNESSES
from wateringhole.games.evolution.kind import KIND
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.options import parse_rules

CASES = Path(__file__).with_name("cases")
GIVE_THE_FIRST_CARD: list[Any] = [0, [], [], [], []]


def cases(harness: str) -> list[Any]:
    """Return a test parameter for each line of a file: the rules, the text of the input and that of the output."""
    found = []
    section, options = "", list[str]()
    for line in (CASES / f"{harness}.txt").read_text().splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("@"):
            options = line[1:].split()
        elif line and not line.startswith("#"):
            name, _, case = line.partition(" :: ")
            before, _, after = case.rpartition(" => ")
            found.append(pytest.param(parse_rules(options, KIND.profiles), before, after, id=f"{section}: {name}"))
    return found


@pytest.mark.parametrize(("rules", "before", "after"), cases("attack"))
def test_attack(rules: Rules, before: str, after: str) -> None:
    boards = [False if text == "-" else codec.species_to_json(species(text)) for text in before.split(" | ")]
    assert HARNESSES["attack"](boards, rules) is {"yes": True, "no": False}[after]


@pytest.mark.parametrize(("rules", "before", "after"), cases("feed"))
def test_feed(rules: Rules, before: str, after: str) -> None:
    own, hole, *others = before.split(" | ")
    state = lay(*(_boards(text) for text in [own, *"".join(others).split(";")] if text))
    players = configuration(state)[0]
    assert json.dumps(HARNESSES["feed"]([players[0], int(hole), players[1:]], rules)) == after


@pytest.mark.parametrize(("rules", "before", "after"), cases("choose"))
def test_choose(rules: Rules, before: str, after: str) -> None:
    boards, cards = before.split(" | ")
    player = codec.player_to_json(lay(_boards(boards), hands={"A": cards}).players[0], 1)
    assert json.dumps(HARNESSES["choose"]([player, [], []], rules)) == after


@pytest.mark.parametrize(("rules", "before", "after"), cases("step"))
def test_step(rules: Rules, before: str, after: str) -> None:
    state = _state(before, rules)
    assert _difference(state, HARNESSES["step"](configuration(state), rules)) == _expected(after)


@pytest.mark.parametrize(("rules", "before", "after"), cases("step4"))
def test_step4(rules: Rules, before: str, after: str) -> None:
    state = _state(before, rules)
    actions = {part[3]: json.loads(part[5:]) for part in before.split("; ") if part.startswith("do ")}
    given = [actions.get("ABCDEFGH"[player.seat], GIVE_THE_FIRST_CARD) for player in state.players]
    assert _difference(state, HARNESSES["step4"]([configuration(state), given], rules)) == _expected(after)


def test_there_are_many_cases_and_each_has_a_name_of_its_own() -> None:
    found = {harness: [case.id for case in cases(harness)] for harness in HARNESSES}
    assert sum(map(len, found.values())) >= 300
    for harness, names in found.items():
        assert len(set(names)) == len(names), harness


def _parts(text: str) -> dict[str, str]:
    """Return the parts of a state by name: A to H, hole and deck."""
    parts = (part.partition(" ") for part in text.split("; ") if not part.startswith("do "))
    return {name: value for name, _, value in parts}


def _boards(text: str) -> str:
    return "" if text.strip() == "-" else text.strip()


def _state(text: str, rules: Rules) -> GameState:
    parts = _parts(text)
    hole, deck = int(parts.pop("hole", "0")), parts.pop("deck", "")
    rows = {name: value.partition(" + ") for name, value in parts.items()}
    return lay(
        *(_boards(boards) for boards, _, _ in rows.values()),
        hole=hole,
        deck=deck,
        hands={name: cards for name, (_, _, cards) in rows.items()},
        rules=rules,
    )


def _expected(text: str) -> dict[str, Any]:
    """Return the parts that a case names, as `_difference` does."""
    return {} if text == "nothing" else {name: _normal(name, value) for name, value in _parts(text).items()}


def _normal(name: str, value: str) -> Any:
    if name == "hole":
        return int(value)
    if name == "deck":
        return "" if value == "-" else show_cards(hand(value))
    if value == "out":
        return None
    boards, _, cards = value.partition(" + ")
    return row(_boards(boards)), show_cards(hand(cards))


def _difference(before: GameState, after: Any) -> dict[str, Any]:
    """Return the parts that have changed, with their new values; a player is its row and its hand."""
    was, now = _whole(before), _whole(state_of(before, after))
    return {name: now.get(name) for name in was | now if was.get(name) != now.get(name)}


def _whole(state: GameState) -> dict[str, Any]:
    shown = snapshot(state)
    players = {"ABCDEFGH"[player.seat]: (list(player.boards), show_cards(player.hand)) for player in state.players}
    return {"hole": shown["hole"], "deck": shown["deck"], **players}
