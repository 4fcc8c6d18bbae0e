"""Ratings of people, on the scale of the bots."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from wateringhole.house.person_ratings import Pair, rate
from wateringhole.tournaments.ratings import fit
from wateringhole.tournaments.scale import MEAN_RATING, POINTS

BOTS = (1100.0, 1400.0, 1600.0, 1900.0)


def _game(chance: random.Random, rating: float, opponents: Sequence[float]) -> list[Pair]:
    """Return a game whose ranking is drawn from the model."""
    own, *others = (each / POINTS - math.log(-math.log(chance.random())) for each in (rating, *opponents))
    return [Pair(opponent, float(own > other)) for opponent, other in zip(opponents, others, strict=True)]


@pytest.mark.parametrize("truth", [1100.0, 1500.0, 2000.0])
@pytest.mark.parametrize("games", [10, 40])
def test_interval_contains_the_true_rating_in_about_95_percent(truth: float, games: int) -> None:
    chance = random.Random(7)
    hits = 0
    for _ in range(200):
        found = rate([_game(chance, truth, chance.sample(BOTS, 3)) for _ in range(games)], BOTS)
        assert found is not None
        hits += abs(found.rating - truth) <= found.error
    assert hits >= 180


def test_rating_agrees_with_the_standings_of_a_tournament() -> None:
    # Two players, so that the other one's rating is the only one that is given.
    wins, games = 30, 40
    ahead = np.array([[0.0, wins], [games - wins, 0.0]])
    ours, theirs = MEAN_RATING + POINTS * fit(ahead)
    played = [[Pair(theirs, float(game < wins))] for game in range(games)]
    found = rate(played, [theirs])
    assert found is not None
    assert found.rating == pytest.approx(ours, abs=0.1)


def test_player_who_always_wins_has_a_finite_rating_and_a_wide_interval() -> None:
    found = rate([[Pair(1100.0, 1.0)]] * 10, BOTS)
    assert found is not None
    assert 1400 < found.rating < 2200
    assert found.error > 250


def test_tie_counts_half() -> None:
    ties = rate([[Pair(1500.0, 0.5)]] * 20, [1500.0])
    assert ties is not None
    assert ties.rating == pytest.approx(1500, abs=0.1)


def test_games_without_rated_opponents_do_not_count() -> None:
    assert rate([[], []], BOTS) is None
    found = rate([[], [Pair(1400.0, 1.0)]], BOTS)
    assert found is not None
    assert found.games == 1
