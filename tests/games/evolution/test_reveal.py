"""Step 4 up to the feeding rounds (3.5): card choices, food cards, fertile, long neck, fat tissue."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import rules
from tests.games.evolution.scenarios import changes, lay
from wateringhole.games.evolution import Declaration, Draft, Growth, NewBoard, Replacement
from wateringhole.games.evolution.rules.events import (
    DeclarationApplied,
    FatBurned,
    FoodCut,
    FoodRevealed,
    SpeciesFed,
    SpeciesGrew,
)
from wateringhole.games.evolution.rules.state import GameState


def _reveal(state: GameState, *declarations: Declaration) -> None:
    """Reveal declarations; players without one give their first card."""
    drafts = {}
    for index, player in enumerate(state.players):
        declaration = declarations[index] if index < len(declarations) else Declaration(0)
        draft = Draft.from_declaration(declaration, tuple(player.hand), tuple(player.boards), state.rules)
        assert isinstance(draft, Draft), draft
        drafts[player.seat] = draft
    state.reveal(drafts)


def _spent(state: GameState) -> dict[str, Any]:
    """Return the empty hands of players that had only a food card."""
    return {f"{'ABC'[player.seat]} hand": "" for player in state.players}


# name: rows, hole, changes in addition to the hands.  Every food card is worth 0.
REVEALS: dict[str, tuple[tuple[str, ...], int, dict[str, Any]]] = {
    "nothing reacts": (("0/2", "0/1 carnivore", "0/1 foraging scavenger cooperation"), 5, {}),
    "fertile adds an animal": (
        ("0/2 fertile", "0/2, 0/1 fertile", ""),
        0,
        {"A": "0/3 fertile", "B": "0/2, 0/2 fertile"},
    ),
    "fertile stops at 7": (("0/7 fertile", "0/6 fertile", ""), 0, {"B": "0/7 fertile"}),
    "long neck eats before all others": (("0/2 long-neck", "0/2", ""), 5, {"A": "1/2 long-neck", "hole": 4}),
    "long neck at an empty hole": (("0/2 long-neck", "0/2", ""), 0, {}),
    "long necks eat in turn order, each row from the left": (
        ("0/2, 0/2 long-neck", "0/1 long-neck, 0/1 long-neck", "0/1 long-neck"),
        2,
        {"A": "0/2, 1/2 long-neck", "B": "1/1 long-neck, 0/1 long-neck", "hole": 0},
    ),
    "long neck forages and cooperates": (
        ("0/3 long-neck foraging cooperation, 0/3", "", ""),
        9,
        {"A": "2/3 long-neck foraging cooperation, 2/3", "hole": 5},
    ),
    "long neck feeds a carnivore": (
        ("0/2 carnivore long-neck", "0/1", ""),
        3,
        {"A": "1/2 carnivore long-neck", "hole": 2},
    ),
    "long neck feeds no scavengers": (("0/2 long-neck", "0/2 scavenger", ""), 3, {"A": "1/2 long-neck", "hole": 2}),
    "long neck uses the animal just born": (
        ("0/1 fertile long-neck foraging", "", ""),
        5,
        {"A": "2/2 fertile long-neck foraging", "hole": 3},
    ),
    "all fertile boards before any long neck": (
        ("0/1 long-neck cooperation foraging, 0/1 cooperation, 0/1 fertile", "", ""),
        9,
        {"A": "1/1 long-neck cooperation foraging, 1/1 cooperation, 1/2 fertile", "hole": 6},
    ),
    "fertile of a later player comes before long neck of an earlier one": (
        ("0/1 long-neck", "0/1 fertile", ""),
        5,
        {"A": "1/1 long-neck", "B": "0/2 fertile", "hole": 4},
    ),
    "fat turns into food": (("0/4 b3 fat3 fat-tissue", "", ""), 0, {"A": "3/4 b3 fat-tissue"}),
    "fat beyond the appetite stays": (("0/2 b3 fat3 fat-tissue", "", ""), 0, {"A": "2/2 b3 fat1 fat-tissue"}),
    "fat is not eaten: no other species is fed": (
        ("0/1 b1 fat1 fat-tissue cooperation foraging, 0/1, 0/1 scavenger", "", ""),
        5,
        {"A": "1/1 b1 fat-tissue cooperation foraging, 0/1, 0/1 scavenger"},
    ),
    "fat comes after long neck": (
        ("0/2 b2 fat2 fat-tissue long-neck", "", ""),
        5,
        {"A": "2/2 b2 fat1 fat-tissue long-neck", "hole": 4},
    ),
    "fat comes after all long necks, also those further on": (
        ("0/1 b1 fat1 fat-tissue", "0/1 long-neck", ""),
        5,
        {"A": "1/1 b1 fat-tissue", "B": "1/1 long-neck", "hole": 4},
    ),
    "cooperation from the left comes before fat": (
        ("0/1 long-neck cooperation, 0/1 b1 fat1 fat-tissue", "", ""),
        5,
        {"A": "1/1 long-neck cooperation, 1/1 b1 fat1 fat-tissue", "hole": 3},
    ),
    "fat feeds the animal just born": (
        ("0/1 b2 fat2 fat-tissue fertile", "", ""),
        0,
        {"A": "2/2 b2 fat-tissue fertile"},
    ),
    "tokens without fat tissue are useless": (("0/4 b3 fat3 horns", "", ""), 0, {}),
    "14.7 hole 3": (
        ("0/2 b4 fat3 fat-tissue fertile long-neck", "0/1 long-neck cooperation, 0/2 carnivore", ""),
        3,
        {
            "A": "3/3 b4 fat1 fat-tissue fertile long-neck",
            "B": "1/1 long-neck cooperation, 1/2 carnivore",
            "hole": 0,
        },
    ),
    "14.7 hole 2": (
        ("0/2 b4 fat3 fat-tissue fertile long-neck", "0/1 long-neck cooperation, 0/2 carnivore", ""),
        2,
        {
            "A": "3/3 b4 fat1 fat-tissue fertile long-neck",
            "B": "1/1 long-neck cooperation, 0/2 carnivore",
            "hole": 0,
        },
    ),
}


@pytest.mark.parametrize("name", REVEALS)
def test_traits_act_when_the_food_is_revealed(name: str) -> None:
    rows, hole, expected = REVEALS[name]
    state = lay(*rows, hole=hole, hands={"A": "horns+0", "B": "ambush+0", "C": "herding+0"})
    assert changes(state, lambda: _reveal(state)) == _spent(state) | expected


@pytest.mark.parametrize(
    ("hole", "points", "left"),
    [(1, (-3, 2, -1), 1), (0, (3, -3, 2), 2), (0, (-3, -2, -1), 0), (5, (1, 0, -2), 4), (0, (0, -1, 3), 3)],
    ids=["14.6", "up and down", "never below 0", "leftovers count", "the last one counts in full"],
)
def test_hole_is_cut_at_0_after_every_food_card(hole: int, points: tuple[int, ...], left: int) -> None:
    state = lay("", "", "", hole=hole, hands=dict(zip("ABC", (f"horns{each:+d}" for each in points), strict=True)))
    expected = _spent(state) | ({"hole": left} if left != hole else {})
    assert changes(state, lambda: _reveal(state)) == expected
    holes = [event.hole for event in state.events or () if isinstance(event, FoodRevealed)]
    assert holes[-1] == left
    assert min(holes) >= 0


@pytest.mark.parametrize(("points", "left"), [((-3, 2, -1), 0), ((-3, 2, 3), 3), ((-2, 0, 0), 0)])
def test_food_cards_may_be_added_up_before_the_cut(points: tuple[int, ...], left: int) -> None:
    hands = dict(zip("ABC", (f"horns{each:+d}" for each in points), strict=True))
    state = lay("", "", "", hole=1, hands=hands, rules=rules(food_clamp="total"))
    assert changes(state, lambda: _reveal(state)) == _spent(state) | {"hole": left}
    cut = [event for event in state.events or () if isinstance(event, FoodCut)]
    assert bool(cut) == (1 + sum(points) < 0)


def test_declarations_are_applied_player_by_player() -> None:
    state = lay("0/1", "0/1 fertile", "", hands={"A": "horns+2 ambush+1", "B": "herding+1", "C": "climbing+0"})
    _reveal(state, Declaration(0, population=(Growth(0, 1),)))
    events = [(type(event), event.seat) for event in state.events or ()]  # type: ignore[attr-defined]
    assert events == [
        (DeclarationApplied, 0),
        (FoodRevealed, 0),
        (DeclarationApplied, 1),
        (FoodRevealed, 1),
        (DeclarationApplied, 2),
        (FoodRevealed, 2),
        (SpeciesGrew, 1),
    ]


def test_newly_laid_traits_act_in_the_same_reveal() -> None:
    state = lay(
        "0/1, 0/1 b1 fat1 horns", "", hands={"A": "horns+3 ambush+1 fertile+1 long-neck+1 fat-tissue+0", "B": "horns+0"}
    )
    choices = Declaration(0, new_boards=(NewBoard(1, (2, 3)),), replacements=(Replacement(1, 0, 4),))
    assert changes(state, lambda: _reveal(state, choices)) == _spent(state) | {
        "A": "0/1, 1/1 b1 fat-tissue, 1/2 fertile long-neck",
        "hole": 2,
    }
    kinds = [type(event) for event in state.events or ()]
    assert kinds[-3:] == [SpeciesGrew, SpeciesFed, FatBurned]


# Applying card choices (5.3).  A's row is 0/2 b1 horns, 0/1; its hand has indexes 0 to 6.
HAND = "horns+2 carnivore-1 ambush+3 herding+0 carnivore-8 burrowing+1 warning-call+0"
APPLICATIONS: dict[str, tuple[Declaration, str, str]] = {
    "only food": (
        Declaration(3),
        "0/2 b1 horns, 0/1",
        "horns+2 carnivore-1 ambush+3 carnivore-8 burrowing+1 warning-call+0",
    ),
    "growth": (
        Declaration(3, population=(Growth(0, 0), Growth(0, 6)), body=(Growth(1, 2),)),
        "0/4 b1 horns, 0/1 b1",
        "carnivore-1 carnivore-8 burrowing+1",
    ),
    "boards are bought in the order listed, at the right end": (
        Declaration(3, new_boards=(NewBoard(0, (2, 1)), NewBoard(5))),
        "0/2 b1 horns, 0/1, 0/1 ambush carnivore, 0/1",
        "carnivore-8 warning-call+0",
    ),
    "boards just bought can be grown and changed": (
        Declaration(
            3,
            population=(Growth(2, 0),),
            body=(Growth(2, 1),),
            new_boards=(NewBoard(4, (2,)),),
            replacements=(Replacement(2, 0, 5),),
        ),
        "0/2 b1 horns, 0/1, 0/2 b1 burrowing",
        "warning-call+0",
    ),
    "a replacement": (
        Declaration(3, replacements=(Replacement(0, 0, 5),)),
        "0/2 b1 burrowing, 0/1",
        "horns+2 carnivore-1 ambush+3 carnivore-8 warning-call+0",
    ),
    "the same trait again": (
        Declaration(3, replacements=(Replacement(0, 0, 0),)),
        "0/2 b1 horns, 0/1",
        "carnivore-1 ambush+3 carnivore-8 burrowing+1 warning-call+0",
    ),
    "of several replacements of one slot the last one wins": (
        Declaration(3, replacements=(Replacement(0, 0, 5), Replacement(0, 0, 2), Replacement(0, 0, 6))),
        "0/2 b1 warning-call, 0/1",
        "horns+2 carnivore-1 carnivore-8",
    ),
    "a board with three traits": (
        Declaration(3, new_boards=(NewBoard(4, (6, 2, 0)),)),
        "0/2 b1 horns, 0/1, 0/1 warning-call ambush horns",
        "carnivore-1 burrowing+1",
    ),
    "no card is kept": (
        Declaration(
            3,
            population=(Growth(0, 0), Growth(1, 1)),
            body=(Growth(0, 2), Growth(1, 4)),
            new_boards=(NewBoard(5), NewBoard(6)),
        ),
        "0/3 b2 horns, 0/2 b1, 0/1, 0/1",
        "",
    ),
}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_applying_card_choices(name: str) -> None:
    declaration, row, kept = APPLICATIONS[name]
    before = "0/2 b1 horns, 0/1"
    state = lay(before, "0/1", hands={"A": HAND, "B": "horns+0"}, bags={"A": 3})
    expected = {"A hand": kept, "B hand": ""} | ({"A": row} if row != before else {})
    assert changes(state, lambda: _reveal(state, declaration)) == expected


def test_14_8_applied() -> None:
    hand = "horns+2 carnivore-1 ambush+3 horns+0 carnivore-8 burrowing+1 warning-call+0"
    state = lay("0/1, 0/1", hands={"A": hand})
    choices = Declaration(2, (Growth(2, 1),), (Growth(2, 3),), (NewBoard(5, (4,)),), (Replacement(2, 0, 0),))
    assert changes(state, lambda: _reveal(state, choices)) == {
        "A": "0/1, 0/1, 0/2 b1 horns",
        "A hand": "warning-call+0",
        "hole": 3,
    }


@pytest.mark.parametrize(
    ("side", "sides", "row"),
    [
        ("right", "right right", "0/1 b1, 0/1 b2, 0/1 ambush, 0/1 horns"),
        ("left", "left left", "0/1 horns, 0/1 ambush, 0/1 b1, 0/1 b2"),
        ("choice", "left right", "0/1 ambush, 0/1 b1, 0/1 b2, 0/1 horns"),
        ("choice", "right left", "0/1 horns, 0/1 b1, 0/1 b2, 0/1 ambush"),
        ("choice", "left left", "0/1 horns, 0/1 ambush, 0/1 b1, 0/1 b2"),
    ],
)
def test_bought_boards_join_the_row_on_the_side_of_the_rules(side: Any, sides: str, row: str) -> None:
    state = lay(
        "0/1 b1, 0/1 b2", hands={"A": "ambush+0 ambush+1 ambush+2 horns+0 horns+1"}, rules=rules(new_board_side=side)
    )
    first, second = sides.split()
    choices = Declaration(0, new_boards=(NewBoard(2, (1,), first), NewBoard(4, (3,), second)))  # type: ignore[arg-type]
    assert changes(state, lambda: _reveal(state, choices)) == {"A": row, "A hand": ""}


def test_old_boards_keep_their_indexes_while_boards_are_bought_on_the_left() -> None:
    state = lay("0/1, 0/1", hands={"A": "horns+0 horns+1 horns+2 horns+3"}, rules=rules(new_board_side="left"))
    choices = Declaration(0, population=(Growth(2, 1),), body=(Growth(1, 2),), new_boards=(NewBoard(3, side="left"),))
    assert changes(state, lambda: _reveal(state, choices)) == {"A": "0/2, 0/1, 0/1 b1", "A hand": ""}
    applied = next(event for event in state.events or () if isinstance(event, DeclarationApplied))
    assert (applied.bought, applied.population, applied.body) == ((0,), (0,), (2,))


def test_replaced_fat_tissue_keeps_its_tokens_hidden_until_the_board_regains_it() -> None:
    state = lay("0/4 b3 fat3 fat-tissue", hands={"A": "horns+0 horns+1 fat-tissue+1 fat-tissue+2"})
    out = Declaration(0, replacements=(Replacement(0, 0, 1),))
    assert changes(state, lambda: _reveal(state, out)) == {
        "A": "0/4 b3 fat3 horns",
        "A hand": "fat-tissue+1 fat-tissue+2",
    }
    back = Declaration(1, replacements=(Replacement(0, 0, 0),))
    assert changes(state, lambda: _reveal(state, back)) == {"A": "3/4 b3 fat-tissue", "A hand": "", "hole": 2}


@pytest.mark.parametrize(
    ("replacements", "row"),
    [
        ((Replacement(0, 0, 1),), "0/4 b3 horns long-neck"),
        ((Replacement(0, 0, 2),), "3/4 b3 fat-tissue long-neck"),
        ((Replacement(0, 1, 1),), "3/4 b3 fat-tissue horns"),
        ((Replacement(0, 0, 1), Replacement(0, 0, 2)), "3/4 b3 fat-tissue long-neck"),
    ],
    ids=["replaced", "by another fat tissue", "another slot", "replaced and regained"],
)
def test_replaced_fat_tissue_may_lose_its_tokens(replacements: tuple[Replacement, ...], row: str) -> None:
    hands = {"A": "horns+0 horns+1 fat-tissue+1"}
    state = lay("0/4 b3 fat3 fat-tissue long-neck", hands=hands, rules=rules(fat_on_replace="discard"))
    assert changes(state, lambda: _reveal(state, Declaration(0, replacements=replacements)))["A"] == row


def test_a_free_slot_of_an_old_board_may_be_filled() -> None:
    state = lay("0/1 horns", hands={"A": "horns+0 ambush+1 climbing+1"}, rules=rules(traits_on_existing_boards="fill"))
    fill = Declaration(0, replacements=(Replacement(0, 1, 1), Replacement(0, 2, 2)))
    assert changes(state, lambda: _reveal(state, fill)) == {"A": "0/1 horns ambush climbing", "A hand": ""}


def test_a_board_without_animals_does_nothing_at_the_reveal() -> None:
    state = lay(
        "0/1 long-neck cooperation, 0/0 fertile long-neck, 0/0 b1 fat1 fat-tissue",
        hole=9,
        hands={"A": "horns+0"},
        rules=rules(new_board_population=0),
    )
    assert changes(state, lambda: _reveal(state)) == {
        "A": "1/1 long-neck cooperation, 0/0 fertile long-neck, 0/0 b1 fat1 fat-tissue",
        "A hand": "",
        "hole": 8,
    }


@pytest.mark.parametrize(("spent_cards", "pile"), [("gone", ""), ("pile", "herding+0 horns+2 carnivore-1 ambush+3")])
def test_spent_cards_leave_the_game_or_go_to_the_pile(spent_cards: Any, pile: str) -> None:
    state = lay(
        "0/1", hands={"A": "horns+2 carnivore-1 ambush+3 herding+0 burrowing+1"}, rules=rules(spent_cards=spent_cards)
    )
    choices = Declaration(3, (Growth(1, 1),), (Growth(1, 2),), (NewBoard(0, (4,)),))
    after = changes(state, lambda: _reveal(state, choices))
    assert after.get("pile", "") == pile


def test_replaced_cards_and_cards_of_dead_boards_go_to_the_pile() -> None:
    state = lay(
        "0/1", hands={"A": "horns+0 horns+1 ambush+0 ambush+1 climbing+0 herding+0"}, rules=rules(spent_cards="pile")
    )
    choices = Declaration(0, new_boards=(NewBoard(1, (2, 4)),), replacements=(Replacement(1, 0, 5),))
    assert changes(state, lambda: _reveal(state, choices))["pile"] == "horns+0 horns+1 ambush+0"
    assert changes(state, state.end_turn)["pile"] == "horns+0 horns+1 ambush+0 herding+0 climbing+0"
