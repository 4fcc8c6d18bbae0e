"""All that a tournament is decided by.  Equal settings lead to equal games, if the players do their part."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import UsageError
from wateringhole.game import AnyKind
from wateringhole.match.specs import parse_specs
from wateringhole.process.limits import Isolation
from wateringhole.tournaments.schedule import FORMATS

__all__ = ["Settings", "new_settings"]

GAMES = 400
"""How many are played unless a number is given; a format without end plays on."""


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
    format: str
    """A name in `schedule.FORMATS`."""
    table_size: int
    games: int | None
    """How many were asked for; None: as many as the format takes."""
    seed: int
    time_limit: float | None = msgspec.field(default=None, name="patience_seconds")
    """Seconds for one answer, or None for no limit.  Stores spell it ``patience_seconds``."""
    memory_bytes: int | None = None
    """For each process of a player that has one of its own."""
    sandbox: bool = False
    """Whether players that have one are locked in."""

    @property
    def isolates(self) -> bool:
        """Whether strangers' Python players get processes of their own, as programs have."""
        return self.time_limit is not None or self.memory_bytes is not None or self.sandbox


def new_settings(
    kind: AnyKind,
    players: Sequence[str],
    *,
    rules: Any,
    format: str = "round-robin",
    games: int | None = None,
    table_size: int | None = None,
    seed: int | None = None,
    time_limit: float | None = None,
    memory_bytes: int | None = None,
    sandbox: bool = False,
) -> Settings:
    """Return the settings of a new tournament, with what was not given filled in.

    Raises UsageError for what cannot be played.
    """
    if format not in FORMATS:
        raise UsageError(f"format {format!r} does not exist. Choose from: {', '.join(FORMATS)}.")
    settings = Settings(
        game=kind.name,
        rules=msgspec.to_builtins(rules),
        rules_version=kind.rules_version,
        players=tuple(players),
        names=(),
        format=format,
        table_size=_table_size(kind, len(players), table_size),
        games=GAMES if games is None and not FORMATS[format].is_endless else games,
        seed=random.SystemRandom().randrange(2**32) if seed is None else seed,
        time_limit=time_limit,
        memory_bytes=memory_bytes,
        sandbox=sandbox,
    )
    # Where strangers have processes of their own, not a line of theirs runs in this one.
    named = parse_specs(kind.name, settings.players, Isolation(isolates=settings.isolates))
    if len(named) != len(players):
        raise UsageError("a program that plays several seats cannot enter a tournament: its players never part.")
    return msgspec.structs.replace(settings, names=tuple(each.label for each in named))


def _table_size(kind: AnyKind, players: int, wanted: int | None) -> int:
    size = min(fallbacks.usual_seats(kind), players) if wanted is None else wanted
    if size not in kind.seats:
        raise UsageError(f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players at a table, not for {size}.")
    if size > players:
        raise UsageError(f"{players} players cannot fill a table of {size}.")
    return size
