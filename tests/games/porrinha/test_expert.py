"""The expert beats the other bots, is exact between two players, and answers under all rules."""

from __future__ import annotations

import importlib
import itertools
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import wateringhole as wh
from tests.conftest import ROOT
from tests.games.porrinha.builders import only
from wateringhole.game import Notice, Seat
from wateringhole.games.porrinha import Core, GuessTotal, Rules, deal
from wateringhole.games.porrinha.bots.equilibrium import Equilibrium
from wateringhole.games.porrinha.bots.expert import exact
from wateringhole.games.porrinha.bots.expert.beliefs import Style, guess_chances, hand_chances
from wateringhole.games.porrinha.bots.expert.opponents import HABITS, Opponent, Round
from wateringhole.games.porrinha.bots.expert.player import Expert
from wateringhole.games.porrinha.bots.expert.strategy import plans
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.rules.view import View


@pytest.fixture(autouse=True, scope="module")
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep solutions in another cache than the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize(
    ("opponent", "players", "games", "least"),
    [("random", 3, 40, 20), ("zero", 3, 40, 20), ("counter", 3, 90, 34), ("random", 5, 20, 7), ("zero", 5, 10, 7)],
)
def test_it_wins_more_than_its_share(opponent: str, players: int, games: int, least: int) -> None:
    """Thousands of games are in `benchmarks/README.md`."""
    wins = 0
    for number in range(games):
        seated: list[Any] = [opponent] * players
        seated[number % players] = "expert"
        outcome = wh.play("porrinha", seated, seed=number).outcome
        wins += outcome.places().get(Seat(number % players)) == 1
    assert wins >= least


@pytest.mark.parametrize(
    ("players", "rules"),
    [
        (2, "seed"),
        (2, "sticks=4"),
        (3, "original"),
        (3, "sticks=1"),
        (3, "sticks=4,1,9"),
        (3, "opening_zero=forbidden"),
        (3, "finish=first_out_wins"),
        (4, "lead_after_win=rotate"),
        (4, "taken_guess=again"),
        (5, "seed"),
        (5, "sticks=7"),
        (5, "sticks=1000000 max_rounds=20"),
        (7, "seed"),
        (12, "max_rounds=5"),
    ],
)
def test_it_plays_legally_under_all_rules(players: int, rules: str) -> None:
    seated = ["expert", *["random"] * (players - 2), "expert"]
    games = [wh.play("porrinha", seated, seed=3, rules=rules.split()) for _ in range(2)]
    assert games[0].outcome == games[1].outcome
    assert games[0].outcome.thrown_out == ()
    assert not any(games[0].repaired_answers)


@pytest.mark.parametrize("rules", ["seed", "lead_after_win=rotate", "opening_zero=forbidden", "sticks=4"])
def test_two_experts_play_like_two_equilibrium_players(rules: str) -> None:
    pytest.importorskip("scipy", reason="the equilibrium needs SciPy: it comes with the extra solve")
    games = [wh.play("porrinha", [bot(1), bot(2)], seed=5, rules=rules) for bot in (Expert, Equilibrium)]
    assert games[0].outcome == games[1].outcome


def test_few_sticks_are_solved_without_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.games.porrinha.solver.solution.find_spec", lambda name: None)
    assert exact.two_player_solution(Rules(), 2).values[3, 2] == pytest.approx(0.35068, abs=1e-5)
    assert exact.two_player_solution(Rules(sticks=5), 2).sticks == 3
    outcome = wh.play("porrinha", ["expert", "random"], seed=1, rules="sticks=5").outcome
    assert outcome.thrown_out == ()


