"""Beliefs about hidden hands, and the guesses of players who hold them.

A belief is a sequence: entry `i` is the chance that a hand, or a sum of hands, is `i`.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

__all__ = ["Belief", "Style", "guess_chances", "hand_chances", "normalized", "sum_chances"]

Belief = Sequence[float]


class Style(NamedTuple):
    """A way to guess: each free sum in proportion to a power of its chance."""

    concealment: float
    """The part of this chance that leaves the player's hand out.

    With 0, a player uses all that it knows, and its guess reveals its hand.  With 1, its guess reveals nothing.
    """
    sharpness: float
    """The power.  With 0, all free sums are equally likely; with a high one, the player says the likeliest sum."""


@functools.cache
def hand_chances(sticks: int, lowest: int, spread: float) -> tuple[float, ...]:
    """Return the chance of each hand.

    With a spread of 1, all hands are equally likely.  With a higher one, hands of few and of many sticks are likelier.

    >>> hand_chances(2, 0, 2.0), hand_chances(2, 1, 3.0)
    ((0.4, 0.2, 0.4), (0.0, 0.25, 0.75))
    """
    return normalized(
        spread ** (abs(2 * hand - sticks) / sticks) if hand >= lowest else 0.0 for hand in range(sticks + 1)
    )


def sum_chances(hands: Iterable[Belief]) -> list[float]:
    """Return the chance of each sum of independent hands.

    >>> sum_chances([[0.5, 0.5], [0.5, 0.5]])
    [0.25, 0.5, 0.25]
    """
    sums = [1.0]
    for belief in hands:
        longer = [0.0] * (len(sums) + len(belief) - 1)
        for hand, chance in enumerate(belief):
            for total, before in enumerate(sums, hand):
                longer[total] += chance * before
        sums = longer
    return sums


def guess_chances(style: Style, own: Belief, others: Belief, taken: Collection[int]) -> list[list[float]]:
    """Return the chance of each guess of a player, by its hand.

    All players hold the same beliefs: `own` about this player's hand, and `others` about the sum of the other hands.

    >>> guess_chances(Style(concealment=0.0, sharpness=1.0), own=[0.5, 0.5], others=[0.5, 0.5], taken=[1])
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    concealment, sharpness = style
    hands, values = len(own), len(own) + len(others) - 1
    free = [value for value in range(values) if value not in taken]
    concealed = [concealment * chance for chance in sum_chances([own, others])] if concealment else [0.0] * values
    # A hand shifts what the player knows: entry `value + highest hand - hand` belongs to a sum of `value`.
    margin = [0.0] * (hands - 1)
    known = margin + [(1 - concealment) * chance for chance in others] + margin
    by_hand = []
    for shift in range(hands - 1, -1, -1):
        chances = [known[value + shift] + concealed[value] for value in free]
        highest = max(chances)
        # If every sum that the player believes in is taken, it says any other one.
        weights = normalized((chance / highest) ** sharpness if highest else 1.0 for chance in chances)
        row = [0.0] * values
        for value, weight in zip(free, weights, strict=True):
            row[value] = weight
        by_hand.append(row)
    return by_hand


def normalized(weights: Iterable[float]) -> tuple[float, ...]:
    """Return chances in proportion to weights, of which at least one is positive."""
    given = tuple(weights)
    total = sum(given)
    return tuple(weight / total for weight in given)
