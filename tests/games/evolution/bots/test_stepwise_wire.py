"""Step requests as messages, for programs and connections."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.games.evolution.builders import board, cards, rules
from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.facets import Question, RawAnswer
from wateringhole.game import Forfeit, Seat, violation_of
from wateringhole.games.evolution import (
    PROFILES,
    ArrangeBoards,
    BoardOrder,
    Declaration,
    DeclareCards,
    FeedNext,
    Growth,
    Pass,
    Rules,
    StoreFat,
    View,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.bots.stepwise import StepwisePlayer
from wateringhole.games.evolution.bots.stepwise_wire import proceed
from wateringhole.games.evolution.rules.requests import feedings
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer
from wateringhole.match.loops import play
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.player import IllegalAnswer
from wateringhole.process.player import start_program
from wateringhole.protocol.messages import Unreadable

HAND = cards((3, "ambush"), (2, "horns"), (-1, "climbing"), (0, "fertile"))
MINE = (board("carnivore", population=3, body=2), board("fat-tissue", population=2, body=3))
OTHER = (board(population=2),)


def view(chosen: Rules | None = None) -> View:
    seated = (SeatedPlayer(Seat(0), MINE, 4), SeatedPlayer(Seat(1), OTHER, 4))
    return View(chosen or rules(), Seat(0), 2, 2, 50, seated, PrivateState(boards=MINE, hand=tuple(HAND), bag=7))


def feed_next() -> FeedNext:
    seen = view()
    return FeedNext(seen, feedings(seen.boards, [(Seat(1), OTHER)], seen.rules))


def raw_answers(*answers: Any) -> list[RawAnswer]:
    """Return raw answers; `...` passes."""
    return [RawAnswer(is_pass=True) if answer is ... else RawAnswer(answer) for answer in answers]


def question(request: Any, *answers: Any) -> Question:
    step = proceed(request, raw_answers(*answers))
    assert isinstance(step, Question)
    return step


def test_answers_to_step_requests_make_a_declaration() -> None:
    request = DeclareCards(view())
    names = []
    answers: list[Any] = [[3, "ambush"], [[2, "horns"]], [[-1, "climbing"]], 2, [], [[0, "fertile"]], 2]
    for count in range(len(answers)):
        names.append(question(request, *answers[:count]).name)
    assert names == [
        "select_food_card",
        "trade_cards_for_boards",
        "place_cards_on_boards",
        "select_board_for_card",
        "trade_cards_for_body_size",
        "trade_cards_for_population",
        "select_board_to_give_population",
    ]
    declaration = proceed(request, raw_answers(*answers))
    assert isinstance(declaration, Declaration)
    assert violation_of(request, declaration) is None


def test_passing_everything_gives_the_default_answers() -> None:
    request = DeclareCards(view())
    assert proceed(request, raw_answers(*[...] * 5)) == StepwisePlayer().choose(request)
    assert proceed(feed_next(), raw_answers(...)) == StepwisePlayer().feed_next(feed_next())


def test_arguments_are_plain_json_without_the_rules() -> None:
    asked = question(DeclareCards(view()), [3, "ambush"]).arguments
    assert list(asked) == ["cards", "boards", "player", "opponents"]
    sent = msgspec.json.decode(msgspec.json.encode(asked))
    assert sent["cards"] == sent["player"]["hand"] == [[2, "horns"], [-1, "climbing"], [0, "fertile"]]
    assert sent["boards"] == [
        {"population": 3, "body": 2, "food": 0, "traits": ["carnivore"], "fat": 0},
        {"population": 2, "body": 3, "food": 0, "traits": ["fat-tissue"], "fat": 0},
    ]
    prey = {"population": 2, "body": 0, "food": 0, "traits": [], "fat": 0}
    assert sent["opponents"] == [{"seat": 1, "boards": [prey], "hand_size": 4}]
    assert sent["player"]["view"]["turn"] == 2
    assert "rules" not in sent["player"]["view"]


def test_feedings_are_chosen_by_index() -> None:
    request = feed_next()
    choices = question(request).arguments["choices"]
    assert choices == [
        {"choice": "feed", "board": 1},
        {"choice": "store", "board": 1, "tokens": 2},
        {"choice": "hunt", "board": 0},
    ]
    assert proceed(request, raw_answers(None)) == Pass()
    assert proceed(request, raw_answers([1, 1])) == StoreFat(1, 1)
    assert question(request, 2).name == "select_attack"
    assert proceed(request, raw_answers(2, None)) == Pass()
    assert violation_of(request, proceed(request, raw_answers(2, [0, 0]))) is None


@pytest.mark.parametrize(
    "answers",
    [["ambush"], [[3, "ambush", 0]], [[9, "ambush"]], [{}], [[3, "ambush"], 7], [[3, "ambush"], [[2]]], [10**400]],
    ids=lambda answers: str(answers)[:30],
)
def test_malformed_answer_is_unreadable(answers: list[Any]) -> None:
    with pytest.raises(Unreadable, match=r"the answer to (select_food_card|trade_cards_for_boards) cannot be read"):
        proceed(DeclareCards(view()), raw_answers(*answers))


@pytest.mark.parametrize("answer", [3, [0, 1], [1, 1, 1], "0", [], -1, True], ids=str)
def test_unknown_index_is_unreadable(answer: Any) -> None:
    with pytest.raises(Unreadable, match="the answer to select_feeding cannot be read"):
        proceed(feed_next(), raw_answers(answer))


def test_card_outside_of_the_hand_is_illegal() -> None:
    with pytest.raises(IllegalAnswer, match="select_food_card names the card"):
        proceed(DeclareCards(view()), raw_answers([1, "ambush"]))


PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "style": "stepwise"}), flush=True)
    if message["type"] != "request":
        continue
    reply = {"type": "pass", "id": message["id"]}
    if message["request"] == "trade_cards_for_population":
        reply = {"type": "answer", "id": message["id"], "answer": LAST}
    print(json.dumps(reply), flush=True)
"""


