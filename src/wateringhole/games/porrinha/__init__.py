"""Porrinha, the guessing game of Brazilian bars: how many sticks are in all hands together?

Everything that authors of players import: derive a player from `Player`.  `Core` runs a game;
requests, events and views are frozen records.
"""

from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.queries import NotNow, Queries
from wateringhole.games.porrinha.kind import KIND
from wateringhole.games.porrinha.rules.events import (
    BeginGame,
    EndGame,
    EndRound,
    FaultReported,
    GameEnded,
    GuessSaid,
    PlayerForfeited,
    PorrinhaEvent,
    PorrinhaOutcome,
    RoundSettled,
    RoundStarted,
)
from wateringhole.games.porrinha.rules.game import Core, next_setup
from wateringhole.games.porrinha.rules.options import MOST_ROUNDS, PROFILES, Rules, starting_sticks
from wateringhole.games.porrinha.rules.requests import Fault, GuessTotal, HideSticks, NotANumber
from wateringhole.games.porrinha.rules.setup import Setup, deal
from wateringhole.games.porrinha.rules.view import (
    INVALID_GUESS,
    NO_HAND,
    NOBODY,
    NOT_PLAYING,
    PENDING_GUESS,
    Guest,
    View,
)
from wateringhole.player import seating

__all__ = [
    "INVALID_GUESS",
    "KIND",
    "MOST_ROUNDS",
    "NOBODY",
    "NOT_PLAYING",
    "NO_HAND",
    "PENDING_GUESS",
    "PROFILES",
    "BeginGame",
    "Core",
    "EndGame",
    "EndRound",
    "Fault",
    "FaultReported",
    "GameEnded",
    "GuessSaid",
    "GuessTotal",
    "Guest",
    "HideSticks",
    "NotANumber",
    "NotNow",
    "Player",
    "PlayerForfeited",
    "PorrinhaEvent",
    "PorrinhaOutcome",
    "Queries",
    "RoundSettled",
    "RoundStarted",
    "Rules",
    "Setup",
    "View",
    "deal",
    "next_setup",
    "seating",
    "starting_sticks",
]
