"""Plain values as answers of Python players: the four feedings of the memos, and the course's Action4."""

from __future__ import annotations

import inspect
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from tests.cli.running import called
from tests.games.evolution import random_games
from tests.games.evolution.builders import rules
from tests.games.evolution.random_games import RandomGame
from tests.games.evolution.scenarios import A, B, C, hand, lay
from wateringhole import registry
from wateringhole.facets import PROGRAM
from wateringhole.game import Event, Request, Violation
from wateringhole.games.evolution import (
    PROFILES,
    AttackSpecies,
    Dealer,
    Declaration,
    DeclareCards,
    Feeding,
    FeedNext,
    FeedPlants,
    Growth,
    NewBoard,
    Pass,
    Player,
    Replacement,
    Silly,
    SpeciesBoard,
    StoreFat,
    View,
    deal,
)
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.plain_answers import PlainValue
from wateringhole.games.evolution.rules.violations import (
    NoDeclining,
    UnknownDeclarationForm,
    UnknownFeedingForm,
)
from wateringhole.games.evolution.text import TEXT
from wateringhole.match.loops import play
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder, read_record

EVOLUTION = registry.game_kind("evolution")

# A has two equal species, a store, a hungry carnivore and a full one; B has two equal species, too.
ROWS = ("0/2, 0/2, 1/2 b3 fat-tissue, 0/2 carnivore, 1/1 carnivore", "0/2, 0/2, 0/1 climbing", "0/1")


def _request(*rows: str, **options: Any) -> FeedNext:
    request = FeedingRounds(lay(*(rows or ROWS), hole=5, rules=rules(**options)), 1).next_request()
    assert request is not None
    return request


class Scripted(Player):
    """Returns the value that it was made with, whatever it is asked."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def choose(self, request: DeclareCards) -> Any:
        return self._value

    def feed_next(self, request: FeedNext) -> Any:
        return self._value


def _accepted(request: Request[Any], value: Any) -> Any:
    return request.accept(Scripted(value).answer(request))


def _text(violation: Any) -> str:
    assert isinstance(violation, Violation)
    return TEXT.violation(violation, PROGRAM)


# Feedings.  name: the value, made of the view; the feeding that it stands for.
FORMS: dict[str, tuple[Callable[[View], Any], Feeding]] = {
    "False passes": (lambda view: False, Pass()),
    "0 is species 0": (lambda view: 0, FeedPlants(0)),
    "an index": (lambda view: 1, FeedPlants(1)),
    "a board": (lambda view: view.boards[0], FeedPlants(0)),
    "the second of two equal boards": (lambda view: view.boards[1], FeedPlants(1)),
    "a board of the asked player's object": (lambda view: view.players[0].boards[1], FeedPlants(1)),
    "a list with one index": (lambda view: [0], FeedPlants(0)),
    "a list with one board": (lambda view: [view.boards[1]], FeedPlants(1)),
    "an index and a number": (lambda view: [2, 3], StoreFat(2, 3)),
    "a board and a number": (lambda view: [view.boards[2], 1], StoreFat(2, 1)),
    "an index, a seat and an index": (lambda view: [3, 1, 1], AttackSpecies(3, B, 1)),
    "a board, a player and a board": (
        lambda view: [view.boards[3], view.opponents[0], view.opponents[0].boards[1]],
        AttackSpecies(3, B, 1),
    ),
    "a board, a seat and a board": (
        lambda view: [view.boards[3], 2, view.opponents[1].boards[0]],
        AttackSpecies(3, C, 0),
    ),
    "an index, a player and an index": (lambda view: [3, view.opponents[1], 0], AttackSpecies(3, C, 0)),
    "a tuple": (lambda view: (view.boards[2], 1), StoreFat(2, 1)),
    "a record": (lambda view: FeedPlants(1), FeedPlants(1)),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_accepted_as_its_feeding(name: str) -> None:
    value, feeding = FORMS[name]
    request = _request()
    answer = Scripted(value(request.view)).answer(request)
    assert answer == feeding
    assert type(answer) is type(feeding)
    assert request.accept(answer) == feeding


@pytest.mark.parametrize("name", FORMS)
def test_each_form_is_accepted_in_another_process(name: str) -> None:
    """There, `view.boards` and the boards in `view.players` are different objects."""
    value, feeding = FORMS[name]
    request = codec.request_from_json(codec.request_to_json(_request()))
    assert _accepted(request, value(request.view)) == feeding


def _copy(board: SpeciesBoard) -> SpeciesBoard:
    return board.with_food(board.food)


class Truthful:
    """Equals everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


