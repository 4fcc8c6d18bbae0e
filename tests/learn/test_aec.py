"""The PettingZoo environment passes PettingZoo's own tests."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: it comes with the extra learn")

from pettingzoo.utils import BaseWrapper

from wateringhole.errors import UsageError
from wateringhole.learn import aec_env

with warnings.catch_warnings():
    # The tests import an environment in a way that PettingZoo has deprecated.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, bombardment_test, render_test, seed_test

TABLES = [("porrinha", 3), ("evolution", 4)]

# PettingZoo knows the environments with masks in their observations by name, and warns about all others.
masks_are_unusual = pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)


@masks_are_unusual
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_api_test_passes(game: str, players: int) -> None:
    api_test(aec_env(game, players), num_cycles=200)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_seed_test_passes(game: str, players: int) -> None:
    seed_test(lambda: aec_env(game, players), num_cycles=100)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_render_test_passes(game: str, players: int) -> None:
    render_test(lambda render_mode: aec_env(game, players, render_mode=render_mode))


class _Bare(BaseWrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """Plain observations, steps that return the next one, and actions that are drawn from the mask.

    The bombardment test expects the first two, and fails for PettingZoo's own environments with masks.
    """

    def observe(self, agent: str) -> Any:
        return super().observe(agent)["observation"]

    def observation_space(self, agent: str) -> Any:
        return super().observation_space(agent)["observation"]

    def action_space(self, agent: str) -> Any:
        space, mask = super().action_space(agent), super().observe(agent)["action_mask"]

        class Masked:
            def sample(self) -> int:
                return int(space.sample(mask))

        return Masked()

    def step(self, action: int | None) -> Any:
        super().step(action)
        return self.observe(self.agent_selection) if self.agents else None


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_bombardment_test_passes(game: str, players: int) -> None:
    bombardment_test(_Bare(aec_env(game, players)), cycles=50)


def play(env: Any, seed: int) -> dict[str, float]:
    """Play a game of random actions.  Return the sums of the rewards."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    total = dict.fromkeys(env.agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, _, _ = env.last()
        total[agent] += reward
        env.step(None if termination else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
    return total


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_rewards_by_place_add_up_to_zero(game: str, players: int) -> None:
    env = aec_env(game, players)
    for seed in range(5):
        rewards = play(env, seed)
        assert sum(rewards.values()) == pytest.approx(0)
        assert max(rewards.values()) > 0


def test_rewards_by_score_are_the_scores() -> None:
    assert all(reward >= 0 for reward in play(aec_env("evolution", 3, reward="score"), 1).values())
    assert sorted(play(aec_env("porrinha", 3, reward="score"), 1).values()) == [0, 1, 2]


def test_rewards_by_first_place_share_one() -> None:
    assert sum(play(aec_env("porrinha", 3, rules="max_rounds=1", reward="first"), 1).values()) == pytest.approx(1)


def test_the_same_seed_deals_the_same_game_and_the_next_one_differs() -> None:
    env = aec_env("evolution", 3)

    def first() -> Any:
        return env.last()[0]["observation"].tolist()

    env.reset(seed=5)
    one = first()
    env.reset()
    assert first() != one
    env.reset(seed=5)
    assert first() == one


def test_rendering_narrates_the_game() -> None:
    env = aec_env("porrinha", 2, rules="sticks=1", render_mode="ansi")
    env.reset(seed=1)
    for action in (0, 1, 2, 1):
        env.step(action)
    assert "player_1 (seat 2) was right with 1" in str(env.render())


def test_human_rendering_prints_each_line_once(capsys: pytest.CaptureFixture[str]) -> None:
    play(aec_env("porrinha", 2, rules="sticks=1", render_mode="human"), 1)
    assert capsys.readouterr().out.count("Round 1:") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "'chess' is not an installed game"),
        ({"game": "porrinha", "players": 1}, "players=1: porrinha is for 2 to"),
        ({"game": "porrinha", "players": 9}, "an observation has room for 8 players"),
        ({"game": "porrinha", "players": 2, "rules": "sticks=16"}, "a seat holds up to 15 sticks"),
        ({"game": "porrinha", "rules": 3}, "rules=3: expected profiles and options"),
        ({"game": "porrinha", "rules": {"sticks": 3}}, "expected profiles and options"),
        ({"game": "evolution", "rules": "framework"}, "rules of evolution cannot be encoded for 4 players"),
        ({"game": "porrinha", "reward": "money"}, "no reward 'money'. Choose from: place, first, score"),
        ({"game": "porrinha", "render_mode": "smoke"}, "render_mode='smoke': there is no such mode"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        aec_env(**arguments)


@pytest.mark.parametrize("action", [-1, 3, 64, None, "a", 1.5])
def test_illegal_actions_are_refused_and_change_nothing(action: Any) -> None:
    env = aec_env("porrinha", 2, rules="sticks=2")
    env.reset(seed=1)
    with pytest.raises(UsageError, match=r"Choose from: 0, 1, 2|asked for an action|is not a whole number"):
        env.step(action)
    assert env.agent_selection == "player_0"
    env.step(2)
    assert env.agent_selection == "player_1"


def test_a_step_without_a_game_is_refused() -> None:
    env = aec_env("porrinha", players=2)
    with pytest.raises(UsageError, match="Reset the environment"):
        env.step(0)
    with pytest.raises(UsageError, match="Reset the environment"):
        env.last()
    env.reset(seed=1)
    for _ in env.agent_iter():
        observation, _, termination, _, _ = env.last()
        env.step(None if termination else int(observation["action_mask"].argmax()))
    with pytest.raises(UsageError, match="Reset the environment"):
        env.step(0)
