"""The notable games of a tournament, selected in one pass over the results.

Only a few games of each sort are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from wateringhole.formatting import pluralize
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.withdrawals import WITHDRAWN

__all__ = ["NotableGame", "NotableGames"]

OF_EACH_SORT = 3
MOST_FORFEITS = 20
"""The most forfeits on a page; others can be found in the store."""


class NotableGame(msgspec.Struct, frozen=True):
    """A game, and why it is worth seeing."""

    sort: str
    """As a heading, e.g. ``Most attacks``."""
    number: int
    """The number among games of its sort, from 1."""
    remark: str
    result: GameResult
    reason: str
    """The sort in one word, e.g. ``closest``, or ``highlight``, or ``forfeit``."""
    count: int = 0
    """The number that makes it notable: points, turns or highlights."""
    forfeit: tuple[str, str] | None = None
    """The player who forfeited first, and why."""

    @property
    def slug(self) -> str:
        """The sort and the number, as part of a file name."""
        return f"{self.sort.lower().replace(' ', '-')}-{self.number}"


class _Sort(NamedTuple):
    """A sort of notable games."""

    reason: str
    name: str
    rank: Callable[[GameResult], tuple[int, ...] | None]
    """Returns a key, lower is better, or None if the game is not of this sort."""
    count: Callable[[GameResult], int]
    remark: Callable[[int], str]


class NotableGames:
    """Collects notable games.  The order in which results are added does not matter."""

    def __init__(self, turn_name: str, highlight: str | None) -> None:
        """`highlight` is the name of a highlight, or None if the game has none."""
        self._sorts = _sorts(turn_name, highlight)
        self._kept: dict[str, list[tuple[tuple[int, ...], GameResult]]] = {sort.name: [] for sort in self._sorts}
        self._forfeits: dict[tuple[int, str], GameResult] = {}

    def add(self, result: GameResult) -> None:
        for sort in self._sorts:
            rank = sort.rank(result)
            if rank is not None:
                self._add(sort, (*rank, result.series, result.game), result)
        for entrant, reason in zip(result.entrants, result.thrown_out, strict=True):
            if reason not in (None, WITHDRAWN):
                first = self._forfeits.setdefault((entrant, reason), result)
                if (result.series, result.game) < (first.series, first.game):
                    self._forfeits[entrant, reason] = result

    def _add(self, sort: _Sort, rank: tuple[int, ...], result: GameResult) -> None:
        kept = self._kept[sort.name]
        if len(kept) == OF_EACH_SORT and rank > kept[-1][0]:
            return
        # The games of a series share their players, so one is enough.
        of_series = {each.series: (its_rank, each) for its_rank, each in sorted([*kept, (rank, result)], reverse=True)}
        kept[:] = sorted(of_series.values())[:OF_EACH_SORT]

    def games(self, names: tuple[str, ...]) -> Iterator[NotableGame]:
        """Yield the games of each sort, the best first, then each player's first forfeit for each reason."""
        for sort in self._sorts:
            for number, (_, result) in enumerate(self._kept[sort.name], 1):
                count = sort.count(result)
                yield NotableGame(sort.name, number, sort.remark(count), result, sort.reason, count)
        for number, (entrant, reason) in enumerate(sorted(self._forfeits)[:MOST_FORFEITS], 1):
            result, name = self._forfeits[entrant, reason], names[entrant]
            yield NotableGame("Forfeit", number, f"{name}: {reason}", result, "forfeit", forfeit=(name, reason))


def _sorts(turn_name: str, highlight: str | None) -> list[_Sort]:
    def length(count: int) -> str:
        return pluralize(count, turn_name)

    def turns(result: GameResult) -> int:
        return result.turns

    def longest(result: GameResult) -> tuple[int, ...] | None:
        # Without scores, the length is the most notable property.
        return None if _scores(result) else (-result.turns,)

    def shortest(result: GameResult) -> tuple[int, ...] | None:
        return None if _scores(result) or _has_forfeit(result) else (result.turns,)

    sorts = [
        _Sort("closest", "Closest", _spread, _range, lambda count: f"{pluralize(count, 'point')} from first to last"),
        _Sort("one-sided", "Most one-sided", _lead, _margin, lambda count: f"first by {pluralize(count, 'point')}"),
        _Sort("longest", "Longest", longest, turns, length),
        _Sort("shortest", "Shortest", shortest, turns, length),
    ]
    if highlight is not None:
        most = _Sort(
            "highlight",
            f"Most {highlight}s",
            _highlights,
            lambda result: result.highlights or 0,
            lambda count: pluralize(count, highlight),
        )
        sorts.insert(2, most)
    return sorts


def _has_forfeit(result: GameResult) -> bool:
    """Return whether a player was thrown out, which decides more than any move."""
    return any(reason is not None for reason in result.thrown_out)


def _scores(result: GameResult) -> list[int]:
    """Return the scores from the best to the worst."""
    return sorted((score for score in result.scores if score is not None), reverse=True)


def _range(result: GameResult) -> int:
    scores = _scores(result)
    return scores[0] - scores[-1]


def _margin(result: GameResult) -> int:
    scores = _scores(result)
    return scores[0] - scores[1]


def _spread(result: GameResult) -> tuple[int, ...] | None:
    """Rank by closeness, then by higher scores, because more happens in such games."""
    if _has_forfeit(result) or len(_scores(result)) < 2:
        return None
    return _range(result), -sum(_scores(result))


def _lead(result: GameResult) -> tuple[int, ...] | None:
    return None if _has_forfeit(result) or len(_scores(result)) < 2 else (-_margin(result),)


def _highlights(result: GameResult) -> tuple[int, ...] | None:
    return None if not result.highlights else (-result.highlights,)
