"""Strict reading of plain JSON values.

A value that cannot be read raises ValueError.  Its message names what was found; the caller adds the position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from wateringhole.formatting import single_line

__all__ = ["list_from_json", "natural_from_json", "parts_from_json", "shown"]

T = TypeVar("T")


def list_from_json(value: Any, what: str, read: Callable[[Any], T]) -> list[T]:
    """Return a list with each element read.  Errors name the index of the element."""
    if type(value) is not list:
        raise ValueError(f"{shown(value)} is not a list of {what}s")
    found: list[T] = []
    for item in value:
        # The message is built only if reading fails.
        try:
            found.append(read(item))
        except ValueError as wrong:
            raise ValueError(f"{what} {len(found)}: {wrong}") from None
    return found


def parts_from_json(value: Any, what: str, shape: str, count: int) -> list[Any]:
    """Return a list of exactly `count` parts."""
    if type(value) is not list or len(value) != count:
        raise ValueError(f"{shown(value)} is not {what}: it is {shape}")
    return value


def natural_from_json(value: Any, what: str, *, least: int = 0) -> int:
    """Return a whole number of any size; neither 1.0 nor true is one."""
    if type(value) is not int or value < least:
        raise ValueError(f"{what} is a whole number from {least}, not {shown(value)}")
    return value


def shown(value: Any) -> str:
    """Return a value for a message: short, and safe for values of any size and depth."""
    match value:
        case list():
            return f"a list of {len(value)}"
        case dict():
            return "an object"
        case str():
            return _cut(single_line(f'"{value}"'))
        case bool():
            return str(value).lower()
        case None:
            return "null"
    return _cut(repr(value))


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:36]} ..."
