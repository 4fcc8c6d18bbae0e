"""Players of Porrinha, and what their authors need."""

from wateringhole.players.porrinha.counter import Counter
from wateringhole.players.porrinha.player import Player
from wateringhole.players.porrinha.queries import NotNow, Queries
from wateringhole.players.porrinha.random import Random
from wateringhole.players.porrinha.zero import Zero
from wateringhole.players.seating import seating
from wateringhole.porrinha import INVALID_GUESS, NOT_PLAYING, PENDING_GUESS

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
