"""Players of Evolution, and the two ways to write one: `Player` gives whole answers, `StepwisePlayer` small ones."""

from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.stepwise import Choice, Hunt, OwnState, StepwisePlayer

__all__ = ["Choice", "Hunt", "OwnState", "Player", "StepwisePlayer"]
