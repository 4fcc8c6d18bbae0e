"""Opponents, and what the guesses of a round reveal about their hands.

An opponent is a mixture of habits.  After each round, every habit gains or loses weight by how well it explains the
guess, now that the hand is open.  Shown hands are counted.  Both start from the trained strategy.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from wateringhole.games.porrinha.bots.expert.beliefs import (
    Belief,
    Style,
    guess_chances,
    hand_chances,
    normalized,
    sum_chances,
)
from wateringhole.games.porrinha.bots.expert.strategy import plans

__all__ = ["HABITS", "Habit", "Opponent", "Round"]


class Habit(NamedTuple):
    """A way to guess that some players have."""

    weight: float
    """The chance that a player has this habit, before its first guess."""
    reads: bool
    """True if it learns from the guesses before its own."""
    style: Style | None = None
    """The way it guesses, or None for the style of the strategy."""


HABITS: Final = (
    Habit(0.4, reads=True),  # the strategy
    Habit(0.1, reads=False, style=Style(0.0, 0.0)),  # any sum
    Habit(0.1, reads=False, style=Style(0.0, 1.0)),  # a sum drawn by its chance
    Habit(0.1, reads=False, style=Style(0.0, 12.0)),  # the likeliest sum
    Habit(0.1, reads=False, style=Style(1.0, 1.0)),  # the same two for players that ignore their own hand
    Habit(0.1, reads=False, style=Style(1.0, 12.0)),
    Habit(0.1, reads=True, style=Style(0.0, 12.0)),  # the likeliest sum after the guesses before
)

LEAST_WEIGHT: Final = 0.02
"""The least weight of a habit, because an opponent may change."""

SURPRISE: Final = 1e-4
"""A chance that is added to every guess, because no habit describes a player exactly."""

EXPECTED_HANDS: Final = 4.0
"""The number of shown hands that the expected chances of a hand count for."""


class Opponent:
    """One opponent, as its hands and guesses show it."""

    def __init__(self) -> None:
        self.weights: Sequence[float] = [habit.weight for habit in HABITS]
        self._shown: dict[int, list[int]] = {}
        """Counts of the hands 0, 1, 2, …, by the number of sticks that it had."""

    @property
    def reads(self) -> float:
        """The chance that it learns from guesses."""
        return sum(weight for weight, habit in zip(self.weights, HABITS, strict=True) if habit.reads)

    def hand_chances(self, expected: Belief) -> Belief:
        """Return the chance of each hand, given the chances for a player that follows the strategy."""
        shown = self._shown.get(len(expected) - 1)
        if shown is None:
            return expected
        # An expected chance of 0 stands for a hand that is illegal in this round.
        return normalized(
            EXPECTED_HANDS * chance + times if chance else 0.0 for chance, times in zip(expected, shown, strict=True)
        )

    def add_hand(self, sticks: int, hand: int) -> None:
        """Count a hand that it showed."""
        self._shown.setdefault(sticks, [0] * (sticks + 1))[hand] += 1

    def add_guess(self, chances: Sequence[float]) -> None:
        """Weigh the habits by the chance of a guess with each of them."""
        likely = normalized(weight * (chance + SURPRISE) for weight, chance in zip(self.weights, chances, strict=True))
        self.weights = normalized(max(weight, LEAST_WEIGHT) for weight in likely)


class Round:
    """The beliefs that all players can share about the hands of a round.  Positions are in guessing order."""

    def __init__(self, sticks: Sequence[int], lowest: int, opponents: Sequence[Opponent | None]) -> None:
        """Expect the strategy where `opponents` has None."""
        self.plans = plans(sticks)
        self.taken: list[int] = []
        self.beliefs: list[Belief] = []
        self._opponents = opponents
        for own, plan, opponent in zip(sticks, self.plans, opponents, strict=True):
            expected = hand_chances(own, lowest, plan.spread)
            self.beliefs.append(opponent.hand_chances(expected) if opponent else expected)
        self._first_beliefs = tuple(self.beliefs)

    def others(self, position: int, *, reads: bool = True) -> Belief:
        """Return the chance of each sum of the other hands.  If not `reads`, ignore all guesses."""
        beliefs = self.beliefs if reads else self._first_beliefs
        return sum_chances([*beliefs[:position], *beliefs[position + 1 :]])

    def guess_chances(self, position: int) -> list[list[float]]:
        """Return the chance of each guess by the strategy, by hand."""
        return guess_chances(self.plans[position].style, self.beliefs[position], self.others(position), self.taken)

    def add_guess(self, position: int, guess: int) -> list[list[float]]:
        """Update the belief about a hand.  Return the chance of the guess, by habit of the player and by hand."""
        opponent = self._opponents[position]
        by_habit = (
            self._by_habit(position, guess) if opponent else [[row[guess] for row in self.guess_chances(position)]]
        )
        weights = opponent.weights if opponent else [1.0]
        belief = self.beliefs[position]
        self.beliefs[position] = normalized(
            chance * sum(weight * (each + SURPRISE) for weight, each in zip(weights, likelihoods, strict=True))
            for chance, *likelihoods in zip(belief, *by_habit, strict=True)
        )
        self.taken.append(guess)
        return by_habit

    def _by_habit(self, position: int, guess: int) -> list[list[float]]:
        belief = self.beliefs[position]
        others = {reads: self.others(position, reads=reads) for reads in (False, True)}
        return [
            [row[guess] for row in guess_chances(style, belief, others[habit.reads], self.taken)]
            for habit in HABITS
            for style in [habit.style or self.plans[position].style]
        ]
