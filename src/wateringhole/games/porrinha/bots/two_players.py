"""Answers by the solution of a round between two players."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from wateringhole.games.porrinha.solver.rounds import Round

__all__ = ["draw", "draw_guess", "draw_hand"]


def draw_hand(random: Random, solved: Round, position: int) -> int:
    """Draw a hand for the lead (position 0) or the follower."""
    return draw(random, solved.follower.hands if position else solved.lead.hands)


def draw_guess(random: Random, solved: Round, position: int, hand: int, said: Sequence[int]) -> int:
    """Draw a guess for the lead or the follower, after the guesses `said`."""
    if not position:
        return draw(random, solved.lead.guesses[hand])
    # A void guess of the lead reveals nothing: replace it with one that the lead could have made.
    lead_guess = said[0] if said else draw(random, solved.lead.guesses[draw(random, solved.lead.hands)])
    return draw(random, solved.follower.guesses[hand][lead_guess])


def draw(random: Random, weights: Sequence[float]) -> int:
    """Draw a value by its weight."""
    return random.choices(range(len(weights)), weights)[0]
