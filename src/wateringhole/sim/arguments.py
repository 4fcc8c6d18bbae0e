"""Checks of the numbers and arrays that callers pass."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr, single_line

__all__ = ["LARGEST", "MOST_SEED", "array_of", "as_integer", "loop_layout", "narrow_actions", "whole_number"]

MOST_SEED = 2**64 - 1

LARGEST = np.iinfo(np.int32).max
"""The largest number that the loops over games take."""


def as_integer(given: object) -> int | None:
    """Return a number of any integer type as an int, or None for anything else."""
    # True and False are numbers in Python; here they are a mistake.
    if isinstance(given, bool | np.bool_):
        return None
    try:
        return operator.index(given)  # type: ignore[arg-type]  # an object without such a method raises
    except TypeError:
        return None


def whole_number(name: str, given: object, least: int, most: int) -> int:
    """Return a number from `least` to `most`, of any integer type.  Raises UsageError for anything else."""
    number = as_integer(given)
    if number is None or not least <= number <= most:
        raise UsageError(f"{name} must be a whole number from {least} to {most}, not {short_repr(given)}.")
    return number


def array_of(given: Any) -> npt.NDArray[Any]:
    """Convert an object to a NumPy array.  Raises UsageError if that fails."""
    try:
        return np.asarray(given)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{short_repr(given)} is not an array: {single_line(str(error))}") from None


def narrow_actions(actions: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
    """Convert actions of any integer type to the type of the loops; actions out of its range stay illegal."""
    if actions.dtype != np.int32:
        actions = actions.astype(np.int64).clip(-1, LARGEST).astype(np.int32)
    return loop_layout(actions)


def loop_layout(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the array in the layout that the loops are compiled for.

    For an array with gaps, or a read-only one, everything would be compiled again.
    """
    return np.require(array, requirements=["C_CONTIGUOUS", "WRITEABLE", "ALIGNED"])
