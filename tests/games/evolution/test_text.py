"""Texts of violations and answers: for programs counted from 0, for humans counted from 1 and with names."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import board, cards, player, rules
from wateringhole import fallbacks
from wateringhole.facets import PROGRAM, Reader
from wateringhole.game import ReportedViolation, Seat, Violation, violation_of
from wateringhole.games.evolution import (
    KIND,
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    BuyBoard,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    Growth,
    LayTrait,
    NewBoard,
    Pass,
    Replacement,
    ReplaceTrait,
    Step,
    StoreFat,
    Trait,
    card,
)
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules import violations as broken
from wateringhole.games.evolution.rules.requests import feedings
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.rules.violations import HandCard, Spot, given, given_step
from wateringhole.games.evolution.text import TEXT
from wateringhole.games.evolution.text.en.answers import describe_step, describe_target, short_use, use
from wateringhole.games.evolution.text.en.words import number

ADA = Reader(("Ada", "Bob", "Cyd"), Seat(0))
GALLERY = Reader(("Ada", "Bob", "Cyd"))

NECK = HandCard(1, card(-2, "long-neck"))
HORNS = HandCard(3, card(2, "horns"))

# A violation, its rule, its clause for programs, its clause for Ada.
TEXTS: list[tuple[Violation, str, str, str]] = [
    (broken.IllShaped("7", "feeding"), "ill-shaped", "7 is not a feeding", "7 is not a feeding"),
    (
        broken.UnknownFeedingForm("[2, True]", "tokens", "type", "True", ("False", "0", "[2, 3]")),
        "ill-shaped",
        "[2, True] is not a feeding: the number of tokens is a whole number, not True; expected False, 0 or [2, 3]",
        "[2, True] is not a feeding: the number of tokens is a whole number, not True; expected False, 0 or [2, 3]",
    ),
    (
        broken.UnknownDeclarationForm("7", None, "[0, [], [], [], []]"),
        "ill-shaped",
        "7 is not a declaration: expected a Declaration or an Action4, for example [0, [], [], [], []]",
        "7 is not a declaration: expected a Declaration or an Action4, for example [0, [], [], [], []]",
    ),
    (
        broken.IllShapedPart("growth", "Growth", "(0, 1)"),
        "ill-shaped",
        "population and body are made of Growth, and (0, 1) is none",
        "population and body are made of Growth, and (0, 1) is none",
    ),
    (
        broken.IllShapedPart("traits", "tuple", "[2]"),
        "ill-shaped",
        "the traits of a new board: a tuple is wanted, not [2]",
        "the traits of a new board: a tuple is wanted, not [2]",
    ),
    (
        broken.IllShapedReply("select_attack", "3", "target"),
        "ill-shaped",
        "select_attack returned 3: a player and a board are wanted",
        "select_attack returned 3: a player and a board are wanted",
    ),
    (
        broken.ReplyOutOfRange("select_attack", "7", "opponent", 2),
        "no-such-opponent",
        "select_attack returned 7: the opponents are 0 to 1",
        "select_attack returned 7: the opponents are 0 to 1",
    ),
    (
        broken.NotAnOrder("BoardOrder(boards=(0, 1))", 3),
        "not-an-order",
        "BoardOrder(boards=(0, 1)) does not name each of the boards 0 to 2 once",
        "the order must name each of the species 1 to 3 once",
    ),
    (broken.NotAStep("'x'"), "not-a-step", "'x' is not a step of a declaration", "'x' is not a step of a declaration"),
    (
        broken.NoSuchCard(9, 9),
        "no-such-card",
        "there is no card 9: the hand has 9 cards",
        "there is no card 10: the hand has 9 cards",
    ),
    (
        broken.NotInHand("select_food_card", NECK.card),
        "no-such-card",
        "select_food_card names the card long-neck -2, which is not in the hand",
        "select_food_card names the card Long neck −2, which is not in the hand",
    ),
    (
        broken.CardUsedTwice(NECK, ReplaceTrait(2, 0, 1), GrowBody(1, 1)),
        "card-used-twice",
        "card 1 is used twice: to replace slot 0 of board 2 and to grow the body of board 1",
        "Long neck −2 is used twice: to replace slot 1 of species 3 and to grow the body of species 2",
    ),
    (
        broken.CardNamedTwice("trade_cards_for_boards", NECK.card, used_before=False),
        "card-used-twice",
        "trade_cards_for_boards names the card long-neck -2 twice",
        "trade_cards_for_boards names the card Long neck −2 twice",
    ),
    (
        broken.CardNamedTwice("select_food_card", NECK.card, used_before=True),
        "card-used-twice",
        "select_food_card names the card long-neck -2, which is used already",
        "select_food_card names the card Long neck −2, which is used already",
    ),
    (
        broken.NoSuchBoard(5, 2, 1),
        "no-such-board",
        "there is no board 5: 2 boards owned and 1 bought",
        "there is no species 6: 2 species owned and 1 bought",
    ),
    (
        broken.NoSuchBoard("None", 1),
        "no-such-board",
        "there is no board None: you own 1",
        "there is no species None: you own 1",
    ),
    (
        broken.NoFoodCard(),
        "no-food-card",
        "no card is given to the watering hole",
        "no card is given to the watering hole",
    ),
    (
        broken.NoFoodCard(hand_is_empty=True),
        "no-food-card",
        "the hand is empty: there is no card for the watering hole",
        "the hand is empty: there is no card for the watering hole",
    ),
    (
        broken.TwoFoodCards(NECK, HORNS),
        "two-food-cards",
        "cards 1 and 3 are both given as food",
        "Long neck −2 and Horns +2 are both given as food",
    ),
    (
        broken.NewBoardSide("'left'", "right"),
        "new-board-side",
        "a bought board cannot join on the 'left': it goes right",
        "a bought species cannot join on the left: it goes right",
    ),
    (
        broken.NewBoardSide("'up'", "choice"),
        "new-board-side",
        "a bought board cannot join on the 'up': it goes left or right",
        "a bought species cannot join on the up: it goes left or right",
    ),
    (
        broken.LayOnOldBoard(NECK, 0),
        "lay-on-old-board",
        "card 1 (long-neck) cannot be laid on board 0: boards that were there before take a new trait only in place "
        "of another",
        "Long neck −2 cannot be laid on species 1: species that were there before take a new trait only in place "
        "of another",
    ),
    (broken.TooManyTraits(0, 3), "too-many-traits", "board 0 has 3 traits already", "species 1 has 3 traits already"),
    (
        broken.EqualTraits(1, Trait.LONG_NECK),
        "equal-traits",
        "board 1 would have long-neck twice",
        "species 2 would have long neck twice",
    ),
    (
        broken.EqualTraits(1, Trait.HORNS, at_end=True),
        "equal-traits",
        "board 1 would end with horns twice",
        "species 2 would end with horns twice",
    ),
    (
        broken.TraitHeldAlready(2, Trait.FAT_TISSUE, 1, 0),
        "equal-traits",
        "board 2 has fat-tissue already, in slot 1; slot 0 cannot become fat-tissue too",
        "species 3 has fat tissue already, in slot 2; slot 1 cannot become fat tissue too",
    ),
    (
        broken.NoSuchSlot(2, 2, 1),
        "no-such-slot",
        "board 2 has no slot 2: it has 1 trait",
        "species 3 has no slot 3: it has 1 trait",
    ),
    (
        broken.MostTraitsLaid(1),
        "most-traits-laid",
        "no more than 1 trait card may be laid in a turn",
        "no more than 1 trait card may be laid in a turn",
    ),
    (
        broken.PopulationLimit(0, 7),
        "population-limit",
        "the population of board 0 would grow beyond 7",
        "the population of species 1 would grow beyond 7",
    ),
    (
        broken.BodyLimit(0, 6),
        "body-limit",
        "the body of board 0 would grow beyond 6",
        "the body of species 1 would grow beyond 6",
    ),
    (
        broken.NoDeclining(),
        "no-declining",
        "declining is cheating under false_reply=cheat",
        "declining is cheating under false_reply=cheat",
    ),
    (broken.NoFatRoom(0, False), "no-fat-room", "board 0 has no fat tissue", "species 1 has no fat tissue"),
    (broken.NoFatRoom(0, True), "no-fat-room", "board 0 has no room for more", "species 1 has no room for more"),
    (
        broken.FatRoom(1, 3, 0),
        "fat-room",
        "board 1 has room for 1 to 3, not 0",
        "species 2 has room for 1 to 3, not 0",
    ),
    (
        broken.FatOverHole(3, 1),
        "fat-over-hole",
        "3 tokens asked for, 1 at the watering hole",
        "3 tokens asked for, 1 at the watering hole",
    ),
    (
        broken.NotACarnivore(2),
        "not-a-carnivore",
        "board 2 is a vegetarian and cannot attack",
        "species 3 is a vegetarian and cannot attack",
    ),
    (
        broken.NotAVegetarian(0),
        "not-a-vegetarian",
        "board 0 is a carnivore and eats only by attacking",
        "species 1 is a carnivore and eats only by attacking",
    ),
    (
        broken.NotHungry(1, 2),
        "not-hungry",
        "board 1 is full: all its 2 animals have eaten",
        "species 2 is full: all its 2 animals have eaten",
    ),
    (
        broken.OwnBoard(),
        "own-board",
        "a carnivore cannot attack its own player's boards",
        "a carnivore cannot attack its own player's species",
    ),
    (broken.NoSuchTarget(1, 9), "no-such-target", "seat 1 has no board 9", "Bob has no species 10"),
    (broken.NoSuchTarget(0, 9), "no-such-target", "seat 0 has no board 9", "you have no species 10"),
    (broken.NoSuchTarget(7, 9), "no-such-target", "seat 7 has no board 9", "seat 8 has no species 10"),
    (
        broken.NoAnimals(Spot(Seat(2), 1)),
        "no-animals",
        "board 1 of seat 2 has no animals yet",
        "species 2 of Cyd has no animals yet",
    ),
    (
        broken.Prevented(Spot(Seat(2), 1)),
        "prevented",
        "a trait of this game protects board 1 of seat 2",
        "a trait of this game protects species 2 of Cyd",
    ),
    (
        broken.Protected(Spot(Seat(2), 1), Trait.HARD_SHELL),
        "protected-by-hard-shell",
        "hard-shell protects board 1 of seat 2",
        "hard shell protects species 2 of Cyd",
    ),
    (
        broken.Protected(Spot(Seat(0), 1), Trait.HERDING),
        "protected-by-herding",
        "herding protects board 1 of seat 0",
        "herding protects your species 2",
    ),
]
IDS = [f"{type(violation).__name__} {number}" for number, (violation, *_) in enumerate(TEXTS)]


@pytest.mark.parametrize(("violation", "rule", "program", "human"), TEXTS, ids=IDS)
def test_violations_have_texts_for_both_readers(violation: Violation, rule: str, program: str, human: str) -> None:
    assert violation.rule == rule
    assert TEXT.violation(violation, PROGRAM) == program
    assert TEXT.violation(violation, ADA) == human


def test_every_violation_type_has_a_text() -> None:
    kinds = {kind for name in broken.__all__ if isinstance(kind := getattr(broken, name), type)}
    assert {type(violation) for violation, *_ in TEXTS} == {kind for kind in kinds if issubclass(kind, Violation)}


@pytest.mark.parametrize("violation", [violation for violation, *_ in TEXTS], ids=IDS)
def test_every_violation_survives_json(violation: Violation) -> None:
    value = codec.violation_to_json(violation)
    assert value["rule"] == violation.rule
    assert codec.violation_from_json(value) == violation


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        {"rule": 7},
        {"rule": "no-such-rule"},
        {"rule": "not-hungry", "board": 1},
        {"rule": "not-hungry", "board": 1, "population": 2, "mood": "bad"},
        {"rule": "not-hungry", "board": "one", "population": 2},
        {"rule": "protected-by-horns", "target": {"seat": 0, "board": 1}, "by": "herding"},
        {"rule": "no-such-card", "question": "select_food_card", "card": [99, "horns"]},
    ],
)
def test_no_other_value_is_a_violation(value: Any) -> None:
    with pytest.raises(ValueError, match="violation"):
        codec.violation_from_json(value)


def test_a_spectator_reads_every_player_by_name() -> None:
    assert TEXT.violation(broken.NoAnimals(Spot(Seat(0), 1)), GALLERY) == "species 2 of Ada has no animals yet"


@pytest.mark.parametrize("reader", [PROGRAM, ADA])
def test_a_reported_violation_keeps_its_message(reader: Reader) -> None:
    reported = ReportedViolation("unreadable", "card 3 is no card")
    assert TEXT.violation(reported, reader) == "card 3 is no card"
    assert fallbacks.sentence_for(KIND, reported, reader) == "card 3 is no card"


def test_texts_exist_only_in_known_languages() -> None:
    view = _table().view(Seat(0), 1)
    with pytest.raises(ValueError, match=r"'fr'\. Choose from: en, pt$"):
        TEXT.violation(broken.OwnBoard(), ADA, "fr")
    with pytest.raises(ValueError, match=r"'fr'\. Choose from: en, pt$"):
        TEXT.answer(ArrangeBoards(view), BoardOrder((0, 1)), ADA, "fr")
    with pytest.raises(ValueError, match=r"'fr'\. Choose from: en, pt$"):
        TEXT.narrator(["Ada"], language="fr")


def test_humans_count_from_one() -> None:
    assert [number(0, PROGRAM), number(0, ADA), number("None", ADA)] == [0, 1, "None"]


# Values from outside


class Rude:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")


@pytest.mark.parametrize(("value", "part"), [(3, 3), (-1, -1), (True, "True"), (1.0, "1.0"), (None, "None")])
def test_only_whole_numbers_stay_numbers(value: object, part: object) -> None:
    found = given(value)
    assert (found, type(found)) == (part, type(part))


def test_a_value_without_repr_is_named_by_its_type() -> None:
    assert "Rude" in str(given(Rude()))


def test_a_huge_number_is_shortened() -> None:
    assert len(str(given(10**4000))) < 100
    assert given(10**40) == 10**40


def test_a_step_with_other_values_becomes_safe_to_store() -> None:
    step = given_step(GrowBody([1], 2))  # type: ignore[arg-type]
    assert step == GrowBody("[1]", 2)  # type: ignore[arg-type]
    assert use(step, ADA) == "to grow the body of species [1]"
    whole = BuyBoard(2, "left")
    assert given_step(whole) == whole


def test_every_violation_of_a_python_player_can_be_sent() -> None:
    request = DeclareCards(_table().view(Seat(0), 1))
    declaration = Declaration(0, population=(Growth(object(), 0),))  # type: ignore[arg-type]
    violation = violation_of(request, declaration)
    assert isinstance(violation, broken.CardUsedTwice)
    assert codec.violation_to_json(violation)["second"]["board"] == "<object object>"


# Steps

STEPS: list[tuple[Step, str, str, str, str]] = [
    (GiveFood(0), "as food", "food", "to the watering hole", "Horns +1 to the watering hole"),
    (
        BuyBoard(0, "left"),
        "to buy a species",
        "new species",
        "at the left end of your row",
        "Horns +1 for a new species on the left",
    ),
    (
        LayTrait(1, 0),
        "as a trait of species 2",
        "trait of 2",
        "species 2 (1 animal, body 0, long neck)",
        "Horns +1 on species 2",
    ),
    (
        ReplaceTrait(1, 0, 0),
        "to replace slot 1 of species 2",
        "trait of 2",
        "species 2 (1 animal, body 0, long neck): in place of long neck",
        "Horns +1 on species 2 in place of long neck",
    ),
    (
        GrowPopulation(0, 0),
        "to grow the population of species 1",
        "animal for 1",
        "species 1 (2 animals, body 3)",
        "Horns +1 for an animal of species 1",
    ),
    (
        GrowBody(0, 0),
        "to grow the body of species 1",
        "body of 1",
        "species 1 (2 animals, body 3)",
        "Horns +1 for a larger body of species 1",
    ),
]


@pytest.mark.parametrize(
    ("step", "use_text", "short", "target_text", "whole"), STEPS, ids=[type(step).__name__ for step, *_ in STEPS]
)
def test_a_step_has_four_descriptions(step: Step, use_text: str, short: str, target_text: str, whole: str) -> None:
    draft = DeclareCards(_table(new_board_side="choice").view(Seat(0), 1)).draft()
    assert use(step, ADA) == use_text
    assert short_use(step, ADA) == short
    assert describe_target(step, draft, ADA) == target_text
    assert describe_step(step, draft, ADA) == whole


def test_programs_count_steps_from_zero() -> None:
    draft = DeclareCards(_table().view(Seat(0), 1)).draft()
    assert describe_step(ReplaceTrait(1, 0, 0), draft, PROGRAM) == "card 0 to replace slot 0 of board 1"
    assert short_use(GrowBody(1, 0), PROGRAM) == "body of 1"
    assert use(BuyBoard(0), PROGRAM) == "to buy a board"


# Whole answers


def _table(**options: Any) -> GameState:
    hand = cards((1, "horns"), (-3, "ambush"), (0, "climbing"))
    mine = board(population=2, body=3), board("long-neck")
    return GameState(rules(**options), [player(0, *mine, hand=hand), player(1, board()), player(2)])


def test_a_declaration_lists_its_steps() -> None:
    request = DeclareCards(_table().view(Seat(0), 1))
    declaration = Declaration(0, new_boards=(NewBoard(1),), replacements=(Replacement(1, 0, 2),))
    assert TEXT.answer(request, declaration, ADA) == (
        "Horns +1 to the watering hole; Ambush −3 for a new species; Climbing 0 on species 2 in place of long neck"
    )
    assert TEXT.answer(request, declaration, PROGRAM) == (
        "card 0 as food; card 1 to buy a board; card 2 to replace slot 0 of board 1"
    )


@pytest.mark.parametrize(
    ("answer", "program", "human"),
    [
        (FeedPlants(1), "board 1 eats", "species 2 eats"),
        (StoreFat(0, 2), "board 0 stores 2 tokens", "species 1 stores 2 tokens"),
        (AttackSpecies(0, Seat(1), 0), "board 0 attacks board 0 of seat 1", "species 1 attacks Bob's species 1"),
        (AttackSpecies(0, Seat(0), 1), "board 0 attacks board 1 of seat 0", "species 1 attacks your species 2"),
        (Pass(), "no more food this turn", "no more food this turn"),
    ],
)
def test_text_of_a_feeding(answer: Any, program: str, human: str) -> None:
    view = _table().view(Seat(0), 1)
    request = FeedNext(view, feedings(view.boards, [], view.rules))
    assert TEXT.answer(request, answer, PROGRAM) == program
    assert TEXT.answer(request, answer, ADA) == human


def test_text_of_an_order() -> None:
    request = ArrangeBoards(_table(reorder_boards=True).view(Seat(0), 1))
    assert TEXT.answer(request, BoardOrder((1, 0)), PROGRAM) == "boards 1 and 0, from left to right"
    assert TEXT.answer(request, BoardOrder((1, 0)), ADA) == "species 2 and 1, from left to right"
