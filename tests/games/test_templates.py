"""The files that `new-bot` writes run as they are, under all rules, and play decently."""

from __future__ import annotations

import runpy
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import pytest

from tests.games.tables import play_out
from wateringhole import registry
from wateringhole.game import Seat
from wateringhole.games.evolution import PROFILES, deal
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.bots.stepwise import StepwisePlayer
from wateringhole.match.series import Entrant, Series

BASES = {"whole": Player, "stepwise": StepwisePlayer}


def templates(game: str) -> Traversable:
    return resources.files(f"wateringhole.games.{game}.bots.templates")


def mine(template: str, game: str = "evolution") -> type[Any]:
    """The class that a template defines, loaded as a file of its user would be."""
    with resources.as_file(templates(game) / f"{template}.py") as path:
        found: type[Any] = runpy.run_path(str(path))["Mine"]
    return found


@pytest.mark.parametrize(("template", "base"), BASES.items())
def test_a_template_defines_a_player_of_its_kind(template: str, base: type) -> None:
    assert issubclass(mine(template), base)


@pytest.mark.parametrize("template", BASES)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("players", [3, 8])
def test_a_template_plays_legally_under_every_profile(template: str, profile: str, players: int) -> None:
    make = mine(template)
    for seed in range(8):
        _, failures = play_out([make() for _ in range(players)], deal(players, PROFILES[profile], seed))
        assert failures == {}


@pytest.mark.parametrize("template", BASES)
def test_a_template_beats_silly_more_often_than_not(template: str) -> None:
    make = mine(template)
    games = 60
    wins = 0
    for game in range(games):
        players: list[Player] = [Silly(), Silly()]
        players.insert(game % 3, make())
        dealer, _ = play_out(players, deal(3, PROFILES["course"], game))
        assert dealer.outcome is not None
        wins += dealer.outcome.places()[Seat(game % 3)] == 1
    # A player no better than the others would win a third of the games.
    assert wins > games // 2


def test_the_template_for_porrinha_plays_whole_series_without_a_forfeit() -> None:
    entrants = [Entrant(f"mine {number}", mine("whole", "porrinha")()) for number in range(4)]
    kind = registry.game_kind("porrinha")
    for profile in kind.profiles.values():
        for played in Series(kind=kind, entrants=entrants, rules=profile.rules, seeds=range(1, 11)).play():
            assert played.outcome.thrown_out == ()


@pytest.mark.parametrize(
    ("template", "game"), [*((template, "evolution") for template in BASES), ("whole", "porrinha")]
)
def test_a_template_is_short_and_says_how_to_run_it(template: str, game: str) -> None:
    text = (templates(game) / f"{template}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 80
    assert f"wateringhole play {game} mine.py:Mine" in text.split('"""')[1]
