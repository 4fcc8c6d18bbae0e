"""Plays a tournament from a store: claims series, has them played and commits them until none is left.

The store holds the whole state of a tournament.  So any number of processes can play it at once, and
any of them can be interrupted.
"""

from __future__ import annotations

import math
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import msgspec

from wateringhole.errors import OperationError
from wateringhole.match.versions import player_versions
from wateringhole.tournaments.executors import IN_PROCESS, WorkerPool
from wateringhole.tournaments.jobs import CheckedPlayers, SeriesResult, play_job
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.retries import Retries
from wateringhole.tournaments.schedule import FORMATS, PlannedSeries, Rounds
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import LEASE_SECONDS, Store
from wateringhole.tournaments.withdrawals import ForfeitStreaks

__all__ = ["Tournament", "games_in_all", "planned_at_once", "planned_in_rounds"]

MOST_SERIES = 1000
"""The most series in one job."""

WAIT_SECONDS = 0.5
"""The interval at which to look for series that other processes have finished."""

Listener = Callable[[Sequence[GameResult]], None]
"""Gets the games that were committed."""


def games_in_all(settings: Settings) -> int | None:
    """Return how many games will be played in whole blocks or rounds, or None if the format is endless."""
    tables = FORMATS[settings.format].tables
    if settings.games is None or tables is None:
        return settings.games
    unit = tables(len(settings.players), settings.table_size) * settings.shape.all_games
    return math.ceil(settings.games / unit) * unit


def planned_at_once(settings: Settings) -> list[PlannedSeries]:
    """Return the series of a tournament that is planned before the first game."""
    series = FORMATS[settings.format].series
    assert series is not None, "others are planned in rounds"
    return series(len(settings.players), **_plan_arguments(settings))


def planned_in_rounds(settings: Settings) -> Rounds | None:
    """Return the rounds of a tournament that is planned in rounds, none of them played yet."""
    rounds = FORMATS[settings.format].rounds
    return rounds and rounds(len(settings.players), **_plan_arguments(settings))


def _plan_arguments(settings: Settings) -> dict[str, Any]:
    return {
        "table_size": settings.table_size,
        "games": settings.games,
        "seed": settings.seed,
        "life": settings.games_per_life,
    }


def _hiding(store: Store, settings: Settings) -> Settings:
    """Return the settings for workers, whose players must not see the store."""
    return msgspec.structs.replace(settings, hidden=store.files) if settings.sandbox else settings


