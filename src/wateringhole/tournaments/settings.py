"""All that a tournament is decided by.  Equal settings lead to equal games, if the players do their part."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["FORMATS", "Format", "Settings"]

Format = Literal["round-robin", "gauntlet", "swiss", "ladder"]
FORMATS: tuple[Format, ...] = ("round-robin", "gauntlet", "swiss", "ladder")


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept of a tournament from its start, so that it can be resumed from the store alone."""

    game: str
    rules: dict[str, Any]
    """The game's options by name."""
    rules_version: int
    players: tuple[str, ...]
    """As they were named on the command line; an entrant is an index into it."""
    names: tuple[str, ...]
    """What they are called, each differently."""
    format: Format
    table_size: int
    games: int | None
    """How many were asked for; None: as many as the format takes."""
    seed: int
    patience_seconds: float | None = None
    """Longest time for one answer; None: as long as it takes."""
    memory_bytes: int | None = None
    """For each process of a player that has one of its own."""
    sandbox: bool = False
    """Whether players that have one are locked in."""

    @property
    def isolates(self) -> bool:
        """Whether strangers' Python players get processes of their own, as programs have."""
        return self.patience_seconds is not None or self.memory_bytes is not None or self.sandbox