def test_its_package_needs_no_numpy() -> None:
    code = (
        "import sys, wateringhole as wh; wh.play('porrinha', ['expert'] * 3, seed=1);"
        "print('numpy' in sys.modules, 'scipy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


class Shows(Player):
    """Shows the same hand in every round, and guesses it."""

    def __init__(self, hand: int) -> None:
        self._hand = hand

    def hand(self) -> int:
        return self._hand

    def guess(self) -> int:
        values = itertools.chain([self._hand], range(self.core.chopstick_count() + 1))
        return next(value for value in values if self.core.valid_guess(value))


def _guess_after(hands: dict[int, int], guesses: list[int]) -> int:
    """Return the guess of an expert in the last of three seats, after the guesses of the others."""
    expert, game = Expert(seed=1), Core(deal(3, Rules()))
    for notice in only(game.opening, Notice):
        if notice.seat == 2:
            expert.on_notice(notice)
    game.advance({Seat(0): hands[0], Seat(1): hands[1], Seat(2): expert.answer(game.requests[Seat(2)])})
    for seat, guess in enumerate(guesses):
        game.advance({Seat(seat): guess})
    request = game.requests[Seat(2)]
    assert isinstance(request, GuessTotal)
    answer = expert.answer(request)
    assert isinstance(answer, int)
    return answer


def test_its_guess_does_not_depend_on_hidden_hands() -> None:
    assert _guess_after({0: 0, 1: 0}, [4, 5]) == _guess_after({0: 3, 1: 3}, [4, 5])


def test_it_learns_the_hands_of_its_opponents() -> None:
    series = wh.play("porrinha", [Shows(1), Shows(2), "expert"], games=4, seed=2)
    assert [game.outcome.places()[Seat(2)] for game in series][1:] == [1, 1, 1]


def test_it_stops_learning_when_it_is_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    learned_after: list[int] = []
    learn = Expert._learn

    def counted(expert: Expert, view: View, seats: list[int]) -> None:
        learned_after.append(view.round)
        learn(expert, view, seats)

    monkeypatch.setattr(Expert, "_learn", counted)
    played = wh.play("porrinha", [Shows(1), Shows(2), Shows(3), "expert"], seed=2, rules="max_rounds=200")
    assert played.outcome.places()[Seat(3)] == 1
    assert max(learned_after) < 100


def test_an_opponent_that_says_any_sum_loses_the_other_habits() -> None:
    opponent = Opponent()
    assert opponent.reads == pytest.approx(sum(habit.weight for habit in HABITS if habit.reads))
    for guess in (0, 9, 1, 8, 0, 9):
        played = Round([3, 3, 3], 0, [opponent, None, None])
        by_habit = played.add_guess(0, guess)
        opponent.add_guess([by_hand[2] for by_hand in by_habit])
    assert HABITS[max(range(len(HABITS)), key=opponent.weights.__getitem__)].style == Style(0.0, 0.0)
    assert opponent.reads < 0.2


def test_a_guess_changes_the_belief_about_a_hand_by_how_much_it_reveals() -> None:
    played = Round([3, 3, 3], 0, [None, None, None])
    before = played.beliefs[2]
    played.add_guess(0, 4)
    played.add_guess(1, 3)
    low = played.beliefs[1]
    assert low[0] > before[0]
    assert played.beliefs[2] == before
    assert sum(low) == pytest.approx(1)


def test_the_trained_tables_are_complete() -> None:
    for players in (3, 4, 5):
        for sticks in itertools.product((1, 2, 3), repeat=players):
            found = plans(sticks)
            assert len(found) == players
            assert found[-1].style.concealment == 0
    # The lead conceals its hand; the last player has no reason to.
    assert [plan.style.concealment for plan in plans((3, 3, 3))] == [0.79, 0.449, 0.0]


def test_untrained_tables_use_the_nearest_trained_ones() -> None:
    assert plans((9, 3, 4)) == plans((3, 3, 3))
    assert plans((2, 3)) == plans((2, 2, 3))[1:]
    assert plans((1, 2, 3, 3, 2, 1, 3)) == [plans((3, 3, 2, 1, 3))[0]] * 2 + plans((3, 3, 2, 1, 3))


# ── training ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def training() -> Iterator[ModuleType]:
    """The training script.  It is not compiled, which would take longer than these tests."""
    numba = pytest.importorskip("numba", reason="the training needs Numba: it comes with the extra sim")
    pytest.importorskip("scipy", reason="the training needs SciPy: it comes with the extra solve")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(numba, "njit", lambda function=None, **options: function or (lambda each: each))
        patch.syspath_prepend(str(ROOT / "training"))
        yield importlib.import_module("porrinha_expert")
        patch.delitem(sys.modules, "porrinha_expert")


def test_a_short_training_is_reproducible_and_reduces_regrets(training: ModuleType) -> None:
    import numpy as np

    effort = {3: training.Effort(starts=1, evaluations=60, prune=0.0)}
    trained = training.train([3], 1, effort, seed=1)
    assert trained == training.train([3], 1, effort, seed=1)
    begin = np.array([[1.35, 0.8, 6.0], [1.35, 0.4, 6.0], [1.35, 0.0, 6.0]])
    after = training.regrets((1, 1, 1), np.array(trained["1,1,1"]))
    assert 0 <= after.sum() < training.regrets((1, 1, 1), begin).sum()


def test_best_responses_gain_little_in_a_round(training: ModuleType) -> None:
    import numpy as np

    for sticks in [(2, 2, 2), (1, 3, 2), (1, 1, 2, 1)]:
        plan = np.array([[each.spread, *each.style] for each in plans(sticks)])
        assert 0 <= training.regrets(sticks, plan).max() < 0.02


def test_a_best_response_in_whole_games_of_one_stick(training: ModuleType) -> None:
    values = training.game_values(3, 1)
    best, played = values[1, 1, 1]
    assert played.sum() == pytest.approx(3, abs=1e-3)
    assert -1e-3 < (best - played).min() <= (best - played).max() < 0.1


def test_the_compiled_guesses_are_those_of_the_player(training: ModuleType) -> None:
    import numpy as np

    sticks, style, taken = (3, 2, 3), Style(0.4, 5.0), [4]
    beliefs = np.zeros((3, 4))
    for position, own in enumerate(sticks):
        beliefs[position, : own + 1] = hand_chances(own, 0, 1.5)
    blocked = np.zeros(9, np.bool_)
    blocked[taken] = True
    chances = np.zeros((4, 9))
    training.guess_chances(1, style, np.array(sticks), beliefs, blocked, chances, np.zeros(9))
    played = Round(sticks, 0, [None] * 3)
    played.beliefs[:] = [hand_chances(own, 0, 1.5) for own in sticks]
    expected = guess_chances(style, played.beliefs[1], played.others(1), taken)
    assert chances[:3] == pytest.approx(np.array(expected))


@pytest.mark.parametrize("learns", ["maybe", "1", ""])
def test_learning_is_a_truth_value(learns: str) -> None:
    with pytest.raises(wh.UsageError, match="learns must be true or false, not "):
        wh.play("porrinha", [f"expert?learns={learns}", "random"], seed=1)