def test_declaration_follows_from_the_answers_in_the_order_of_the_document() -> None:
    arrange = ArrangeBoards(view(PROFILES["framework"]))
    answers = raw_answers([3, "ambush"], [], [], [], [[2, "horns"]], 1, [1, 0])
    assert proceed(arrange, answers[:-1]).name == "select_species_order"  # type: ignore[union-attr]
    assert proceed(arrange, answers) == BoardOrder((1, 0))
    arranged = PrivateState(boards=MINE[::-1], hand=tuple(HAND), bag=7)
    declare = DeclareCards(msgspec.structs.replace(arrange.view, own=arranged))
    assert proceed(declare, [], (arrange, answers)) == Declaration(0, (Growth(0, 1),))
    assert question(declare).name == "select_food_card"


def test_stepwise_program_plays_a_game_in_the_order_of_the_document(tmp_path: Path) -> None:
    program = PROGRAM.replace("LAST", 'message["arguments"]["cards"][:1]')
    assert outcome_with(program, tmp_path, PROFILES["framework"]).thrown_out == ()


@pytest.mark.parametrize(
    ("profile", "selected", "follows"),
    [
        ("course", None, "trade_cards_for_boards"),
        ("course", "document", "place_cards_on_boards"),
        ("course", "boards_first", "trade_cards_for_boards"),
        ("framework", None, "place_cards_on_boards"),
        ("framework", "document", "place_cards_on_boards"),
        ("framework", "boards_first", "trade_cards_for_boards"),
    ],
)
def test_stepwise_program_selects_its_order(profile: str, selected: str | None, follows: str, tmp_path: Path) -> None:
    log = tmp_path / "requests"
    program = PROGRAM.replace("LAST", 'message["arguments"]["cards"][:1]')
    program = program.replace('"stepwise"}', f'"stepwise", "step_order": {selected!r}}}')
    logs = f"    with open({str(log)!r}, 'a') as log:\n        print(message['request'], file=log)\n"
    program = program.replace("    reply =", f"{logs}    reply =", 1)
    assert outcome_with(program, tmp_path, PROFILES[profile]).thrown_out == ()
    asked = log.read_text().split()
    after_food = {then for name, then in itertools.pairwise(asked) if name == "select_food_card"}
    assert after_food == {follows}


def test_unknown_order_of_a_stepwise_program_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "stepwise.py"
    file.write_text(PROGRAM.replace('"stepwise"}', '"stepwise", "step_order": "backwards"}'))
    expected = "it asks for the unknown step_order 'backwards'; choose from: document, boards_first"
    with pytest.raises(UsageError, match=expected):
        start_program(registry.game_kind("evolution"), [sys.executable, str(file)])


def outcome_with(program: str, folder: Path, chosen: Rules | None = None) -> Any:
    file = folder / "stepwise.py"
    file.write_text(program)
    kind = registry.game_kind("evolution")
    (player,) = start_program(kind, [sys.executable, str(file)])
    try:
        match = Match(kind, kind.deal(3, chosen or rules(), 1), referee=RefereeSettings(time_limit=20))
        play(match, [player, Silly(), Silly()])
    finally:
        player.close()
    return match.outcome


def test_stepwise_program_plays_a_game(tmp_path: Path) -> None:
    outcome = outcome_with(PROGRAM.replace("LAST", 'message["arguments"]["cards"][:1]'), tmp_path)
    assert outcome.thrown_out == ()


def test_stepwise_program_with_malformed_answers_is_thrown_out(tmp_path: Path) -> None:
    outcome = outcome_with(PROGRAM.replace("LAST", '"all of them"'), tmp_path)
    (thrown,) = outcome.thrown_out
    assert thrown.forfeit.reason == "unreadable"
    assert "the answer to trade_cards_for_population cannot be read" in thrown.forfeit.message
    assert isinstance(thrown.forfeit, Forfeit)


def test_stepwise_style_is_refused_for_other_games(tmp_path: Path) -> None:
    file = tmp_path / "stepwise.py"
    file.write_text(PROGRAM)
    with pytest.raises(UsageError, match="it asks for the style stepwise, which porrinha does not support"):
        start_program(registry.game_kind("porrinha"), [sys.executable, str(file)])
