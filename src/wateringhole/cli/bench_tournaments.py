"""The tournaments' figures of `wateringhole bench`: their cost compared with plain games, and the gain of two workers.

All are ratios of values that were measured together, so that the speed of the machine cancels out.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.cli.figures import Figure, Measurement
from wateringhole.game import AnyKind
from wateringhole.match.specs import parse_specs
from wateringhole.player import PlayerContext, player_seed
from wateringhole.tournaments.executors import IN_PROCESS, Processes, WorkerPool
from wateringhole.tournaments.jobs import SeriesMaker, players_seed
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.schedule import PlannedSeries, plan
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

__all__ = ["measurements"]

GAMES_A_SECOND, MOST_GAMES = 4000, 200_000
"""The games that are planned; a tournament that ends sooner is measured to its end."""


def measurements(kinds: Sequence[AnyKind], seconds: float) -> list[Measurement]:
    """Return the measurements, each of about `seconds`; starting two workers takes a little longer."""
    made = []
    for kind in kinds:
        players = fallbacks.benchmarks(kind).entrants
        settings = _settings(kind, players, seconds)
        who = f"{kind.name}, {', '.join(players)}"
        made += [
            Measurement(f"{who}: cost of a tournament", partial(_costs, who, settings, seconds)),
            Measurement(f"{who}: two workers", partial(_two_workers, who, settings, seconds)),
        ]
    return made


def _settings(kind: AnyKind, players: tuple[str, ...], seconds: float) -> Settings:
    return Settings(
        game=kind.name,
        rules=msgspec.to_builtins(kind.default_rules),
        rules_version=kind.rules_version,
        players=players,
        names=players,
        format="round-robin",
        table_size=len(players),
        games=min(math.ceil(GAMES_A_SECOND * seconds), MOST_GAMES),
        seed=1,
        life=len(players),
    )


class _Enough(Exception):
    """Ends a tournament that was measured long enough."""


def _play(settings: Settings, pool: WorkerPool, listener: Callable[[Sequence[GameResult]], None]) -> None:
    """Play a tournament until its listener raises _Enough."""
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Store(f"{folder}/bench.sqlite")) as store,
        contextlib.suppress(_Enough),
    ):
        Tournament.start(store, settings, pool).play(listener)


def _two_workers(who: str, settings: Settings, seconds: float) -> list[Figure]:
    """Return the speed of two processes relative to one, in wall-clock time."""
    one, two = (_pace(settings, pool, seconds / 2) for pool in (IN_PROCESS, Processes(2)))
    return [Figure(f"{who}: two workers compared with one", two / one, "times")]


def _pace(settings: Settings, pool: WorkerPool, seconds: float) -> float:
    """Return games per second after the first third, because workers start late and with small jobs."""
    kept: list[tuple[float, int]] = []

    def see(results: Sequence[GameResult]) -> None:
        kept.append((time.perf_counter(), len(results)))
        if kept[-1][0] - kept[0][0] >= seconds:
            raise _Enough

    _play(settings, pool, see)
    settled = [number for number, (when, _) in enumerate(kept) if when - kept[0][0] >= seconds / 3]
    start = min(settled[0], len(kept) - 2)
    return sum(games for _, games in kept[start + 1 :]) / (kept[-1][0] - kept[start][0])


def _costs(who: str, settings: Settings, seconds: float) -> list[Figure]:
    """Return the processor time of a tournament relative to the same games played by the referee alone."""
    costs = _Costs(settings, seconds)
    _play(settings, IN_PROCESS, costs.see)
    what = f"{who}: tournament compared with the same games"
    return [
        Figure(f"{what} without records", costs.tournament / costs.without_records, "times"),
        Figure(f"{what} with records", costs.tournament / costs.with_records, "times"),
    ]


class _Costs:
    """A listener that plays all series of a tournament again as soon as they are committed.

    The compared runs follow each other directly, so that other load on the machine affects all alike.  The
    first job does not count, because it also finds the players.
    """

    tournament = with_records = without_records = 0.0
    """Seconds of processor time."""

    def __init__(self, settings: Settings, seconds: float) -> None:
        self._kind = registry.game_kind(settings.game)
        self._rules = self._kind.default_rules
        self._settings = settings
        self._named = parse_specs(settings.game, settings.players)
        self._planned = plan(
            "round-robin",
            len(settings.players),
            table_size=settings.table_size,
            games=settings.games or 0,
            seed=settings.seed,
            life=settings.games_per_life,
        )
        self._began = time.perf_counter()
        self._end = self._began + seconds
        self._processor: float | None = None

    def see(self, results: Sequence[GameResult]) -> None:
        if self._processor is not None:
            self.tournament += time.process_time() - self._processor
            series = [self._planned[number] for number in sorted({result.series for result in results})]
            self.without_records += self._play(series, keeps_records=False)
            self.with_records += self._play(series, keeps_records=True)
            now = time.perf_counter()
            # The next job will take as long as this one did.
            if now + (now - self._began) > self._end:
                raise _Enough
        self._began, self._processor = time.perf_counter(), time.process_time()

    def _play(self, series: Sequence[PlannedSeries], *, keeps_records: bool) -> float:
        """Play series of the tournament alone, with new players for each, and return the processor time."""
        maker = SeriesMaker(self._settings)
        started = time.process_time()
        for planned in series:
            seed = players_seed(self._settings, planned)
            with PlayerContext(len(planned.entrants)):
                players = [
                    self._named[entrant].make(player_seed(seed, seat)) for seat, entrant in enumerate(planned.entrants)
                ]
            games = dataclasses.replace(maker.make(planned, players), keeps_records=keeps_records)
            for _ in games.play():
                pass
        return time.process_time() - started
