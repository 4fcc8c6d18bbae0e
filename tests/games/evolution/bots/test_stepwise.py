"""Stepwise players: the step requests, their arguments, and the effect of the answers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Sequence
from typing import Any

import pytest

from tests.games.evolution.builders import board, cards, rules
from tests.games.tables import ME, declare, feed, play_out
from wateringhole.game import Seat, Standing, violation_of
from wateringhole.games.evolution import (
    PROFILES,
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    Declaration,
    FeedPlants,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    SpeciesBoard,
    StoreFat,
    TraitCard,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.bots.stepwise import Hunt, OwnState, StepwisePlayer
from wateringhole.player import IllegalAnswer

QUESTIONS = {
    "place_cards_on_boards": "cards boards player opponents",
    "select_board_for_card": "card boards player opponents",
    "trade_cards_for_boards": "cards boards player opponents",
    "trade_cards_for_body_size": "cards boards player opponents",
    "select_board_to_give_body_size": "boards player opponents",
    "trade_cards_for_population": "cards boards player opponents",
    "select_board_to_give_population": "boards player opponents",
    "select_species_order": "boards player opponents",
    "select_species_discarded_cards": "old_cards new_cards board player opponents",
    "select_attack": "board player opponents",
    "game_over": "players me",
    "select_food_card": "cards boards player opponents",
    "select_feeding": "choices player opponents",
}
"""The eleven step requests of the request document and two more, with their arguments."""

HAND = cards((3, "foraging"), (-1, "horns"), (0, "climbing"), (1, "fertile"), (2, "carnivore"))
FOOD, HORNS, CLIMBING, FERTILE, CARNIVORE = HAND


class Scripted(StepwisePlayer):
    """A player that answers some step requests from a script, the others by default, and notes all of them."""

    def __init__(self, **script: Any) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        for question, arguments in QUESTIONS.items():
            default = getattr(self, question)
            answer = script.get(question, default)
            setattr(self, question, functools.partial(self._answer, question, arguments.split(), answer))

    def _answer(self, question: str, arguments: list[str], answer: Any, *given: Any) -> Any:
        self.asked.append((question, dict(zip(arguments, given, strict=True))))
        if isinstance(answer, list) and answer and isinstance(answer[0], Turns):
            return answer.pop(0).answer
        return answer(*given) if callable(answer) else answer

    def questions(self) -> list[str]:
        return [question for question, _ in self.asked]

    def given(self, question: str) -> list[dict[str, Any]]:
        return [given for asked, given in self.asked if asked == question]


class Turns:
    """An answer to one call; a list of them answers one call after the other."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer


def in_turn(*answers: Any) -> list[Turns]:
    return [Turns(answer) for answer in answers]


@pytest.mark.parametrize(("question", "arguments"), QUESTIONS.items())
def test_step_requests_have_the_arguments_of_the_request_document(question: str, arguments: str) -> None:
    _, *parameters = inspect.signature(getattr(StepwisePlayer, question)).parameters
    assert parameters == arguments.split()


def test_default_player_gives_its_best_food_and_keeps_the_rest() -> None:
    assert StepwisePlayer().choose(declare(HAND)) == Declaration(0)


def test_step_requests_of_a_turn_are_in_order() -> None:
    player = Scripted(
        trade_cards_for_boards=[HORNS],
        place_cards_on_boards=[CLIMBING],
        trade_cards_for_body_size=[FERTILE],
        trade_cards_for_population=[CARNIVORE],
    )
    declaration = player.choose(declare(HAND))
    assert player.questions() == [
        "select_food_card",
        "trade_cards_for_boards",
        "place_cards_on_boards",
        "select_board_for_card",
        "trade_cards_for_body_size",
        "select_board_to_give_body_size",
        "trade_cards_for_population",
        "select_board_to_give_population",
    ]
    assert declaration == Declaration(0, (Growth(0, 4),), (Growth(0, 3),), (NewBoard(1, (2,)),))


