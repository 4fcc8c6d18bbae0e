"""What can be wrong with an answer, as records; `text` turns them into sentences.

The core mends bad hands and guesses instead of refusing them, so only the page names those.  Their
rules are spelled like the faults in events.
"""

from __future__ import annotations

from wateringhole.game import Violation

__all__ = ["AnswerShape", "GuessRange", "GuessTaken", "HandRange", "PorrinhaViolation"]


class AnswerShape(Violation, frozen=True):
    """The answer is neither a whole number nor known not to be one."""

    given: str


class HandRange(Violation, frozen=True, tag="hand_range"):
    """The player cannot hide this number of sticks."""

    least: int
    most: int


class GuessTaken(Violation, frozen=True, tag="guess_taken"):
    """Another player said this sum before."""

    guess: int


class GuessRange(Violation, frozen=True, tag="guess_range"):
    """No sum of this table is such a number."""

    most: int


PorrinhaViolation = AnswerShape | HandRange | GuessTaken | GuessRange
"""Every violation; JSON is read back through this."""
