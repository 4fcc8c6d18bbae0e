"""Ratings are right on average, have valid errors, and do not depend on the order of games."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import numpy as np
import pytest

from tests.tournaments.made_up_results import a_result, by_strength, in_order
from wateringhole.tournaments.ratings import Estimate, LiveRatings, Standings, fit, history, standings
from wateringhole.tournaments.results import GameResult, ResultSums
from wateringhole.tournaments.scale import POINTS
from wateringhole.tournaments.schedule import plan


def stand(players: int, results: Sequence[GameResult], resamples: int = 100) -> Standings:
    names = [f"player {number}" for number in range(players)]
    return standings(ResultSums(players, results), names, resamples=resamples)


def a_tournament(strengths: Sequence[float], games: int, *, table_size: int = 3, seed: int = 1) -> list[GameResult]:
    planned = plan("round-robin", len(strengths), table_size=table_size, games=games, seed=seed)
    return by_strength(planned, strengths, seed)


def value(estimate: Estimate | None) -> float:
    assert estimate is not None
    return estimate.value


# The fit


def test_the_fit_predicts_how_often_each_player_finishes_ahead() -> None:
    ahead = np.array([[0, 7, 9.5], [3, 0, 6], [0.5, 4, 0]])
    strengths = fit(ahead)
    games = ahead + ahead.T + np.full((3, 3), 0.5)
    expected = games / (1 + np.exp(strengths[None, :] - strengths[:, None]))
    np.fill_diagonal(expected, 0)
    # The prediction includes the virtual game, half of it won.
    assert expected.sum(axis=1) == pytest.approx(ahead.sum(axis=1) + 0.5)
    assert strengths.sum() == pytest.approx(0)


def test_the_fit_finds_the_strengths_behind_the_games() -> None:
    strengths = [-1.0, -0.4, 0.0, 0.3, 1.1]
    found = stand(5, a_tournament(strengths, 3000, seed=2))
    for line in found.players:
        assert (line.rating.value - 1500) / POINTS == pytest.approx(strengths[line.player], abs=0.1)


def test_a_player_that_always_wins_has_a_finite_rating_that_grows_with_the_games() -> None:
    few, many = (stand(3, in_order(plan("round-robin", 3, table_size=3, games=games, seed=1))) for games in (30, 300))
    assert [line.player for line in many.players] == [0, 1, 2]
    assert 1600 < few.players[0].rating.value < many.players[0].rating.value < 3500


def test_a_player_without_games_has_no_estimates() -> None:
    found = stand(3, [a_result((0, 1), series=series) for series in range(4)])
    (absent,) = (line for line in found.players if line.player == 2)
    assert (absent.games, absent.win_rate, absent.mean_place, absent.mean_score) == (0, None, None, None)
    assert absent.rating.low is None


def test_a_tie_counts_as_half_a_game_for_each() -> None:
    level = [a_result((0, 1), (1, 1), series=series) for series in range(10)]
    found = stand(2, level)
    assert [line.rating.value for line in found.players] == [1500, 1500]
    won_half = [a_result((series % 2, 1 - series % 2), series=series) for series in range(10)]
    assert value(found.players[0].win_rate) == value(stand(2, won_half).players[0].win_rate) == 0.5


# Errors


def test_equal_players_are_separated_in_few_tournaments() -> None:
    tournaments = 60
    wrong = sum(stand(4, a_tournament([0.0] * 4, 60, table_size=4, seed=seed)).separates for seed in range(tournaments))
    # 5 % of 60 are 3; more than 8 happen by chance once in 400 times.
    assert wrong <= 8


def test_intervals_have_the_stated_coverage() -> None:
    strengths = [-0.6, 0.0, 0.2, 0.4]
    covered = [
        line.rating.low <= 1500 + POINTS * strengths[line.player] <= line.rating.high
        for seed in range(40)
        for line in stand(4, a_tournament(strengths, 80, table_size=4, seed=seed)).players
        if line.rating.low is not None and line.rating.high is not None
    ]
    assert len(covered) == 160
    assert 0.90 <= sum(covered) / len(covered) <= 0.995


def test_players_who_differ_by_more_than_the_error_are_ranked_and_others_are_not() -> None:
    found = stand(4, a_tournament([2.0, 0.0, 0.0, -2.0], 300))
    assert [line.rank for line in found.players] == [1, 2, 2, 4]
    best, second, third, last = found.players
    assert (best.player, last.player) == (0, 3)
    assert best.not_separated == last.not_separated == ()
    assert (second.not_separated, third.not_separated) == ((third.player,), (second.player,))


@pytest.mark.parametrize(("series", "separated"), [(1, False), (2, False), (5, False), (10, True)])
def test_winning_a_few_series_does_not_separate_players(series: int, separated: bool) -> None:
    # The threshold is about that of a sign test: five series won in a row happen by chance once in sixteen times.
    planned = plan("round-robin", 2, table_size=2, games=2 * series, seed=1)
    found = stand(2, in_order(planned), resamples=500)
    assert found.separates is separated
    assert (found.players[0].rating.low is None) == (series < 2)
    win_rate = found.players[0].win_rate
    assert win_rate is not None
    assert (win_rate.high is None) == (series < 2)


def test_the_error_comes_from_deals_and_not_from_their_repetitions() -> None:
    # The four rotations of each deal end alike, so they count as one.
    rng = random.Random(5)
    outcomes = [rng.sample(range(1, 5), 4) for _ in range(20)]
    repeated = [
        a_result(range(4), outcome, series=4 * deal + life)
        for deal, outcome in enumerate(outcomes)
        for life in range(4)
    ]
    names = list("abcd")
    once = standings(
        ResultSums(4, [a_result(range(4), outcome, series=deal) for deal, outcome in enumerate(outcomes)]), names
    )
    grouped = standings(ResultSums(4, repeated, series_per_block=4), names)
    separate = standings(ResultSums(4, repeated), names)

    def width(found: Standings) -> float:
        return sum(
            (line.mean_place.high or 0) - (line.mean_place.low or 0) for line in found.players if line.mean_place
        )

    assert width(grouped) == pytest.approx(width(once))
    assert width(separate) < 0.6 * width(grouped)


def test_the_error_shrinks_with_the_number_of_series() -> None:
    def width(games: int) -> float:
        rating = stand(4, a_tournament([0.0, 0.1, 0.2, 0.3], games)).players[0].rating
        assert rating.low is not None
        assert rating.high is not None
        return rating.high - rating.low

    assert width(1200) == pytest.approx(width(300) / 2, rel=0.3)


def test_standings_do_not_depend_on_the_order_in_which_games_were_finished() -> None:
    results = a_tournament([0.0, 0.3, 0.6, 0.9, 1.2], 90)
    shuffled = list(results)
    random.Random(3).shuffle(shuffled)
    assert stand(5, shuffled) == stand(5, results)


# The rest of the table


def test_a_line_has_places_scores_forfeits_and_time() -> None:
    results = [
        a_result((0, 1, 2), (1, 2, 3), series=series, game=0, scores=(20, 10, None), thrown_out=(None, None, "late"))
        for series in range(3)
    ] + [a_result((0, 1, 2), (1, 1, 3), series=series, game=1, scores=(8, 8, 5)) for series in range(3)]
    found = stand(3, results)
    by_player = {line.player: line for line in found.players}
    assert (found.games, found.series, found.mean_turns) == (6, 3, 6)
    assert value(by_player[0].win_rate) == pytest.approx(0.75)
    assert value(by_player[1].win_rate) == pytest.approx(0.25)
    assert [value(by_player[player].mean_place) for player in range(3)] == pytest.approx([1.25, 1.75, 3])
    scores = [line.mean_score for line in (by_player[0], by_player[1], by_player[2])]
    assert [score and score.value for score in scores] == pytest.approx([14, 9, 5])
    assert by_player[2].thrown_out == {"late": 3}
    assert by_player[1].places == {1: 3, 2: 3}
    assert by_player[0].seconds == pytest.approx(3)


def test_the_cross_table_counts_games_ahead() -> None:
    found = stand(4, [a_result((0, 1, 2), (1, 2, 2)), a_result((2, 0, 1), (1, 2, 3), game=1)])
    assert (found.cross_table[0][1].games, found.cross_table[0][1].ahead) == (2, 2)
    assert (found.cross_table[1][2].games, found.cross_table[1][2].ahead) == (2, 0.5)
    assert found.cross_table[2][1].ahead == 1.5
    assert found.cross_table[3][0].games == 0


def test_no_player_is_better_before_the_first_game() -> None:
    found = stand(3, [])
    assert [(line.rank, line.rating.value, line.rating.low) for line in found.players] == [(1, 1500, None)] * 3
    assert found.players[0].mean_score is None


def test_the_number_of_names_must_match() -> None:
    with pytest.raises(ValueError, match="1 names for 2 players"):
        standings(ResultSums(2), ["one"])


# Live ratings


def test_live_ratings_follow_the_games() -> None:
    live = LiveRatings(4)
    before = live[0]
    for series in range(20):
        live.add(a_result((2, 0, 1), series=series))
    assert live[2].mu > live[0].mu > live[1].mu
    assert live[0].sigma < before.sigma
    assert live[3] == before


def test_a_tie_brings_live_ratings_together() -> None:
    live = LiveRatings(2)
    live.add(a_result((0, 1)))
    apart = live[0].mu - live[1].mu
    live.add(a_result((0, 1), (1, 1), game=1))
    assert 0 < live[0].mu - live[1].mu < apart
    assert math.isfinite(live[0].sigma)


# Ratings over time


def test_the_last_step_of_the_history_is_the_standings() -> None:
    result_sums = ResultSums(
        5, by_strength(plan("round-robin", 5, table_size=3, games=90, seed=1), [0, 1, 2, 3, 4], seed=1)
    )
    steps = history(result_sums, 7)
    assert [step.games for step in steps] == sorted({step.games for step in steps})
    assert len(steps) == 7
    assert steps[-1].games == 90
    final = {line.player: line.rating.value for line in standings(result_sums, list("abcde"), resamples=2).players}
    assert steps[-1].ratings == pytest.approx([final[player] for player in range(5)])


def test_a_step_of_the_history_does_not_depend_on_later_games() -> None:
    results = by_strength(plan("round-robin", 4, table_size=4, games=40, seed=1), [0, 1, 2, 3], seed=1)
    early = history(ResultSums(4, results[:20]), 5)
    assert history(ResultSums(4, results), 10)[:5] == early


@pytest.mark.parametrize(("games", "steps"), [(0, 0), (1, 1), (4, 1)])
def test_a_history_has_no_more_steps_than_there_are_series(games: int, steps: int) -> None:
    results = by_strength(plan("round-robin", 4, table_size=4, games=4, seed=1), [0, 1, 2, 3], seed=1)
    assert len(history(ResultSums(4, results[:games]))) == steps