def test_every_step_request_shows_the_current_row_and_hand() -> None:
    player = Scripted(
        trade_cards_for_boards=[HORNS],
        place_cards_on_boards=[CLIMBING, CARNIVORE],
        trade_cards_for_population=[FERTILE],
    )
    player.choose(declare(HAND, [board("herding")], bag=7))
    first, second = player.given("select_board_for_card")
    assert first["card"] is CLIMBING
    assert first["boards"] == (board("herding"), board())
    assert second["boards"] == (board("herding"), board("climbing"))
    (population,) = player.given("trade_cards_for_population")
    assert population["cards"] == (FERTILE,)
    assert population["boards"] == (board("herding"), board("climbing", "carnivore"))
    state = population["player"]
    assert (state.boards, state.hand, state.bag) == (population["boards"], population["cards"], 7)
    assert state.view.hand == tuple(HAND)


def test_opponents_have_no_hand_and_bag() -> None:
    player = Scripted()
    player.choose(declare(HAND))
    for _, given in player.asked:
        assert [opponent.seat for opponent in given["opponents"]] == [1, 2]
        assert not any(hasattr(opponent, "hand") or hasattr(opponent, "bag") for opponent in given["opponents"])


def test_card_for_a_full_board_asks_which_trait_to_replace() -> None:
    row = [board("herding", "horns", "fertile")]
    player = Scripted(place_cards_on_boards=[CLIMBING], select_species_discarded_cards=[1])
    assert player.choose(declare(HAND, row)).replacements == (Replacement(0, 1, 2),)
    (given,) = player.given("select_species_discarded_cards")
    assert given["old_cards"] == row[0].traits
    assert given["new_cards"] == (CLIMBING,)
    assert given["board"] == row[0]
    assert given["player"].boards == tuple(row)


@pytest.mark.parametrize(
    ("name", "profile", "row", "asked"),
    [
        ("an old board with traits", "course", [board("herding")], True),
        ("an old board that may be filled", "framework", [board("herding")], False),
        ("a full board that could be filled", "framework", [board("herding", "horns", "fertile")], True),
    ],
)
def test_trait_is_replaced_only_if_no_slot_is_free(
    name: str, profile: str, row: Sequence[SpeciesBoard], asked: bool
) -> None:
    player = Scripted(place_cards_on_boards=[CLIMBING], select_board_for_card=0)
    declaration = player.choose(declare(HAND, row, PROFILES[profile]))
    assert bool(player.given("select_species_discarded_cards")) == asked, name
    assert declaration.replacements == (Replacement(0, 0 if asked else 1, 2),)


ROW = [board("herding"), board("horns", "fertile", "ambush")]


def document_turn(row: Sequence[SpeciesBoard] = ROW, **script: Any) -> tuple[Scripted, Declaration]:
    """Return a player and its declaration after a turn under `framework` in which it arranges its boards."""
    player = Scripted(**script)
    hand = cards((3, "foraging"), (-1, "horns"), (0, "climbing"), (1, "fertile"), (2, "carnivore"), (0, "symbiosis"))
    order = player.arrange(ArrangeBoards(declare(hand, row, PROFILES["framework"]).view))
    asked = len(player.asked)
    request = declare(hand, [row[old] for old in order.boards], PROFILES["framework"])
    declaration = player.choose(request)
    assert len(player.asked) == asked
    assert violation_of(request, declaration) is None
    return player, declaration


def test_step_requests_under_framework_are_in_the_order_of_the_document() -> None:
    player, declaration = document_turn(
        place_cards_on_boards=[HORNS, CLIMBING],
        select_board_for_card=1,
        trade_cards_for_boards=[FERTILE],
        trade_cards_for_body_size=[CARNIVORE],
        select_board_to_give_body_size=1,
        trade_cards_for_population=lambda cards, *_: cards[:1],
        select_board_to_give_population=2,
        select_species_order=[1, 0],
        select_species_discarded_cards=[2, 0],
    )
    assert player.questions() == [
        "select_food_card",
        "place_cards_on_boards",
        "select_board_for_card",
        "select_board_for_card",
        "trade_cards_for_boards",
        "trade_cards_for_body_size",
        "select_board_to_give_body_size",
        "trade_cards_for_population",
        "select_board_to_give_population",
        "select_species_order",
        "select_species_discarded_cards",
    ]
    # Horns replace horns, whatever the order of the answer.
    assert declaration == Declaration(
        0,
        (Growth(2, 5),),
        (Growth(0, 4),),
        (NewBoard(3, (), "right"),),
        (Replacement(0, 0, 1), Replacement(0, 2, 2)),
    )


