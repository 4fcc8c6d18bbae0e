"""Porrinha, the guessing game of Brazilian bars: how many sticks are in all hands together?

The rules as a state machine (`Core`), what it asks and tells, and how all that reads as JSON.
It knows no players, files or clocks.
"""

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
from wateringhole.games.porrinha.rules.game import Core, settle_in
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
from wateringhole.games.porrinha.text import Narrator

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
    "Narrator",
    "NotANumber",
    "PlayerForfeited",
    "PorrinhaEvent",
    "PorrinhaOutcome",
    "RoundSettled",
    "RoundStarted",
    "Rules",
    "Setup",
    "View",
    "deal",
    "settle_in",
    "starting_sticks",
]
