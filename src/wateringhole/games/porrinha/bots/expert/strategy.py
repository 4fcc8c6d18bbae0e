"""The trained strategy for three to five players.

`strategy.json` has three numbers for each position of each table with up to three sticks per player.
`training/porrinha_expert.py` finds them: they minimise what best responses gain in a round.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from importlib import resources
from typing import Final, NamedTuple

from wateringhole.games.porrinha.bots.expert.beliefs import Style

__all__ = ["MOST_STICKS", "SIZES", "Plan", "plans"]

SIZES: Final = range(3, 6)
"""The numbers of players of the trained tables."""

MOST_STICKS: Final = 3
"""The most sticks of a player at the trained tables."""


class Plan(NamedTuple):
    """The numbers by which the player at one position hides and guesses."""

    spread: float
    """See `hand_chances`."""
    style: Style


def plans(sticks: Sequence[int]) -> list[Plan]:
    """Return the plan for each position.  `sticks` are in guessing order.

    At tables without training, a player with more sticks plays as with the most.  The last players play as at the
    largest table, and all others like its first player.  Two players play like the last two of three.
    """
    known = [min(own, MOST_STICKS) for own in sticks[-SIZES[-1] :]]
    found = _trained()[(*known[:1] * (SIZES[0] - len(known)), *known)][-len(sticks) :]
    return found[:1] * (len(sticks) - len(found)) + found


@functools.cache
def _trained() -> dict[tuple[int, ...], list[Plan]]:
    """Return the plans by the sticks of all positions."""
    stored = json.loads((resources.files(__package__) / "strategy.json").read_bytes())
    return {
        tuple(map(int, sticks.split(","))): [
            Plan(spread, Style(concealment, sharpness)) for spread, concealment, sharpness in positions
        ]
        for sticks, positions in stored.items()
    }
