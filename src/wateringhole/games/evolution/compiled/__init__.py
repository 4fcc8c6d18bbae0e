"""Evolution compiled: the game for simulations (`game.GAME`), and search by playing on.

`sample_state` makes a whole table out of what one player sees; `rollout` plays thousands of
continuations of a request and tells what came of each first choice.
"""

from wateringhole.games.evolution.compiled.rollouts import rollout, sample_state
from wateringhole.sim.rollouts import RolloutResult, SampledState

__all__ = ["RolloutResult", "SampledState", "rollout", "sample_state"]
