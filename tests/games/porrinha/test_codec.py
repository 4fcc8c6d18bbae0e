"""JSON of Porrinha: answers, and rejected values."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.games.porrinha.builders import hands_asked, open_game
from wateringhole import fallbacks
from wateringhole.game import Seat, violation_of
from wateringhole.games.porrinha import KIND, NotANumber
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.options import PROFILES
from wateringhole.games.porrinha.rules.setup import deal
from wateringhole.games.porrinha.rules.view import SeriesPlayer


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (3, 3),
        (-7, -7),
        (2.5, NotANumber("2.5")),
        (2.0, NotANumber("2.0")),
        (None, NotANumber("None")),
        (True, NotANumber("True")),
        ("two", NotANumber("'two'")),
        ([1], NotANumber("[1]")),
        ({"said": "2.5"}, NotANumber("2.5")),
        ({"said": 2}, NotANumber("{'said': 2}")),
    ],
)
def test_anything_readable_is_an_answer(value: Any, answer: Any) -> None:
    request = hands_asked(open_game())[Seat(0)]
    read = codec.answer_from_json(request, value)
    assert read == answer
    assert violation_of(request, read) is None
    assert codec.answer_from_json(request, codec.answer_to_json(request, read)) == read


@pytest.mark.parametrize(
    ("read", "value", "message"),
    [
        (codec.rules_from_json, {"stick": 3}, "stick"),
        (codec.rules_from_json, {"sticks": 0}, ">= 1"),
        (codec.setup_from_json, {"players": 1, "rules": {}}, "at least 2"),
        (codec.setup_from_json, {"players": 2, "rules": {"sticks": [1, 2, 3]}}, "3 seats"),
        (codec.setup_from_json, {"players": 2, "rules": {}, "stale_guesses": [1]}, "1 stale guesses"),
        (codec.event_from_json, {"event": "Sneezed"}, "Sneezed"),
        (codec.view_from_json, [], "object"),
    ],
)
def test_other_shapes_are_refused_with_a_message(read: Any, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(value)


def test_the_kind_deals_opens_and_narrates() -> None:
    setup = KIND.deal(3, KIND.profiles["original"].rules, 7)
    game = KIND.new_game(setup)
    assert game.view(None).player_count == 3
    assert fallbacks.text(KIND).narrator(["a", "b", "c"], None).narrate(KIND.new_game(setup).opening[-1])


@pytest.mark.parametrize("profile", PROFILES)
def test_the_text_of_a_setup_is_that_of_its_json(profile: str) -> None:
    players = [SeriesPlayer(1, "Zoë"), SeriesPlayer(0, 'a "b"')]
    for setup in (deal(3, PROFILES[profile]), deal(2, PROFILES[profile], guests=players, stale_guesses=(-1, 4))):
        assert codec.setup_to_text(setup) == msgspec.json.encode(codec.setup_to_json(setup))
