"""Numbers and arrays that callers give, checked before anything is done with them."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr, single_line

__all__ = ["LARGEST", "MOST_SEED", "array_of", "fitting", "narrowed", "whole", "whole_number"]

MOST_SEED = 2**64 - 1

LARGEST = np.iinfo(np.int32).max
"""Of the numbers that loops over many games take."""


def whole(given: object) -> int | None:
    """A number of any type of whole numbers; None for anything else."""
    # True and False pass for numbers in Python; here they are a slip.
    if isinstance(given, bool | np.bool_):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # what has no such method raises
    except TypeError:
        return None


def whole_number(name: str, given: object, least: int, most: int) -> int:
    """A number from `least` to `most`, of any type of whole numbers.  Raises UsageError for anything else."""
    number = whole(given)
    if number is None or not least <= number <= most:
        raise UsageError(f"{name} is a whole number from {least} to {most}, not {short_repr(given)}.")
    return number


def array_of(given: Any) -> npt.NDArray[Any]:
    """NumPy's array of what was given.  Raises UsageError where it can make none."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{short_repr(given)} is no array: {single_line(str(error))}") from None


def narrowed(actions: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Choices of any type of whole numbers as the loops take them; those that do not fit stay illegal."""
    if actions.dtype != np.int32:
        actions = actions.astype(np.int64).clip(-1, LARGEST).astype(np.int32)
    return fitting(actions)


def fitting(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same array as the loops take it: for one with gaps, or that cannot be written to, all would be
    compiled once more."""
    return np.require(array, requirements=["C_CONTIGUOUS", "WRITEABLE", "ALIGNED"])
