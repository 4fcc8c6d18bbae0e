"""Porrinha, the guessing game of Brazilian bars: how many sticks are in all hands together?

This package exports everything that authors of players need.  Derive a player from `Player`.  `Core`
runs a game; requests, events and views are frozen records.  The built-in players and the rollouts are
loaded on first use.
"""

from typing import TYPE_CHECKING

from wateringhole.game import Forfeit, Outcome, Seat, Violation
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.queries import Queries, QueryUnavailable
from wateringhole.games.porrinha.kind import KIND
from wateringhole.games.porrinha.rules.answers import NotANumber
from wateringhole.games.porrinha.rules.events import (
    AnswerRepaired,
    BeginGame,
    EndGame,
    EndRound,
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
from wateringhole.games.porrinha.rules.requests import Fault, GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.setup import Setup, deal
from wateringhole.games.porrinha.rules.view import (
    INVALID_GUESS,
    NO_HAND,
    NO_SEAT,
    NOT_PLAYING,
    PENDING_GUESS,
    SeriesPlayer,
    View,
)
from wateringhole.lazy import is_installed, lazy_names
from wateringhole.player import PlayerContext, PlayerLeft, SeatAssignment

__all__ = [
    "INVALID_GUESS",
    "KIND",
    "MOST_ROUNDS",
    "NOT_PLAYING",
    "NO_HAND",
    "NO_SEAT",
    "PENDING_GUESS",
    "PROFILES",
    "AnswerRepaired",
    "BeginGame",
    "Core",
    "Counter",
    "EndGame",
    "EndRound",
    "Equilibrium",
    "Fault",
    "Forfeit",
    "GameEnded",
    "GuessSaid",
    "GuessTotal",
    "HideSticks",
    "NotANumber",
    "Outcome",
    "Player",
    "PlayerContext",
    "PlayerForfeited",
    "PlayerLeft",
    "PorrinhaEvent",
    "PorrinhaOutcome",
    "Queries",
    "QueryUnavailable",
    "Random",
    "RoundSettled",
    "RoundStarted",
    "Rules",
    "Seat",
    "SeatAssignment",
    "SeriesPlayer",
    "Setup",
    "View",
    "Violation",
    "Zero",
    "deal",
    "next_setup",
    "starting_sticks",
]
if is_installed("numba", "numpy"):  # without the extra `sim`, `import *` must not load these
    __all__ += ["RolloutResult", "SampledState", "rollout", "sample_state"]

if TYPE_CHECKING:
    from wateringhole.games.porrinha.bots.counter import Counter
    from wateringhole.games.porrinha.bots.equilibrium import Equilibrium
    from wateringhole.games.porrinha.bots.random import Random
    from wateringhole.games.porrinha.bots.zero import Zero
    from wateringhole.games.porrinha.compiled import RolloutResult, SampledState, rollout, sample_state
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "wateringhole.games.porrinha.bots.counter": ["Counter"],
            "wateringhole.games.porrinha.bots.equilibrium": ["Equilibrium"],
            "wateringhole.games.porrinha.bots.random": ["Random"],
            "wateringhole.games.porrinha.bots.zero": ["Zero"],
            "wateringhole.games.porrinha.compiled": ["SampledState", "RolloutResult", "sample_state", "rollout"],
        },
    )