class Tournament:
    """A tournament in a store, ready to be started or continued."""

    def __init__(self, store: Store, number: int, pool: WorkerPool = IN_PROCESS) -> None:
        """Raise UsageError if the store has no tournament with this number."""
        self.store = store
        self.number = number
        self.settings = store.tournament(number).settings
        self._pool = pool
        self._rounds = planned_in_rounds(self.settings)
        """Gets all results that are committed here; those of other processes are read from the store."""
        self._planned = 0
        """The number of series that this process knows to be planned in rounds."""
        settings = self.settings
        self.versions = player_versions(settings.game, settings.players, settings.log_folder)
        """The versions of all players, as their files are now."""
        self.changed = store.add_versions(number, self.versions)
        """The last known version of each player who played with another one before."""
        self._streaks = None if settings.withdraw_after is None else ForfeitStreaks(settings.withdraw_after)
        self._hung: tuple[int, ...] = ()
        """The players whose start hung when they were checked."""
        self._held: set[int] = set()
        """The numbers of the claimed series that are not committed."""
        self._is_unsure = False
        """True if the last attempt to claim series failed, and may have claimed some nevertheless."""
        self._withdrawn: set[int] = set()
        """The withdrawn players among the entrants of claimed series."""

    @classmethod
    def start(cls, store: Store, settings: Settings, pool: WorkerPool = IN_PROCESS) -> Tournament:
        """Create a tournament and plan its first series.  Raises UsageError, storing nothing, for invalid settings."""
        checked = pool.check(_hiding(store, settings))
        checked.refuse_failures()
        settings = msgspec.structs.replace(settings, names=checked.names)
        rounds = planned_in_rounds(settings)
        first = rounds.next_round() if rounds else planned_at_once(settings)
        number = store.create(settings)
        store.plan(number, first)
        started = cls(store, number, pool)
        started._expect_failures(checked)
        return started

    @classmethod
    def resume(cls, store: Store, number: int, pool: WorkerPool = IN_PROCESS) -> Tournament:
        """Return a tournament that was started before.  Raises UsageError if it or one of its players is missing.

        A player that cannot start any more forfeits its games, as it would have without the interruption.
        """
        resumed = cls(store, number, pool)
        resumed._expect_failures(pool.check(_hiding(store, resumed.settings), tuple(store.withdrawn(number))))
        return resumed

    def _expect_failures(self, checked: CheckedPlayers) -> None:
        """Issue a warning for each player that did not start, and do not wait long again for those that hung."""
        for failure in checked.failures.values():
            warnings.warn(f"{failure.message} It forfeits its games.", stacklevel=3)
        self._hung = checked.hung

    def play(self, listener: Listener = lambda results: None, retries: Retries | None = None) -> None:
        """Play all series that are not finished.

        Waits for series that other processes are playing.  On an early end, finished jobs are committed
        and leases are released.  Raises OperationError if a series crashes its worker twice, or if the
        store is unavailable for longer than `retries` allow.
        """
        self._retries = retries or Retries()
        suspects: deque[PlannedSeries] = deque()
        with _renewing(self.store):
            try:
                is_over = False
                while not is_over:
                    with self._pool.executor() as executor:
                        is_over = self._play_with(executor, suspects, listener)
            finally:
                # Without the store, the leases expire.
                with suppress(OperationError):
                    self.store.release_claims()

    def _play_with(self, executor: Executor, suspects: deque[PlannedSeries], listener: Listener) -> bool:
        """Return True when all series are played, or False if the executor breaks.

        Suspects are claimed series that were in flight when a worker crashed.  They are played again
        first, each alone, which identifies a series that crashes its worker.
        """
        settings = msgspec.json.encode(self._settings_for_workers())
        size = _JobSize(self._pool.job_seconds)
        in_flight: dict[Future[SeriesResult], list[PlannedSeries]] = {}
        is_broken = False
        try:
            while True:
                while not is_broken and len(in_flight) < (1 if suspects else self._pool.capacity()):
                    series = [suspects[0]] if suspects else self._retries.call(partial(self._claim, size.series))
                    if not series:
                        break
                    try:
                        in_flight[executor.submit(play_job, settings, series, self.versions)] = series
                    except BrokenExecutor:
                        is_broken = True
                        suspects.extend([] if suspects else series)
                if not in_flight and is_broken:
                    return False
                if not in_flight and not self._retries.call(self._plan_more):
                    return True
                done = wait(in_flight, return_when=FIRST_COMPLETED).done
                # In the order of the schedule, so that the first of several series is named that crash their worker.
                for future in [future for future in in_flight if future in done]:
                    series = in_flight.pop(future)
                    is_suspect = bool(suspects) and series[0] is suspects[0]
                    try:
                        result = future.result()
                    except BrokenExecutor:
                        if is_suspect:
                            raise self._crash_error(series[0]) from None
                        suspects.extend(series)
                        continue
                    if is_suspect:
                        suspects.popleft()
                    size.learn(result, len(series))
                    self._retries.call(partial(self._commit, result, listener))
        except (KeyboardInterrupt, OperationError):
            # What cannot be committed now is played again later.
            with suppress(OperationError):
                self._commit_finished(in_flight, listener)
            raise

    def _settings_for_workers(self) -> Settings:
        settings = _hiding(self.store, self.settings)
        return msgspec.structs.replace(settings, hung_at_start=self._hung) if self._hung else settings

    def _claim(self, at_most: int) -> list[PlannedSeries]:
        """Return series to play now."""
        # If this process has played a whole round, the next one can be planned without reading the store.
        if self._rounds and self._rounds.first == self._planned:
            self._plan(self._next_round(self._rounds))
        if self._is_unsure:
            self.store.release_claims(keep=self._held)
        self._is_unsure = True
        claimed = self.store.claim(self.number, at_most)
        self._is_unsure = False
        self._held.update(series.number for series in claimed)
        self._withdrawn.update(player for series in claimed for player in series.absent)
        return claimed

    def _commit(self, result: SeriesResult, listener: Listener) -> None:
        withdrawals = self._streaks.withdrawals if self._streaks else 0
        committed = self.store.commit(self.number, result.games, self._streaks)
        self._held.difference_update(game.result.series for game in result.games)
        if self._rounds:
            if self._streaks and self._streaks.withdrawals != withdrawals:
                # Games of this round that were committed before may be played again.
                self._rounds.forget_round()
            else:
                self._rounds.see(committed)
        listener(committed)

    def _commit_finished(self, in_flight: dict[Future[SeriesResult], list[PlannedSeries]], listener: Listener) -> None:
        for future in in_flight:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._commit(future.result(), listener)

    def _plan_more(self) -> bool:
        """Plan the next series, or wait a little for other processes.  Return False if the tournament is over."""
        planned = self.store.planned(self.number)
        if planned.has_open:
            time.sleep(WAIT_SECONDS)
            return True
        more = self._next_series(planned.series)
        self._plan(more)
        if not more and not self._is_deserted:
            self.store.finish(self.number)
        return bool(more)

    def _plan(self, series: Sequence[PlannedSeries]) -> None:
        """Plan series; other processes plan the same ones, so it does not matter which is first."""
        if series:
            self.store.plan(self.number, series, after=series[0].number)
            self._planned = series[-1].number + 1

    def _next_series(self, planned: int) -> list[PlannedSeries]:
        """Return the series after the `planned` ones, which are all finished, or none if the tournament is over."""
        if self._rounds is None:
            return [] if planned else planned_at_once(self.settings)
        if self._rounds.first < planned:
            # Played by another process, or before this one started.
            self._rounds.forget_round()
            self._rounds.see(self.store.results(self.number, since=self._rounds.first))
        return self._next_round(self._rounds)

    def _next_round(self, rounds: Rounds) -> list[PlannedSeries]:
        return [] if self._is_deserted else rounds.next_round()

    @property
    def _is_deserted(self) -> bool:
        """True if an endless tournament has fewer than two players left; it stays unfinished."""
        return self.settings.games is None and len(self._withdrawn) >= len(self.settings.players) - 1

    def _crash_error(self, series: PlannedSeries) -> OperationError:
        names = ", ".join(self.settings.names[entrant] for entrant in series.entrants)
        return OperationError(
            f"series {series.number} with {names} crashed its worker twice. "
            "Start the tournament without --trust to run each untrusted player in its own process."
        )


class _JobSize:
    """The number of series in a job, adapted to the time that earlier jobs took."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.series = 1

    def learn(self, result: SeriesResult, series: int) -> None:
        fitting = self._seconds * series / max(result.seconds, 1e-6)
        # The first games of a worker are slow, and single games may be short by chance.
        self.series = max(1, min(round(fitting), 4 * self.series, MOST_SERIES))


@contextmanager
def _renewing(store: Store) -> Iterator[None]:
    """Renew the leases in the background, even during long jobs."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(LEASE_SECONDS / 4):
            # An unreachable store raises an error when games are committed.
            with suppress(OperationError):
                store.renew_claims()

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
