"""What is known before the first player is made: how many there will be, and a seed for each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["player_seed", "players_of_this_run", "seating"]

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


def player_seed(seed: int, seat: int) -> int:
    """The seed of a player from that of its run and its seat in the first game."""
    return int.from_bytes(hashlib.sha256(f"{seed} {seat}".encode()).digest()[:6])
