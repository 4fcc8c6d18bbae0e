"""Emotes: the few short messages that players can send each other, because there is no free chat.

The page shows them in its own language.  They are no part of the game: no record contains them, and no bot or remote
player gets them.
"""

from __future__ import annotations

from typing import Literal

from wateringhole.house.limits import RateLimiter

__all__ = ["Emote", "EmoteLimits"]

Emote = Literal["hello", "good_luck", "well_played", "wow", "oops", "thanks", "thinking", "good_game"]
AT_ONCE, PER_SECOND = 3, 0.5
"""Limits of the emotes of one seat."""


class EmoteLimits:
    """The rates of the emotes at a table."""

    def __init__(self) -> None:
        self._limiters: dict[int, RateLimiter] = {}

    def allows(self, seat: int, now: float) -> bool:
        """Return whether a seat may send an emote now."""
        return self._limiters.setdefault(seat, RateLimiter(AT_ONCE, PER_SECOND)).allows(now)
