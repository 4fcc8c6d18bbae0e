"""What stands in for somebody at a keyboard."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Reader", "interrupted", "types"]

Reader = Callable[[str], str]
"""Asked a question, it gives the line that is typed."""


def types(*lines: str) -> Reader:
    """Types these lines, whatever the question; then the input ends."""
    waiting = iter(lines)

    def read(question: str) -> str:
        try:
            return next(waiting)
        except StopIteration:
            raise EOFError from None

    return read


def interrupted(question: str) -> str:
    """Presses Ctrl-C."""
    raise KeyboardInterrupt
