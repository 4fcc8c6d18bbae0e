"""Plays a tournament from a store: claims series, has them played, commits them, until none is left.

All that is known of a tournament is in the store, so it does not matter who plays it, how many do
so at once, or how often they are interrupted.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import assert_never

import msgspec

from wateringhole.arena import workers
from wateringhole.arena.results import GameResult
from wateringhole.arena.schedule import Ladder, PlannedSeries, Swiss, plan
from wateringhole.arena.settings import Settings
from wateringhole.arena.store import LEASE_SECONDS, Progress, Store
from wateringhole.arena.work import Piece, check_players, play_piece
from wateringhole.errors import Failure

__all__ = ["Tournament", "games_in_all", "next_series"]

PIECE_SECONDS = 0.25
"""How much work is handed out at a time: hides what handing it out costs, and little is lost in a crash."""

MOST_SERIES = 1000
"""In one piece, however short they are."""

WAIT_SECONDS = 0.5
"""How long to wait before looking again what others have finished."""

Listener = Callable[[Sequence[GameResult]], None]
"""Is told of games that count from now on."""


def next_series(settings: Settings, progress: Progress, results: Iterable[GameResult]) -> list[PlannedSeries]:
    """What to play when everything planned is played; nothing: the tournament is over."""
    players, games = len(settings.players), settings.games
    match settings.format:
        case "round-robin" | "gauntlet":
            if progress.series:
                return []
            assert games is not None, "only a ladder has no end"
            return plan(settings.format, players, table_size=settings.table_size, games=games, seed=settings.seed)
        case "swiss":
            assert games is not None, "only a ladder has no end"
            rounds = math.ceil(games / _games_in_round(settings))
            swiss = Swiss(players=players, table_size=settings.table_size, seed=settings.seed, rounds=rounds)
            return swiss.next_round(results)
        case "ladder":
            if games is not None and progress.finished >= games:
                return []
            return Ladder(players=players, table_size=settings.table_size, seed=settings.seed).next_round(results)
        case _:
            assert_never(settings.format)


def games_in_all(settings: Settings) -> int | None:
    """How many games will be played: whole series, and in a swiss tournament whole rounds; None: without end.

    The rounds of a ladder are of two sizes; the one in which enough is played is played to its end.
    """
    if settings.games is None or settings.format == "ladder":
        return settings.games
    unit = _games_in_round(settings) if settings.format == "swiss" else settings.table_size
    return math.ceil(settings.games / unit) * unit


def _games_in_round(settings: Settings) -> int:
    """Of as many tables as can be filled, each of which plays one rotation."""
    return len(settings.players) // settings.table_size * settings.table_size


class Tournament:
    """A tournament in a store, ready to be played or played on."""

    def __init__(self, store: Store, number: int) -> None:
        """Raises Misuse where there is none of this number."""
        self.store = store
        self.number = number
        self.settings = store.tournament(number).settings

    @classmethod
    def start(cls, store: Store, settings: Settings) -> Tournament:
        """A new one, with all planned that can be.  Raises Misuse, storing nothing, for what cannot be played."""
        check_players(settings)
        first = next_series(settings, Progress(0, 0, 0, 0), ())
        number = store.create(settings)
        store.plan(number, first)
        return cls(store, number)

    @classmethod
    def resume(cls, store: Store, number: int) -> Tournament:
        """One that was begun.  Raises Misuse where there is none, or where its players are not to be found here."""
        begun = cls(store, number)
        check_players(begun.settings)
        return begun

    def play(
        self,
        staff: Callable[[], AbstractContextManager[Executor]] = workers.at_once,
        at_a_time: int = 1,
        listener: Listener = lambda results: None,
    ) -> None:
        """Play all that is missing, `at_a_time` pieces at once, with the executors that `staff` opens.

        Games that others play meanwhile are waited for.  Whatever ends this early, finished pieces
        are kept and claims given back.  Raises Failure when a series ends its worker twice.
        """
        suspects = 0
        with _renewing(self.store):
            try:
                while True:
                    with staff() as executor:
                        suspects = self._play_with(executor, at_a_time, listener, suspects)
                    if not suspects:
                        return
                    # They are the first that are claimed next, under the same seeds.
                    self.store.release_claims()
            finally:
                self.store.release_claims()

    def _play_with(self, executor: Executor, at_a_time: int, listener: Listener, suspects: int) -> int:
        """Play until all is over, or until a worker dies; how many series were in its hands or beside it then.

        So many are then played one by one at first: one that ends its worker again is known.
        """
        settings = msgspec.json.encode(self.settings)
        size = _PieceSize()
        in_flight: dict[Future[Piece], list[PlannedSeries]] = {}
        series: list[PlannedSeries] = []
        try:
            while True:
                while len(in_flight) < (1 if suspects else at_a_time) and (
                    series := self.store.claim(self.number, 1 if suspects else size.series)
                ):
                    in_flight[executor.submit(play_piece, settings, series)] = series
                    series = []
                if not in_flight and not self._plan_on():
                    return 0
                for future in wait(in_flight, return_when=FIRST_COMPLETED).done:
                    piece = future.result()
                    size.learn(piece, len(in_flight.pop(future)))
                    self._keep(piece, listener)
                    suspects = max(0, suspects - 1)
        except BrokenProcessPool:
            self._keep_finished(in_flight, listener)
            unfinished = [*series, *(each for claimed in in_flight.values() for each in claimed)]
            if suspects:
                raise self._blame(unfinished[0]) from None
            return len(unfinished)
        except KeyboardInterrupt:
            self._keep_finished(in_flight, listener)
            raise

    def _keep(self, piece: Piece, listener: Listener) -> None:
        listener(self.store.commit(self.number, piece.games))

    def _keep_finished(self, in_flight: dict[Future[Piece], list[PlannedSeries]], listener: Listener) -> None:
        for future in list(in_flight):
            if future.done() and not future.cancelled() and future.exception() is None:
                del in_flight[future]
                self._keep(future.result(), listener)

    def _plan_on(self) -> bool:
        """When there is nothing to claim: plan what comes next, or wait a little for others.  False: it is over."""
        progress = self.store.progress(self.number)
        if progress.open_series:
            time.sleep(WAIT_SECONDS)
            return True
        more = next_series(self.settings, progress, self.store.results(self.number))
        if more:
            self.store.plan(self.number, more, after=progress.series)
        else:
            self.store.finish(self.number)
        return bool(more)

    def _blame(self, series: PlannedSeries) -> Failure:
        names = ", ".join(self.settings.names[entrant] for entrant in series.entrants)
        return Failure(
            f"series {series.number} with {names} ended its process twice. "
            "In a tournament begun with --patience every such player has a process of its own and ends only that."
        )


class _PieceSize:
    """How many series make a piece, learned from those before."""

    def __init__(self) -> None:
        self.series = 1

    def learn(self, piece: Piece, series: int) -> None:
        fitting = PIECE_SECONDS * series / max(piece.seconds, 1e-6)
        # The first games of a worker are slow, and single ones may be quick by chance.
        self.series = max(1, min(round(fitting), 2 * self.series, MOST_SERIES))


@contextmanager
def _renewing(store: Store) -> Iterator[None]:
    """Say again and again that we are at work, also while a piece takes long."""
    over = threading.Event()

    def renew() -> None:
        while not over.wait(LEASE_SECONDS / 4):
            # A store that is out of reach is noticed where games are committed.
            with suppress(Failure):
                store.renew_claims()

    thread = threading.Thread(target=renew, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
