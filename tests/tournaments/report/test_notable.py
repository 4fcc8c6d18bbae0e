"""The selection of notable games."""

from __future__ import annotations

import random
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.made_up_results import a_result
from wateringhole.tournaments.report.notable import NotableGame, NotableGames
from wateringhole.tournaments.results import GameResult

NAMES = ("Ada", "Bea", "Cai", "Dan")


def chosen(results: Sequence[GameResult], highlight: str | None = "attack") -> list[NotableGame]:
    games = NotableGames("round", highlight)
    for result in results:
        games.add(result)
    return list(games.games(NAMES))


def of_sort(sort: str, games: Sequence[NotableGame]) -> list[tuple[int, str]]:
    return [(game.result.series, game.remark) for game in games if game.sort == sort]


def scored(series: int, *scores: int | None, game: int = 0) -> GameResult:
    out = ["late" if score is None else None for score in scores]
    return a_result((0, 1, 2), series=series, game=game, scores=scores, thrown_out=out)


def test_games_with_scores_are_ranked_by_scores() -> None:
    games = chosen([scored(0, 30, 5, 4), scored(1, 9, 8, 7), scored(2, 19, 18, 17), scored(3, 20, 10, 0)])
    assert of_sort("Closest", games) == [
        (2, "2 points from first to last"),
        (1, "2 points from first to last"),
        (3, "20 points from first to last"),
    ]
    assert of_sort("Most one-sided", games)[:2] == [(0, "first by 25 points"), (3, "first by 10 points")]
    assert of_sort("Longest", games) == []


def test_a_game_with_a_forfeit_is_never_close() -> None:
    games = chosen([scored(0, 9, 9, None), scored(1, 30, 20, 0)])
    assert of_sort("Closest", games) == [(1, "30 points from first to last")]
    assert of_sort("Forfeit", games) == [(0, "Cai: late")]


def test_games_without_scores_are_ranked_by_length() -> None:
    lengths = [12, 1, 40, 7]
    results = [
        msgspec.structs.replace(a_result((0, 1, 2), series=series), turns=turns) for series, turns in enumerate(lengths)
    ]
    games = chosen(results)
    assert of_sort("Longest", games) == [(2, "40 rounds"), (0, "12 rounds"), (3, "7 rounds")]
    assert of_sort("Shortest", games)[0] == (1, "1 round")


def test_games_with_most_highlights_are_notable() -> None:
    results = [msgspec.structs.replace(scored(series, 3, 2, 1), highlights=series) for series in range(4)]
    assert of_sort("Most attacks", chosen(results)) == [(3, "3 attacks"), (2, "2 attacks"), (1, "1 attack")]
    assert not [game for game in chosen(results, None) if "attack" in game.remark]


@pytest.mark.parametrize("reason", ["late", "illegal"])
def test_only_one_game_of_a_series_is_notable(reason: str) -> None:
    results = [scored(series, 10 + series, 10, 10, game=game) for series in range(2) for game in range(4)]
    assert [series for series, _ in of_sort("Closest", chosen(results))] == [0, 1]


def test_each_forfeit_reason_of_a_player_has_one_example() -> None:
    results = [
        a_result((0, 1), series=series, thrown_out=(None, reason))
        for series, reason in enumerate(["late", "illegal", "late"])
    ]
    assert of_sort("Forfeit", chosen(results)) == [(1, "Bea: illegal"), (0, "Bea: late")]


some_results = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.lists(st.none() | st.integers(0, 9), min_size=3, max_size=3)),
    unique_by=lambda drawn: drawn[:2],
)


@given(some_results, st.randoms(use_true_random=False))
def test_the_order_of_the_results_does_not_matter(drawn: list[tuple[int, int, list[int]]], rng: random.Random) -> None:
    results = [
        msgspec.structs.replace(scored(series, *scores, game=game), turns=series, highlights=game)
        for series, game, scores in drawn
    ]
    shuffled = rng.sample(results, len(results))
    assert chosen(shuffled) == chosen(results)
