"""The lobby of a host: who has signed up waits here until a table is full, or nobody new comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from wateringhole.net.seats import ConnectedPlayer

__all__ = ["Lobby"]

MOST_WAITS = 5
"""So many times its patience a party that is large enough waits at the most."""


class Lobby:
    """Visitors in the order in which they signed up."""

    def __init__(
        self,
        least: int,
        most: int,
        start_delay: float,
        forget: Callable[[ConnectedPlayer], None] = lambda player: None,
    ) -> None:
        """A party has at least and at most so many; fewer than most set out when nobody new has come for a while.

        `forget` is told of everybody who left without having played.
        """
        self._least = least
        self._most = most
        self._patience = start_delay
        self._waiting: list[ConnectedPlayer] = []
        self._forget = forget
        self._last_sign_up = 0.0
        self._enough_since: float | None = None
        self._change = asyncio.Event()

    def sign_up(self, player: ConnectedPlayer) -> None:
        """Somebody new: all wait a little longer for others."""
        self._last_sign_up = asyncio.get_running_loop().time()
        self._waiting.append(player)
        self._change.set()

    def requeue(self, players: Sequence[ConnectedPlayer]) -> None:
        """Back from a game; they go in front, so that they play the next one together."""
        self._waiting[:0] = players
        self._change.set()

    def look_again(self) -> None:
        """Somebody who waits came back over another connection."""
        self._change.set()

    async def next_players(self) -> list[ConnectedPlayer]:
        """Those who play the next game; waits until there are enough."""
        while True:
            for player in [player for player in self._waiting if player.is_gone]:
                self._waiting.remove(player)
                self._forget(player)
            here = [player for player in self._waiting if player.is_here][: self._most]
            seconds = self._seconds_left(len(here) >= self._least)
            if len(here) == self._most or (len(here) >= self._least and seconds <= 0):
                self._waiting = [player for player in self._waiting if player not in here]
                self._enough_since = None
                return here
            self._change.clear()
            try:
                async with asyncio.timeout(seconds if len(here) >= self._least else None):
                    await self._change.wait()
            except TimeoutError:
                pass

    def _seconds_left(self, are_enough: bool) -> float:
        """How long to wait for more.  People who come and go cannot keep a party waiting for ever."""
        now = asyncio.get_running_loop().time()
        if not are_enough:
            self._enough_since = None
        elif self._enough_since is None:
            self._enough_since = now
        longest = MOST_WAITS * self._patience + (now if self._enough_since is None else self._enough_since)
        return min(self._last_sign_up + self._patience, longest) - now

    def empty(self) -> list[ConnectedPlayer]:
        """Everybody who waits, sent away."""
        waiting, self._waiting = self._waiting, []
        return waiting
