"""Results of games and their sums.

The sums do not depend on the order in which games are finished: they consist of whole numbers, halves
and fractions, which add up exactly.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from typing import TYPE_CHECKING

import msgspec

from wateringhole.errors import OperationError
from wateringhole.game import seats_of

if TYPE_CHECKING:
    from wateringhole.match.series import PlayedGame
    from wateringhole.tournaments.schedule import PlannedSeries

__all__ = [
    "BlockSums",
    "GameResult",
    "PackedGame",
    "ResultSums",
    "check_result",
    "points",
    "require_ratings",
    "require_store",
    "require_tournaments",
    "result_of",
    "unpacked",
]


MOST_RECORD_BYTES = 64 << 20
"""The longest record that is read.  Those of long games have about a megabyte."""
MOST_SECONDS = 1e9
"""The longest time of a player in a game that is read, about thirty years."""


class GameResult(msgspec.Struct, frozen=True):
    """One finished game of a tournament.  All tuples are in seat order."""

    series: int
    game: int
    """Within its series, from 0."""
    entrants: tuple[int, ...]
    """Numbers of players, from 0."""
    places: tuple[int, ...]
    """From 1; tied players share one."""
    scores: tuple[int | None, ...]
    thrown_out: tuple[str | None, ...]
    """The reason, e.g. ``late``, or None."""
    seconds: tuple[float, ...]
    """The total time of all answers."""
    turns: int
    highlights: int | None = None
    """The number of highlights, or None if they were not counted or the game has none."""
    repaired_answers: tuple[int, ...] | None = None
    """The number of bad answers that the game replaced, or None if they were not counted."""


def check_result(result: GameResult) -> None:
    """Raise ValueError for a stored result that cannot be that of a game."""
    seats = len(result.entrants)
    by_seat = (result.places, result.scores, result.thrown_out, result.seconds, result.repaired_answers or None)
    if any(values is not None and len(values) != seats for values in by_seat):
        raise ValueError("its values are not for the same number of seats")
    if not all(abs(seconds) <= MOST_SECONDS for seconds in result.seconds):
        raise ValueError("its times cannot be those of a game")


def result_of(planned: PlannedSeries, game: int, played: PlayedGame) -> GameResult:
    """Return the result of a game of a planned series, with the plan's numbers of the entrants."""
    seats = seats_of(len(played.entrants))
    places = played.outcome.places()
    scores = {standing.seat: standing.score for standing in played.outcome.ranking}
    reasons = {thrown.seat: thrown.forfeit.reason for thrown in played.outcome.thrown_out}
    return GameResult(
        series=planned.number,
        game=game,
        entrants=tuple([planned.entrants[entrant] for entrant in played.entrants]),
        places=tuple([places[seat] for seat in seats]),
        scores=tuple([scores.get(seat) for seat in seats]),
        thrown_out=tuple([reasons.get(seat) for seat in seats]),
        seconds=played.seconds,
        turns=played.turns,
        highlights=played.highlights,
        repaired_answers=played.repaired_answers,
    )


class PackedGame(msgspec.Struct, frozen=True):
    """A game that was played and is not yet committed."""

    result: GameResult
    packed_record: bytes
    """Compressed by the worker, so that committing takes little time."""
    digest: str
    """The digest of the record, for the chain of the tournament."""
    absent: tuple[int, ...] = ()
    """The entrants that were known to be withdrawn."""

    @classmethod
    def pack(cls, result: GameResult, record: bytes, record_digest: str, absent: tuple[int, ...] = ()) -> PackedGame:
        # The fastest level already reduces it to a quarter.
        return cls(result, zlib.compress(record, 1), record_digest, absent)


def unpacked(record: bytes) -> bytes:
    """Return a record as it was before it was packed.  Raises ValueError if it is damaged or far too long."""
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(record, MOST_RECORD_BYTES)
    except (zlib.error, TypeError) as error:
        raise ValueError(f"the record cannot be unpacked: {error}") from None
    if unpacking.unconsumed_tail:
        raise ValueError(f"the record has more than {MOST_RECORD_BYTES >> 20} MB")
    if not unpacking.eof:
        raise ValueError("the record cannot be unpacked: its end is missing")
    return text


def points(result: GameResult) -> tuple[float, ...]:
    """Return by seat how many others a player finished ahead of; ties count half."""
    return tuple(
        sum((place < other) + (place == other) / 2 for other in result.places) - 0.5 for place in result.places
    )


def require_ratings() -> None:
    """Raise OperationError if the packages for ratings are not installed; import none of them."""
    missing = [name for name in ("numpy", "openskill", "scipy", "threadpoolctl") if find_spec(name) is None]
    if missing:
        raise OperationError(
            f"ratings need {' and '.join(missing)}, not installed here. "
            "Install the extra with: pip install 'wateringhole[tournament]'"
        )


