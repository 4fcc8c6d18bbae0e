"""Conversion of Evolution's values to JSON and back."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.evolution import random_games
from tests.games.evolution.builders import COURSE, board, cards, player, state
from tests.games.evolution.builders import rules as options
from tests.games.evolution.random_games import RandomGame, games
from wateringhole.game import Answer, Forfeit, Seat, violation_of
from wateringhole.games.evolution import (
    CARDS,
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    Dealer,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    Rules,
    SpeciesBoard,
    StoreFat,
    Trait,
    View,
    card,
    deal,
)
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.options import PROFILES
from wateringhole.games.evolution.rules.requests import EvolutionRequest

BARE = [["food", 0], ["body", 0], ["population", 1], ["traits", []]]


def text_and_back(value: Any) -> Any:
    """Convert a value to JSON text and back; only JSON values survive unchanged."""
    return msgspec.json.decode(msgspec.json.encode(value))


# The course's formats


SPECIES: list[tuple[str, SpeciesBoard, list[Any]]] = [
    ("a bare board", board(), BARE),
    (
        "all fields",
        board("horns", "fat-tissue", population=3, body=2, food=1, fat=2),
        [["food", 1], ["body", 2], ["population", 3], ["traits", ["horns", "fat-tissue"]], ["fat-food", 2]],
    ),
    (
        "an empty store is not written",
        board("fat-tissue", body=2),
        [["food", 0], ["body", 2], ["population", 1], ["traits", ["fat-tissue"]]],
    ),
]


@pytest.mark.parametrize(("species", "value"), [case[1:] for case in SPECIES], ids=[case[0] for case in SPECIES])
def test_species_have_named_fields_in_order(species: SpeciesBoard, value: list[Any]) -> None:
    assert text_and_back(codec.species_to_json(species)) == value
    assert codec.species_from_json(value) == species


def test_stored_food_without_fat_tissue_is_neither_written_nor_read() -> None:
    useless = [["food", 0], ["body", 3], ["population", 1], ["traits", ["horns"]], ["fat-food", 2]]
    assert codec.species_to_json(board("horns", body=3, fat=2)) == useless[:4]
    assert codec.species_from_json(useless) == board("horns", body=3)


@given(
    st.builds(
        lambda population, body, traits, eaten, stored: SpeciesBoard(
            population, body, min(eaten, population), tuple(traits), min(stored, body)
        ),
        st.integers(1, 7),
        st.integers(0, 7),
        st.lists(st.sampled_from(Trait), max_size=3, unique=True),
        st.integers(0, 7),
        st.integers(0, 7),
    )
)
def test_every_species_survives_json_except_for_unusable_fat(species: SpeciesBoard) -> None:
    arrived = codec.species_from_json(text_and_back(codec.species_to_json(species)))
    assert arrived == (species if Trait.FAT_TISSUE in species.traits else species.with_fat(0))


def test_cards_are_points_and_trait() -> None:
    assert codec.card_to_json(card(-8, "carnivore")) == [-8, "carnivore"]
    assert codec.cards_from_json(text_and_back(codec.cards_to_json(CARDS))) == list(CARDS)


@pytest.mark.parametrize(
    "value", [[1.0, "horns"], [True, "horns"], [4, "horns"], [1, "wings"], [1], "horns", [1, 2, 3]]
)
def test_other_values_are_not_cards(value: Any) -> None:
    with pytest.raises(ValueError, match=r"is not a card|no card|no trait|food points"):
        codec.card_from_json(value)


def test_cards_of_a_player_are_written_only_if_there_are_any() -> None:
    bare = [["id", 4], ["species", [BARE]], ["bag", 7]]
    holding = [*bare, ["cards", [[1, "horns"], [0, "ambush"]]]]
    assert codec.player_to_json(player(0, board(), bag=7), 4) == bare
    assert codec.player_to_json(player(0, board(), hand=cards((1, "horns"), (0, "ambush")), bag=7), 4) == holding
    state, identity = codec.player_from_json(holding, Seat(2))
    assert (state.seat, state.boards, state.bag, identity) == (2, [board()], 7, 4)
    assert state.hand == cards((1, "horns"), (0, "ambush"))


def test_a_configuration_is_the_full_state() -> None:
    before = state([board()], [], hole=3, deck=cards((1, "horns"), (2, "horns"), (3, "horns")))
    before.draw(before.players[1], 1, "turn")
    value = [
        [
            [["id", 1], ["species", [BARE]], ["bag", 0]],
            [["id", 2], ["species", []], ["bag", 0], ["cards", [[1, "horns"]]]],
        ],
        3,
        [[2, "horns"], [3, "horns"]],
    ]
    assert text_and_back(codec.configuration_to_json(before.full_state(), lambda seat: seat + 1)) == value
    after, identities = codec.configuration_from_json(value, COURSE)
    assert (after.full_state(), identities) == (before.full_state(), [1, 2])


# Answers


def view(*rows: list[SpeciesBoard], seat: int = 1, rules: Rules = COURSE) -> View:
    return state(*(rows or [[board()]] * 4), hole=5, rules=rules).view(Seat(seat), 1)


FEED = FeedNext(view(), [])
DECLARE = DeclareCards(view())
CHOICE = DeclareCards(view(rules=options(new_board_side="choice")))
LEFT = DeclareCards(view(rules=options(new_board_side="left")))
ARRANGE = ArrangeBoards(view())

ANSWERS: list[tuple[str, EvolutionRequest, Answer, Any]] = [
    ("a pass", FEED, Pass(), False),
    ("a vegetarian", FEED, FeedPlants(0), 0),
    ("a store", FEED, StoreFat(1, 3), [1, 3]),
    ("a store beyond all bounds", FEED, StoreFat(1, 10**30), [1, 10**30]),
    ("an attack on the next player", FEED, AttackSpecies(0, Seat(2), 1), [0, 0, 1]),
    ("an attack on the first player of the turn", FEED, AttackSpecies(0, Seat(0), 1), [0, 2, 1]),
    ("an attack on an own board", FEED, AttackSpecies(0, Seat(1), 1), [0, 3, 1]),
    ("a food card alone", DECLARE, Declaration(3), [3, [], [], [], []]),
    (
        "everything at once",
        DECLARE,
        Declaration(
            0,
            (Growth(1, 2), Growth(3, 4)),
            (Growth(5, 6),),
            (NewBoard(7), NewBoard(8, (9, 10, 11))),
            (Replacement(1, 0, 12),),
        ),
        [0, [[1, 2], [3, 4]], [[5, 6]], [[7], [8, 9, 10, 11]], [[1, 0, 12]]],
    ),
    (
        "purchases that choose their side",
        CHOICE,
        Declaration(0, new_boards=(NewBoard(1, (), "left"), NewBoard(2, (3, 4, 5), "right"))),
        [0, [], [], [[1, "left"], [2, 3, 4, 5, "right"]], []],
    ),
    (
        "a purchase on the left",
        LEFT,
        Declaration(0, new_boards=(NewBoard(1, (2,)),)),
        [0, [], [], [[1, 2]], []],
    ),
    ("an order of boards", ARRANGE, BoardOrder((2, 0, 1)), [2, 0, 1]),
]


@pytest.mark.parametrize(
    ("request_", "answer", "value"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_answers_have_one_format(request_: EvolutionRequest, answer: Answer, value: Any) -> None:
    written = text_and_back(codec.answer_to_json(request_, answer))
    assert (written, type(written)) == (value, type(value))
    assert codec.answer_from_json(request_, value) == answer


def test_labels_of_growth_are_read_and_never_written() -> None:
    labelled = [0, [["population", 1, 2]], [["body", 3, 4]], [], []]
    declaration = codec.answer_from_json(DECLARE, labelled)
    assert declaration == Declaration(0, (Growth(1, 2),), (Growth(3, 4),))
    assert codec.answer_to_json(DECLARE, declaration) == [0, [[1, 2]], [[3, 4]], [], []]


def test_a_purchase_that_names_no_side_is_read_as_one() -> None:
    declaration = codec.answer_from_json(CHOICE, [0, [], [], [[1, 2]], []])
    assert declaration == Declaration(0, new_boards=(NewBoard(1, (2,)),))
    assert codec.answer_to_json(CHOICE, declaration) == [0, [], [], [[1, 2, "right"]], []]


@pytest.mark.parametrize(
    ("request_", "value", "sentence"),
    [
        (FEED, True, "true is no feeding choice"),
        (FEED, None, "null is no feeding choice"),
        (FEED, "0", '"0" is no feeding choice'),
        (FEED, 0.0, "0.0 is no feeding choice"),
        (FEED, -1, "a board is a whole number from 0, not -1"),
        (FEED, [], "a list of 0 is no feeding choice"),
        (FEED, [0], "a list of 1 is no feeding choice"),
        (FEED, [0, 1, 2, 3], "a list of 4 is no feeding choice"),
        (FEED, [0, True], "a number of tokens is a whole number from 0, not true"),
        (FEED, [0, 1.0], "a number of tokens is a whole number from 0, not 1.0"),
        (FEED, [False, 1], "a board is a whole number from 0, not false"),
        (FEED, [0, 4, 0], "there is no player 4: there are 3 others"),
        (FEED, [0, -1, 0], "a player is a whole number from 0, not -1"),
        (FEED, [0, 0, None], "the board attacked is a whole number from 0, not null"),
        (DECLARE, False, "false is not an Action4"),
        (DECLARE, [0, [], [], [[1, "left"]], []], 'new board 0: a card is a whole number from 0, not "left"'),
        (CHOICE, [0, [], [], [[1, "up"]], []], 'new board 0: a card is a whole number from 0, not "up"'),
        (CHOICE, [0, [], [], [["left"]], []], "new board 0: a list of 0 is no purchase"),
        (DECLARE, [0, [["body", 0, 1]], [], [], []], "population growth 0: a list of 3 is not a growth"),
        (DECLARE, [0, {}, [], [], []], "an object is not a list of population growths"),
        (ARRANGE, 0, "0 is not a list of places"),
        (ARRANGE, [0, False], "place 1: a board is a whole number from 0, not false"),
    ],
    ids=lambda part: getattr(part, "name", None) or repr(part),
)
def test_answers_of_the_wrong_shape_are_refused(request_: EvolutionRequest, value: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is compared below
        codec.answer_from_json(request_, value)
    assert sentence in str(refused.value)


def test_long_values_are_cut_in_messages() -> None:
    with pytest.raises(ValueError, match="not -1000") as refused:
        codec.answer_from_json(FEED, -(10**3000))
    assert len(str(refused.value)) < 100


@pytest.mark.parametrize(
    ("request_", "answer"),
    [
        (FeedNext(view(), [FeedPlants(1)]), FeedPlants(True)),
        (FeedNext(view(), [FeedPlants(1)]), FeedPlants(1.0)),  # type: ignore[arg-type]
        (FeedNext(view([board("carnivore")], [board("carnivore")]), [AttackSpecies(0, Seat(0), 0)]),
         AttackSpecies(0, False, 0)),  # type: ignore[arg-type]
        (FeedNext(view([board("carnivore")], [board("carnivore")]), [AttackSpecies(0, Seat(0), 0)]),
         AttackSpecies(0, Seat(0), False)),
        (FeedNext(view(), [StoreFat(1, 3)]), StoreFat(True, 3)),
        (ArrangeBoards(view([board(), board()], seat=0)), BoardOrder((0, True))),
        (ArrangeBoards(view([board(), board()], seat=0)), BoardOrder(None)),  # type: ignore[arg-type]
    ],
    ids=lambda part: repr(part) if isinstance(part, msgspec.Struct) else "",
)  # fmt: skip
def test_answers_that_could_not_be_read_back_are_illegal(request_: EvolutionRequest, answer: Answer) -> None:
    assert violation_of(request_, answer) is not None


# This package's formats, in random games


@given(games())
def test_every_answer_survives_json(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for _ in game.advances(dealer):
        for request in dealer.requests.values():
            answer = random_games.random_answer(request, game.rng)
            if not isinstance(answer, Forfeit):
                value = text_and_back(codec.answer_to_json(request, answer))
                assert codec.answer_from_json(request, value) == answer


@given(games())
def test_every_event_survives_json(game: RandomGame) -> None:
    seats = random_games.seats(game)
    for events in game.advances(Dealer(game.setup)):
        for event in events:
            for seen in {id(part): part for part in (event, *map(event.seen_by, seats)) if part}.values():
                value = codec.event_to_json(seen)
                assert text_and_back(value) == value
                assert codec.event_from_json(value) == seen


@given(games())
def test_every_request_and_every_view_survives_json(game: RandomGame) -> None:
    dealer = Dealer(game.setup, emit=False)
    for _ in game.advances(dealer):
        public = dealer.view(None)
        assert codec.view_from_json(text_and_back(codec.view_to_json(public))) == public
        for request in dealer.requests.values():
            arrived = codec.request_from_json(text_and_back(codec.request_to_json(request)))
            assert type(arrived) is type(request)
            assert arrived.view == request.view
            if isinstance(request, FeedNext):
                assert isinstance(arrived, FeedNext)
                assert arrived.options == request.options


@pytest.mark.parametrize("profile", PROFILES)
def test_the_text_of_a_setup_is_that_of_its_json(profile: str) -> None:
    for deck in ("ascending", "shuffled", list(reversed(CARDS[:40]))):
        setup = deal(4, PROFILES[profile], 11, deck)
        assert codec.setup_to_text(setup) == msgspec.json.encode(codec.setup_to_json(setup))


@given(games())
def test_setups_rules_and_outcomes_survive_json(game: RandomGame) -> None:
    assert codec.setup_from_json(text_and_back(codec.setup_to_json(game.setup))) == game.setup
    assert codec.rules_from_json(text_and_back(codec.rules_to_json(game.setup.rules))) == game.setup.rules
    dealer = Dealer(game.setup, emit=False)
    for _ in game.advances(dealer):
        pass
    if dealer.outcome:
        assert codec.outcome_from_json(text_and_back(codec.outcome_to_json(dealer.outcome))) == dealer.outcome


def test_all_rules_are_written_defaults_included() -> None:
    assert set(codec.rules_to_json(COURSE)) == set(Rules.__struct_fields__) - {"custom_traits"}


def test_a_feeding_request_lists_its_options() -> None:
    hunter = board("carnivore")
    asked = FeedNext(view([hunter], [board()], [board()], seat=0), [AttackSpecies(0, Seat(1), 0)])
    value = codec.request_to_json(asked)
    assert (value["kind"], value["options"]) == ("feed", [[0, 0, 0]])
    assert value["view"]["seat"] == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"players": 2, "order": [0, 1]}, "3 to 8 players, not 2"),
        ({"players": 9, "order": [*range(9)]}, "3 to 8 players, not 9"),
        ({"players": 10**30}, "players, not 1000"),
        ({"players": True}, "not a setup of Evolution"),
        ({"players": 3.0}, "not a setup of Evolution"),
        ({"order": [0, 1, 1]}, "[0, 1, 1] does not name each seat from 0 to 2 once"),
        ({"order": [1, 2, 3]}, "does not name each seat"),
        ({"order": [0, 1]}, "does not name each seat"),
        ({"order": None}, "not a setup of Evolution"),
        ({"rules": {"gravity": 1}}, "unknown field `gravity`"),
        ({"rules": {"scoring": "style"}}, "Invalid enum value 'style'"),
        ({"rules": []}, "not a setup of Evolution"),
        ({"deck": [[1, "horns"], [1, "horns"]]}, "horns +1 twice"),
        ({"deck": [[4, "horns"]]}, 'there is no card [4, "horns"]'),
        ({"deck": [["horns", 1]]}, 'food points are a whole number, not "horns"'),
        ({"seed": "lucky"}, "the seed 'lucky': expected an integer"),
    ],
    ids=repr,
)
def test_a_setup_that_cannot_be_played_is_refused(change: dict[str, Any], sentence: str) -> None:
    good = codec.setup_to_json(deal(3, COURSE, 7))
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is compared below
        codec.setup_from_json(good | change)
    assert sentence in str(refused.value)


@pytest.mark.parametrize("missing", ["players", "rules", "order", "deck", "seed"])
def test_a_setup_with_a_missing_field_is_refused(missing: str) -> None:
    setup = codec.setup_to_json(deal(3, COURSE, 7))
    del setup[missing]
    with pytest.raises(ValueError, match=f"missing required field `{missing}`"):
        codec.setup_from_json(setup)


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ([], "a list of 0 is no request"),
        ({"kind": "feed"}, "an object is no request"),
        ({"kind": "dance", "view": codec.view_to_json(FEED.view)}, 'no request of the kind "dance"'),
        ({"kind": "feed", "view": codec.view_to_json(FEED.view)}, "null is not a list of options"),
        ({"kind": "feed", "view": codec.view_to_json(FEED.view), "options": [True]}, "option 0: true is no feeding"),
        ({"kind": "declare", "view": {}}, "not a view of Evolution"),
        ({"kind": "declare", "view": codec.view_to_json(state([board()]).view(None, 1))}, "belongs to a player"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_other_values_are_not_requests(value: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011 - the sentence is compared below
        codec.request_from_json(value)
    assert sentence in str(refused.value)


def test_an_unknown_event_is_refused() -> None:
    with pytest.raises(ValueError, match="not an event of Evolution"):
        codec.event_from_json({"event": "Earthquake"})


def test_other_values_cannot_be_written_as_answers() -> None:
    with pytest.raises(TypeError, match="answers no request"):
        codec.answer_to_json(FEED, "food, please")
