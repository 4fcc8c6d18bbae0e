"""The data that the page gets for Evolution: offers, reasons for blocked choices, and scenes that match views."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given

from tests.games.evolution.builders import COURSE, board, cards, player, rules, state
from tests.games.evolution.random_games import RandomGame, games
from wateringhole.game import Notice, Seat
from wateringhole.games.evolution import Dealer, DeclareCards, FeedNext, Rules, SpeciesBoard, Trait
from wateringhole.games.evolution.page.scene import PAGE as page
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.requests import EvolutionRequest, feedings, offered
from wateringhole.games.evolution.rules.state import GameState

NAMES = ["Ada", "Bea", "Cyd"]
HUNTER = board("carnivore", population=2, body=3)


def _feeding(mine: list[SpeciesBoard], theirs: list[SpeciesBoard], hole: int = 5, rules: Rules = COURSE) -> Any:
    """Return the offers for Ada, who is asked to feed."""
    view = state(mine, theirs, [], hole=hole, rules=rules).view(Seat(0), 1)
    options = feedings(mine, [(Seat(1), theirs)], view.rules)
    request = FeedNext(view, offered(options, hole, view.rules))
    return page.offers(page.scenes(NAMES, Seat(0)), NAMES, request)


@pytest.mark.parametrize(
    ("target", "at", "trait", "protector", "text"),
    [
        ([board("hard-shell", body=4)], 0, "hard-shell", None, "must reach 8; it is 3."),
        ([board("herding", population=3)], 0, "herding", None, "must count more than 3; it counts 2."),
        ([board("climbing")], 0, "climbing", None, "only by a species that also has climbing."),
        ([board("burrowing", food=1)], 0, "burrowing", None, "while it is full."),
        ([board("symbiosis"), board(body=1)], 0, "symbiosis", None, "right-hand neighbour has a larger body."),
        ([board(), board("warning-call")], 0, "warning-call", 1, "against attackers without ambush."),
        ([board("warning-call"), board()], 1, "warning-call", 0, "against attackers without ambush."),
    ],
)
def test_a_safe_target_has_the_protecting_trait_and_an_explanation(
    target: list[SpeciesBoard], at: int, trait: str, protector: int | None, text: str
) -> None:
    safe = [each for each in _feeding([HUNTER], target)["safe"] if each["target"] == at]
    assert len(safe) == 1
    offer = safe[0]
    assert (offer["board"], offer["seat"], offer["trait"]) == (0, 1, trait)
    assert offer["protector"] == (None if protector is None else {"seat": 1, "board": protector})
    assert offer["text"].endswith(text)
    assert f"protects Bea's species {at + 1}." in offer["text"]


@pytest.mark.parametrize(
    ("target", "hunter", "loss"),
    [
        (board(population=1), HUNTER, "1 → 0"),
        (board(population=4), HUNTER, "4 → 3"),
        (board("horns", population=1), HUNTER, "1 → 0, horns"),
        (board("horns", population=2), board("carnivore", population=1, body=3), "2 → 1, horns"),
    ],
)
def test_the_loss_of_an_attack_follows_the_rules(target: SpeciesBoard, hunter: SpeciesBoard, loss: str) -> None:
    (attack,) = _feeding([hunter], [target])["options"]
    assert attack["loss"] == loss


@pytest.mark.parametrize("mine", [board("carnivore", food=1), board("ambush"), board("carnivore", population=0)])
def test_species_that_cannot_hunt_have_no_safe_targets(mine: SpeciesBoard) -> None:
    assert _feeding([mine], [board("climbing")])["safe"] == []


def test_an_attack_offer_shows_its_effect() -> None:
    (attack,) = _feeding([HUNTER], [board("horns", population=3)])["options"]
    assert (attack["type"], attack["seat"], attack["target"], attack["loss"]) == ("attack", 1, 0, "3 → 2, horns")
    assert attack["text"] == "Species 1 attacks Bea's species 1"
    assert attack["effect"] == "it keeps 2 animals; its horns leave yours 1 animal; yours eats 1"


def test_a_store_offer_is_limited_by_the_hole() -> None:
    (store,) = _feeding([board("fat-tissue", body=4, food=1)], [], hole=2)["options"]
    assert (store["type"], store["most"], store["room"], store["answer"]) == ("store", 2, 4, [0, 4])


def test_a_full_species_is_reported_as_full() -> None:
    offers = _feeding([board(food=1), board()], [])
    assert offers["full"] == [{"board": 0, "text": "Species 1 is full: all its 1 animals have eaten."}]


@pytest.mark.parametrize(
    ("reply", "decline"),
    [
        ("forfeit", {"answer": False, "text": "No more food this turn", "final": True}),
        ("skip", {"answer": False, "text": "Nothing this time", "final": False}),
        ("cheat", None),
    ],
)
def test_declining_is_offered_if_it_is_allowed(reply: str, decline: Any) -> None:
    assert _feeding([board(), board()], [], rules=rules(false_reply=reply))["decline"] == decline


def test_every_trait_has_an_icon() -> None:
    icons = (page.assets / "icons.js").read_text(encoding="utf-8")
    drawn = set(re.findall(r'^  "?([a-z-]+)"?: ', icons, re.MULTILINE))
    assert {trait.value for trait in Trait} - drawn == set()


def test_every_trait_has_a_name_a_text_and_a_family() -> None:
    traits = page.texts(COURSE)["traits"]
    assert set(traits) == {trait.value for trait in Trait}
    assert {trait["family"] for trait in traits.values()} == {"defence", "hunting", "feeding", "growth"}


@pytest.mark.parametrize(
    ("trait", "changed", "text"),
    [
        ("hard-shell", {}, "is at least 4 more than its body."),
        ("hard-shell", {"hard_shell_gap": 5}, "is at least 5 more than its body."),
        ("symbiosis", {"symbiosis": False}, "It has no effect under these rules."),
    ],
)
def test_trait_texts_follow_the_rules(trait: str, changed: dict[str, Any], text: str) -> None:
    assert page.texts(rules(**changed))["traits"][trait]["text"].endswith(text)


def _drafted(*steps: dict[str, Any]) -> Any:
    """Return the draft of Ada, who owns one species with horns and three cards, after these steps."""
    hand = cards((0, "long-neck"), (2, "horns"), (-1, "fat-tissue"))
    players = [player(0, board("horns"), hand=hand), player(1), player(2)]
    view = GameState(COURSE, players, 0, ()).view(Seat(0), 1)
    return page.consult(page.scenes(NAMES, Seat(0)), DeclareCards(view), {"type": "draft", "steps": list(steps)})


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ({"step": "food", "card": 0}, "Long neck 0 to the watering hole"),
        ({"step": "buy", "card": 1}, "Horns +2 for a new species"),
        ({"step": "body", "card": 2, "board": 0}, "Fat tissue −1 for a larger body of species 1"),
    ],
)
def test_a_step_text_names_its_card(step: dict[str, Any], text: str) -> None:
    (taken,) = _drafted(step)["steps"]
    assert taken["text"] == text


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (
            [{"step": "lay", "card": 0, "board": 0}],
            "Long neck 0 cannot be laid on species 1: species that were there before take a new trait only in place "
            "of another.",
        ),
        (
            [{"step": "food", "card": 0}, {"step": "food", "card": 2}],
            "Long neck 0 and Fat tissue −1 are both given as food.",
        ),
        (
            [{"step": "food", "card": 0}, {"step": "buy", "card": 0}],
            "Long neck 0 is used twice: as food and to buy a species.",
        ),
    ],
)
def test_a_violation_of_a_step_names_cards_as_they_are_printed(steps: list[dict[str, Any]], text: str) -> None:
    reply = _drafted(*steps)
    assert reply["refused"]["message"] == text
    assert len(reply["steps"]) == len(steps) - 1


@given(games())
def test_the_scene_of_every_seat_matches_its_view(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    seats: list[Seat | None] = [None, *(Seat(seat) for seat in range(game.setup.players))]
    names = [f"player {seat}" for seat in range(game.setup.players)]
    builders = {seat: page.scenes(names, seat) for seat in seats}
    for events in game.advances(dealer):
        for event in events:
            for seat, builder in builders.items():
                seen = event.seen_by(seat)
                if seen is not None and not isinstance(seen, Notice):
                    builder.see(seen)
        for seat, builder in builders.items():
            view = codec.view_to_json(dealer.view(seat))
            del view["rules"]
            scene = builder.scene()
            assert {name: scene[name] for name in view} == view


@given(games())
def test_every_offer_is_accepted_as_an_answer(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    names = [f"player {seat}" for seat in range(game.setup.players)]
    for _ in game.advances(dealer):
        for seat, request in dealer.requests.items():
            assert isinstance(request, EvolutionRequest)
            builder = page.scenes(names, seat)
            offers = page.offers(builder, names, request)
            if isinstance(request, FeedNext):
                answers = [option["answer"] for option in offers["options"]]
                answers += [offers["decline"]["answer"]] if offers["decline"] else []
                for answer in answers:
                    assert page.dissuade(request, codec.answer_from_json(request, answer)) is None
            elif isinstance(request, DeclareCards):
                taken: list[Any] = []
                while offers["offers"] and len(taken) < 3:
                    taken.append(game.rng.choice(offers["offers"]))
                    reply = page.consult(builder, request, {"type": "draft", "steps": taken})
                    assert reply is not None
                    assert reply["refused"] is None
                    assert reply["steps"][-1].items() >= taken[-1].items()
                    if reply["answer"] is not None:
                        answer = codec.answer_from_json(request, reply["answer"])
                        assert page.dissuade(request, answer) is None
                    offers = reply
