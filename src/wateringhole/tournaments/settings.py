"""The settings of a tournament.  Equal settings lead to equal games if the players are deterministic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from
from wateringhole.game import AnyKind
from wateringhole.match.specs import is_untrusted, parse_specs, runs_untrusted_code
from wateringhole.process.limits import Isolation, needs_process
from wateringhole.process.machine import machine_isolation
from wateringhole.seeds import Seed, new_seed
from wateringhole.tournaments.results import GameResult, ResultSums
from wateringhole.tournaments.schedule import FORMATS, BlockShape

__all__ = ["PERSON", "PROGRAM", "WITHDRAW_AFTER", "Settings", "new_settings", "table_size_for"]

GAMES = 400
"""The default number of games, except for an endless format."""
WITHDRAW_AFTER = 20
"""The default number of forfeits in a row after which a player is withdrawn."""
PERSON, PROGRAM = "page-person", "page-program"
"""Players of a tournament on the page whom only the house can seat: people, and programs that joined."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Everything stored at the start of a tournament, so that it can be resumed from the store alone."""

    game: str
    rules: dict[str, Any]
    """The game's options by name."""
    rules_version: int
    players: tuple[str, ...]
    """As given on the command line; an entrant is an index into it."""
    names: tuple[str, ...]
    """Their unique names, which programs may report when the tournament starts; they stay when it is resumed."""
    format: str
    """A name in `schedule.FORMATS`."""
    table_size: int
    games: int | None
    """The number of games wanted, or None if the format decides."""
    seed: Seed
    """Everything that chance decides follows from it.  One that was drawn is secret while games are played."""
    time_limit: float | None = msgspec.field(default=None, name="patience_seconds")
    """Seconds for one answer, or None for no limit.  Stores spell it ``patience_seconds``."""
    memory_bytes: int | None = None
    """The limit for all processes of an isolated player together."""
    sandbox: bool = False
    """True if isolated players run in a sandbox."""
    isolated: bool | msgspec.UnsetType = msgspec.UNSET
    """True if untrusted Python players run in their own processes, False if they are trusted.

    Not set if all players are built in.  Earlier tournaments did not store it, and isolated players if a limit was
    given.
    """
    read_only: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Absolute paths that every player in the sandbox can read, too."""
    hidden: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Paths that no player in the sandbox can read.  Workers get them, and the store does not."""
    hung_at_start: tuple[int, ...] | msgspec.UnsetType = msgspec.UNSET
    """The players whose start hung when they were checked.  Workers get them, and the store does not."""
    isolation: str | msgspec.UnsetType = msgspec.UNSET
    """How the machine that started the tournament isolates untrusted players, in words; unset if there are none."""
    log: str | msgspec.UnsetType = msgspec.UNSET
    """The folder for logs, as an absolute path."""
    withdraw_after: int | None = None
    """The number of forfeits in a row after which a player is withdrawn, or None for never."""
    life: int | msgspec.UnsetType = msgspec.UNSET
    """The setting behind `games_per_life`.  Earlier versions had none, and planned series differently."""
    title: str | msgspec.UnsetType = msgspec.UNSET
    """The name of a tournament that was started on the page."""

    def __post_init__(self) -> None:
        # A store may be damaged.
        if self.format not in FORMATS:
            raise ValueError(f"the format {self.format!r} does not exist")
        if self.table_size < 1 or self.games_per_life == 0:
            raise ValueError(f"tables of {self.table_size} and lives of {self.games_per_life} games cannot be played")

    @property
    def log_folder(self) -> Path | None:
        """The folder for the standard error of programs and isolated players, or None if it is not kept."""
        return None if self.log is msgspec.UNSET else Path(self.log)

    @property
    def has_guests(self) -> bool:
        """True if people or programs of the page play, so that only the house can continue the tournament."""
        return not {PERSON, PROGRAM}.isdisjoint(self.players)

    @property
    def games_per_life(self) -> int | None:
        """The games that each player object plays in a row, or None in a tournament of an earlier version."""
        return None if self.life is msgspec.UNSET else self.life

    @property
    def shape(self) -> BlockShape:
        """What each table plays."""
        return BlockShape.of(self.table_size, self.games_per_life)

    def sums(self, results: Iterable[GameResult] = ()) -> ResultSums:
        """Return the sums of results of this tournament."""
        return ResultSums(len(self.players), results, series_per_block=self.shape.series)

    @property
    def isolates(self) -> bool:
        """True if untrusted Python players run in their own processes, as programs do."""
        if self.isolated is not msgspec.UNSET:
            return self.isolated
        return needs_process(self.sandbox, self.time_limit, self.memory_bytes, self.log_folder)


def new_settings(
    kind: AnyKind,
    players: Sequence[str],
    *,
    rules: Any,
    format: str = "round-robin",
    games: int | None = None,
    table_size: int | None = None,
    life: int | None = None,
    seed: Seed | None = None,
    time_limit: float | None = None,
    memory_bytes: int | None = None,
    isolated: bool | None = None,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
    log: Path | None = None,
    withdraw_after: int | None = WITHDRAW_AFTER,
) -> Settings:
    """Return the settings of a new tournament, with defaults for the rest; `withdraw_after` may be 0 for never.

    By default, untrusted Python players are isolated if a limit is given.

    Raises UsageError for settings that cannot be played.
    """
    if format not in FORMATS:
        raise UsageError(f"format {format!r} does not exist. {choose_from(format, FORMATS)}")
    size = table_size_for(kind, len(players), table_size)
    settings = Settings(
        game=kind.name,
        rules=msgspec.to_builtins(rules),
        rules_version=kind.rules_version,
        players=tuple(players),
        names=(),
        format=format,
        table_size=size,
        games=GAMES if games is None and not FORMATS[format].is_endless else games,
        seed=new_seed() if seed is None else seed,
        time_limit=time_limit,
        memory_bytes=memory_bytes,
        isolated=msgspec.UNSET if isolated is None else isolated,
        sandbox=sandbox,
        read_only=tuple(str(Path(path).absolute()) for path in read_only) or msgspec.UNSET,
        log=msgspec.UNSET if log is None else str(log.absolute()),
        withdraw_after=withdraw_after or None,
        life=size if life is None else life,
    )
    # If untrusted players are isolated, none of their code runs in this process.
    named = parse_specs(kind.name, settings.players, Isolation(isolates=settings.isolates))
    if len(named) != len(players):
        raise UsageError(
            "a program that plays several seats cannot enter a tournament, because its players stay together."
        )
    return msgspec.structs.replace(
        settings, names=tuple(each.label for each in named), isolation=_isolation(settings) or msgspec.UNSET
    )


def _isolation(settings: Settings) -> str | None:
    """Return how untrusted players are isolated, or None if there are none."""
    untrusted = [spec for spec in settings.players if is_untrusted(settings.game, spec)]
    if not untrusted:
        return None
    inside = [spec for spec in untrusted if runs_untrusted_code(settings.game, spec, Isolation(settings.isolates))]
    if len(inside) == len(untrusted):
        return "none: Python players run in the process of the referee"
    described = machine_isolation().describe(sandboxed=settings.sandbox)
    return f"{described}; Python players run in the process of the referee" if inside else described


def table_size_for(kind: AnyKind, players: int, wanted: int | None) -> int:
    """Return the size of tables, by default the usual one.  Raises UsageError if these players cannot fill one."""
    size = min(fallbacks.usual_seats(kind), players) if wanted is None else wanted
    if size not in kind.seats:
        raise UsageError(f"a table of {size}: {kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players.")
    if size > players:
        raise UsageError(f"{players} players cannot fill a table of {size}.")
    return size
