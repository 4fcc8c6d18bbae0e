"""Porrinha compiled: the game for simulations (`game.GAME`), and search by simulation.

`sample_state` returns a full state that is consistent with a view.  `rollout` plays thousands of
continuations of a request and returns the mean result of each first answer.
"""

from typing import TYPE_CHECKING

from wateringhole.lazy import lazy_names

__all__ = ["RolloutResult", "SampledState", "rollout", "sample_state"]

# The layout of a game can be read without the extra `sim`.
if TYPE_CHECKING:
    from wateringhole.games.porrinha.compiled.rollouts import rollout, sample_state
    from wateringhole.sim.rollouts import RolloutResult, SampledState
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "wateringhole.games.porrinha.compiled.rollouts": ["rollout", "sample_state"],
            "wateringhole.sim.rollouts": ["RolloutResult", "SampledState"],
        },
    )
