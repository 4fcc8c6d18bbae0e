"""Players of Porrinha, and what their authors need."""

from wateringhole.games.porrinha import INVALID_GUESS, NOT_PLAYING, PENDING_GUESS
from wateringhole.games.porrinha.bots.counter import Counter
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.queries import NotNow, Queries
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.player import seating

__all__ = [
    "INVALID_GUESS",
    "NOT_PLAYING",
    "PENDING_GUESS",
    "Counter",
    "NotNow",
    "Player",
    "Queries",
    "Random",
    "Zero",
    "seating",
]
