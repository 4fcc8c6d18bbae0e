"""Verifies a stored tournament: replays every record, and derives everything else from the records.

=============  =============================================================================
the plan       follows from the settings, and from the results of earlier rounds
a record       is that of its game, has the deal of its series, and replays under the rules
a result       follows from the record: players, places, scores, forfeits, times, counts
the games      are exactly those of the finished series
withdrawals    follow from the forfeits in earlier games
the chain      has the head that was stored when the tournament finished
=============  =============================================================================

No player is called.  The first difference in the order of the schedule is returned as a `Mismatch`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import AbstractContextManager

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.player import InProcess
from wateringhole.tournaments.chain import Chain
from wateringhole.tournaments.executors import IN_PROCESS, Processes, available_processors
from wateringhole.tournaments.jobs import SeriesMaker
from wateringhole.tournaments.results import GameResult, ResultSums, result_of, unpacked
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store, StoredSeries, StoredTournament
from wateringhole.tournaments.tournament import planned_at_once, planned_in_rounds
from wateringhole.tournaments.withdrawals import WITHDRAWN, ForfeitStreaks, absent_from

__all__ = ["Mismatch", "Verification", "verify"]

GAMES_PER_JOB = 50
"""The fewest games that a worker gets at once: enough to hide the cost of sending them."""
GAMES_IN_PROCESS = 200
"""The most games that are replayed in this process, because starting workers would take longer."""
WORDS = {"entrants": "players", "thrown_out": "forfeits", "repaired_answers": "repaired answers"}
"""The words for parts of a result in messages, if they are not the same."""
CUT_OFF = 1e-6
"""Seconds of an answer that a record may lack, because it has whole microseconds."""


class Mismatch(msgspec.Struct, frozen=True):
    """The first difference between a stored tournament and its records."""

    message: str
    series: int | None = None
    game: int | None = None

    def __str__(self) -> str:
        if self.series is None:
            return self.message
        return f"{_place(self.series, self.game)}: {self.message}"


class Verification(msgspec.Struct, frozen=True):
    """What the records of a tournament lead to."""

    sums: ResultSums
    """The results of all replayed games."""
    chain: Chain
    mismatch: Mismatch | None
    """None if everything fits together."""


def verify(
    store: Store, stored: StoredTournament, on_progress: Callable[[int], None] = lambda games: None
) -> Verification:
    """Verify a tournament on all cores; `on_progress` gets the number of games replayed since the last call.

    Raises OperationError if the store or a worker fails, or if this program cannot replay the game.
    """
    settings = stored.settings
    _check_rules_version(settings)
    sums = settings.sums()
    chain = Chain(stored.chain_start)
    try:
        plan = _Plan(settings)
    except (WateringHoleError, LookupError, ValueError) as error:
        return Verification(sums, chain, Mismatch(f"the settings lead to no plan: {_sentence(error)}"))
    withdrawals = _Withdrawals(settings.withdraw_after)
    chains = True
    """True until the first series that is not finished."""
    for series, checked in _check_all(store, stored):
        mismatch = plan.compare(series.planned) or checked.mismatch
        chains &= series.is_finished
        if chains and not mismatch:
            mismatch = withdrawals.compare(settings, series.planned, checked.results)
        if mismatch:
            return Verification(sums, chain, mismatch)
        plan.see(checked.results)
        for result, record_digest in zip(checked.results, checked.digests, strict=True):
            sums.add(result)
            if chains:
                chain.add(result.series, result.game, record_digest)
        on_progress(len(checked.results))
    return Verification(sums, chain, _compare_whole(store, stored, plan, chain))


def _check_rules_version(settings: Settings) -> None:
    known = registry.game_kind(settings.game).rules_version
    if settings.rules_version != known:
        raise OperationError(
            f"the tournament was played under version {settings.rules_version} of the rules of {settings.game}; this "
            f"program has version {known} and cannot replay it."
        )


def _compare_whole(store: Store, stored: StoredTournament, plan: _Plan, chain: Chain) -> Mismatch | None:
    """Return what is wrong with a tournament all of whose series are right, or None."""
    if missing := plan.missing(is_finished=stored.finished is not None):
        return Mismatch("the series is missing.", missing.number)
    if orphan := store.game_without_series(stored.id):
        return Mismatch("the game is additional: there is no such series.", *orphan)
    if stored.head is not None and stored.head != chain.head:
        return Mismatch(f"the stored head is {stored.head}, but the settings and the records lead to {chain.head}.")
    return None


class _Plan:
    """The series that the settings and the results so far lead to."""

    def __init__(self, settings: Settings) -> None:
        self._rounds = planned_in_rounds(settings)
        self._next = deque([] if self._rounds else planned_at_once(settings))
        self._compared = 0

    def compare(self, stored: PlannedSeries) -> Mismatch | None:
        """Compare the next series with a stored one, and return how they differ, or None."""
        if not self._next and self._rounds:
            self._next.extend(self._rounds.next_round())
        expected = self._next.popleft() if self._next else None
        if expected is None or stored.number < expected.number:
            return Mismatch("the series is additional: the settings do not lead to it.", stored.number)
        if stored.number > expected.number:
            return Mismatch("the series is missing.", expected.number)
        self._compared += 1
        for name in PlannedSeries.__struct_fields__:
            there, here = getattr(stored, name), getattr(expected, name)
            if there != here:
                message = f"the stored plan has {name} {_text(there)}, but the settings lead to {_text(here)}."
                return Mismatch(message, stored.number)
        return None

    def see(self, results: Iterable[GameResult]) -> None:
        if self._rounds:
            self._rounds.see(results)

    def missing(self, *, is_finished: bool) -> PlannedSeries | None:
        """Return the first series that should have been stored, too, or None."""
        if self._rounds and not is_finished:
            return None  # a further round may be planned at any time
        if self._rounds and not self._next:
            self._next.extend(self._rounds.next_round())
        # A tournament that was killed at its start has no series yet.
        return self._next[0] if self._next and (is_finished or self._compared) else None


class _Withdrawals:
    """The players that forfeits in a row lead to withdraw."""

    def __init__(self, limit: int | None) -> None:
        self._streaks = None if limit is None else ForfeitStreaks(limit)
        self._withdrawn: dict[int, int] = {}
        """By withdrawn player: the first series that it misses."""

    def compare(self, settings: Settings, planned: PlannedSeries, results: Sequence[GameResult]) -> Mismatch | None:
        """Compare the withdrawn players of the next finished series, and return how they differ, or None."""
        expected = absent_from(planned.number, planned.entrants, self._withdrawn)
        for result in results:
            seats = zip(result.entrants, result.thrown_out, strict=True)
            absent = tuple(sorted(entrant for entrant, reason in seats if reason == WITHDRAWN))
            # A game without any player may be over before the last one forfeits.
            if absent != expected and not set(absent) <= set(expected) == set(planned.entrants):
                there, here = (", ".join(settings.names[each] for each in players) for players in (absent, expected))
                message = f"withdrawn are {there or 'none'}, but the earlier forfeits lead to {here or 'none'}."
                return Mismatch(message, planned.number, result.game)
            if self._streaks:
                for player in self._streaks.add(result.entrants, result.thrown_out):
                    self._withdrawn.setdefault(player, planned.number + 1)
        return None


class _Checked(msgspec.Struct, frozen=True):
    """The games of a series as derived from their records, up to the first mismatch."""

    results: list[GameResult]
    digests: list[str]
    mismatch: Mismatch | None


def _check_all(store: Store, stored: StoredTournament) -> Iterator[tuple[StoredSeries, _Checked]]:
    """Yield all stored series in order, each with what its records lead to."""
    encoded = msgspec.json.encode(stored.settings)
    workers, opened = _executor(stored.progress.finished)
    in_flight: deque[tuple[list[StoredSeries], Future[list[_Checked]]]] = deque()
    with opened as executor:
        try:
            for job in _jobs(store.stored_series(stored.id)):
                in_flight.append((job, executor.submit(_check_job, encoded, job, stored.versions)))
                # Each worker has a next job waiting.
                if len(in_flight) > 2 * workers:
                    series, future = in_flight.popleft()
                    yield from zip(series, future.result(), strict=True)
            for series, future in in_flight:
                yield from zip(series, future.result(), strict=True)
        except BrokenExecutor:
            raise OperationError("a worker that replayed records was killed. Is there enough memory?") from None


def _executor(games: int) -> tuple[int, AbstractContextManager[Executor]]:
    """Return the number of workers and their executor."""
    cores = available_processors()
    if cores == 1 or games <= GAMES_IN_PROCESS:
        return 0, IN_PROCESS.executor()
    return cores, Processes(cores).executor()


def _jobs(every: Iterable[StoredSeries]) -> Iterator[list[StoredSeries]]:
    job: list[StoredSeries] = []
    for series in every:
        job.append(series)
        if sum(len(each.games) for each in job) >= GAMES_PER_JOB:
            yield job
            job = []
    if job:
        yield job


# In a worker


Versions = tuple[tuple[str | None, ...], ...] | None
"""The stored versions by player."""


def _check_job(settings: bytes, job: Sequence[StoredSeries], versions: Versions) -> list[_Checked]:
    decoded = msgspec.json.decode(settings, type=Settings)
    maker = SeriesMaker(decoded)
    return [_check_series(decoded, maker, series, versions) for series in job]


def _check_series(settings: Settings, maker: SeriesMaker, series: StoredSeries, versions: Versions) -> _Checked:
    """Replay the games of a series, and compare them with what is stored."""
    checked = _Checked([], [], None)
    if mismatch := _compare_numbers(series):
        return msgspec.structs.replace(checked, mismatch=mismatch)
    planned = series.planned
    try:
        replayed = maker.make(planned, [InProcess() for _ in planned.entrants]).replay(
            unpacked(game.packed_record) for game in series.games
        )
        for stored, game in zip(series.games, replayed, strict=True):
            assert game.record_bytes is not None, "it was replayed from a record"
            assert game.record_digest is not None
            derived = result_of(planned, stored.result.game, game)
            tolerance = CUT_OFF * game.record_bytes.count(b"\n")
            difference = _difference(settings, stored.result, derived, tolerance)
            if stored.digest is not None and stored.digest != game.record_digest:
                difference = difference or "the record is not the one whose digest is stored."
            difference = difference or _unknown_version(settings, versions, derived.entrants, game.versions)
            if difference:
                return msgspec.structs.replace(
                    checked, mismatch=Mismatch(difference, planned.number, stored.result.game)
                )
            checked.results.append(derived)
            checked.digests.append(game.record_digest)
    except (WateringHoleError, ValueError, IndexError, ArithmeticError) as error:
        mismatch = Mismatch(_sentence(error), planned.number, len(checked.results))
        return msgspec.structs.replace(checked, mismatch=mismatch)
    return checked


def _compare_numbers(series: StoredSeries) -> Mismatch | None:
    """Return the first missing or additional game of a series, or None."""
    expected = range(series.planned.games if series.is_finished else 0)
    stored = [game.result.game for game in series.games]
    for game in sorted({*expected, *stored}):
        if game not in stored:
            return Mismatch("the game is missing.", series.planned.number, game)
        if game not in expected:
            why = f"it has {series.planned.games} games" if series.is_finished else "it is not finished"
            return Mismatch(f"the game is additional: the series has none, because {why}.", series.planned.number, game)
    return None


def _difference(settings: Settings, stored: GameResult, derived: GameResult, tolerance: float) -> str | None:
    """Return how a stored result differs from the one that follows from the record, or None."""
    for name in GameResult.__struct_fields__:
        there, here = getattr(stored, name), getattr(derived, name)
        if there == here or (there is None and name in ("highlights", "repaired_answers")):
            continue  # earlier versions did not count them
        if name == "seconds" and all(abs(one - other) <= tolerance for one, other in zip(there, here, strict=True)):
            continue  # earlier versions stored the time before it was rounded for the record
        if name == "entrants":
            there, here = (tuple(_name(settings, entrant) for entrant in entrants) for entrants in (there, here))
        return f"the stored {WORDS.get(name, name)} are {_text(there)}, but the record leads to {_text(here)}."
    return None


def _unknown_version(
    settings: Settings, known: Versions, entrants: Sequence[int], recorded: Sequence[str | None] | None
) -> str | None:
    """Return which recorded version is not among those that the store lists for the player, or None."""
    for entrant, version in zip(entrants, recorded or (), strict=False):
        if known is None or entrant >= len(known) or version not in known[entrant]:
            name = settings.names[entrant]
            return f"the record has version {version} of {name}, which the store does not list."
    return None


def _name(settings: Settings, entrant: int) -> str:
    return settings.names[entrant] if 0 <= entrant < len(settings.names) else f"number {entrant}"


def _text(value: object) -> str:
    """Return a value for a message, with the entries of a tuple in order of seats."""
    if isinstance(value, tuple):
        return ", ".join("none" if each is None else str(each) for each in value)
    return str(value)


def _sentence(error: Exception) -> str:
    if isinstance(error, WateringHoleError):
        return str(error)
    return f"{error}." if isinstance(error, ValueError) else f"{type(error).__name__}: {error}."


def _place(series: int, game: int | None) -> str:
    return f"series {series}" if game is None else f"game {game} of series {series}"