def test_discarded_cards_are_requested_once_per_board_with_all_its_new_cards() -> None:
    player, _ = document_turn(
        place_cards_on_boards=[CLIMBING, FERTILE, CARNIVORE],
        select_board_for_card=in_turn(1, 0, 1),
        select_species_order=[1, 0],
        select_species_discarded_cards=[0, 1],
    )
    (given,) = player.given("select_species_discarded_cards")
    assert given["old_cards"] == ROW[1].traits
    assert given["new_cards"] == (CLIMBING, CARNIVORE)
    assert given["board"] == ROW[1]
    assert given["player"].boards == (ROW[1], ROW[0])
    assert [str(card) for card in given["player"].hand] == ["horns -1", "symbiosis +0"]
    (ordered,) = player.given("select_species_order")
    assert ordered["boards"] == tuple(ROW)


def test_order_is_requested_for_the_owned_boards_only() -> None:
    player, _ = document_turn(trade_cards_for_boards=[FERTILE, HORNS])
    (given,) = player.given("select_species_order")
    assert given["boards"] == tuple(ROW)
    assert given["player"].boards == (*ROW, board(population=0), board(population=0))


def test_cards_are_placed_on_owned_boards_in_the_order_of_the_document() -> None:
    player, _ = document_turn(
        place_cards_on_boards=[CLIMBING], select_board_for_card=0, trade_cards_for_boards=[FERTILE]
    )
    (given,) = player.given("select_board_for_card")
    assert given["boards"] == tuple(ROW)


@pytest.mark.parametrize("profile", ["course", "framework"])
def test_no_board_is_requested_if_no_card_is_chosen(profile: str) -> None:
    player = Scripted()
    player.choose(declare(HAND, rules=PROFILES[profile]))
    assert sorted(player.questions()) == [
        "place_cards_on_boards",
        "select_food_card",
        "trade_cards_for_boards",
        "trade_cards_for_body_size",
        "trade_cards_for_population",
    ]


def test_only_cards_without_a_free_slot_replace_a_trait() -> None:
    row = [board("herding", "ambush"), board()]
    placed = {"place_cards_on_boards": [HORNS, CLIMBING], "select_board_for_card": 0}
    _, declaration = document_turn(row, **placed)
    assert declaration.replacements == (Replacement(0, 0, 1), Replacement(0, 2, 2))
    _, declaration = document_turn(row, **placed, select_species_discarded_cards=[1, 0])
    assert declaration.replacements == (Replacement(0, 1, 1), Replacement(0, 0, 2))


@pytest.mark.parametrize("slots", [[], [0], [0, 0], [0, 1, 2]])
def test_wrong_number_of_discarded_cards_is_illegal(slots: list[int]) -> None:
    with pytest.raises(IllegalAnswer, match="one old card goes for each new card without a free slot"):
        document_turn(
            place_cards_on_boards=[CLIMBING, CARNIVORE], select_board_for_card=1, select_species_discarded_cards=slots
        )


def test_wrong_order_of_boards_is_illegal() -> None:
    with pytest.raises(IllegalAnswer, match="does not name each of the boards 0 to 1 once"):
        document_turn(select_species_order=[0, 0])


def test_placed_card_cannot_be_traded() -> None:
    with pytest.raises(IllegalAnswer, match="trade_cards_for_boards names the card horns -1, which is used already"):
        document_turn(place_cards_on_boards=[HORNS], select_board_for_card=0, trade_cards_for_boards=[HORNS])


def test_plan_of_another_turn_is_not_used() -> None:
    player = Scripted()
    player.arrange(ArrangeBoards(declare(HAND, ROW, PROFILES["framework"]).view))
    player.asked.clear()
    assert player.choose(declare(HAND[1:], ROW, PROFILES["framework"])) == Declaration(3)
    assert "select_species_order" not in player.questions()


