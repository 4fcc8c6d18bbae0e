"""The opponents that a caller chooses."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr

__all__ = ["listed"]

T = TypeVar("T")


def listed(opponents: Iterable[T]) -> list[T]:
    """Return the opponents as a list.  Raises UsageError for a name alone, which would be read letter by letter."""
    given: Any = opponents
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise UsageError(f"opponents={short_repr(given)}: expected a list, e.g. ['random'].")
    return list(opponents)
