"""Ratings of people, on the scale of the built-in bots' ratings.

The model is that of `tournaments.ratings`: every game is split into its pairs, a tie is half of each order, and one
virtual game is half won and half lost.  Here only one strength is unknown, because the ratings of the opponents are
given.  `docs/explanation/ratings.md` explains it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Collection, Sequence
from typing import NamedTuple

import msgspec

from wateringhole.tournaments.scale import CONFIDENCE, MEAN_RATING, POINTS, VIRTUAL_GAMES

__all__ = ["LEAST_GAMES", "MOST_GAMES", "Pair", "PersonRating", "rate"]

LEAST_GAMES = 10
"""A person with fewer games has no rating yet."""
MOST_GAMES = 200
"""Only the newest games count, because people learn."""
_LIMITS = (-3000.0, 6000.0)
"""Between these ratings lies every solution, also of a person who always wins or loses."""
_TOLERANCE = 0.01
"""Points; ratings are shown as whole numbers."""


class Pair(NamedTuple):
    """A person and one opponent in a game."""

    opponent: float
    """The rating of the opponent."""
    ahead: float
    """1 if the person finished ahead, 0 if the opponent did, 0.5 for a tie."""


class PersonRating(msgspec.Struct, frozen=True):
    """The rating of a person in one game."""

    rating: float
    error: float
    """Half of the 95 % interval."""
    games: int
    """The number of games that count."""

    @property
    def is_settled(self) -> bool:
        """True if it is based on enough games to be shown, and to rate others by it."""
        return self.games >= LEAST_GAMES


def rate(games: Sequence[Sequence[Pair]], bots: Collection[float]) -> PersonRating | None:
    """Return the rating after these games, or None if no opponent has a rating.

    `bots` are the ratings of the game's bots, against whom the virtual game is played.
    """
    counted = [pairs for pairs in games if pairs]
    if not counted:
        return None
    others = list(bots) or [MEAN_RATING]
    virtual = VIRTUAL_GAMES / len(others)

    def surplus(rating: float) -> float:
        """Return how far the results are above what this rating expects.  It falls as the rating rises."""
        real = sum(ahead - _expected(rating, other) for pairs in counted for other, ahead in pairs)
        return real + virtual * sum(0.5 - _expected(rating, other) for other in others)

    low, high = _LIMITS
    while high - low > _TOLERANCE:
        middle = (low + high) / 2
        low, high = (middle, high) if surplus(middle) > 0 else (low, middle)
    rating = (low + high) / 2
    return PersonRating(rating, _error(rating, counted, others, virtual), len(counted))


def _expected(rating: float, opponent: float) -> float:
    """Return the probability to finish ahead of an opponent."""
    return 1 / (1 + math.exp((opponent - rating) / POINTS))


def _error(rating: float, games: Sequence[Sequence[Pair]], others: Sequence[float], virtual: float) -> float:
    """Return half of the interval around a rating.

    The variance is the larger one of two: that of the model, which takes pairs as independent, and that of the games'
    own surpluses, because the pairs of one game share its luck.
    """
    information = sum(_variance(rating, pair.opponent) for pairs in games for pair in pairs)
    information += virtual * sum(_variance(rating, other) for other in others)
    scatter = sum(sum(ahead - _expected(rating, other) for other, ahead in pairs) ** 2 for pairs in games)
    error = math.sqrt(max(information, scatter)) / information
    return POINTS * _student(len(games) - 1) * error


def _variance(rating: float, opponent: float) -> float:
    expected = _expected(rating, opponent)
    return expected * (1 - expected)


def _student(freedom: int) -> float:
    """Return the quantile of Student's distribution for the confidence, by the first terms of its expansion.

    >>> [round(_student(freedom), 2) for freedom in (9, 30, 199)]
    [2.26, 2.04, 1.97]
    """
    normal = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        (normal**3 + normal) / 4,
        (5 * normal**5 + 16 * normal**3 + 3 * normal) / 96,
        (3 * normal**7 + 19 * normal**5 + 17 * normal**3 - 15 * normal) / 384,
    )
    return normal + sum(term * math.pow(max(1, freedom), -power) for power, term in enumerate(terms, 1))