@pytest.mark.parametrize(
    ("order", "profile", "first"),
    [
        ("document", "course", "place_cards_on_boards"),
        ("boards_first", "framework", "trade_cards_for_boards"),
        (None, "course", "trade_cards_for_boards"),
        (None, "reference", "trade_cards_for_boards"),
        (None, "framework", "place_cards_on_boards"),
    ],
)
def test_player_selects_the_order_of_its_step_requests(order: Any, profile: str, first: str) -> None:
    player = Scripted()
    player.step_order = order
    player.choose(declare(HAND, rules=PROFILES[profile]))
    assert player.questions()[:2] == ["select_food_card", first]


def test_unknown_order_is_an_error() -> None:
    player = Scripted()
    player.step_order = "backwards"  # type: ignore[assignment]
    with pytest.raises(ValueError, match="Choose from: document, boards_first, None"):
        player.choose(declare(HAND))


@pytest.mark.parametrize(
    ("rule", "wanted", "side"),
    [("right", "left", None), ("left", "right", None), ("choice", "left", "left"), ("choice", "right", "right")],
)
def test_bought_boards_join_on_the_wanted_side_if_there_is_a_choice(rule: str, wanted: Any, side: Any) -> None:
    player = Scripted(trade_cards_for_boards=[HORNS])
    player.new_board_side = wanted
    assert player.choose(declare(HAND, rules=rules(new_board_side=rule))).new_boards == (NewBoard(1, (), side),)


def test_order_of_boards_is_requested_with_the_row() -> None:
    row = [board("horns"), board("climbing")]
    request = ArrangeBoards(declare(HAND, row).view)
    player = Scripted(select_species_order=[1, 0])
    assert player.answer(request) == BoardOrder((1, 0))
    assert player.given("select_species_order")[0]["boards"] == tuple(row)
    assert StepwisePlayer().answer(request) == BoardOrder((0, 1))


OTHER = cards((-3, "ambush"))[0]
PLAIN = [board()]
TRAITED = [board("horns", "climbing")]

BAD_CARDS: list[tuple[str, dict[str, Any], Sequence[SpeciesBoard], str, str]] = [
    ("no card", {"select_food_card": None}, PLAIN, "ill-shaped", "select_food_card returned None"),
    ("an index", {"select_food_card": 0}, PLAIN, "ill-shaped", "a card of the hand is wanted"),
    ("a foreign card", {"select_food_card": OTHER}, PLAIN, "no-such-card", "ambush -3, which is not in the hand"),
    ("nothing", {"trade_cards_for_boards": None}, PLAIN, "ill-shaped", "a list of cards is wanted"),
    ("one card", {"trade_cards_for_boards": HORNS}, PLAIN, "ill-shaped", "a list of cards is wanted"),
    ("food again", {"trade_cards_for_boards": [FOOD]}, PLAIN, "card-used-twice", "foraging +3, which is used already"),
    ("twice", {"trade_cards_for_boards": [HORNS, HORNS]}, PLAIN, "card-used-twice", "names the card horns -1 twice"),
    ("no trait to replace", {"place_cards_on_boards": [HORNS]}, PLAIN, "lay-on-old-board", "in place of another"),
    (
        "no such board",
        {"place_cards_on_boards": [HORNS], "select_board_for_card": 1},
        PLAIN,
        "no-such-board",
        "select_board_for_card returned 1: the boards are 0 to 0",
    ),
    (
        "a yes instead of a board",
        {"place_cards_on_boards": [HORNS], "select_board_for_card": True},
        PLAIN,
        "no-such-board",
        "select_board_for_card returned True",
    ),
    (
        "two traits for one",
        {"place_cards_on_boards": [FERTILE], "select_species_discarded_cards": [0, 1]},
        TRAITED,
        "ill-shaped",
        "for one new card one old one goes",
    ),
    (
        "no such trait",
        {"place_cards_on_boards": [FERTILE], "select_species_discarded_cards": [2]},
        TRAITED,
        "no-such-trait",
        "the traits are 0 to 1",
    ),
    (
        "names instead of indexes",
        {"place_cards_on_boards": [FERTILE], "select_species_discarded_cards": ["horns"]},
        TRAITED,
        "ill-shaped",
        "a list of indexes is wanted",
    ),
    (
        "a trait it has",
        {"place_cards_on_boards": [HORNS], "select_species_discarded_cards": [1]},
        TRAITED,
        "equal-traits",
        "board 0 has horns already",
    ),
    (
        "too large",
        {"trade_cards_for_population": [HORNS]},
        [board(population=7)],
        "population-limit",
        "board 0 would grow beyond 7",
    ),
    (
        "a board as text",
        {"trade_cards_for_body_size": [HORNS], "select_board_to_give_body_size": "0"},
        PLAIN,
        "no-such-board",
        "select_board_to_give_body_size returned '0'",
    ),
]


