"""The sequential test keeps its error rates, and a round is fair to both."""

from __future__ import annotations

import dataclasses
import itertools
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.match.specs import parse_specs
from wateringhole.process.limits import isolation_for
from wateringhole.tournaments.compare import FEWEST_ROUNDS, Comparison, Contest, SequentialTest, compared_players

Draw = Callable[[random.Random], float]
"""A made-up outcome of one round."""


def games(number: int, *, difference: float = 0.0, ties: float = 0.0) -> Draw:
    """Return outcomes of rounds with this number of independent games."""

    def draw(rng: random.Random) -> float:
        signs = rng.choices((1, 0, -1), (1 - ties + difference, 2 * ties, 1 - ties - difference), k=number)
        return sum(signs) / number

    return draw


def same_luck(rng: random.Random) -> float:
    """Draw a round whose games all end alike, so that rotation removes no noise."""
    return rng.choice((-1.0, 1.0))


def seldom_but_thoroughly(rng: random.Random) -> float:
    """Level on average: usually a little better, but sometimes failing in a whole round."""
    return 1 / 6 if rng.random() < 6 / 7 else -1.0


def seldom_but_clearly(share: float, *, mean: float) -> Draw:
    """Wins a share of all rounds completely, and is a little worse in the others."""
    return lambda rng: 1.0 if rng.random() < share else (mean - share) / (1 - share)


def verdicts(draw: Draw, runs: int, difference: float, *, most_rounds: int = 100_000) -> tuple[Counter[str], float]:
    """Return the number of runs by verdict, and the mean number of rounds."""
    rng = random.Random(20)
    counts: Counter[str] = Counter()
    rounds = 0
    for _ in range(runs):
        test = SequentialTest(difference=difference)
        while test.verdict is None and test.rounds < most_rounds:
            test.add(draw(rng))
        counts[test.verdict or "undecided"] += 1
        rounds += test.rounds
    return counts, rounds / runs


RUNS = 1500
TOLERANCE = 0.006
"""The standard error of a share of 5 % in `RUNS` runs."""


@pytest.mark.parametrize(
    ("draw", "difference"),
    [
        (games(2), 0.2),
        (games(2, ties=0.1), 0.3),
        (games(6, ties=0.1), 0.1),
        (games(6, ties=0.9), 0.1),
        (games(2), 0.5),
        (same_luck, 0.2),
        (same_luck, 0.3),
        (seldom_but_thoroughly, 0.1),
        (seldom_but_thoroughly, 0.2),
    ],
    ids=[
        "duels",
        "duels with ties",
        "tables",
        "mostly ties",
        "coarse",
        "noisy",
        "noisy and coarse",
        "skewed",
        "skewed and coarse",
    ],
)
def test_equal_players_are_called_different_in_no_more_than_the_stated_share_of_runs(
    draw: Draw, difference: float
) -> None:
    counts, _ = verdicts(draw, RUNS, difference)
    assert (counts["better"] + counts["worse"]) / RUNS <= 0.05 + TOLERANCE
    assert counts["undecided"] == 0


@pytest.mark.parametrize(
    ("draw", "difference", "expected"),
    [
        (games(2, difference=0.2), 0.2, "better"),
        (games(2, difference=-0.2), 0.2, "worse"),
        (games(6, difference=0.1, ties=0.1), 0.1, "better"),
        (games(6, difference=-0.1, ties=0.1), 0.1, "worse"),
        (games(2, difference=0.5), 0.2, "better"),
        (seldom_but_clearly(0.3, mean=0.1), 0.1, "better"),
        (seldom_but_clearly(0.2, mean=0.1), 0.1, "better"),
    ],
    ids=["better duels", "worse duels", "better at tables", "worse at tables", "far better", "skewed", "more skewed"],
)
def test_a_difference_is_found_with_the_stated_power(draw: Draw, difference: float, expected: str) -> None:
    counts, _ = verdicts(draw, RUNS, difference)
    assert counts[expected] / RUNS >= 0.95 - TOLERANCE


def test_the_opposite_verdict_is_almost_never_given() -> None:
    counts, _ = verdicts(games(2, difference=0.2), RUNS, 0.2)
    assert counts["worse"] <= 2


def test_a_larger_difference_stops_the_test_earlier() -> None:
    _, close = verdicts(games(2, difference=0.2), 200, 0.2)
    _, clear = verdicts(games(2, difference=0.6), 200, 0.2)
    # A test with the same error rates and a fixed number of rounds needs (1.96 + 1.64)² · 0.5 / 0.2².
    assert clear < close / 2 < 162 / 2


