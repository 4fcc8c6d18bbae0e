"""Watering Hole: a table where people and programs play games of hidden intentions.

>>> import wateringhole as wh
>>> game = wh.play("evolution", ["silly", "greedy", "random"], seed=7)
>>> [game.names[line.seat] for line in game.outcome.ranking]
['silly', 'greedy', 'random']

Every name of `__all__` is loaded when it is first used, so that the import itself costs nothing.
"""

from typing import TYPE_CHECKING

from wateringhole.lazy import lazy_names

__version__ = "0.1.0"

__all__ = [
    "ComparisonResult",
    "Event",
    "Forfeit",
    "Game",
    "GameAnalysis",
    "GameKind",
    "OperationError",
    "Outcome",
    "PlayedGame",
    "Record",
    "Request",
    "Seat",
    "Standing",
    "TournamentResult",
    "UsageError",
    "Violation",
    "WateringHoleError",
    "__version__",
    "analyse",
    "check",
    "compare",
    "explain",
    "kinds",
    "new_game",
    "play",
    "replay",
    "serve",
    "simulate",
    "tournament",
]

if TYPE_CHECKING:
    from wateringhole.analysis import GameAnalysis
    from wateringhole.api import (
        TournamentResult,
        analyse,
        check,
        compare,
        explain,
        new_game,
        play,
        replay,
        serve,
        simulate,
        tournament,
    )
    from wateringhole.errors import OperationError, UsageError, WateringHoleError
    from wateringhole.game import Event, Forfeit, Game, GameKind, Outcome, Request, Seat, Standing, Violation
    from wateringhole.match.record import Record
    from wateringhole.match.series import PlayedGame
    from wateringhole.registry import kinds
    from wateringhole.tournaments.compare import ComparisonResult
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "wateringhole.analysis": ["GameAnalysis"],
            "wateringhole.api": [
                "TournamentResult",
                "analyse",
                "check",
                "compare",
                "explain",
                "new_game",
                "play",
                "replay",
                "serve",
                "simulate",
                "tournament",
            ],
            "wateringhole.errors": ["OperationError", "UsageError", "WateringHoleError"],
            "wateringhole.game": [
                "Event",
                "Forfeit",
                "Game",
                "GameKind",
                "Outcome",
                "Request",
                "Seat",
                "Standing",
                "Violation",
            ],
            "wateringhole.match.record": ["Record"],
            "wateringhole.match.series": ["PlayedGame"],
            "wateringhole.registry": ["kinds"],
            "wateringhole.tournaments.compare": ["ComparisonResult"],
        },
    )
