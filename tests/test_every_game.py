"""Every installed game conforms to the interface, and so does Nim, which has only the required parts."""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from tests.sample_game.nim import KIND as NIM
from wateringhole import registry
from wateringhole.game import Seat
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN
from wateringhole.games.evolution.rules.setup import Setup as EvolutionSetup
from wateringhole.testing import check_game


def same_first_hand(setup: EvolutionSetup, seat: Seat, chance: random.Random) -> EvolutionSetup:
    """Shuffle all cards of the deck except for those that a seat draws in the first turn."""
    drawn = CARDS_PER_TURN + 1  # the first board earns a card
    start = setup.order.index(seat) * drawn
    own = setup.deck[start : start + drawn]
    others = [*setup.deck[:start], *setup.deck[start + drawn :]]
    chance.shuffle(others)
    return msgspec.structs.replace(setup, deck=(*others[:start], *own, *others[start:]))


KNOWN: dict[str, dict[str, Any]] = {
    "evolution": {"alike": same_first_hand},
    # The program that this profile imitates showed who was about to win.
    "porrinha": {"leaky": ["original"]},
}
"""Facts about a game that the kit cannot know."""


@pytest.mark.parametrize("name", registry.game_names())
def test_every_installed_game_conforms(name: str) -> None:
    check_game(registry.game_kind(name), most_players=4, **KNOWN.get(name, {}))


@pytest.mark.slow
@pytest.mark.parametrize("name", registry.game_names())
def test_every_installed_game_conforms_in_many_games(name: str) -> None:
    check_game(registry.game_kind(name), games=15, seed=4_000_000_000, most_players=20, **KNOWN.get(name, {}))


def test_nim_conforms_and_each_missing_part_is_reported() -> None:
    report = check_game(NIM, games=9)
    assert report.games == 2 * 3 * 9
    missing = {sentence.partition(":")[0] for sentence in report.skipped}
    assert missing == {"fold", "alike", "rulebook", "text", "summary", "bots", "trials"}
