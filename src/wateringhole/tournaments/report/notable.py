"""Which games of a tournament are worth seeing, found while the results go by.

It keeps a few games of each sort, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from wateringhole.formatting import pluralize
from wateringhole.tournaments.results import GameResult

__all__ = ["NotableGame", "NotableGames"]

OF_EACH_SORT = 3
MOST_FORFEITS = 20
"""A page is for many readers; who was thrown out and is not among these finds the game in the store."""


class NotableGame(msgspec.Struct, frozen=True):
    """A game, and why somebody might want to see it."""

    sort: str
    """As a heading, e.g. ``Most attacks``."""
    number: int
    """Among those of its sort, from 1."""
    remark: str
    result: GameResult

    @property
    def slug(self) -> str:
        """The sort and the number as a part of a file's name."""
        return f"{self.sort.lower().replace(' ', '-')}-{self.number}"


class _Sort(NamedTuple):
    """A sort of games worth seeing."""

    name: str
    rank: Callable[[GameResult], tuple[int, ...] | None]
    """The lower, the better; None: not a game of this sort."""
    remark: Callable[[GameResult], str]


class NotableGames:
    """Collects them.  The order in which results are added changes nothing."""

    def __init__(self, turn_name: str, highlight: str | None) -> None:
        """`highlight` is what makes a game worth watching, if the game has such a thing."""
        self._sorts = _sorts(turn_name, highlight)
        self._kept: dict[str, list[tuple[tuple[int, ...], GameResult]]] = {sort.name: [] for sort in self._sorts}
        self._forfeits: dict[tuple[int, str], GameResult] = {}

    def add(self, result: GameResult) -> None:
        for sort in self._sorts:
            rank = sort.rank(result)
            if rank is not None:
                self._add(sort, (*rank, result.series, result.game), result)
        for entrant, reason in zip(result.entrants, result.thrown_out, strict=True):
            if reason is not None:
                first = self._forfeits.setdefault((entrant, reason), result)
                if (result.series, result.game) < (first.series, first.game):
                    self._forfeits[entrant, reason] = result

    def _add(self, sort: _Sort, rank: tuple[int, ...], result: GameResult) -> None:
        kept = self._kept[sort.name]
        if len(kept) == OF_EACH_SORT and rank > kept[-1][0]:
            return
        # The games of a series share their players and their deal: one of them is enough.
        of_series = {each.series: (its_rank, each) for its_rank, each in sorted([*kept, (rank, result)], reverse=True)}
        kept[:] = sorted(of_series.values())[:OF_EACH_SORT]

    def games(self, names: tuple[str, ...]) -> Iterator[NotableGame]:
        """Sort by sort, the best first; then for everybody who was thrown out the first game, for each reason."""
        for sort in self._sorts:
            for number, (_, result) in enumerate(self._kept[sort.name], 1):
                yield NotableGame(sort.name, number, sort.remark(result), result)
        for number, (entrant, reason) in enumerate(sorted(self._forfeits)[:MOST_FORFEITS], 1):
            yield NotableGame("Forfeit", number, f"{names[entrant]}: {reason}", self._forfeits[entrant, reason])


def _sorts(turn_name: str, highlight: str | None) -> list[_Sort]:
    def length(result: GameResult) -> str:
        return pluralize(result.turns, turn_name)

    sorts = [
        _Sort("Closest", _spread, lambda result: f"{pluralize(_range(result), 'point')} from first to last"),
        _Sort("Most one-sided", _lead, lambda result: f"first by {pluralize(_margin(result), 'point')}"),
        # Where there are no points, the length is what tells.
        _Sort("Longest", lambda result: None if _scores(result) else (-result.turns,), length),
        _Sort("Shortest", lambda result: None if _scores(result) or _is_spoilt(result) else (result.turns,), length),
    ]
    if highlight is not None:
        sorts.insert(
            2, _Sort(f"Most {highlight}s", _highlights, lambda result: pluralize(result.highlights or 0, highlight))
        )
    return sorts


def _is_spoilt(result: GameResult) -> bool:
    """Whether somebody was thrown out, which decides more than any move."""
    return any(reason is not None for reason in result.thrown_out)


def _scores(result: GameResult) -> list[int]:
    """From the best to the worst."""
    return sorted((score for score in result.scores if score is not None), reverse=True)


def _range(result: GameResult) -> int:
    scores = _scores(result)
    return scores[0] - scores[-1]


def _margin(result: GameResult) -> int:
    scores = _scores(result)
    return scores[0] - scores[1]


def _spread(result: GameResult) -> tuple[int, ...] | None:
    """Of equally close ones that with the higher scores: more has happened in it."""
    if _is_spoilt(result) or len(_scores(result)) < 2:
        return None
    return _range(result), -sum(_scores(result))


def _lead(result: GameResult) -> tuple[int, ...] | None:
    return None if _is_spoilt(result) or len(_scores(result)) < 2 else (-_margin(result),)


def _highlights(result: GameResult) -> tuple[int, ...] | None:
    return None if not result.highlights else (-result.highlights,)
