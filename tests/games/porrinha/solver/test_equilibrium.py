"""The player that plays the solutions."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.porrinha.solver.tables import losses, play
from wateringhole.errors import OperationError
from wateringhole.games.porrinha import Rules
from wateringhole.games.porrinha.bots import equilibrium
from wateringhole.games.porrinha.bots.equilibrium import Equilibrium
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.solver import solution
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin
from wateringhole.player import PlayerContext

GAMES = 2000


def _error(chance: float, games: int) -> float:
    """Return four standard errors: a correct player fails for one in about 16,000 seeds."""
    return 4 * math.sqrt(chance * (1 - chance) / games)


@pytest.mark.parametrize("lead_after_win", get_args(LeadAfterWin))
@pytest.mark.parametrize("sticks", [(3, 2), (1, 3), (2, 2)], ids=str)
def test_win_rate_against_itself_matches_the_value(sticks: tuple[int, int], lead_after_win: LeadAfterWin) -> None:
    value = solution.solve(3, lead_after_win).values[sticks]
    lost, _ = losses(
        [Equilibrium(seed=1), Equilibrium(seed=2)], Rules(sticks=sticks, lead_after_win=lead_after_win), GAMES
    )
    assert 1 - lost / GAMES == pytest.approx(value, abs=_error(value, GAMES))


@pytest.mark.parametrize("sticks", [(3, 3), (3, 1)], ids=str)
def test_win_rate_is_at_least_the_value_from_both_seats(sticks: tuple[int, int]) -> None:
    value = solution.solve(3).values[sticks]
    rules = Rules(sticks=sticks)
    as_lead = losses([Equilibrium(seed=1), Random(seed=2)], rules, GAMES)[0]
    as_follower = losses([Random(seed=1), Equilibrium(seed=2)], rules, GAMES)[1]
    assert 1 - as_lead / GAMES >= value - _error(value, GAMES)
    assert 1 - as_follower / GAMES >= 1 - value - _error(value, GAMES)


def test_it_beats_a_random_player() -> None:
    lost = losses([Random(seed=1), Equilibrium(seed=2)], Rules(), 500)
    # Even the best answer to random hands is right only once in four rounds, so the margin is small.
    assert lost[0] / 500 > 0.5 + _error(0.5, 500)


def test_it_loses_less_than_a_third_of_games_against_two_random_players() -> None:
    lost = losses([Random(seed=1), Equilibrium(seed=2), Random(seed=3)], Rules(), 300)
    assert lost[1] < 300 / 3 - 300 * _error(1 / 3, 300)


RULES = st.builds(
    lambda sticks, **options: Rules(sticks=tuple(sticks), max_rounds=30, **options),
    sticks=st.lists(st.integers(1, 3), min_size=2, max_size=4),
    opening_zero=st.sampled_from(["allowed", "forbidden"]),
    lead_after_win=st.sampled_from(["winner", "rotate"]),
    finish=st.sampled_from(["last_loses", "first_out_wins"]),
    closing_call=st.sampled_from(["end_game", "begin_game"]),
)


@given(rules=RULES, seed=st.integers(0, 100))
@settings(max_examples=25)
def test_every_answer_is_legal_under_all_rules(rules: Rules, seed: int) -> None:
    assert isinstance(rules.sticks, tuple)
    players = [Equilibrium(seed=f"{seed}/{seat}") for seat in range(len(rules.sticks))]
    for _ in range(2):
        assert play(players, rules)[1] == []


class Mute(Player):
    """A player with empty hands and void guesses."""

    def hand(self) -> int:
        return 0

    def guess(self) -> int:
        return -5


def test_a_void_guess_of_the_lead_gets_a_legal_answer() -> None:
    outcome, repairs = play([Mute(), Equilibrium(seed=1)], Rules())
    assert outcome.loser == 0
    assert {fault.seat for fault in repairs} == {0}


def test_the_same_seed_plays_the_same_game() -> None:
    def rounds(seed: int) -> int:
        return play([Equilibrium(seed=seed), Equilibrium(seed=9)], Rules())[0].rounds

    assert rounds(3) == rounds(3)
    assert len({rounds(seed) for seed in range(10)}) > 1


@pytest.mark.parametrize(("players", "kind"), [(2, "exact"), (3, "approximate")])
def test_its_name_contains_its_strategy(players: int, kind: str) -> None:
    with PlayerContext(players):
        assert Equilibrium().name() == f"equilibrium ({kind})"


class Curious(Equilibrium):
    """A player that records its description by the number of players still in."""

    def hand(self) -> int:
        self.described = {**getattr(self, "described", {}), self.core.active_player_count(): self.describe()}
        return super().hand()


def test_it_plays_exactly_when_two_are_left() -> None:
    player = Curious(seed=1)
    # It starts with the most sticks, so it is never the first without sticks.
    play([player, Random(seed=2), Random(seed=3)], Rules(sticks=(3, 1, 1)))
    assert "approximate" in player.described[3]
    assert "exact" in player.described[2]


def test_two_players_with_many_sticks_are_approximate() -> None:
    with PlayerContext(2):
        players = [Equilibrium(seed=1), Equilibrium(seed=2)]
    _, repairs = play(players, Rules(sticks=1000, max_rounds=3))
    assert players[0].name() == "equilibrium (approximate)"
    assert repairs == []


def test_two_players_become_exact_with_few_sticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equilibrium, "MOST_EXACT_STICKS", 2)
    player = Curious(seed=1)
    _, repairs = play([player, Random(seed=2)], Rules(sticks=(3, 2)))
    assert "exact" in player.described[2]
    assert player.name() == "equilibrium (approximate)"
    assert repairs == []


def test_a_missing_solver_is_reported_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solution, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"wateringhole\[solve\]"):
        Equilibrium()


def test_construction_loads_no_solver() -> None:
    code = (
        "import sys; from wateringhole.games.porrinha.bots.equilibrium import Equilibrium; Equilibrium();"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
