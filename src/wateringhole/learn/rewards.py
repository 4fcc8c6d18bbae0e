"""Rewards at the end of a game, the same as those of `sim.Batch`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Outcome, Seat

__all__ = ["REWARDS", "Reward", "reward_of", "rewards_of_rows"]

Reward = Callable[[Outcome], Mapping[Seat, float]]


def _by_first(outcome: Outcome) -> Mapping[Seat, float]:
    places = outcome.places()
    first = [seat for seat, place in places.items() if place == 1]
    return {seat: 1 / len(first) if seat in first else 0.0 for seat in places}


def _by_place(outcome: Outcome) -> Mapping[Seat, float]:
    places = outcome.places()
    others = max(1, len(places) - 1)

    def share(place: int) -> float:
        worse = sum(other > place for other in places.values())
        better = sum(other < place for other in places.values())
        return (worse - better) / others

    return {seat: share(place) for seat, place in places.items()}


def _by_score(outcome: Outcome) -> Mapping[Seat, float]:
    places = outcome.places()
    scores = {standing.seat: standing.score for standing in outcome.ranking}
    if any(score is not None for score in scores.values()):
        return {seat: float(scores.get(seat) or 0) for seat in places}
    return {seat: float(sum(other > place for other in places.values())) for seat, place in places.items()}


REWARDS: Mapping[str, Reward] = {"place": _by_place, "first": _by_first, "score": _by_score}
"""By name:

- ``place`` is the share of the other players who did worse, less the share of players who did better;
- ``first`` is 1, shared equally by all players with the first place, and 0 for the others;
- ``score`` is the score; in a game without scores, the number of players who did worse.
"""


def rewards_of_rows(name: str, places: npt.NDArray[Any], scores: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the rewards of finished games, a row for each, from their places and scores by seat.

    A game that does not count has no places, and its rewards are 0.
    """
    if name == "score":
        return scores.astype(np.float32)
    if name == "first":
        first = places == 1
        shared: npt.NDArray[Any] = first / np.maximum(1, first.sum(axis=1, keepdims=True))
        return shared
    better = (places[:, None, :] < places[:, :, None]).sum(axis=2)
    worse = (places[:, None, :] > places[:, :, None]).sum(axis=2)
    place: npt.NDArray[Any] = (worse - better) / (places.shape[1] - 1)
    return place


def reward_of(name: str) -> Reward:
    """Return a reward by name.  Raises UsageError if there is none."""
    if name not in REWARDS:
        raise UsageError(f"there is no reward {short_repr(name)}. Choose from: {', '.join(REWARDS)}.")
    return REWARDS[name]
