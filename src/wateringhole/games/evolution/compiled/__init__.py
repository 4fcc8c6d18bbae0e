"""Evolution compiled: the game for simulations (`game.GAME`), and search by simulation.

`sample_state` returns a full state that is consistent with a view.  `rollout` plays thousands of
continuations of a request and returns the mean result of each first answer.
"""

from wateringhole.games.evolution.compiled.rollouts import rollout, sample_state
from wateringhole.sim.rollouts import RolloutResult, SampledState

__all__ = ["RolloutResult", "SampledState", "rollout", "sample_state"]
