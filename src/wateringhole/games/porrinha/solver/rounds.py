"""One round of two-player Porrinha: its endings, the next state, and the strategies of both players.

It uses plain numbers only, so that a stored solution can be read and played without a solver.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

__all__ = ["Follower", "Lead", "LeadAfterWin", "Right", "Round", "State", "Weights", "follow_up", "positive"]

State = tuple[int, int]
"""Sticks of the lead, sticks of the follower."""

Right = Literal["lead", "follower", "neither"]
"""The player who guessed the sum."""

LeadAfterWin = Literal["winner", "rotate"]
"""The player who leads after a right guess.  The rulebook defines the name and the values of this option."""


def follow_up(state: State, right: Right, lead_after_win: LeadAfterWin) -> tuple[State, bool] | None:
    """Return the next state and whether the same player leads it, or None if the player who was right is safe.

    >>> follow_up((3, 2), "lead", "winner"), follow_up((3, 2), "lead", "rotate")
    (((2, 2), True), ((2, 2), False))
    """
    lead, follower = state
    if right == "neither":
        return (follower, lead), False
    if right == "follower":
        return ((follower - 1, lead), False) if follower > 1 else None
    if lead == 1:
        return None
    return ((lead - 1, follower), True) if lead_after_win == "winner" else ((follower, lead - 1), False)


Weights = tuple[float, ...]
"""Probabilities by value: entry `i` is the chance to show or guess `i`."""


class Lead(msgspec.Struct, frozen=True):
    """The strategy of the first guesser in a round."""

    hands: Weights
    guesses: tuple[Weights, ...]
    """By own hand."""


class Follower(msgspec.Struct, frozen=True):
    """The strategy of the second guesser in a round.  It never repeats the lead's guess."""

    hands: Weights
    guesses: tuple[tuple[Weights, ...], ...]
    """By own hand, then by the lead's guess."""


class Round(msgspec.Struct, frozen=True):
    """The solution of one state."""

    value: float
    """The chance that the lead does not lose the game."""
    lead: Lead
    follower: Follower

    def check(self, lead_sticks: int, follower_sticks: int, least_hand: int = 0) -> None:
        """Raise ValueError unless these are probabilities of legal hands and legal guesses."""
        guesses = lead_sticks + follower_sticks + 1
        if not 0 <= self.value <= 1:
            raise ValueError(f"{self.value} is not a probability")
        for hands, sticks in ((self.lead.hands, lead_sticks), (self.follower.hands, follower_sticks)):
            _check_weights(hands, sticks + 1, forbidden=range(least_hand))
        _check_count(self.lead.guesses, lead_sticks + 1)
        for weights in self.lead.guesses:
            _check_weights(weights, guesses)
        _check_count(self.follower.guesses, follower_sticks + 1)
        for by_lead in self.follower.guesses:
            _check_count(by_lead, guesses)
            for said, weights in enumerate(by_lead):
                _check_weights(weights, guesses, forbidden=(said,))


def _check_count(items: Sequence[object], count: int) -> None:
    if len(items) != count:
        raise ValueError(f"{len(items)} entries; expected {count}")


def _check_weights(weights: Weights, count: int, forbidden: Sequence[int] = ()) -> None:
    _check_count(weights, count)
    # Written so that a NaN fails too.
    if not (all(weight >= 0 for weight in weights) and abs(sum(weights) - 1) < 1e-9):
        raise ValueError(f"{weights} are not probabilities")
    if any(weights[value] for value in forbidden):
        raise ValueError(f"{weights} allow an illegal value")


def positive(weights: Weights) -> Iterator[tuple[int, float]]:
    """Return the values that occur, each with its chance."""
    return ((value, weight) for value, weight in enumerate(weights) if weight)
