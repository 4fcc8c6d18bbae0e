"""The compiled players of Porrinha choose like the bots."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.games.porrinha.compiled.agreement import Pair, random_setup
from wateringhole.games.porrinha import Rules, deal
from wateringhole.games.porrinha.bots import equilibrium, zero
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.compiled.bots import strategy as strategies
from wateringhole.games.porrinha.compiled.bots.players import EQUILIBRIUM, POLICIES, RANDOM, ZERO, choose
from wateringhole.games.porrinha.compiled.bots.strategy import NO_STRATEGY, equilibrium_strategy
from wateringhole.games.porrinha.solver import cfr
from wateringhole.games.porrinha.solver import solution as solving
from wateringhole.sim.kernel import entry

MANY = 40_000


@entry
def _choose(row: Any, policy: int, strategy: Any, seed: Any, game: int) -> Any:
    return choose(row, policy, strategy, seed, game)


@entry
def _choose_often(row: Any, policy: int, strategy: Any, seed: Any, counts: Any) -> None:
    for game in range(MANY):
        counts[choose(row, policy, strategy, seed, game)] += 1


def _shares(pair: Pair, policy: int, strategy: Any = NO_STRATEGY) -> list[float]:
    """Return the share of each action at a decision, over many games."""
    counts = np.zeros(layout.ACTIONS, np.int64)
    _choose_often(pair.row, policy, strategy, np.uint64(1), counts)
    return [float(count) / MANY for count in counts]


def _after(setup_players: int, rules: Rules, *answers: int) -> Pair:
    pair = Pair(deal(setup_players, rules))
    for answer in answers:
        pair.answer(answer)
    return pair


@pytest.mark.parametrize("policy", POLICIES)
def test_compiled_players_take_only_legal_actions(policy: str) -> None:
    rng = random.Random(policy)
    for number in range(60):
        setup = random_setup(rng)
        strategy = NO_STRATEGY
        if policy == "equilibrium":
            # Few different setups, because each needs a strategy.
            setup = deal(rng.randint(2, 4), Rules(opening_zero=rng.choice(["allowed", "forbidden"])))
            strategy = equilibrium_strategy(setup.rules, setup.players)
        pair = Pair(setup)
        for _ in range(200):
            if pair.is_over:
                break
            action = int(_choose(pair.row, POLICIES[policy], strategy, np.uint64(5), number))
            assert action in pair.options()
            pair.answer(action)


@pytest.mark.parametrize(
    ("rules", "answers", "expected"),
    [
        (Rules(), (), dict.fromkeys(range(4), 1 / 4)),
        (Rules(opening_zero="forbidden"), (), dict.fromkeys((1, 2, 3), 1 / 3)),
        (Rules(), (0, 0), dict.fromkeys(range(7), 1 / 7)),
        (Rules(), (0, 0, 3), dict.fromkeys((0, 1, 2, 4, 5, 6), 1 / 6)),
    ],
    ids=["hand", "non-empty hand", "first guess", "second guess"],
)
def test_random_draws_every_legal_action_equally(
    rules: Rules, answers: tuple[int, ...], expected: dict[int, float]
) -> None:
    _assert_close(_shares(_after(2, rules, *answers), RANDOM), expected)


@pytest.mark.parametrize(
    ("rules", "empty"), [(Rules(), 0), (Rules(opening_zero="forbidden"), 1)], ids=["allowed", "forbidden"]
)
def test_zero_hides_the_smallest_hand_nineteen_times_in_twenty(rules: Rules, empty: int) -> None:
    shares = dict.fromkeys((1, 2, 3), 0.05 / 3)
    shares[empty] = shares.get(empty, 0) + 0.95
    _assert_close(_shares(_after(3, rules), ZERO), shares)


def test_zero_guesses_like_the_bot() -> None:
    rng = random.Random(3)
    for _ in range(300):
        pair = Pair(random_setup(rng))
        for _ in range(rng.randint(0, 60)):
            if not pair.is_over:
                pair.answer(rng.choice(pair.options()))
        if pair.is_over or pair.core.requests[pair.asked()].name != "guess":
            continue
        seat = pair.asked()
        view = pair.core.view(seat)
        others = view.chopstick_count - view.chopsticks[seat]
        expected = zero._nearest_free(view.guess, view.chopstick_count, view.own_hand + others / 2)
        assert _choose(pair.row, ZERO, NO_STRATEGY, np.uint64(1), 0) == expected


@pytest.mark.parametrize("opening_zero", ["allowed", "forbidden"])
def test_two_equilibrium_players_draw_by_the_exact_solution(opening_zero: Any) -> None:
    rules = Rules(opening_zero=opening_zero)
    solution = solving.load_or_solve(3, "winner", opening_zero)
    played = solution.round((3, 3), opening=True)
    strategy = equilibrium_strategy(rules, 2)
    _assert_close(_shares(_after(2, rules), EQUILIBRIUM, strategy), dict(enumerate(played.lead.hands)))
    _assert_close(_shares(_after(2, rules, 1), EQUILIBRIUM, strategy), dict(enumerate(played.follower.hands)))
    for hand in (1, 2, 3):
        leads = _shares(_after(2, rules, hand, 1), EQUILIBRIUM, strategy)
        _assert_close(leads, dict(enumerate(played.lead.guesses[hand])))
        follows = _shares(_after(2, rules, 1, hand, 4), EQUILIBRIUM, strategy)
        _assert_close(follows, dict(enumerate(played.follower.guesses[hand][4])))


def test_void_guess_of_the_lead_counts_as_any_guess_that_it_could_have_made() -> None:
    rules = Rules()
    played = solving.load_or_solve(3).round((3, 3))
    expected: Counter[int] = Counter()
    for hand, shown in enumerate(played.lead.hands):
        for guess, weight in enumerate(played.lead.guesses[hand]):
            for value, chance in enumerate(played.follower.guesses[2][guess]):
                expected[value] += shown * weight * chance  # type: ignore[assignment]
    _assert_close(_shares(_after(2, rules, 1, 2, -1), EQUILIBRIUM, equilibrium_strategy(rules, 2)), expected)


def test_three_equilibrium_players_draw_by_the_approximation() -> None:
    rules = Rules()
    found = cfr.load_or_train(3, 3)
    strategy = equilibrium_strategy(rules, 3)
    _assert_close(_shares(_after(3, rules), EQUILIBRIUM, strategy), dict(enumerate(found.hands[0, 3, 6])))
    lead = {2 + more: chance for more, chance in enumerate(found.guesses[0, 6, 2, -1])}
    _assert_close(_shares(_after(3, rules, 2, 0, 0), EQUILIBRIUM, strategy), lead)
    hint = cfr._hint([5], 3)
    free = {1 + more: chance for more, chance in enumerate(found.guesses[1, 6, 1, hint]) if 1 + more != 5}
    total = sum(free.values())
    second = _shares(_after(3, rules, 2, 1, 0, 5), EQUILIBRIUM, strategy)
    _assert_close(second, {value: chance / total for value, chance in free.items()})


def test_equilibrium_without_a_strategy_plays_at_random() -> None:
    pair = _after(8, Rules(sticks=7))
    _assert_close(_shares(pair, EQUILIBRIUM, NO_STRATEGY), dict.fromkeys(range(8), 1 / 8))
    for _ in range(8):
        pair.answer(0)
    shares = _shares(pair, EQUILIBRIUM, NO_STRATEGY)
    mean = sum(value * share for value, share in enumerate(shares))
    # Its own empty hand, and seven hands of 3.5 each.
    assert mean == pytest.approx(24.5, abs=0.15)


def test_exact_strategy_covers_as_many_sticks_as_the_bot() -> None:
    assert strategies.MOST_EXACT_STICKS == equilibrium.MOST_EXACT_STICKS


def _assert_close(shares: list[float], expected: dict[int, float] | Counter[int]) -> None:
    # Six standard errors and a fixed seed, so this does not fail by chance.
    for value, share in enumerate(shares):
        chance = expected.get(value, 0.0)
        error = 6 * (chance * (1 - chance) / MANY) ** 0.5 + 1e-4
        assert share == pytest.approx(chance, abs=error), f"action {value}"
