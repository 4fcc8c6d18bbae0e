"""Players of Evolution, and the two ways to write one: `Player` gives whole answers, `StepwisePlayer` small ones."""

from wateringhole.players.evolution.player import Player
from wateringhole.players.evolution.stepwise import Choice, Hunt, OwnState, StepwisePlayer

__all__ = ["Choice", "Hunt", "OwnState", "Player", "StepwisePlayer"]