EXPECTED = "; expected False, 0, [2, 3] or [3, 1, 0]"

# name: the value, made of the view; what the message says before the accepted forms.
NO_FORMS: dict[str, tuple[Callable[[View], Any], str]] = {
    "None": (lambda view: None, "None is not a feeding"),
    "True": (lambda view: True, "True is not a feeding"),
    "0.0": (lambda view: 0.0, "0.0 is not a feeding"),
    "a text": (lambda view: "grass", "'grass' is not a feeding"),
    "an empty list": (lambda view: [], "[] is not a feeding"),
    "four parts": (lambda view: [0, 1, 2, 3], "[0, 1, 2, 3] is not a feeding"),
    "a set": (lambda view: {0}, "{0} is not a feeding"),
    "a player": (lambda view: view.opponents[0], "is not a feeding"),
    "a class of answers": (lambda view: Pass, "is not a feeding"),
    "a declaration": (lambda view: Declaration(0), "is not a feeding"),
    "an object that equals False": (lambda view: Truthful(), "is not a feeding"),
    "False in a list": (
        lambda view: [False],
        "[False] is not a feeding: the species is an index or a board of your row, not False",
    ),
    "1.0 as a species": (
        lambda view: [1.0],
        "[1.0] is not a feeding: the species is an index or a board of your row, not 1.0",
    ),
    "True as tokens": (
        lambda view: [2, True],
        "[2, True] is not a feeding: the number of tokens is a whole number, not True",
    ),
    "a board as tokens": (
        lambda view: [2, view.boards[0]],
        "the number of tokens is a whole number, not SpeciesBoard(",
    ),
    "True as a player": (
        lambda view: [3, True, 0],
        "[3, True, 0] is not a feeding: the player is a seat or a player of the view, not True",
    ),
    "a board as a player": (lambda view: [3, view.boards[0], 0], "the player is a seat or a player of the view, not"),
    "a copy of a board that equals two": (
        lambda view: _copy(view.boards[0]),
        "the species is not an object of this request's view, which are compared by identity",
    ),
    "a copy of a board that equals one": (
        lambda view: [_copy(view.boards[2]), 1],
        "the species is not an object of this request's view",
    ),
    "a copy as a target": (
        lambda view: [3, 1, _copy(view.opponents[0].boards[2])],
        "the attacked species is not an object of this request's view",
    ),
    "a copy of a player": (
        lambda view: [3, codec.view_from_json(codec.view_to_json(view)).opponents[0], 0],
        "the player is not an object of this request's view",
    ),
    "a board of another player": (
        lambda view: view.opponents[0].boards[0],
        "the species is a board in the row of another player",
    ),
    "a target of a third player": (
        lambda view: [3, 1, view.opponents[1].boards[0]],
        "the attacked species is a board in the row of another player",
    ),
    "an own board as a target": (
        lambda view: [3, view.opponents[0], view.boards[0]],
        "the attacked species is a board in the row of another player",
    ),
    "a float as a target": (
        lambda view: [3, 1, 0.0],
        "the attacked species is an index or a board of that player's row, not 0.0",
    ),
}


@pytest.mark.parametrize("name", NO_FORMS)
def test_other_values_are_rejected_with_the_accepted_forms(name: str) -> None:
    value, message = NO_FORMS[name]
    request = _request()
    violation = _accepted(request, value(request.view))
    assert violation.rule == "ill-shaped"
    assert message in _text(violation)
    assert _text(violation).endswith(EXPECTED[1:])
    assert len(_text(violation)) <= 300
    assert codec.violation_from_json(codec.violation_to_json(violation)) == violation


