"""Standings of the tournaments in the store, for the page."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from wateringhole import fallbacks, registry
from wateringhole.errors import NotFound, UsageError
from wateringhole.formatting import single_line
from wateringhole.house.page import manifest_of
from wateringhole.tournaments.report.notable import NotableGames
from wateringhole.tournaments.results import require_ratings
from wateringhole.tournaments.store import Store, StoredTournament

if TYPE_CHECKING:
    from wateringhole.tournaments.ratings import Standings

__all__ = ["StandingsService"]

MOST_VERDICTS = 8
"""Players whose victories are listed; the cross table shows the rest."""

PAUSE = 10
"""After the standings of a running tournament were computed, this many times as long passes before the next time."""


class _Cached(NamedTuple):
    """Computed standings."""

    games: int
    """The number of games that they are computed from."""
    valid_until: float
    """Until then, they are not computed again, even if there are more games."""
    standings: dict[str, Any]


class StandingsService:
    """Standings of tournaments, cached while nothing changes.  The methods block."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._cache: dict[int, _Cached] = {}

    def tournaments(self) -> dict[str, Any]:
        """Return all tournaments, the newest first, with their games and an example command."""
        stored = self._store.tournaments()
        return {
            "tournaments": [_tournament_to_json(each) for each in reversed(stored)],
            "pages": _pages_to_json({each.settings.game for each in stored}),
            "example": _example(),
        }

    def tournament(self, number: int) -> StoredTournament:
        """Return a tournament.  Raises NotFound if there is none with this number."""
        try:
            return self._store.tournament(number)
        except UsageError:
            raise NotFound("There is no such tournament.") from None

    def standings(self, number: int) -> dict[str, Any]:
        """Return the standings.  Raises NotFound, or OperationError if ratings cannot be computed."""
        stored = self.tournament(number)
        cached = self._cache.get(number)
        now = time.monotonic()
        may_wait = cached is not None and stored.finished is None and now < cached.valid_until
        if cached is None or (cached.games != stored.progress.finished and not may_wait):
            computed = self._compute(stored)
            # Large standings take long, so they are not computed again for each game that ends meanwhile.
            valid_until = time.monotonic() + PAUSE * (time.monotonic() - now)
            cached = self._cache[number] = _Cached(stored.progress.finished, valid_until, computed)
        return {**_tournament_to_json(stored), "pages": _pages_to_json({stored.settings.game}), **cached.standings}

    def _compute(self, stored: StoredTournament) -> dict[str, Any]:
        require_ratings()
        from wateringhole.tournaments import ratings

        names = stored.settings.names
        kind = registry.game_kind(stored.settings.game)
        result_sums = stored.settings.sums()
        notable = NotableGames(kind.turn_name, kind.highlight.name if kind.highlight else None)
        for result in self._store.results(stored.id):
            result_sums.add(result)
            notable.add(result)
        found = ratings.standings(result_sums, names)
        lines = found.players
        return {
            "rows": [
                {
                    "rank": line.rank,
                    "name": line.name,
                    "rating": line.rating.value,
                    "low": line.rating.low,
                    "high": line.rating.high,
                    "win_rate": line.win_rate.value if line.win_rate else None,
                    "win_low": line.win_rate.low if line.win_rate else None,
                    "win_high": line.win_rate.high if line.win_rate else None,
                    "mean_place": line.mean_place.value if line.mean_place else None,
                    "mean_score": line.mean_score.value if line.mean_score else None,
                    "score_low": line.mean_score.low if line.mean_score else None,
                    "score_high": line.mean_score.high if line.mean_score else None,
                    "games": line.games,
                    "forfeits": line.thrown_out,
                    "repaired_answers": line.repaired_answers,
                    "seconds": line.seconds,
                }
                for line in lines
            ],
            "cross": {
                "names": [line.name for line in lines],
                "wins": [[found.cross_table[one.player][other.player].ahead for other in lines] for one in lines],
                "games": [[found.cross_table[one.player][other.player].games for other in lines] for one in lines],
            },
            "better": [{"name": name, "than": beaten} for name, beaten in _better(found)],
            "notable": [
                {
                    "reason": each.reason,
                    "count": each.count,
                    "forfeit": each.forfeit,
                    "game_id": f"{stored.id}-{each.result.series}-{each.result.game}",
                    "names": [names[entrant] for entrant in each.result.entrants],
                }
                for each in notable.games(names)
            ],
        }


def _pages_to_json(names: Collection[str]) -> list[dict[str, Any]]:
    """Return how the page shows these games, except those that are no longer installed."""
    return [{"name": kind.name, "page": manifest_of(kind)} for kind in registry.kinds() if kind.name in names]


def _example() -> str:
    kind = registry.kinds()[0]
    return f"wateringhole tournament {kind.name} {' '.join(fallbacks.usual_bots(kind))}"


def _better(found: Standings) -> Iterator[tuple[str, list[str]]]:
    """Yield the players that are better than others by more than the error, the best first, with those others."""
    names = {line.player: single_line(line.name) for line in found.players}
    for row, line in enumerate(found.players[:MOST_VERDICTS]):
        beaten = [names[other.player] for other in found.players[row + 1 :] if other.player not in line.not_separated]
        if beaten:
            yield names[line.player], beaten


def _tournament_to_json(stored: StoredTournament) -> dict[str, Any]:
    settings = stored.settings
    return {
        "id": stored.id,
        "game": settings.game,
        "display_name": registry.display_name(settings.game),
        "format": settings.format,
        "name": settings.title or None,
        "title": f"{registry.display_name(settings.game)}, {settings.format.replace('-', ' ')}",
        "state": "finished" if stored.finished is not None else "unfinished",
        "games": stored.progress.finished,
        "planned": stored.progress.planned,
        "players": list(settings.names),
        "when": stored.created,
    }
