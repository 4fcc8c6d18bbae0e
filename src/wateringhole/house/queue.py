"""The queue of a host, in which players wait until a table is full or no new player has come for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from wateringhole.house.remote import RemotePlayer

__all__ = ["SignUpQueue"]

MOST_WAITS = 5
"""Limit of the wait for more players, in start delays."""


class SignUpQueue:
    """Connected players in the order in which they signed up."""

    def __init__(
        self,
        least: int,
        most: int,
        start_delay: float,
        forget: Callable[[RemotePlayer], None] = lambda player: None,
    ) -> None:
        """Gather `least` to `most` players per game; `start_delay` is the wait for more than `least`, in seconds.

        `forget` is called with every player who disconnects before a game.
        """
        self._least = least
        self._most = most
        self._start_delay = start_delay
        self._waiting: list[RemotePlayer] = []
        self._forget = forget
        self._last_sign_up = 0.0
        self._enough_since: float | None = None
        self._change = asyncio.Event()

    @property
    def waiting(self) -> Sequence[RemotePlayer]:
        """The players who wait for a game."""
        return self._waiting

    def sign_up(self, player: RemotePlayer) -> None:
        """Add a new player, and restart the start delay."""
        self._last_sign_up = asyncio.get_running_loop().time()
        self._waiting.append(player)
        self._change.set()

    def requeue(self, players: Sequence[RemotePlayer]) -> None:
        """Put players back in front after a game, so that they play the next one together."""
        self._waiting[:0] = players
        self._change.set()

    def notify_reconnected(self) -> None:
        """Restart the start delay, because a waiting player has reconnected, and others may follow."""
        self._last_sign_up = asyncio.get_running_loop().time()
        self._change.set()

    async def next_players(self) -> list[RemotePlayer]:
        """Wait until there are enough players, and return those of the next game."""
        while True:
            for player in [player for player in self._waiting if player.is_lost]:
                self._waiting.remove(player)
                self._forget(player)
            connected = [player for player in self._waiting if player.is_connected][: self._most]
            seconds = self._seconds_left(len(connected) >= self._least)
            if len(connected) == self._most or (len(connected) >= self._least and seconds <= 0):
                self._waiting = [player for player in self._waiting if player not in connected]
                self._enough_since = None
                return connected
            self._change.clear()
            try:
                async with asyncio.timeout(seconds if len(connected) >= self._least else None):
                    await self._change.wait()
            except TimeoutError:
                pass

    def _seconds_left(self, is_enough: bool) -> float:
        """Return how long to wait for more players.  New sign-ups cannot extend it without limit."""
        now = asyncio.get_running_loop().time()
        if not is_enough:
            self._enough_since = None
        elif self._enough_since is None:
            self._enough_since = now
        longest = MOST_WAITS * self._start_delay + (now if self._enough_since is None else self._enough_since)
        return min(self._last_sign_up + self._start_delay, longest) - now

    def clear(self) -> list[RemotePlayer]:
        """Remove and return all waiting players."""
        waiting, self._waiting = self._waiting, []
        return waiting
