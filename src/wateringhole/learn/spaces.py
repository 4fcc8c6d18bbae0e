"""The observations of environments, and their space."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from wateringhole.facets import Encoding

__all__ = ["Observation", "observation_space"]

Observation = dict[str, npt.NDArray[Any]]
"""``observation``, as the layout of the game describes it, and ``action_mask`` with 1 for each legal action."""


def observation_space(encoding: Encoding) -> spaces.Dict:
    """Return the space of an observation with its mask."""
    return spaces.Dict(
        {
            "observation": spaces.Box(encoding.low, encoding.high, (encoding.observation,), encoding.dtype),
            "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
        }
    )
