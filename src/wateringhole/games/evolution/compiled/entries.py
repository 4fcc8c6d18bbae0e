"""Compiled functions of Evolution that Python calls, next to those of the simulator.

They have their own module, so that a change of what `rollouts` imports does not compile them again.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from wateringhole.games.evolution.compiled import sampling
from wateringhole.games.evolution.compiled.game import GAME
from wateringhole.sim.kernel import entry

__all__ = ["deal_unseen"]


@partial(entry, name=GAME.name)
def deal_unseen(state: Any, seat: int, seed: int, game: int) -> None:
    sampling.deal_unseen(state, seat, seed, game)