@pytest.mark.parametrize(
    ("script", "row", "rule", "message"), [row[1:] for row in BAD_CARDS], ids=[row[0] for row in BAD_CARDS]
)
def test_bad_step_answer_about_cards_is_illegal(
    script: dict[str, Any], row: Sequence[SpeciesBoard], rule: str, message: str
) -> None:
    with pytest.raises(IllegalAnswer) as raised:
        Scripted(**script).choose(declare(HAND, row))
    assert raised.value.violation.rule == rule
    assert message in str(raised.value)


def test_replacements_that_leave_equal_traits_are_illegal() -> None:
    hand = cards((3, "foraging"), (-1, "fertile"), (0, "fertile"))
    player = Scripted(
        place_cards_on_boards=hand[1:], select_board_for_card=0, select_species_discarded_cards=in_turn([0], [1])
    )
    with pytest.raises(IllegalAnswer, match="board 0 would end with fertile twice"):
        player.choose(declare(hand, TRAITED))


def test_an_empty_hand_has_no_legal_answer() -> None:
    with pytest.raises(IllegalAnswer, match="the hand is empty"):
        StepwisePlayer().choose(declare([]))


# Feeding

HUNTER = board("carnivore", population=3)
PREY = [board(), board("climbing", population=2), board(population=4)]


def test_choices_have_each_hunter_once_and_no_more_fat_than_the_hole_holds() -> None:
    row = [board(), HUNTER, board("fat-tissue", body=5, food=1)]
    player = Scripted()
    player.feed_next(feed(row, PREY, hole=3))
    (given,) = player.given("select_feeding")
    assert given["choices"] == (FeedPlants(0), StoreFat(2, 3), Hunt(1))
    assert given["player"].boards == tuple(row)


def test_by_default_the_hungriest_eats_and_fat_is_stored_last() -> None:
    fat = board("fat-tissue", body=5, food=1)
    assert StepwisePlayer().feed_next(feed([fat, board(population=2, food=1), board()])) == FeedPlants(2)
    assert StepwisePlayer().feed_next(feed([fat, board(population=2, food=1)])) == FeedPlants(1)
    assert StepwisePlayer().feed_next(feed([fat])) == StoreFat(0, 5)


def test_less_fat_may_be_stored_than_offered() -> None:
    fat = board("fat-tissue", body=5, food=1)
    assert Scripted(select_feeding=StoreFat(0, 2)).feed_next(feed([fat])) == StoreFat(0, 2)


def test_none_declines() -> None:
    assert Scripted(select_feeding=lambda *_: None).feed_next(feed(PREY)) == Pass()
    assert Scripted(select_attack=lambda *_: None).feed_next(feed([HUNTER], PREY)) == Pass()


def test_hunt_is_followed_by_select_attack() -> None:
    request = feed([board(food=1), HUNTER], [], PREY)
    player = Scripted(select_attack=[1, 0])
    assert player.feed_next(request) == AttackSpecies(1, Seat(2), 0)
    assert player.questions() == ["select_feeding", "select_attack"]
    assert player.given("select_attack")[0]["board"] == HUNTER


def test_by_default_the_largest_target_is_attacked() -> None:
    request = feed([HUNTER], [], PREY)
    assert StepwisePlayer().feed_next(request) == AttackSpecies(0, Seat(2), 2)


def test_targets_are_unprotected_boards() -> None:
    player = Scripted(select_attack=[1, 0])
    player.feed_next(feed([HUNTER], [board()], PREY))
    (given,) = player.given("select_attack")
    assert player.targets(**given) == [(0, 0), (1, 0), (1, 2)]


