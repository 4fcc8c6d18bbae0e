"""How many players a run has: known before the first of them is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["players_of_this_run", "seating"]

_players: ContextVar[int | None] = ContextVar("players_of_this_run", default=None)


@contextmanager
def seating(players: int) -> Iterator[None]:
    """Make so many players in here, and each of their factories can know of the others."""
    token = _players.set(players)
    try:
        yield
    finally:
        _players.reset(token)


def players_of_this_run() -> int | None:
    """How many players there are to be; None where nobody said."""
    return _players.get()
