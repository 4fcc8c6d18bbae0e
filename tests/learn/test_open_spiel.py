"""The games for OpenSpiel pass OpenSpiel's tests, and its algorithms agree with our solver."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: it comes with the extra openspiel")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import exploitability, generate_playthrough

import wateringhole.learn.open_spiel  # noqa: F401  (registers the games)
from wateringhole.errors import UsageError
from wateringhole.games.porrinha.solver.certificate import best_values_within
from wateringhole.games.porrinha.solver.solution import Solution, solve

PLAYTHROUGHS = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))


@pytest.mark.parametrize(
    ("game", "simulations"),
    [
        ("wateringhole_porrinha(players=2,rules=sticks:1;max_rounds:2)", 20),
        ("wateringhole_porrinha(players=3)", 2),
        ("wateringhole_evolution(players=3,rules=most_turns:1)", 2),
        ("wateringhole_evolution(players=4,rules=most_turns:2,recalled=0)", 1),
    ],
)
def test_random_sim_test_passes(game: str, simulations: int) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(game), num_sims=simulations, serialize=True, verbose=False)


@pytest.mark.slow
def test_random_sim_test_passes_for_whole_games() -> None:
    pyspiel.random_sim_test(pyspiel.load_game("wateringhole_evolution"), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("file", PLAYTHROUGHS, ids=lambda file: str(file.stem))
def test_playthroughs_are_unchanged(file: Path) -> None:
    """To write them again after a change: `python -m tests.learn.test_open_spiel`."""
    kept = file.read_text(encoding="utf-8")
    game = kept.splitlines()[0].removeprefix("game: ")
    actions = [int(line.removeprefix("action: ")) for line in kept.splitlines() if line.startswith("action: ")]
    assert generate_playthrough.playthrough(game, actions) == kept


def test_there_is_a_playthrough_of_each_game() -> None:
    assert [file.stem for file in PLAYTHROUGHS] == ["evolution", "porrinha"]


def random_state(game: Any, steps: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    state = game.new_initial_state()
    for _ in range(steps):
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


@pytest.mark.parametrize(("game", "steps"), [("wateringhole_porrinha(players=3)", 12), ("wateringhole_evolution", 140)])
def test_states_are_cloned_and_pickled(game: str, steps: int) -> None:
    state = random_state(pyspiel.load_game(game), steps, 1)
    for other in (state.clone(), pickle.loads(pickle.dumps(state))):
        assert str(other) == str(state)
        assert other.legal_actions() == state.legal_actions()
        other.apply_action(other.legal_actions()[0])
        assert len(other.history()) == len(state.history()) + 1 == steps + 1


def test_hidden_hands_are_in_no_information_state_of_another_player() -> None:
    """Porrinha: the hands of a round are hidden until it is settled."""
    game = pyspiel.load_game("wateringhole_porrinha(players=2,rules=sticks:1)")
    shown = set()
    for hand in (0, 1):
        state = game.new_initial_state()
        for action in (hand, 0, 2):
            state.apply_action(action)
        shown.add((state.information_state_string(1), tuple(state.information_state_tensor(1))))
        assert state.observation_string(1) != state.observation_string(0)
    assert len(shown) == 1


def test_information_states_recall_earlier_rounds() -> None:
    game = pyspiel.load_game("wateringhole_porrinha(players=2,rules=sticks:1)")
    strings, tensors = set(), set()
    for first_guess in (1, 2):
        state = game.new_initial_state()
        for action in (0, 0, first_guess, 3 - first_guess):
            state.apply_action(action)
        strings.add(state.information_state_string(0))
        tensors.add(tuple(state.information_state_tensor(0)))
    assert len(strings) == len(tensors) == 2


def test_the_deck_of_evolution_is_drawn_card_by_card() -> None:
    state = pyspiel.load_game("wateringhole_evolution").new_initial_state()
    assert state.is_chance_node()
    assert len(state.chance_outcomes()) == 122
    state.apply_action(7)
    assert 7 not in dict(state.chance_outcomes())
    assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)


def test_rules_that_cannot_be_encoded_are_refused() -> None:
    with pytest.raises(UsageError, match="cannot be encoded for 3 players"):
        pyspiel.load_game("wateringhole_evolution(rules=framework)")


def test_a_negative_number_of_recalled_decisions_is_refused() -> None:
    with pytest.raises(UsageError, match="recalled=-1: expected a number of decisions, 0 or more"):
        pyspiel.load_game("wateringhole_porrinha(recalled=-1)")


class ExactStrategy(policy.Policy):  # type: ignore[misc]  # OpenSpiel ships no types
    """The solver's strategy for two players."""

    def __init__(self, game: Any, solution: Solution) -> None:
        super().__init__(game, [0, 1])
        self._solution = solution

    def action_probabilities(self, state: Any, player_id: int | None = None) -> dict[int, float]:
        table = state.position.table
        view = table.game.view(table.acting)
        leads = table.acting == view.lead
        solved = self._solution.round((view.chopsticks[view.lead], view.chopsticks[1 - view.lead]))
        if view.own_hand < 0:
            weights = solved.lead.hands if leads else solved.follower.hands
        elif leads:
            weights = solved.lead.guesses[view.own_hand]
        else:
            weights = solved.follower.guesses[view.own_hand][view.guess[view.lead]]
        return {action: weights[action] for action in state.legal_actions()}


@pytest.fixture(scope="module")
def solution() -> Solution:
    return solve(2)


@pytest.mark.parametrize(
    ("sticks", "rounds"),
    [
        ((1, 1), 1),
        ((1, 1), 2),
        ((2, 1), 1),
        ((2, 2), 1),
        pytest.param((2, 1), 2, marks=pytest.mark.slow),
        pytest.param((1, 1), 3, marks=pytest.mark.slow),
        pytest.param((2, 2), 2, marks=pytest.mark.slow),
    ],
)
def test_exploitability_of_the_exact_strategy_is_that_of_our_certificate(
    sticks: tuple[int, int], rounds: int, solution: Solution
) -> None:
    rules = f"sticks:{sticks[0]},{sticks[1]};max_rounds:{rounds}"
    game = pyspiel.load_game("wateringhole_porrinha", {"players": 2, "rules": rules, "recalled": 0})
    leading, following = best_values_within(solution.rounds, solution.lead_after_win, rounds)
    # The winner gets 1, the loser -1, and both 0 if the game is stopped.
    gains = (2 * leading[sticks] - 1) + (2 * following[sticks] - 1)
    assert exploitability.nash_conv(game, ExactStrategy(game, solution)) == pytest.approx(gains, abs=1e-9)


def test_the_bounded_certificate_approaches_the_exact_one(solution: Solution) -> None:
    leading, following = best_values_within(solution.rounds, solution.lead_after_win, 300)
    for state, value in solution.values.items():
        assert leading[state] == pytest.approx(value, abs=1e-6)
        assert following[state] == pytest.approx(1 - value, abs=1e-6)


if __name__ == "__main__":
    for name, game in {
        "porrinha": "wateringhole_porrinha(players=2,rules=sticks:1;max_rounds:2)",
        "evolution": "wateringhole_evolution(players=3,rules=most_turns:1,recalled=0)",
    }.items():
        text = generate_playthrough.playthrough(game, None, seed=1)
        (Path(__file__).parent / "playthroughs" / f"{name}.txt").write_text(text, encoding="utf-8")
