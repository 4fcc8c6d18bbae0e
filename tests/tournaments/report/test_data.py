"""The data of a report."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.tournaments.report.tournaments import played_out
from wateringhole.games.evolution.rules.events import SpeciesAttacked
from wateringhole.match.record import read_record


def test_report_data_sums_the_results(tmp_path: Path) -> None:
    with played_out(tmp_path, "silly", "greedy", "random", "failing", game="evolution", games=9) as (store, found):
        results = list(store.results(found.stored.id))
    assert found.turns == Counter(result.turns for result in results)
    scores = Counter(
        (entrant, score)
        for result in results
        for entrant, score in zip(result.entrants, result.scores, strict=True)
        if score is not None
    )
    assert {
        (player, score): times for player, counter in enumerate(found.scores) for score, times in counter.items()
    } == scores
    assert found.history[-1].games == found.standings.games == len(results) == 9


def test_attacks_are_counted_while_games_are_played(tmp_path: Path) -> None:
    with played_out(tmp_path, "random", "random", "random", game="evolution", games=9) as (store, found):
        counted = {(result.series, result.game): result.highlights for result in store.results(found.stored.id)}
        seen = {
            key: sum(
                isinstance(event, SpeciesAttacked)
                for event in read_record(store.record(found.stored.id, *key)).replay().events()
            )
            for key in counted
        }
    assert counted == seen
    assert any(seen.values())
    best = next(recorded.game.result for recorded in found.notable if recorded.game.sort == "Most attacks")
    assert best.highlights == max(seen.values())


def test_porrinha_has_no_highlights(tmp_path: Path) -> None:
    with played_out(tmp_path, "random", "zero", "counter", games=6) as (store, found):
        assert {result.highlights for result in store.results(found.stored.id)} == {None}
