"""All that a report tells of a tournament, gathered in one pass over its results."""

from __future__ import annotations

from collections import Counter

import msgspec

from wateringhole import registry
from wateringhole.game import AnyKind
from wateringhole.tournaments import ratings
from wateringhole.tournaments.report.notable import NotableGame, NotableGames
from wateringhole.tournaments.results import ResultSums
from wateringhole.tournaments.store import Store, StoredTournament

__all__ = ["Recorded", "ReportData", "gather"]


class Recorded(msgspec.Struct, frozen=True):
    """A game worth seeing, with its record."""

    game: NotableGame
    file: str
    """A name for the record's file."""
    record: bytes


class ReportData(msgspec.Struct, frozen=True):
    """What there is to tell.  It grows with players and series, not with games."""

    stored: StoredTournament
    kind: AnyKind
    standings: ratings.Standings
    history: list[ratings.RatingsAfter]
    scores: list[Counter[int]]
    """By number of player."""
    turns: Counter[int]
    """Of how many games had how many."""
    notable: list[Recorded]


def gather(store: Store, stored: StoredTournament) -> ReportData:
    """Read the results of a tournament, and the records of the few games that are worth seeing."""
    names = stored.settings.names
    kind = registry.game_kind(stored.settings.game)
    result_sums = ResultSums(len(names))
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
    )


def _recorded(store: Store, stored: StoredTournament, game: NotableGame) -> Recorded:
    file = f"{stored.settings.game}-{stored.id}-{game.slug}.jsonl"
    return Recorded(game, file, store.record(stored.id, game.result.series, game.result.game))
