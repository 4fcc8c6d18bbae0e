"""The work of a worker: it plays planned series and returns the games.  It does not know the store.

All arguments are plain values, so that a worker can be this process, another process or another
machine.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, UsageError, WateringHoleError
from wateringhole.game import AnyKind, Forfeit
from wateringhole.match.match import RefereeSettings
from wateringhole.match.series import Deals, Entrant, Series, make_folder
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

__all__ = [
    "CheckedPlayers",
    "SeriesMaker",
    "SeriesResult",
    "StartFailure",
    "check_players",
    "deal_seeds",
    "needs_processes",
    "nonces",
    "play_job",
    "player_seed",
    "players_seed",
]

SHORT_START_SECONDS = 2.0
"""The time for the start of a player whose last start hung.  So it costs the whole time limit only once."""


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


class StartFailure(msgspec.Struct, frozen=True):
    """Why a player did not start."""

    message: str
    is_hang: bool
    """True if it neither started in time nor exited."""


class CheckedPlayers(msgspec.Struct, frozen=True):
    """The players of a tournament, after each was created once."""

    names: tuple[str, ...]
    """Their names at the table, which programs may report."""
    failures: dict[int, StartFailure]
    """By player: why it did not start."""

    @property
    def hung(self) -> tuple[int, ...]:
        """The players whose start hung."""
        return tuple(player for player, failure in self.failures.items() if failure.is_hang)

    def refuse_failures(self) -> None:
        """Raise UsageError for a player that cannot start.  One that hangs must not stop the others."""
        for failure in self.failures.values():
            if not failure.is_hang:
                raise UsageError(failure.message)


def check_players(settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
    """Create every player that is not absent once, so that one that cannot start is found before the first game.

    Raises UsageError for a player that does not exist, and for a human.
    """
    if settings.has_guests:
        raise UsageError(
            "people and programs of the page play in this tournament. "
            "Continue it on its page, with the operator's token of wateringhole serve."
        )
    runner = _SeriesRunner(settings)
    players = []
    failures = {}
    with PlayerContext(settings.table_size), contextlib.ExitStack() as open_players:
        for number, named in enumerate(runner.players):
            try:
                player = runner.absent_player() if number in absent else runner.make(number, 0)
            except WateringHoleError as error:
                failures[number] = StartFailure(str(error), isinstance(error, StartupTimeout))
                player = _unavailable(error)
            players.append(player)
            open_players.callback(_close, player)
            if player.is_human:
                raise UsageError(f"player {named.spec!r}: humans cannot play in a tournament. Try: wateringhole play.")
        return CheckedPlayers(tuple(table_names(runner.players, players)), failures)


def needs_processes(settings: Settings) -> bool:
    """Return whether a player could terminate the process in which it plays."""
    isolation = _isolation(settings)
    return any(runs_untrusted_code(settings.game, spec, isolation) for spec in settings.players)


@functools.lru_cache(maxsize=1)
def _runner(settings: bytes) -> _SeriesRunner:
    """Return a runner, cached between jobs because finding the installed players takes longer than a short game."""
    return _SeriesRunner(msgspec.json.decode(settings, type=Settings), preloads=True)


class _SeriesRunner:
    """Plays the series of one tournament."""

    def __init__(self, settings: Settings, *, preloads: bool = False) -> None:
        """Raise UsageError for players that cannot be found.

        With `preloads`, Python players have many lives, each of which a preloaded parent forks.
        """
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
        self._series = SeriesMaker(settings)
        self.players = _specs(settings, msgspec.structs.replace(_isolation(settings), preloads=preloads))
        self._hung = set(settings.hung_at_start or ())
        """The players whose last start hung."""

    def absent_player(self) -> Player:
        """Return a stand-in for a withdrawn player."""
        return _UnavailablePlayer(withdrawal(self._settings.withdraw_after))

    def make(self, number: int, seed: int) -> Player:
        """Return a new player.  Raises WateringHoleError if it does not start.

        One whose last start hung gets little time, so that it cannot delay every series.
        """
        try:
            player = (self._hurried if number in self._hung else self.players)[number].make(seed)
        except StartupTimeout:
            self._hung.add(number)
            raise
        self._hung.discard(number)
        return player

    @functools.cached_property
    def _hurried(self) -> list[PlayerSpec]:
        """The players, with little time to start."""
        isolation = _isolation(self._settings)
        seconds = min(SHORT_START_SECONDS, isolation.limits.startup_seconds)
        limits = msgspec.structs.replace(isolation.limits, startup_seconds=seconds)
        return _specs(self._settings, msgspec.structs.replace(isolation, limits=limits))

    def _make_or_forfeit(self, number: int, seed: int) -> Player:
        """Return a player.  One that started earlier but cannot be created now forfeits its games."""
        try:
            return self.make(number, seed)
        except WateringHoleError as error:
            return _unavailable(error)

    def play(self, planned: PlannedSeries, versions: Sequence[str | None]) -> list[PackedGame]:
        seed = players_seed(self._settings, planned)
        with contextlib.ExitStack() as open_players:
            players = []
            with PlayerContext(len(planned.entrants)):
                for seat, entrant in enumerate(planned.entrants):
                    player = (
                        self.absent_player()
                        if entrant in planned.absent
                        else self._make_or_forfeit(entrant, player_seed(seed, seat))
                    )
                    open_players.callback(_close, player)
                    players.append(player)
            games = []
            for number, played in enumerate(self._series.make(planned, players, versions).play()):
                assert played.record_bytes is not None
                assert played.record_digest is not None
                result = result_of(planned, number, played)
                games.append(PackedGame.pack(result, played.record_bytes, played.record_digest, planned.absent))
        return games


class SeriesMaker:
    """Makes the series of a tournament.  Those of a block follow each other, and share their deals."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kind: AnyKind = registry.game_kind(settings.game)
        self._referee = RefereeSettings(time_limit=settings.time_limit)
        self._last: tuple[object, Deals] | None = None
        """The deals of the last series, and what they follow from."""

    def make(self, planned: PlannedSeries, players: Sequence[Player], versions: Sequence[str | None] = ()) -> Series:
        """Return a series, to be played by these players or to be replayed.

        The `versions` are those of all players of the tournament.
        """
        settings = self._settings
        seated = {entrant: versions[entrant] for entrant in planned.entrants} if versions else {}
        if set(seated.values()) <= {None, BUILT_IN}:
            seated = {}  # records of built-in players stay as short as they were
        deals = self._deals(planned)
        return Series(
            kind=self._kind,
            entrants=[
                Entrant(settings.names[entrant], player, seated.get(entrant))
                for entrant, player in zip(planned.entrants, players, strict=True)
            ],
            rules=deals.rules,
            seeds=deals.seeds,
            shared_deals=deals,
            nonces=nonces(settings, planned) if any(deals.texts) else (),
            # Earlier versions played one deal from every seat.
            rotate_seats=settings.games_per_life is None,
            referee=self._referee,
            keeps_records=True,
        )

    @functools.cached_property
    def _rules(self) -> Any:
        return msgspec.convert(self._settings.rules, self._kind.rules)

    def _deals(self, planned: PlannedSeries) -> Deals:
        origin = (planned.deals, planned.games, len(planned.entrants))
        if self._last is None or self._last[0] != origin:
            deals = Deals(
                kind=self._kind,
                players=len(planned.entrants),
                rules=self._rules,
                seeds=deal_seeds(self._settings, planned),
            )
            self._last = origin, deals
        return self._last[1]


def players_seed(settings: Settings, planned: PlannedSeries) -> Seed:
    """Return the seed of the players of a series, which reveals nothing about the deals."""
    if settings.games_per_life is None:
        return planned.deals
    return derived_seed(settings.seed, f"players of series {planned.number}")


def deal_seeds(settings: Settings, planned: PlannedSeries) -> list[Seed]:
    """Return the seed of each game's deal, the same for all series of a block."""
    if settings.games_per_life is None:
        return [planned.deals] * planned.games
    return [derived_seed(settings.seed, f"deal {planned.deals} {game}") for game in range(planned.games)]


def nonces(settings: Settings, planned: PlannedSeries) -> list[str]:
    """Return the nonces of the commitments.  They differ in the series of a block, so that no digest reveals a deal."""
    if settings.games_per_life is None:
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


def _specs(settings: Settings, isolation: Isolation) -> list[PlayerSpec]:
    specs = parse_specs(settings.game, settings.players, isolation)
    # The names were fixed when the tournament started.
    return [replace(spec, label=name) for spec, name in zip(specs, settings.names, strict=True)]


def _unavailable(error: WateringHoleError) -> Player:
    """Return a stand-in for a player that cannot be created."""
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
