"""Card choices (section 5): illegal ones, steps and complete declarations."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import COURSE, rules
from tests.games.evolution.scenarios import hand, row, show_row
from wateringhole.facets import PROGRAM
from wateringhole.game import Violation
from wateringhole.games.evolution import (
    BuyBoard,
    Declaration,
    Draft,
    GiveFood,
    GrowBody,
    GrowPopulation,
    Growth,
    LayTrait,
    NewBoard,
    Replacement,
    ReplaceTrait,
    Rules,
    Step,
    Trait,
)
from wateringhole.games.evolution.rules.violations import (
    EqualTraits,
    HandCard,
    MostTraitsLaid,
    NoFoodCard,
    NotAStep,
    TooManyTraits,
    TwoFoodCards,
)
from wateringhole.games.evolution.text import TEXT

ROW = "0/2 b1 horns ambush, 0/7 b7, 0/1 b6 carnivore"
HAND = (
    "horns+0 horns+1 ambush+1 carnivore+1 climbing+1 herding+1 symbiosis+1 ambush+2 horns+2 horns+3 ambush+3 climbing+2"
)
CARDS = len(hand(HAND))


def _check(declaration: Any, under: Rules = COURSE) -> Draft | Violation:
    return Draft.from_declaration(declaration, hand(HAND), row(ROW), under)


def grow(*pairs: tuple[Any, Any]) -> tuple[Growth, ...]:
    return tuple(Growth(board, card) for board, card in pairs)


def replace(*triples: tuple[Any, Any, Any]) -> tuple[Replacement, ...]:
    return tuple(Replacement(*triple) for triple in triples)


# name: a declaration, the rule it breaks, a part of the message.
ILLEGAL: dict[str, tuple[Any, str, str]] = {
    "1 not a declaration": (7, "ill-shaped", "7 is not a declaration"),
    "1 nothing": (None, "ill-shaped", "None is not a declaration"),
    "1 a list": ([0, [], [], [], []], "ill-shaped", "is not a declaration"),
    "1 lists missing": (Declaration(0, population=None), "ill-shaped", "a tuple is wanted, not None"),  # type: ignore[arg-type]
    "1 a bare number as growth": (Declaration(0, body=(1,)), "ill-shaped", "made of Growth, and 1 is none"),  # type: ignore[arg-type]
    "1 a list instead of a tuple": (Declaration(0, [Growth(0, 1)]), "ill-shaped", "a tuple is wanted, not [Growth("),  # type: ignore[arg-type]
    "1 traits that are no list": (
        Declaration(0, new_boards=(NewBoard(1, 2),)),  # type: ignore[arg-type]
        "ill-shaped",
        "a tuple is wanted, not 2",
    ),
    "1 a negative card": (Declaration(-1), "no-such-card", "there is no card -1: the hand has 12 cards"),
    "1 half a card": (Declaration(0.5), "no-such-card", "there is no card 0.5"),  # type: ignore[arg-type]
    "1 a card by name": (Declaration("horns"), "no-such-card", "there is no card 'horns'"),  # type: ignore[arg-type]
    "1 true is no number": (Declaration(0, grow((0, True))), "no-such-card", "there is no card True"),
    "1 no food card": (Declaration(None), "no-such-card", "there is no card None"),  # type: ignore[arg-type]
    "1 a negative board": (Declaration(0, grow((-1, 1))), "no-such-board", "there is no board -1"),
    "1 a negative slot": (
        Declaration(0, replacements=replace((0, -1, 4))),
        "no-such-slot",
        "board 0 has no slot -1: it has 2 traits",
    ),
    "1 four traits": (
        Declaration(0, new_boards=(NewBoard(1, (2, 3, 4, 5)),)),
        "too-many-traits",
        "board 3 has 3 traits already",
    ),
    "2 a food card beyond the hand": (Declaration(12), "no-such-card", "there is no card 12: the hand has 12 cards"),
    "2 a payment beyond the hand": (Declaration(0, new_boards=(NewBoard(12),)), "no-such-card", "no card 12"),
    "2 a trait beyond the hand": (Declaration(0, new_boards=(NewBoard(1, (99,)),)), "no-such-card", "no card 99"),
    "2 a replacement beyond the hand": (Declaration(0, replacements=replace((0, 0, 12))), "no-such-card", "no card 12"),
    "2 food card used again": (
        Declaration(4, body=grow((0, 4))),
        "card-used-twice",
        "card 4 is used twice: as food and to grow the body of board 0",
    ),
    "2 payment used again as its trait": (
        Declaration(0, new_boards=(NewBoard(1, (1,)),)),
        "card-used-twice",
        "card 1 is used twice: to buy a board and as a trait of board 3",
    ),
    "2 one card for two animals": (
        Declaration(0, grow((0, 4), (2, 4))),
        "card-used-twice",
        "card 4 is used twice: to grow the population of board 0 and to grow the population of board 2",
    ),
    "2 one card for two slots": (
        Declaration(0, replacements=replace((0, 0, 4), (2, 0, 4))),
        "card-used-twice",
        "card 4 is used twice: to replace slot 0 of board 0 and to replace slot 0 of board 2",
    ),
    "3 a board beyond those owned": (
        Declaration(0, grow((3, 1))),
        "no-such-board",
        "there is no board 3: 3 boards owned and 0 bought",
    ),
    "3 a board beyond those bought": (
        Declaration(0, body=grow((4, 1)), new_boards=(NewBoard(2),)),
        "no-such-board",
        "there is no board 4: 3 boards owned and 1 bought",
    ),
    "3 a replacement on no board": (Declaration(0, replacements=replace((3, 0, 1))), "no-such-board", "no board 3"),
    "4 population beyond 7": (
        Declaration(0, grow((1, 1))),
        "population-limit",
        "the population of board 1 would grow beyond 7",
    ),
    "4 body beyond 7": (Declaration(0, body=grow((1, 1))), "body-limit", "the body of board 1 would grow beyond 7"),
    "4 bodies add up": (Declaration(0, body=grow((2, 1), (2, 2))), "body-limit", "the body of board 2 would grow"),
    "4 a new board grows to 7 animals": (
        Declaration(0, grow(*((3, card) for card in range(2, 9))), new_boards=(NewBoard(1),)),
        "population-limit",
        "the population of board 3 would grow beyond 7",
    ),
    "4 a new board grows to body 7": (
        Declaration(0, body=grow(*((3, card) for card in range(2, 10))), new_boards=(NewBoard(1),)),
        "body-limit",
        "the body of board 3 would grow beyond 7",
    ),
    "5 a new board with equal traits": (
        Declaration(0, new_boards=(NewBoard(1, (2, 7)),)),
        "equal-traits",
        "board 3 would have ambush twice",
    ),
    "5 even if a replacement would mend it": (
        Declaration(0, new_boards=(NewBoard(1, (2, 7)),), replacements=replace((3, 1, 4))),
        "equal-traits",
        "board 3 would have ambush twice",
    ),
    "6 no slot at all": (
        Declaration(0, replacements=replace((1, 0, 4))),
        "no-such-slot",
        "board 1 has no slot 0: it has 0 traits",
    ),
    "6 no such slot": (
        Declaration(0, replacements=replace((2, 1, 4))),
        "no-such-slot",
        "board 2 has no slot 1: it has 1 trait",
    ),
    "6 no slot on the new board": (
        Declaration(0, new_boards=(NewBoard(1),), replacements=replace((3, 0, 4))),
        "no-such-slot",
        "board 3 has no slot 0",
    ),
    "6 a duplicate": (
        Declaration(0, replacements=replace((0, 1, 1))),
        "equal-traits",
        "board 0 has horns already, in slot 0; slot 1 cannot become horns too",
    ),
    "6 a duplicate on a new board": (
        Declaration(0, new_boards=(NewBoard(1, (2, 4)),), replacements=replace((3, 1, 7))),
        "equal-traits",
        "board 3 has ambush already, in slot 0; slot 1 cannot become ambush too",
    ),
    "6 a duplicate of a trait replaced before": (
        Declaration(0, replacements=replace((0, 0, 4), (0, 1, 1))),
        "equal-traits",
        "board 0 has horns already, in slot 0",
    ),
    "7 two replacements by the same trait": (
        Declaration(0, replacements=replace((0, 0, 4), (0, 1, 11))),
        "equal-traits",
        "board 0 would end with climbing twice",
    ),
    "7 ... also on a new board": (
        Declaration(0, new_boards=(NewBoard(1, (2, 3)),), replacements=replace((3, 1, 4), (3, 0, 11))),
        "equal-traits",
        "board 3 would end with climbing twice",
    ),
    "9.3 a board on the left": (
        Declaration(0, new_boards=(NewBoard(1, (), "left"),)),
        "new-board-side",
        "a bought board cannot join on the 'left': it goes right",
    ),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_an_illegal_declaration_breaks_a_named_rule(name: str) -> None:
    declaration, rule, message = ILLEGAL[name]
    violation = _check(declaration)
    assert isinstance(violation, Violation)
    assert violation.rule == rule
    assert message in TEXT.violation(violation, PROGRAM)


# name: a declaration, the row it would leave, options other than those of the course.
LEGAL: dict[str, tuple[Declaration, str, dict[str, Any]]] = {
    "only food": (Declaration(11), ROW, {}),
    "growth up to 7": (
        Declaration(0, grow(*((0, card) for card in range(1, 6))), grow((2, 6))),
        "0/7 b1 horns ambush, 0/7 b7, 0/1 b7 carnivore",
        {},
    ),
    "a new board grows up to 7": (
        Declaration(0, grow(*((3, card) for card in range(2, 8))), new_boards=(NewBoard(1),)),
        f"{ROW}, 0/7",
        {},
    ),
    "a new board's body grows up to 7": (
        Declaration(0, body=grow(*((3, card) for card in range(2, 9))), new_boards=(NewBoard(1),)),
        f"{ROW}, 0/1 b7",
        {},
    ),
    "two new boards with equal traits": (
        Declaration(0, new_boards=(NewBoard(1, (2, 4)), NewBoard(3, (7, 11)))),
        f"{ROW}, 0/1 ambush climbing, 0/1 ambush climbing",
        {},
    ),
    "a trait replaced by itself": (Declaration(0, replacements=replace((0, 0, 1))), ROW, {}),
    "a slot replaced again and again": (
        Declaration(0, replacements=replace((0, 0, 4), (0, 0, 1), (0, 0, 5))),
        ROW.replace("horns", "herding"),
        {},
    ),
    "equal traits for a moment, judged at the end": (
        Declaration(0, replacements=replace((0, 0, 4), (0, 1, 11), (0, 0, 5))),
        ROW.replace("horns ambush", "herding climbing"),
        {},
    ),
    "the same trait on two boards": (
        Declaration(0, replacements=replace((0, 0, 4), (2, 0, 11))),
        "0/2 b1 climbing ambush, 0/7 b7, 0/1 b6 climbing",
        {},
    ),
    "final_traits_distinct=false": (
        ILLEGAL["7 two replacements by the same trait"][0],
        ROW.replace("horns ambush", "climbing climbing"),
        {"final_traits_distinct": False},
    ),
    "new_board_side=left": (
        ILLEGAL["9.3 a board on the left"][0],
        f"{ROW}, 0/1",
        {"new_board_side": "left"},
    ),
    "new_board_side=choice": (ILLEGAL["9.3 a board on the left"][0], f"{ROW}, 0/1", {"new_board_side": "choice"}),
    "traits_on_existing_boards=fill": (
        Declaration(
            0, new_boards=(NewBoard(1, (2,)),), replacements=replace((0, 2, 4), (1, 0, 5), (1, 1, 6), (3, 1, 8))
        ),
        "0/2 b1 horns ambush climbing, 0/7 b7 herding symbiosis, 0/1 b6 carnivore, 0/1 ambush horns",
        {"traits_on_existing_boards": "fill"},
    ),
    "fill, then replace what was filled": (
        Declaration(0, replacements=replace((1, 0, 4), (1, 0, 5))),
        ROW.replace("b7", "b7 herding"),
        {"traits_on_existing_boards": "fill"},
    ),
    "most_traits_laid": (
        Declaration(0, grow((0, 8)), new_boards=(NewBoard(1, (2,)),), replacements=replace((0, 0, 4))),
        "0/3 b1 climbing ambush, 0/7 b7, 0/1 b6 carnivore, 0/1 ambush",
        {"most_traits_laid": 2},
    ),
    "new_board_population=0": (
        Declaration(0, grow(*((3, card) for card in range(2, 9))), new_boards=(NewBoard(1),)),
        f"{ROW}, 0/7",
        {"new_board_population": 0},
    ),
}


@pytest.mark.parametrize("name", LEGAL)
def test_a_legal_declaration_gives_a_row(name: str) -> None:
    declaration, after, options = LEGAL[name]
    draft = _check(declaration, rules(**options))
    assert isinstance(draft, Draft), draft
    assert show_row(draft.boards) == after


@pytest.mark.parametrize("name", [name for name, (_, _, options) in LEGAL.items() if options])
def test_declarations_that_need_an_option_are_illegal_without_it(name: str) -> None:
    declaration, _, options = LEGAL[name]
    if "most_traits_laid" in options:
        options = {"most_traits_laid": options["most_traits_laid"] - 1}
        assert _check(declaration, rules(**options)) == MostTraitsLaid(1)
    else:
        assert isinstance(_check(declaration), Violation)


OPTIONAL: dict[str, tuple[dict[str, Any], Declaration, str, str]] = {
    "new_board_body_limit=6": (
        {"new_board_body_limit": 6},
        LEGAL["a new board's body grows up to 7"][0],
        "body-limit",
        "the body of board 3 would grow beyond 6",
    ),
    "new_board_side=left": (
        {"new_board_side": "left"},
        Declaration(0, new_boards=(NewBoard(1, (), "right"),)),
        "new-board-side",
        "cannot join on the 'right': it goes left",
    ),
    "fill beyond three traits": (
        {"traits_on_existing_boards": "fill"},
        Declaration(0, replacements=replace((0, 2, 4), (0, 3, 5))),
        "no-such-slot",
        "board 0 has no slot 3: it has 3 traits",
    ),
    "fill beyond the next free slot": (
        {"traits_on_existing_boards": "fill"},
        Declaration(0, replacements=replace((1, 1, 4))),
        "no-such-slot",
        "board 1 has no slot 1",
    ),
    "fill with a trait that is there": (
        {"traits_on_existing_boards": "fill"},
        Declaration(0, replacements=replace((0, 2, 1))),
        "equal-traits",
        "board 0 has horns already, in slot 0",
    ),
    "fill twice with the same trait": (
        {"traits_on_existing_boards": "fill"},
        Declaration(0, replacements=replace((1, 0, 1), (1, 1, 8))),
        "equal-traits",
        "board 1 would end with horns twice",
    ),
    "most_traits_laid=0": (
        {"most_traits_laid": 0},
        Declaration(0, replacements=replace((0, 0, 4))),
        "most-traits-laid",
        "no more than 0 trait cards",
    ),
    "most_traits_laid counts traits of new boards": (
        {"most_traits_laid": 1},
        Declaration(0, new_boards=(NewBoard(1, (2,)), NewBoard(3, (4,)))),
        "most-traits-laid",
        "no more than 1 trait card may be laid in a turn",
    ),
    "new_board_population=0 grows to 7 at most": (
        {"new_board_population": 0},
        Declaration(0, grow(*((3, card) for card in range(2, 10))), new_boards=(NewBoard(1),)),
        "population-limit",
        "board 3",
    ),
}


@pytest.mark.parametrize("name", OPTIONAL)
def test_options_forbid_declarations(name: str) -> None:
    options, declaration, rule, message = OPTIONAL[name]
    violation = _check(declaration, rules(**options))
    assert isinstance(violation, Violation)
    assert violation.rule == rule
    assert message in TEXT.violation(violation, PROGRAM)


@pytest.mark.parametrize("name", ["new_board_body_limit=6", "most_traits_laid=0", "new_board_side=left"])
def test_declarations_forbidden_by_options_are_legal_in_the_course(name: str) -> None:
    assert isinstance(_check(OPTIONAL[name][1]), Draft)


def test_body_limit_of_new_boards_does_not_apply_to_old_boards() -> None:
    grown = _check(Declaration(0, body=grow((2, 1))), rules(new_board_body_limit=6))
    assert isinstance(grown, Draft)
    assert grown.boards[2].body == 7


# Steps.


def _draft(*steps: Step, row_text: str = ROW, **options: Any) -> Draft:
    draft = Draft(hand(HAND), row(row_text), rules(**options))
    for step in steps:
        assert draft.add(step) is None
    return draft


def test_a_draft_without_a_food_card_is_not_complete() -> None:
    draft = _draft(GrowBody(0, 1))
    violation = draft.check_complete()
    assert violation == NoFoodCard()
    with pytest.raises(ValueError, match="no-food-card"):
        draft.declaration()


def test_only_one_food_card_can_be_given() -> None:
    violation = _draft(GiveFood(0)).add(GiveFood(1))
    assert violation == TwoFoodCards(HandCard(0, hand(HAND)[0]), HandCard(1, hand(HAND)[1]))


def test_a_trait_cannot_be_laid_on_a_board_that_was_there_before() -> None:
    violation = _draft().add(LayTrait(1, 4))
    assert violation is not None
    assert violation.rule == "lay-on-old-board"
    assert "card 4 (climbing) cannot be laid on board 1" in TEXT.violation(violation, PROGRAM)


def test_other_values_are_not_steps() -> None:
    violation = _draft().add("food")  # type: ignore[arg-type]
    assert violation == NotAStep("'food'")


def test_steps_in_any_order_give_the_same_declaration() -> None:
    plain = "0/1, 0/1, 0/1"
    buy, lay, change = BuyBoard(1), LayTrait(3, 2), ReplaceTrait(3, 0, 4)
    first = _draft(buy, lay, GiveFood(0), change, GrowPopulation(3, 3), row_text=plain)
    second = _draft(GiveFood(0), buy, GrowPopulation(3, 3), lay, change, row_text=plain)
    assert first.declaration() == second.declaration()
    assert first.declaration() == Declaration(0, grow((3, 3)), (), (NewBoard(1, (2,)),), replace((3, 0, 4)))


def test_a_trait_laid_after_a_replacement_still_counts_as_bought() -> None:
    draft = _draft(GiveFood(0), BuyBoard(1), LayTrait(3, 2), ReplaceTrait(3, 0, 4), LayTrait(3, 5))
    assert draft.declaration() == Declaration(0, new_boards=(NewBoard(1, (2, 5)),), replacements=replace((3, 0, 4)))
    assert show_row(draft.boards[3:]) == "0/1 climbing herding"


@pytest.mark.parametrize(
    ("steps", "refused"),
    [
        # As a whole: [1, 2, 7] buys ambush twice.
        ((BuyBoard(1), LayTrait(3, 2), ReplaceTrait(3, 0, 4)), LayTrait(3, 7)),
        # As a whole: the replacement of slot 0 by climbing would duplicate the climbing bought.
        ((BuyBoard(1), LayTrait(3, 2), ReplaceTrait(3, 0, 4)), LayTrait(3, 11)),
        ((BuyBoard(1), LayTrait(3, 2), ReplaceTrait(3, 0, 4), ReplaceTrait(3, 0, 5)), LayTrait(3, 11)),
    ],
    ids=["bought twice", "replaced before", "replaced before and again"],
)
def test_a_step_is_refused_if_the_complete_declaration_would_be_illegal(steps: tuple[Step, ...], refused: Step) -> None:
    violation = _draft(*steps).add(refused)
    assert violation is not None
    assert violation.rule == "equal-traits"


FILL = {"traits_on_existing_boards": "fill"}


def test_laying_and_replacing_fill_a_free_slot_alike() -> None:
    laid = _draft(GiveFood(0), LayTrait(0, 4), LayTrait(1, 5), LayTrait(1, 6), **FILL)
    assert laid.declaration() == Declaration(0, replacements=replace((0, 2, 4), (1, 0, 5), (1, 1, 6)))
    replaced = _draft(GiveFood(0), ReplaceTrait(0, 2, 4), ReplaceTrait(1, 0, 5), ReplaceTrait(1, 1, 6), **FILL)
    assert replaced.declaration() == laid.declaration()
    assert replaced.boards == laid.boards


def test_a_draft_with_equal_traits_on_a_board_is_not_complete() -> None:
    draft = _draft(GiveFood(0), LayTrait(1, 4), LayTrait(1, 11), **FILL)
    assert draft.check_complete() == EqualTraits(1, Trait.CLIMBING, at_end=True)
    assert draft.add(ReplaceTrait(1, 0, 5)) is None
    assert draft.check_complete() is None


@pytest.mark.parametrize("fill", [LayTrait(2, 11), ReplaceTrait(2, 1, 11)], ids=["laid", "as a replacement"])
def test_a_slot_can_be_filled_with_a_trait_that_has_been_replaced_again(fill: Step) -> None:
    draft = _draft(GiveFood(0), ReplaceTrait(2, 0, 4), ReplaceTrait(2, 0, 5), **FILL)
    assert draft.add(fill) is None
    assert show_row(draft.boards[2:]) == "0/1 b6 herding climbing"
    assert isinstance(_check(draft.declaration(), rules(**FILL)), Draft)


def test_a_fourth_trait_cannot_be_laid() -> None:
    draft = _draft(LayTrait(0, 4), **FILL)
    assert draft.add(LayTrait(0, 5)) == TooManyTraits(0, 3)


def test_undo_removes_the_last_step() -> None:
    draft = _draft(GiveFood(0), BuyBoard(1), LayTrait(3, 2))
    assert draft.undo() == LayTrait(3, 2)
    assert draft.undo() == BuyBoard(1)
    assert draft.taken == [GiveFood(0)]
    assert draft.boards == row(ROW)
    assert draft.sides == []
    assert show_row(draft.boards) == ROW


def test_undo_in_an_empty_draft_raises() -> None:
    with pytest.raises(IndexError):
        _draft().undo()


def test_steps_lists_all_legal_steps() -> None:
    draft = Draft(hand("horns+0 ambush+1"), row("0/6 b7 climbing"), rules())
    assert draft.steps() == [
        GiveFood(0),
        BuyBoard(0),
        ReplaceTrait(0, 0, 0),
        GrowPopulation(0, 0),
        GiveFood(1),
        BuyBoard(1),
        ReplaceTrait(0, 0, 1),
        GrowPopulation(0, 1),
    ]
    draft.add(BuyBoard(0))
    draft.add(GiveFood(1))
    assert draft.steps() == []


@pytest.mark.parametrize(
    ("options", "more"),
    [
        (FILL, {LayTrait(0, 0)}),
        ({"traits_on_existing_boards": "fill", "most_traits_laid": 0}, set()),
    ],
    ids=["fill", "none may be laid"],
)
def test_options_change_the_legal_steps(options: dict[str, Any], more: set[Step]) -> None:
    course = {GiveFood(0), BuyBoard(0), GrowPopulation(0, 0), GrowBody(0, 0)}
    assert set(Draft(hand("horns+0"), row("0/1"), rules(**options)).steps()) == course | more


def test_each_side_is_a_step_under_choice() -> None:
    steps = set(Draft(hand("horns+0"), row("0/1"), rules(new_board_side="choice")).steps())
    assert {step for step in steps if isinstance(step, BuyBoard)} == {BuyBoard(0, "left"), BuyBoard(0, "right")}


@pytest.mark.parametrize(("rule", "side"), [("right", "right"), ("left", "left"), ("choice", "right")])
def test_a_purchase_without_a_side_uses_the_side_of_the_rules(rule: str, side: str) -> None:
    assert _draft(GiveFood(0), BuyBoard(1), new_board_side=rule).sides == [side]


def test_a_draft_returns_remaining_and_spent_cards() -> None:
    draft = _draft(GiveFood(0), BuyBoard(1), LayTrait(3, 2), GrowBody(0, 3), spent_cards="pile")
    assert draft.hand_left() == hand(HAND)[4:]
    assert draft.food_card() is hand(HAND)[0]
    assert draft.spent() == [hand(HAND)[index] for index in (0, 1, 3)]
