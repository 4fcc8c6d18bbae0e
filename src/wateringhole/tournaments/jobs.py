"""The work of a worker: it plays planned series and returns the games.  It does not know the store.

All arguments are plain values, so that a worker can be this process, another process or another
machine.
"""

from __future__ import annotations

import contextlib
import functools
import time
import warnings
from collections.abc import Collection, Sequence
from dataclasses import replace

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, UsageError, WateringHoleError
from wateringhole.game import AnyKind, Forfeit
from wateringhole.match.match import RefereeSettings
from wateringhole.match.series import Entrant, Series, make_folder
from wateringhole.match.specs import PlayerSpec, parse_specs, runs_untrusted_code, table_names
from wateringhole.match.versions import BUILT_IN
from wateringhole.player import (
    InProcess,
    Player,
    PlayerContext,
    PlayerFailed,
    SeatAssignment,
    is_interruption,
    player_seed,
)
from wateringhole.process.limits import Isolation, isolation_for
from wateringhole.process.player import StartupTimeout
from wateringhole.seeds import Seed, derived_seed
from wateringhole.tournaments.results import PackedGame, result_of
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.withdrawals import withdrawal

__all__ = ["SeriesResult", "check_players", "needs_processes", "play_job", "player_seed", "players_seed", "series_of"]


class SeriesResult(msgspec.Struct, frozen=True):
    """The games of one job."""

    games: list[PackedGame]
    seconds: float
    """The duration of the job."""


def play_job(settings: bytes, series: Sequence[PlannedSeries], versions: Sequence[str | None]) -> SeriesResult:
    """Play series one after the other; `settings` are `Settings` as JSON, `versions` those of all players.

    Raises OperationError for players that no longer exist.
    """
    started = time.perf_counter()
    try:
        runner = _runner(settings)
    except UsageError as error:
        raise OperationError(str(error)) from None
    games = [game for planned in series for game in runner.play(planned, versions)]
    return SeriesResult(games, time.perf_counter() - started)


def check_players(settings: Settings, absent: Collection[int] = ()) -> tuple[str, ...]:
    """Create every player that is not absent once, so that one that cannot start is found before the first game.

    Return their names at the table, which programs may report.  Raises UsageError for a player that cannot play.  One
    that does not start in time must not stop the others: it causes a UserWarning, and forfeits its games.
    """
    runner = _SeriesRunner(settings)
    players = []
    with PlayerContext(settings.table_size), contextlib.ExitStack() as open_players:
        for number, named in enumerate(runner.players):
            player = runner.absent_player() if number in absent else _make_first(named)
            players.append(player)
            open_players.callback(_close, player)
            if player.is_human:
                raise UsageError(f"player {named.spec!r}: humans cannot play in a tournament. Try: wateringhole play.")
        return tuple(table_names(runner.players, players))


def needs_processes(settings: Settings) -> bool:
    """Return whether a player could terminate the process in which it plays."""
    isolation = _isolation(settings)
    return any(runs_untrusted_code(settings.game, spec, isolation) for spec in settings.players)


@functools.lru_cache(maxsize=1)
def _runner(settings: bytes) -> _SeriesRunner:
    """Return a runner, cached between jobs because finding the installed players takes longer than a short game."""
    return _SeriesRunner(msgspec.json.decode(settings, type=Settings))


class _SeriesRunner:
    """Plays the series of one tournament."""

    def __init__(self, settings: Settings) -> None:
        """Raise UsageError for players that cannot be found."""
        known = registry.game_kind(settings.game).rules_version
        if settings.rules_version != known:
            raise OperationError(
                f"the tournament was started with version {settings.rules_version} of the rules of {settings.game}; "
                f"this program has version {known}."
            )
        if settings.log_folder:
            # The machine of a worker may not have it yet.
            make_folder(settings.log_folder)
        self._settings = settings
        specs = parse_specs(settings.game, settings.players, _isolation(settings))
        # The names were fixed when the tournament started.
        self.players = [replace(spec, label=name) for spec, name in zip(specs, settings.names, strict=True)]

    def absent_player(self) -> Player:
        """Return a stand-in for a withdrawn player."""
        return _UnavailablePlayer(withdrawal(self._settings.withdraw_after))

    def play(self, planned: PlannedSeries, versions: Sequence[str | None]) -> list[PackedGame]:
        seed = players_seed(self._settings, planned)
        with contextlib.ExitStack() as open_players:
            players = []
            with PlayerContext(len(planned.entrants)):
                for seat, entrant in enumerate(planned.entrants):
                    player = (
                        self.absent_player()
                        if entrant in planned.absent
                        else _make(self.players[entrant], player_seed(seed, seat))
                    )
                    open_players.callback(_close, player)
                    players.append(player)
            games = []
            for number, played in enumerate(series_of(self._settings, planned, players, versions).play()):
                assert played.record_bytes is not None
                games.append(PackedGame.pack(result_of(planned, number, played), played.record_bytes, planned.absent))
        return games