def test_index_after_the_opponents_means_the_player_itself_under_own_attacks() -> None:
    row = [HUNTER, board(population=2)]
    player = Scripted(select_feeding=Hunt(0), select_attack=[1, 1])
    assert player.feed_next(feed(row, PREY, rules=rules(own_attacks=True))) == AttackSpecies(0, ME, 1)
    with pytest.raises(IllegalAnswer, match="the opponents are 0 to 0"):
        player.feed_next(feed(row, PREY))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ({"select_feeding": 0}, "select_feeding returned 0, which is none of its choices"),
        ({"select_feeding": Hunt(7)}, "select_feeding returned 7: the boards are 0 to 0"),
        ({"select_attack": 1}, "select_attack returned 1: a list of indexes is wanted"),
        ({"select_attack": [0]}, r"select_attack returned \[0\]: a player and a board are wanted"),
        ({"select_attack": [1, 0]}, "select_attack returned 1: the opponents are 0 to 0"),
        ({"select_attack": [-1, 0]}, "select_attack returned -1"),
    ],
)
def test_bad_step_answer_about_food_is_illegal(script: dict[str, Any], message: str) -> None:
    with pytest.raises(IllegalAnswer, match=message):
        Scripted(**script).feed_next(feed([HUNTER], PREY))


def test_attack_on_a_protected_board_is_left_to_the_referee() -> None:
    request = feed([HUNTER], PREY)
    violation = violation_of(request, Scripted(select_attack=[0, 1]).feed_next(request))
    assert violation is not None
    assert violation.rule == "protected-by-climbing"


# Complete games


class Collector(StepwisePlayer):
    """A player that answers every step request legally under all rules."""

    def __init__(self) -> None:
        self.result: tuple[Sequence[Standing], int] | None = None

    def select_species_order(self, boards: Sequence[SpeciesBoard], *_: Any) -> list[int]:
        return list(range(len(boards)))[::-1]

    def trade_cards_for_boards(self, cards: Sequence[TraitCard], *_: Any) -> Sequence[TraitCard]:
        return cards[:1]

    def place_cards_on_boards(self, cards: Sequence[TraitCard], boards: Any, player: OwnState, *_: Any) -> Any:
        return cards[:1] if len(boards) > len(player.view.boards) else ()

    def trade_cards_for_body_size(self, cards: Sequence[TraitCard], boards: Any, player: OwnState, *_: Any) -> Any:
        return cards[:1]

    def trade_cards_for_population(self, cards: Sequence[TraitCard], boards: Any, player: OwnState, *_: Any) -> Any:
        return [card for card in cards[:1] if min(board.population for board in boards) < 7]

    def game_over(self, players: Sequence[Standing], me: int) -> None:  # type: ignore[override]
        self.result = players, me


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(5))
def test_stepwise_player_plays_complete_games_under_every_profile(profile: str, seed: int) -> None:
    players = [Collector(), Silly(), Collector()]
    dealer, failures = play_out(players, deal(3, PROFILES[profile], seed))
    assert failures == {}
    assert dealer.outcome is not None
    for seat in (0, 2):
        collector = players[seat]
        assert isinstance(collector, Collector)
        assert collector.result is not None
        ranking, me = collector.result
        assert ranking == dealer.outcome.ranking
        assert ranking[me].seat == seat
        assert sum(points for _, points in ranking[me].parts) == ranking[me].score


def test_thrown_out_player_gets_the_reason_and_no_ranking() -> None:
    reasons: list[str] = []

    class Cheat(Collector):
        def trade_cards_for_boards(self, cards: Sequence[TraitCard], *_: Any) -> Sequence[TraitCard]:
            return [cards[0], cards[0]]

        def thrown_out(self, forfeit: Any) -> None:
            reasons.append(forfeit.message)

    cheat = Cheat()
    dealer, failures = play_out([cheat, Silly(), Silly()], deal(3, PROFILES["course"], 1))
    assert list(failures) == [0]
    assert reasons == [failures[Seat(0)]]
    assert cheat.result is None
    assert dealer.outcome is not None
    assert [standing.seat for standing in dealer.outcome.ranking].count(Seat(0)) == 0


def test_exception_in_a_step_request_is_not_caught() -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Scripted(trade_cards_for_boards=fail).choose(declare(HAND))