def test_there_is_no_verdict_before_the_fewest_rounds() -> None:
    test = SequentialTest()
    for _ in range(FEWEST_ROUNDS - 1):
        test.add(1.0)
        assert test.verdict is None
    test.add(1.0)
    assert test.verdict == "better"


def test_the_test_has_a_mean_and_an_interval() -> None:
    test = SequentialTest()
    assert test.interval() == (-1.0, 1.0)
    for outcome in (1.0, -1.0, 0.5, 0.5):
        test.add(outcome)
    low, high = test.interval()
    assert test.mean == pytest.approx(0.25)
    assert -1.0 <= low < 0.25 < high <= 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "--alpha 0: expected an error rate between 0 and 0.5"),
        ({"beta": 0.5}, "--beta 0.5: expected an error rate"),
        ({"difference": 0.0}, "--difference 0: expected a number above 0"),
        ({"difference": 1.1}, "--difference 1.1: expected a number above 0"),
    ],
)
def test_invalid_parameters_are_usage_errors(options: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SequentialTest(**options)


def a_comparison(game: str, *specs: str) -> Comparison:
    kind = registry.game_kind(game)
    rules = kind.default_rules
    return Comparison(kind=kind, players=parse_specs(game, specs), rules=rules, seed=5)


@pytest.mark.parametrize("player", ["silly", "random"])
def test_two_copies_of_a_player_come_out_exactly_level(player: str) -> None:
    # Each has had the other's seats, neighbours, cards and chance.
    for round in itertools.islice(a_comparison("evolution", player, player, "silly", "random").rounds(), 4):
        assert round.games == 8
        assert round.outcome == 0
        assert round.ahead == round.behind > 0


@pytest.mark.parametrize("players", [("random", "counter"), ("counter", "random", "random")])
def test_the_same_seed_gives_the_same_rounds(players: Sequence[str]) -> None:
    first, again = (list(itertools.islice(a_comparison("porrinha", *players).rounds(), 8)) for _ in range(2))
    assert first == again
    assert len({round.outcome for round in first}) > 1


def test_two_players_need_no_exchange() -> None:
    comparison = a_comparison("porrinha", "counter?seed=1", "random?seed=2")
    assert comparison.games_per_round == 2
    assert [round.games for round in itertools.islice(comparison.rounds(), 3)] == [2, 2, 2]


@pytest.mark.parametrize(("life", "games"), [(1, 6), (5, 30)])
def test_a_round_is_played_from_every_seat_by_both(life: int, games: int) -> None:
    comparison = dataclasses.replace(a_comparison("porrinha", "zero", "counter", "random"), life=life)
    assert comparison.games_per_round == games
    assert next(comparison.rounds()).games == games


def test_greedy_is_found_to_be_better_than_silly() -> None:
    comparison, test = a_comparison("evolution", "greedy", "silly", "silly"), SequentialTest(difference=0.3)
    for round in comparison.rounds():
        test.add(round.outcome)
        if test.verdict:
            break
    assert test.verdict == "better"
    assert test.rounds < 100


PROGRAM = """
import json, pathlib, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "Ada"}), flush=True)
    elif message["type"] == "request":
        if len(sys.argv) > 1 and not pathlib.Path(sys.argv[1]).exists():
            pathlib.Path(sys.argv[1]).touch()
            sys.exit("crashed once")
        print(json.dumps({"type": "pass", "id": message["id"]}), flush=True)
"""


def first_round(*players: str) -> Contest:
    """Play one round of Porrinha."""
    kind = registry.game_kind("porrinha")
    new, old, *others = players
    compared = compared_players(kind, new, old, others, isolation_for(answer_seconds=30))
    comparison = Comparison(kind=kind, players=compared, rules=kind.default_rules, seed=1)
    contest = Contest(comparison, SequentialTest(), max_games=1)
    assert len(list(contest.rounds())) == 1
    return contest


def test_the_result_has_the_names_that_programs_report(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    command = f"cmd:{sys.executable} {tmp_path}/program.py"
    result = first_round(command, f"Bea={command}", "Ada=zero").result()
    assert (result.new, result.old, result.at_table) == ("Ada 2", "Bea", ("Ada",))


def test_a_program_that_crashes_once_loses_one_game(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    result = first_round(f"cmd:{sys.executable} {tmp_path}/program.py {tmp_path}/crashed", "random").result()
    assert result.games == 2
    assert result.thrown_out == {"new": {"disconnected": 1}, "old": {}}