def series_of(
    settings: Settings, planned: PlannedSeries, players: Sequence[Player], versions: Sequence[str | None] = ()
) -> Series:
    """Return a series of a tournament, to be played by these players or to be replayed.

    The `versions` are those of all players of the tournament.
    """
    kind: AnyKind = registry.game_kind(settings.game)
    seated = {entrant: versions[entrant] for entrant in planned.entrants} if versions else {}
    if set(seated.values()) <= {None, BUILT_IN}:
        seated = {}  # records of built-in players stay as short as they were
    return Series(
        kind=kind,
        entrants=[
            Entrant(settings.names[entrant], player, seated.get(entrant))
            for entrant, player in zip(planned.entrants, players, strict=True)
        ],
        rules=msgspec.convert(settings.rules, kind.rules),
        seeds=_deal_seeds(settings, planned),
        nonces=_nonces(settings, planned),
        # Earlier versions played one deal from every seat.
        rotate_seats=settings.lives is None,
        referee=RefereeSettings(time_limit=settings.time_limit),
        keeps_records=True,
    )


def players_seed(settings: Settings, planned: PlannedSeries) -> Seed:
    """Return the seed of the players of a series, which reveals nothing about the deals."""
    if settings.lives is None:
        return planned.deals
    return derived_seed(settings.seed, f"players of series {planned.number}")


def _deal_seeds(settings: Settings, planned: PlannedSeries) -> list[Seed]:
    """Return the seed of each game's deal, the same for all series of a block."""
    if settings.lives is None:
        return [planned.deals] * planned.games
    return [derived_seed(settings.seed, f"deal {planned.deals} {game}") for game in range(planned.games)]


def _nonces(settings: Settings, planned: PlannedSeries) -> list[str]:
    """Return the nonces of the commitments.  They differ in the series of a block, so that no digest reveals a deal."""
    if settings.lives is None:
        return []
    return [derived_seed(settings.seed, f"nonce {planned.number} {game}") for game in range(planned.games)]


def _isolation(settings: Settings) -> Isolation:
    """Return the isolation.  A crashed program restarts for its next game, so that one crash does not cost a series."""
    isolation = isolation_for(
        isolates=settings.isolates,
        answer_seconds=settings.time_limit,
        memory_bytes=settings.memory_bytes,
        sandbox=settings.sandbox,
        read_only=settings.read_only or (),
        hidden=settings.hidden or (),
        log=settings.log_folder,
    )
    return msgspec.structs.replace(isolation, restarts=None)


def _make_first(named: PlayerSpec) -> Player:
    try:
        return named.make(0)
    except StartupTimeout as error:
        warnings.warn(f"{error} It forfeits its games.", stacklevel=2)
        return _UnavailablePlayer(Forfeit("disconnected", str(error)))


def _make(named: PlayerSpec, seed: int) -> Player:
    """Return a player.  One that started earlier but cannot be created now forfeits its games."""
    try:
        return named.make(seed)
    except WateringHoleError as error:
        return _UnavailablePlayer(Forfeit("disconnected", str(error)))


class _UnavailablePlayer(InProcess):
    """Stands in for a player that was withdrawn or cannot be created, and forfeits every game at once."""

    def __init__(self, forfeit: Forfeit) -> None:
        self._forfeit = forfeit

    def on_seated(self, assignment: SeatAssignment) -> None:
        raise PlayerFailed(self._forfeit)


def _close(player: Player) -> None:
    # The games are over, so a failure here costs the player nothing.
    try:
        player.close()
    except BaseException as error:
        if is_interruption(error):
            raise
