"""Levels of the built-in bots, derived from the ratings of a tournament.

The package contains the result of the tournament, one file for each game; `tools/rate_bots.py` plays it and
writes the files.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from wateringhole.game import AnyKind

__all__ = [
    "HIGHEST",
    "POINTS_PER_LEVEL",
    "Compared",
    "Levels",
    "Rated",
    "Tables",
    "level_of",
    "levels",
    "rating_after",
]

HIGHEST: Final = 5
POINTS_PER_LEVEL: Final = 200
"""The rating points from one level to the next.  A player with 200 points more finishes ahead in 76 % of the games."""


class Rated(msgspec.Struct, frozen=True):
    """The strength of a bot."""

    level: int
    """From 1 to `HIGHEST`."""
    rating: float
    """The mean of its ratings at all sizes of tables; the mean of all bots is 1500."""
    error: float
    """Half of the 95 % interval of the rating."""


class Compared(msgspec.Struct, frozen=True):
    """The comparison that rates a bot which is too slow for a tournament: `wateringhole compare BOT WITH`."""

    against: str
    """The bot that it was compared with, whose rating comes from the tournament."""
    low: float
    high: float
    """The 95 % interval of the difference that `compare` prints."""


class Tables(msgspec.Struct, frozen=True):
    """The games at tables of one size."""

    seats: int
    games: int
    ratings: dict[str, float]


class Levels(msgspec.Struct, frozen=True):
    """The levels of a game's bots, and how they were measured."""

    players: dict[str, Rated] = {}
    unrated: dict[str, str] = {}
    """Bots without a level, with the reason."""
    compared: dict[str, Compared] = {}
    """Bots that a comparison rates, instead of the tournament."""
    version: str = ""
    """The version of the package that played."""
    seed: int = 0
    tables: tuple[Tables, ...] = ()


def levels(kind: AnyKind) -> Levels:
    """Return the levels of a game's bots; those of a game without a file are empty."""
    file = kind.bots().levels if kind.bots else None
    return Levels() if file is None else msgspec.json.decode(file.read_bytes(), type=Levels)


def rating_after(compared: Compared, other: Rated, weakest: float) -> Rated:
    """Return the rating of a bot from its comparison with a rated one.

    >>> rating_after(Compared("greedy", 0.1, 0.3), Rated(level=3, rating=1600.0, error=30.0), weakest=1100.0)
    Rated(level=3, rating=1671.2, error=47.1)
    """
    low, high = (_points(each) for each in (compared.low, compared.high))
    rating = other.rating + (low + high) / 2
    return Rated(level_of(rating, weakest), round(rating, 1), round(math.hypot(other.error, (high - low) / 2), 1))


def _points(difference: float) -> float:
    """Return the rating points for a difference between the shares of games ahead and behind."""
    return 400 * math.log10((1 + difference) / (1 - difference))


def level_of(rating: float, weakest: float) -> int:
    """Return the level for a rating, given the rating of the weakest bot."""
    return min(HIGHEST, 1 + int((rating - weakest) / POINTS_PER_LEVEL))
