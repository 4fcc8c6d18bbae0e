"""The scale of ratings, which tournaments and the ratings of people share (`docs/explanation/ratings.md`)."""

from __future__ import annotations

import math

__all__ = ["CONFIDENCE", "MEAN_RATING", "POINTS", "VIRTUAL_GAMES"]

CONFIDENCE = 0.95
POINTS = 400 / math.log(10)
"""Rating points per unit of the model, on the scale of chess: 100 points ahead is 64 %."""
MEAN_RATING = 1500.0
"""The mean of all players of a tournament.  Ratings of different tournaments cannot be compared."""
VIRTUAL_GAMES = 1.0
"""Each player has drawn this many against all others; keeps the rating of a player that always wins finite."""
