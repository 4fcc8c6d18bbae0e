"""The choice between candidates whose values are known only with noise: sequential halving."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

__all__ = ["Race"]

Values = npt.NDArray[np.float64]

MOST_STATES: Final = 64
"""The most states of a round, so that a search with a time limit has many rounds."""
NOISE: Final = 1.0
"""The standard errors by which a candidate must be better than the first one."""


class Race:
    """Candidates by number, of which the first is preferred unless another one is better beyond noise.

    In a round, all candidates that are left play the same states, so their differences have less noise than their
    values.  After each round, the worse half leaves.  The first one stays.
    """

    def __init__(self, candidates: int, simulations: int) -> None:
        self._left = list(range(candidates))
        self._values: Values = np.zeros((candidates, 0))
        """The values by candidate and state; those of candidates that left are meaningless after they did."""
        self._simulations = simulations
        self.states_per_round = max(1, min(simulations // (2 * candidates), MOST_STATES))

    def rounds(self) -> Iterator[Sequence[int]]:
        """Yield the candidates of each round, until the simulations are used up.  `add` takes their values."""
        while len(self._left) > 1 and self._simulations > 0:
            yield self._left

    def add(self, found: Values) -> None:
        """Take the values of a round, by candidate and state.  The worse half of the candidates leaves."""
        self._simulations -= found.size
        added = np.zeros((len(self._values), found.shape[1]))
        added[self._left] = found
        self._values = np.concatenate([self._values, added], axis=1)
        first, *others = self._left
        others.sort(key=lambda candidate: -self._values[candidate].mean())
        self._left = [first, *others[: max(1, len(self._left) // 2 - 1)]]

    def winner(self) -> int:
        """Return the number of the best candidate after the rounds so far."""
        states = self._values.shape[1]
        if states < 2:  # without a standard error
            return 0
        _, best, *_ = self._left
        gains = self._values[best] - self._values[0]
        return best if gains.mean() > NOISE * gains.std(ddof=1) / math.sqrt(states) else 0
