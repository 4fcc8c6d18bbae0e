"""The data of a report, collected in one pass over the results of a tournament."""

from __future__ import annotations

from collections import Counter

import msgspec

from wateringhole import registry
from wateringhole.game import AnyKind
from wateringhole.tournaments import ratings
from wateringhole.tournaments.chain import Chain
from wateringhole.tournaments.report.notable import NotableGame, NotableGames
from wateringhole.tournaments.store import Store, StoredTournament

__all__ = ["Recorded", "ReportData", "gather"]


class Recorded(msgspec.Struct, frozen=True):
    """A notable game with its record."""

    game: NotableGame
    file: str
    """The name of the record's file."""
    record: bytes


class ReportData(msgspec.Struct, frozen=True):
    """Everything that a report shows.  Its size grows with players and blocks, not with games."""

    stored: StoredTournament
    kind: AnyKind
    standings: ratings.Standings
    history: list[ratings.RatingsAfter]
    scores: list[Counter[int]]
    """The number of games by score, for each player."""
    turns: Counter[int]
    """The number of games by turns."""
    notable: list[Recorded]
    chain: Chain


def gather(store: Store, stored: StoredTournament) -> ReportData:
    """Read the results of a tournament, and the records of its notable games."""
    names = stored.settings.names
    kind = registry.game_kind(stored.settings.game)
    result_sums = stored.settings.sums()
    scores: list[Counter[int]] = [Counter() for _ in names]
    turns: Counter[int] = Counter()
    notable = NotableGames(kind.turn_name, kind.highlight.name if kind.highlight else None)
    for result in store.results(stored.id):
        result_sums.add(result)
        notable.add(result)
        turns[result.turns] += 1
        for entrant, score in zip(result.entrants, result.scores, strict=True):
            if score is not None:
                scores[entrant][score] += 1
    return ReportData(
        stored=stored,
        kind=kind,
        standings=ratings.standings(result_sums, names),
        history=ratings.history(result_sums),
        scores=scores,
        turns=turns,
        notable=[_recorded(store, stored, game) for game in notable.games(names)],
        chain=store.chain(stored.id),
    )


def _recorded(store: Store, stored: StoredTournament, game: NotableGame) -> Recorded:
    file = f"{stored.settings.game}-{stored.id}-{game.slug}.jsonl"
    return Recorded(game, file, store.record(stored.id, game.result.series, game.result.game))
