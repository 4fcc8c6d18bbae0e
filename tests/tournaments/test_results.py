"""The sums of results."""

from __future__ import annotations

import random
import zlib
from fractions import Fraction

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.made_up_results import a_result, by_strength
from wateringhole.errors import OperationError
from wateringhole.game import Forfeit, Outcome, Seat, Standing, ThrownOut
from wateringhole.match.series import PlayedGame
from wateringhole.tournaments.results import GameResult, ResultSums, points, result_of, unpacked
from wateringhole.tournaments.schedule import PlannedSeries, plan


@pytest.mark.parametrize(
    ("places", "gained"),
    [
        ((1, 2, 3), (2.0, 1.0, 0.0)),
        ((3, 1, 2), (0.0, 2.0, 1.0)),
        ((1, 1, 3), (1.5, 1.5, 0.0)),
        ((1, 2, 2), (2.0, 0.5, 0.5)),
        ((1, 1, 1), (1.0, 1.0, 1.0)),
        ((1, 2), (1.0, 0.0)),
    ],
)
def test_points_count_beaten_players_and_half_of_ties(places: tuple[int, ...], gained: tuple[float, ...]) -> None:
    assert points(a_result(range(len(places)), places)) == gained


def test_a_result_has_the_entrants_of_the_tournament_by_seat() -> None:
    outcome = Outcome(
        "over",
        (Standing(Seat(2), 1, 30), Standing(Seat(0), 2, 20)),
        (ThrownOut(Seat(3), Forfeit("late", "too slow")), ThrownOut(Seat(1), Forfeit("illegal", "no such card"))),
    )
    # The entrants of the series by seat, after one rotation.
    played = PlayedGame(
        seed=7,
        names=("Ada", "Bea", "Cid", "Dot"),
        entrants=(1, 2, 3, 0),
        outcome=outcome,
        seconds=(0.1, 0.2, 0.3, 0.4),
        repaired_answers=(0, 5, 0, 1),
        turns=9,
        highlights=2,
    )
    result = result_of(PlannedSeries(5, (10, 11, 12, 13), 4, 7), 1, played)
    assert result == GameResult(
        series=5,
        game=1,
        entrants=(11, 12, 13, 10),
        places=(2, 3, 1, 4),  # the first thrown out is lowest
        scores=(20, None, 30, None),
        thrown_out=(None, "illegal", None, "late"),
        seconds=(0.1, 0.2, 0.3, 0.4),
        turns=9,
        highlights=2,
        repaired_answers=(0, 5, 0, 1),
    )


def test_results_are_summed_by_series_and_by_player() -> None:
    result_sums = ResultSums(4)
    result_sums.add(a_result((3, 1, 0), (1, 1, 3), scores=(9, 9, None), thrown_out=(None, None, "late")))
    second = a_result((1, 0, 3), (3, 2, 1), game=1, scores=(1, 4, 7))
    result_sums.add(msgspec.structs.replace(second, repaired_answers=(2, 0, 1)))
    (block,) = result_sums.blocks()
    assert block.entrants == (0, 1, 3)
    assert block.games == result_sums.games == 2
    assert block.ahead == [0, 1, 0, 1, 0, 0.5, 2, 1.5, 0]
    assert block.wins == [0, Fraction(1, 2), Fraction(3, 2)]
    assert block.places == [5, 4.5, 2.5]
    assert (block.scores, block.scored) == ([4, 10, 16], [1, 2, 2])
    assert result_sums.players[3].places == {1: 2}
    assert result_sums.players[0].thrown_out == {"late": 1}
    assert result_sums.players[1].seconds == 1.0
    assert result_sums.players[2].games == 0
    assert [sums.repaired_answers for sums in result_sums.players] == [0, 2, 0, 1]


def test_all_games_of_a_deal_are_summed_together() -> None:
    planned = plan("round-robin", 3, table_size=3, games=12, seed=1, life=2)
    result_sums = ResultSums(3, by_strength(planned, [0.0] * 3, seed=1), series_per_block=3)
    assert [block.games for block in result_sums.blocks()] == [6, 6]
    assert (result_sums.series, result_sums.games) == (6, 12)


@settings(max_examples=20, deadline=None)
@given(st.randoms(use_true_random=False))
def test_the_order_in_which_games_are_finished_does_not_matter(rng: random.Random) -> None:
    results = by_strength(plan("round-robin", 5, table_size=3, games=45, seed=1, life=3), [0.0] * 5, seed=1)
    shuffled = list(results)
    rng.shuffle(shuffled)
    in_schedule_order, in_any_order = (ResultSums(5, each, series_per_block=3) for each in (results, shuffled))
    assert list(in_any_order.blocks()) == list(in_schedule_order.blocks())
    assert in_any_order.series == in_schedule_order.series


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (a_result((0, 1, 2)), "game 0 of series 0 .*: it was added before"),
        (a_result((0, 1, 3), game=1), "game 1 of series 0 .*: its block is played by"),
        (a_result((0, 1, 9), series=1), "there are 4 players"),
    ],
)
def test_an_impossible_result_is_rejected_and_changes_nothing(second: GameResult, message: str) -> None:
    result_sums = ResultSums(4, [a_result((0, 1, 2))])
    with pytest.raises(OperationError, match=message):
        result_sums.add(second)
    assert result_sums.games == 1
    assert sum(player.games for player in result_sums.players) == 3
    assert [block.games for block in result_sums.blocks()] == [1]


@pytest.mark.parametrize(
    ("packed", "problem"),
    [
        (zlib.compress(bytes(65 << 20)), "the record has more than 64 MB"),
        (zlib.compress(b"{}")[:-3], "the record cannot be unpacked: its end is missing"),
        (b"{}", "the record cannot be unpacked: Error -3"),
    ],
    ids=["bomb", "truncated", "not packed"],
)
def test_a_damaged_record_is_not_unpacked(packed: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        unpacked(packed)