def test_whole_message_of_a_rejected_feeding() -> None:
    assert _text(_accepted(_request(), None)) == f"None is not a feeding: {EXPECTED[2:]}"
    assert _text(_accepted(_request(), [2, 1.5])) == (
        f"[2, 1.5] is not a feeding: the number of tokens is a whole number, not 1.5{EXPECTED}"
    )


def test_board_that_is_in_its_row_twice_needs_an_index() -> None:
    twin = _request().view.boards[0]
    state = lay("", "0/1", hole=5)
    state.players[0].boards[:] = [twin, twin]
    request = FeedingRounds(state, 1).next_request()
    assert request is not None
    assert _text(_accepted(request, twin)).endswith(
        "the species is in its row twice, so only its index is clear; expected False or 0"
    )
    assert _accepted(request, 1) == FeedPlants(1)


def test_message_shows_only_forms_that_are_legal_now() -> None:
    assert "expected 0" in _text(_accepted(_request("0/1, 0/1", "0/1", false_reply="cheat"), None))
    assert _text(_accepted(_request("0/2 carnivore", "0/1, 0/1"), "grass")).endswith("expected False or [0, 1, 0]")
    assert _text(UnknownFeedingForm("7", "answer", "type", "7", ())) == "7 is not a feeding"


# A value of a known form that breaks a rule: the rule.
ILLEGAL: dict[str, tuple[Callable[[View], Any], str]] = {
    "an index beyond the row": (lambda view: 9, "no-such-board"),
    "a negative index": (lambda view: -1, "no-such-board"),
    "a carnivore alone": (lambda view: [view.boards[3]], "not-a-vegetarian"),
    "a full carnivore": (lambda view: [4, 1, 0], "not-hungry"),
    "a store without fat tissue": (lambda view: [view.boards[0], 1], "no-fat-room"),
    "more tokens than the room": (lambda view: [2, 4], "fat-room"),
    "an attack of a vegetarian": (lambda view: [view.boards[0], view.opponents[0], 0], "not-a-carnivore"),
    "a protected target": (lambda view: [3, 1, view.opponents[0].boards[2]], "protected-by-climbing"),
    "a seat that does not exist": (lambda view: [3, 9, 0], "no-such-target"),
    "an own seat": (lambda view: [3, 0, 0], "own-board"),
    "an own player object": (lambda view: [3, view.players[0], view.boards[0]], "own-board"),
    "an own private state": (lambda view: [3, view.own, 0], "own-board"),
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_values_of_a_known_form_break_the_same_rules_as_records(name: str) -> None:
    value, rule = ILLEGAL[name]
    request = _request()
    assert _accepted(request, value(request.view)).rule == rule


def test_false_is_declining_even_where_that_is_cheating() -> None:
    assert _accepted(_request(false_reply="cheat"), False) == NoDeclining()


@pytest.mark.parametrize("me", [lambda view: view.seat, lambda view: view.players[0], lambda view: view.own])
def test_own_boards_are_targets_if_the_rules_allow_it(me: Callable[[View], Any]) -> None:
    request = _request(own_attacks=True)
    view = request.view
    assert _accepted(request, [view.boards[3], me(view), view.boards[1]]) == AttackSpecies(3, A, 1)


def test_answer_is_a_record_that_no_longer_depends_on_the_list() -> None:
    request = _request()
    value = [2, 3]
    answer = Scripted(value).answer(request)
    value[1] = 99
    assert answer == StoreFat(2, 3)


def test_requests_accept_plain_values_only_from_python_players() -> None:
    """Whatever comes over a wire is read by the codec, whose player numbers are not seats."""
    request = _request()
    for value in (False, 0, [0], [2, 3], [3, 1, 0]):
        assert isinstance(request.accept(value), Violation)


def test_player_that_wraps_its_answer_gains_nothing() -> None:
    request = _request()
    assert request.accept(PlainValue([2, 3])) == StoreFat(2, 3)
    assert request.accept(PlainValue([2, 4])) == request.accept(StoreFat(2, 4))
    assert _accepted(request, PlainValue([2, 3])).rule == "ill-shaped"


# Declarations

HAND = "horns+0 ambush+1 climbing+1 herding+1 symbiosis+1"


def _declare(cards: str = HAND, **options: Any) -> DeclareCards:
    state = lay("0/2 b1 horns ambush, 0/7", "0/1", rules=rules(**options))
    state.players[0].hand[:] = hand(cards)
    return DeclareCards(state.view(A, 1))


ACTION4: dict[str, tuple[Any, Declaration]] = {
    "food alone": ([0, [], [], [], []], Declaration(0)),
    "everything": (
        [0, [[0, 1]], [[0, 2]], [[3]], [[0, 0, 4]]],
        Declaration(0, (Growth(0, 1),), (Growth(0, 2),), (NewBoard(3),), (Replacement(0, 0, 4),)),
    ),
    "a board with traits": ([0, [], [], [[1, 2, 3]], []], Declaration(0, new_boards=(NewBoard(1, (2, 3)),))),
    "labels of early clients": ([0, [["population", 0, 1]], [], [], []], Declaration(0, (Growth(0, 1),))),
    "tuples": ((0, [(0, 1)], (), (), ()), Declaration(0, (Growth(0, 1),))),
    "a record": (Declaration(1), Declaration(1)),
}


@pytest.mark.parametrize("name", ACTION4)
def test_choose_accepts_an_action4(name: str) -> None:
    value, declaration = ACTION4[name]
    assert _accepted(_declare(), value) == declaration


def test_action4_names_the_side_of_a_new_board_where_the_rules_leave_it() -> None:
    request = _declare(new_board_side="choice")
    assert _accepted(request, [0, [], [], [[1, 2, "left"]], []]).new_boards == (NewBoard(1, (2,), "left"),)
    assert _text(_accepted(request, None)).endswith("for example [0, [[0, 1]], [], [[2, 3, 'right']], []]")


SHAPE = "[food card, population growth, body growth, new boards, replacements]"

# name: the value; what the message says between the value and the example.
NOT_ACTION4: dict[str, tuple[Any, str]] = {
    "None": (None, "None is not a declaration: expected a Declaration"),
    "a number": (0, "0 is not a declaration: expected a Declaration"),
    "a feeding": (FeedPlants(0), "FeedPlants(board=0) is not a declaration: expected a Declaration"),
    "four parts": (
        [0, [], [], []],
        f"[0, [], [], []] is not a declaration: a list of 4 is not an Action4: it is {SHAPE};",
    ),
    "True as a card": ([True, [], [], [], []], "True is not a whole number or a list; expected"),
    "1.0 as a card": ([0, [[0, 1.0]], [], [], []], "1.0 is not a whole number; expected"),
    "a negative card": ([-1, [], [], [], []], "the food card is a whole number from 0, not -1; expected"),
    "one growth without a list": (
        [0, [0, 1], [], [], []],
        "population growth 0: 0 is not a growth: it is [board, card]",
    ),
    "a text": ([0, [], [], [["left"]], []], 'new board 0: a card is a whole number from 0, not "left"'),
    "a list too deep": ([0, [[[0], 1]], [], [], []], "[0] is not a whole number; expected"),
    "an object that equals labels": ([0, [[Truthful(), 0, 1]], [], [], []], "is not a whole number"),
}


@pytest.mark.parametrize("name", NOT_ACTION4)
def test_other_values_are_rejected_with_an_example_of_a_declaration(name: str) -> None:
    value, message = NOT_ACTION4[name]
    violation = _accepted(_declare(), value)
    assert violation.rule == "ill-shaped"
    assert message in _text(violation)
    assert _text(violation).endswith("a Declaration or an Action4, for example [0, [[0, 1]], [], [[2, 3]], []]")
    assert codec.violation_from_json(codec.violation_to_json(violation)) == violation


def test_action4_that_breaks_a_rule_gets_the_same_message_as_a_record() -> None:
    request = _declare()
    assert _text(_accepted(request, [0, [[0, 0]], [], [], []])) == (
        "card 0 is used twice: as food and to grow the population of board 0"
    )


def test_empty_hand_has_no_example() -> None:
    assert _accepted(_declare(""), 7) == UnknownDeclarationForm("7", None, None)
    assert _text(_accepted(_declare(""), 7)) == "7 is not a declaration: expected a Declaration or an Action4"


@pytest.mark.parametrize("profile", PROFILES)
def test_example_of_a_declaration_is_legal(profile: str) -> None:
    dealer = Dealer(deal(3, PROFILES[profile], 7))
    while not isinstance(request := next(iter(dealer.requests.values())), DeclareCards):
        dealer.advance({request.seat: request.default_answer()})
    violation = _accepted(request, None)
    assert isinstance(_accepted(request, eval(violation.example)), Declaration)


# Every request


def _plain_forms(option: Feeding, view: View) -> list[Any]:
    """Return all plain forms of a feeding."""
    match option:
        case FeedPlants(index):
            return [form for species in (index, view.boards[index]) for form in (species, [species], (species,))]
        case StoreFat(index, tokens):
            return [[index, tokens], [view.boards[index], tokens]]
        case AttackSpecies(index, seat, target):
            (player,) = [player for player in view.players if player.seat == seat]
            return [
                [species, attacked, prey]
                for species in (index, view.boards[index])
                for attacked in (seat, player)
                for prey in (target, player.boards[target])
            ]
        case Pass():
            return [False]


@given(random_games.games())
def test_every_option_of_any_request_has_plain_forms(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for _ in game.advances(dealer):
        for request in dealer.requests.values():
            if isinstance(request, FeedNext):
                other_process = codec.request_from_json(codec.request_to_json(request))
                assert isinstance(other_process, FeedNext)
                for asked in (request, other_process):
                    for option in asked.options:
                        for form in _plain_forms(option, asked.view):
                            assert _accepted(asked, form) == option
                shown = _accepted(request, None).forms
                assert all(not isinstance(_accepted(request, eval(form)), Violation) for form in shown)
            elif isinstance(request, DeclareCards):
                declaration = random_games.random_answer(request, random.Random(game.setup.seed))
                if isinstance(declaration, Declaration):
                    assert _accepted(request, codec.answer_to_json(request, declaration)) == declaration


# Players that are written from a memo alone


class MemoPlayer(Player):
    """Lays cards as an Action4, and leaves the last token."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def choose(self, request: DeclareCards) -> Any:
        cards, new = request.view.hand, len(request.view.boards)
        wanted = ["carnivore", "fat-tissue", "long-neck", "horns"]
        trait, *rest = sorted(range(len(cards)), key=lambda card: (cards[card].trait not in wanted, card))
        if len(rest) < 4:
            return [trait, [], [], [], []]
        rest.sort(key=lambda card: cards[card].points)
        payment, growth, body, *_, food = rest
        return [food, [[new, growth]], [[new, body]], [[payment, trait]], []]

    def feed_next(self, request: FeedNext) -> Any:
        view = request.view
        value = False if view.hole == 1 else self.next_feeding(view, view.opponents, view.hole)
        self.given.append(value)
        return value

    def next_feeding(self, me: Any, others: Any, food: int) -> Any:
        raise NotImplementedError


PROTECTION = {"burrowing", "climbing", "hard-shell", "herding", "symbiosis"}


def _easy_prey(others: Any) -> Any:
    for player in others:
        warned = any("warning-call" in species.traits for species in player.boards)
        for species in player.boards:
            if not warned and species.population and not PROTECTION.intersection(species.traits):
                return player, species
    return None


class Memo000(MemoPlayer):
    """Hands back False, or an array whose length names the action."""

    def next_feeding(self, me: Any, others: Any, food: int) -> Any:
        for species in me.boards:
            if "fat-tissue" in species.traits and species.population and species.fat < species.body:
                return [species, min(species.body - species.fat, food)]
        for species in me.boards:
            if species.food < species.population and "carnivore" not in species.traits:
                return [species]
        for species in me.boards:
            if species.food < species.population and (prey := _easy_prey(others)):
                return [species, *prey]
        return False


class Memo001(MemoPlayer):
    """Returns the species to feed, and with it an amount of food, or a player and one of its species."""

    def next_feeding(self, me: Any, others: Any, food: int) -> Any:
        prey = _easy_prey(others)
        for species in me.boards:
            if "fat-tissue" in species.traits and species.population and species.fat < species.body:
                return species, 1
            if "carnivore" not in species.traits and species.food < species.population:
                return species
            if "carnivore" in species.traits and species.food < species.population and prey:
                player, attacked = prey
                return species, player, attacked
        return False


class InAnotherProcess(Player):
    """Passes requests and answers of a player through JSON."""

    def __init__(self, player: MemoPlayer) -> None:
        self.player = player

    def answer(self, request: Any, seconds: float | None = None) -> Any:
        asked = codec.request_from_json(codec.request_to_json(request))
        answer = asked.accept(self.player.answer(asked))
        return codec.answer_from_json(request, codec.answer_to_json(asked, answer))


@pytest.mark.parametrize("isolated", [False, True], ids=["in process", "isolated"])
@pytest.mark.parametrize("options", [{}, {"false_reply": "skip"}, {"fat_over_request": "illegal"}], ids=str)
@pytest.mark.parametrize("profile", [name for name in PROFILES if PROFILES[name].false_reply != "cheat"])
def test_players_written_from_the_memos_play_complete_games(
    profile: str, options: dict[str, Any], isolated: bool
) -> None:
    memos = [Memo000(), Memo001()]
    players = [*(InAnotherProcess(memo) if isolated else memo for memo in memos), Silly()]
    for seed in range(12):
        setup = EVOLUTION.deal(3, rules(profile, **options), seed)
        recorder = Recorder(EVOLUTION, setup, ["000", "001", "silly"])
        match = Match(EVOLUTION, setup, recorder=recorder)
        play(match, players)
        assert match.outcome is not None
        assert not match.outcome.thrown_out
        list(read_record(recorder.text()).replay().events())
    for memo in memos:
        lengths = {len(value) for value in memo.given if type(value) in (list, tuple)}
        assert lengths >= {2, 3}, "they store and attack"
        assert False in memo.given, "they decline"
        assert any(type(value) is SpeciesBoard or (value and len(value) == 1) for value in memo.given), "they eat"


@pytest.mark.parametrize("options", [(), ("--time-limit", "10")], ids=["in this process", "isolated"])
def test_players_written_from_the_memos_play_from_a_file(options: tuple[str, ...], tmp_path: Path) -> None:
    parts = [inspect.getsource(part) for part in (MemoPlayer, _easy_prey, Memo000, Memo001)]
    names = "from typing import Any\nfrom wateringhole.games.evolution import DeclareCards, FeedNext, Player"
    (tmp_path / "memos.py").write_text("\n".join([names, f"PROTECTION = {PROTECTION}", *parts]))
    words = ("memos.py:Memo000", "memos.py:Memo001", "silly", "--games", "4", "--seed", "1", "--json")
    ran = called("play", "evolution", *words, *options, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert [game["thrown_out"] for game in json.loads(ran.stdout)] == [[]] * 4


def test_rejected_value_gets_a_second_chance_with_the_forms() -> None:
    class Forgetful(Silly):
        def __init__(self) -> None:
            self.violations: list[Violation] = []

        def feed_next(self, request: FeedNext) -> Any:
            return request.options[0] if self.violations else None

        def on_violation(self, violation: Violation) -> None:
            self.violations.append(violation)

    setup = EVOLUTION.deal(3, PROFILES["course"], 3)
    forgetful = Forgetful()
    events: list[Event] = []
    match = Match(EVOLUTION, setup, referee=RefereeSettings(second_chances=1), observers=[events.append])
    play(match, [forgetful, Silly(), Silly()])
    assert match.outcome is not None
    assert not match.outcome.thrown_out
    (violation,) = forgetful.violations
    assert _text(violation) == "None is not a feeding: expected False or 0"


@pytest.mark.parametrize(("call", "method"), [(Player.choose, "choose"), (Player.feed_next, "feed_next")])
def test_a_missing_method_is_named(call: Any, method: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"define {method}\(request\)"):
        call(Player(), None)
