"""Functions that replace a human at a keyboard."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Reader", "interrupted", "types"]

Reader = Callable[[str], str]
"""A function that takes a prompt and returns the typed line."""


def types(*lines: str) -> Reader:
    """Return a reader that types these lines for any prompts, and then ends the input."""
    waiting = iter(lines)

    def read(prompt: str) -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    return read


def interrupted(prompt: str) -> str:
    """Raise KeyboardInterrupt, as Ctrl-C does."""
    raise KeyboardInterrupt
