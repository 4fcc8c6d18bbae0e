"""What a store returns: tournaments, their progress, series and games."""

from __future__ import annotations

import msgspec

from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings

__all__ = ["Planned", "Progress", "StoredGame", "StoredSeries", "StoredTournament"]


class Progress(msgspec.Struct, frozen=True):
    """The progress of a tournament."""

    planned: int
    """Games planned so far."""
    finished: int
    """Games that count."""
    series: int
    """Series planned so far."""
    open_series: int
    """Series that are not finished."""


class Planned(msgspec.Struct, frozen=True):
    """The progress of a plan."""

    series: int
    has_open: bool
    """True if any of them is not finished."""


class StoredTournament(msgspec.Struct, frozen=True):
    """A tournament as it stands in the store."""

    id: int
    created: float
    """Seconds since 1970."""
    finished: float | None
    settings: Settings
    progress: Progress
    chain_start: str = ""
    """The digest of the settings as they are stored."""
    head: str | None = None
    """The head of its chain when it finished, or None if it is not finished or from an earlier version."""
    versions: tuple[tuple[str | None, ...], ...] | None = None
    """By player: the versions that have played, the first one first; None in a tournament of an earlier version."""


class StoredGame(msgspec.Struct, frozen=True):
    """A game as it stands in the store."""

    result: GameResult
    digest: str | None
    """The digest of its record, or None in a game of an earlier version."""
    packed_record: bytes


class StoredSeries(msgspec.Struct, frozen=True):
    """A series as it stands in the store."""

    planned: PlannedSeries
    is_finished: bool
    games: list[StoredGame]