def require_store() -> None:
    """Raise OperationError, with the command that installs it, if the package for stores is missing."""
    if find_spec("sqlalchemy") is None:
        raise OperationError(
            "a store needs sqlalchemy, not installed here. "
            "Install the extra with: pip install 'wateringhole[tournament]'"
        )


def require_tournaments() -> None:
    """Raise OperationError, with the command that installs it, if a package for tournaments is missing."""
    require_store()
    require_ratings()


@dataclass(slots=True)
class BlockSums:
    """The sums over the games of one block: of all series with the same deals.

    All lists are in the order of `entrants`.
    """

    entrants: tuple[int, ...]
    """Ascending, not by seat."""
    ahead: list[float]
    """Row by row: in how many games one finished ahead of another; ties count half."""
    wins: list[Fraction]
    """First places; a shared one counts for each player by its share."""
    places: list[float]
    """Sums of places; tied players get the mean of the places they fill."""
    scores: list[int]
    scored: list[int]
    """The number of games with a score."""
    seen: int = 0
    """The added games, one bit each."""

    @classmethod
    def empty(cls, entrants: Iterable[int]) -> BlockSums:
        seated = tuple(sorted(entrants))
        size = len(seated)
        return cls(seated, [0.0] * size**2, [Fraction()] * size, [0.0] * size, [0] * size, [0] * size)

    @property
    def games(self) -> int:
        return self.seen.bit_count()

    def add(self, result: GameResult, bit: int) -> None:
        """Add a game, which `bit` identifies within the block."""
        if tuple(sorted(result.entrants)) != self.entrants:
            raise _foreign(result, f"its block is played by the players {self.entrants}, not by {result.entrants}")
        if self.seen >> bit & 1:
            raise _foreign(result, "it was added before")
        self.seen |= 1 << bit
        rows = [self.entrants.index(entrant) for entrant in result.entrants]
        size, winners = len(rows), result.places.count(1)
        for row, place, score, gained in zip(rows, result.places, result.scores, points(result), strict=True):
            for other, its_place in zip(rows, result.places, strict=True):
                if other != row:
                    self.ahead[row * size + other] += (place < its_place) + (place == its_place) / 2
            self.places[row] += size - gained
            if place == 1:
                self.wins[row] += Fraction(1, winners)
            if score is not None:
                self.scores[row] += score
                self.scored[row] += 1


def _foreign(result: GameResult, why: str) -> OperationError:
    """Return an error for a result that is not one of this tournament."""
    return OperationError(f"game {result.game} of series {result.series} cannot be of this tournament: {why}.")


@dataclass(slots=True)
class PlayerSums:
    """The sums over all games of one player."""

    places: Counter[int] = field(default_factory=Counter)
    """The number of games by place, shared places included."""
    thrown_out: Counter[str] = field(default_factory=Counter)
    repaired_answers: int = 0
    """Without the games whose repaired answers were not counted."""
    seconds: float = 0.0

    @property
    def games(self) -> int:
        return self.places.total()


class ResultSums:
    """The summed results of a tournament.  Its size grows with blocks, not with games."""

    def __init__(self, players: int, results: Iterable[GameResult] = (), *, series_per_block: int = 1) -> None:
        """Sum the results of each block, i.e. of `series_per_block` series that follow each other."""
        self.players = [PlayerSums() for _ in range(players)]
        self.games = 0
        self.series = 0
        """The number of series with at least a first game."""
        self.turns = 0
        self._series_per_block = series_per_block
        self._blocks: dict[int, BlockSums] = {}
        for result in results:
            self.add(result)

    def add(self, result: GameResult) -> None:
        """Add a game.  Raises OperationError for one that was added before or cannot be of this tournament."""
        if not all(0 <= entrant < len(self.players) for entrant in result.entrants):
            raise _foreign(result, f"there are {len(self.players)} players; {result.entrants} are not all among them")
        block, series = divmod(result.series, self._series_per_block)
        if block not in self._blocks:
            self._blocks[block] = BlockSums.empty(result.entrants)
        self._blocks[block].add(result, result.game * self._series_per_block + series)
        self.games += 1
        self.series += result.game == 0
        self.turns += result.turns
        for seat, entrant in enumerate(result.entrants):
            sums = self.players[entrant]
            sums.places[result.places[seat]] += 1
            sums.seconds += result.seconds[seat]
            if (reason := result.thrown_out[seat]) is not None:
                sums.thrown_out[reason] += 1
            if result.repaired_answers is not None:
                sums.repaired_answers += result.repaired_answers[seat]

    def blocks(self) -> Iterator[BlockSums]:
        """Yield the sums in the order of the schedule."""
        for number in sorted(self._blocks):
            yield self._blocks[number]
