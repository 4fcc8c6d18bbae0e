"""The answers of Porrinha: a whole number, or a readable value that is none."""

from __future__ import annotations

import operator
from typing import Final

import msgspec

__all__ = ["HIGHEST", "LONGEST_QUOTE", "LOWEST", "NotANumber", "PorrinhaAnswer", "as_answer"]

HIGHEST: Final = 2**63 - 1
LOWEST: Final = -HIGHEST
"""Numbers beyond these limits count as the limit: every such answer is bad, and records stay small."""

LONGEST_QUOTE: Final = 60


class NotANumber(msgspec.Struct, frozen=True):
    """A readable answer that is no whole number: a bad hand, or a void guess."""

    said: str
    """The value as text, shortened."""


def as_answer(said: object) -> int | NotANumber:
    """Return the answer for a value that a player returned.

    >>> as_answer(2), as_answer(2.5)
    (2, NotANumber(said='2.5'))
    """
    try:
        # True and False are numbers in Python; as an answer they are a mistake.
        if not isinstance(said, bool):
            return max(LOWEST, min(HIGHEST, operator.index(said)))  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return NotANumber(repr(said)[:LONGEST_QUOTE])
    except Exception:  # untrusted code; even a list with a number of many digits has no repr
        return NotANumber(f"a {type(said).__name__}")


PorrinhaAnswer = int | NotANumber
