"""The vector environment steps the compiled engine as the single environment steps the rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: it comes with the extra learn")

import gymnasium
from gymnasium.vector import AutoresetMode

from wateringhole.errors import UsageError
from wateringhole.learn.vector_env import BatchEnv
from wateringhole.sim import devices

MODES = list(AutoresetMode)


def made(mode: AutoresetMode = AutoresetMode.SAME_STEP, **arguments: Any) -> Any:
    arguments = {"opponents": ["random", "zero"], "num_envs": 6, "rules": "sticks=1", **arguments}
    return gymnasium.make_vec("wateringhole/Porrinha-v0", autoreset_mode=mode, **arguments).unwrapped


def copied(observation: dict[str, Any]) -> dict[str, Any]:
    return {name: array.copy() for name, array in observation.items()}


def test_make_vec_returns_games_in_the_compiled_engine() -> None:
    env = made()
    assert isinstance(env, BatchEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(copied(observation))
    assert env.action_space.contains(env.sample_actions().astype(np.int64))


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: str(mode.value))
def test_the_same_seed_gives_the_same_steps(mode: AutoresetMode) -> None:
    def steps() -> list[Any]:
        env = made(mode)
        env.reset(seed=3)
        found = []
        for _ in range(20):
            observation, reward, over, _, _ = env.step(env.sample_actions())
            found.append((observation["observation"].tolist(), reward.tolist(), over.tolist()))
        return found

    assert steps() == steps()


def test_a_game_that_ends_is_replaced_in_the_same_step() -> None:
    env = made()
    env.reset(seed=1)
    ends = 0
    for _ in range(60):
        observation, reward, over, truncated, _ = env.step(env.sample_actions())
        assert observation["action_mask"].any(axis=1).all()
        assert not reward[~over].any()
        assert not truncated.any()
        # A new game starts with its first round.
        assert (observation["observation"][over, 4] == 1).all()
        ends += over.sum()
    assert ends > 6


def test_a_game_that_ends_is_replaced_in_the_next_step() -> None:
    env = made(AutoresetMode.NEXT_STEP, seat=1)
    env.reset(seed=1)
    ended, ends = np.zeros(6, bool), 0
    for _ in range(60):
        observation, reward, over, _, _ = env.step(env.sample_actions())
        assert not observation["action_mask"][over].any()
        assert (observation["observation"][over, 0] == 0).all()
        assert (observation["observation"][ended, 4] == 1).all()
        assert not reward[ended].any()
        ended = over.copy()
        ends += over.sum()
    assert ends > 6


def test_a_game_that_ends_waits_for_a_reset_if_autoreset_is_disabled() -> None:
    env = made(AutoresetMode.DISABLED)
    env.reset(seed=1)
    total = np.zeros(6)
    over = np.zeros(6, bool)
    while not over.all():
        _, reward, over, _, _ = env.step(env.sample_actions())
        total += reward
    assert set(np.round(total, 6)) <= {-1, -0.5, 0, 0.5, 1}
    which = np.array([True, False, True, False, False, False])
    observation, _ = env.reset(options={"reset_mask": which})
    assert (observation["action_mask"].any(axis=1) == which).all()


@pytest.mark.parametrize("reward", ["place", "first", "score"])
def test_all_modes_give_the_same_rewards(reward: str) -> None:
    found = []
    for mode in MODES:
        env = made(mode, reward=reward)
        env.reset(seed=2)
        first = np.full(6, np.nan)
        for _ in range(200):
            _, rewards, over, _, _ = env.step(env.sample_actions())
            new = over & np.isnan(first)
            first[new] = rewards[new]
            if not np.isnan(first).any():
                break
        found.append(first.round(6).tolist())
    assert found[0] == found[1] == found[2]


def test_the_learner_sits_in_turn_unless_a_seat_is_given() -> None:
    assert made().seats.tolist() == [0, 1, 2, 0, 1, 2]
    assert made(seat=2).seats.tolist() == [2] * 6
    env = made()
    env.reset(seed=1)
    assert env.batch.acting_seats.tolist() == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("action", [-1, 2, 64])
def test_an_illegal_action_is_refused_and_changes_nothing(action: int) -> None:
    env = made()
    observation, _ = env.reset(seed=1)
    before = copied(observation)
    actions = env.sample_actions().copy()
    actions[3] = action
    with pytest.raises(UsageError, match=rf"action {action} for game 3 is not legal. Choose from: 0, 1"):
        env.step(actions)
    assert (env.batch.observations == before["observation"]).all()


def test_masks_cannot_be_changed() -> None:
    observation, _ = made().reset(seed=1)
    with pytest.raises(ValueError, match="read-only"):
        observation["action_mask"][0, 0] = 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ["counter"]}, "the player 'counter' is not compiled"),
        ({"opponents": "random"}, "opponents='random': expected a list"),
        ({"num_envs": 0}, "num_envs must be a whole number from 1"),
        ({"device": "tpu"}, "there is no device 'tpu'"),
        ({"mode": "never"}, "autoreset_mode='never': choose from: NextStep, SameStep, Disabled"),
        ({"seat": 3}, "seat=3: expected a seat from 0 to 2, or None"),
        ({"reward": "money"}, "there is no reward 'money'"),
        ({"render_mode": "ansi"}, "many games at once cannot be rendered"),
        ({"device": "cuda", "seat": None}, "choose one seat for all games"),
        ({"device": "cuda", "mode": AutoresetMode.NEXT_STEP}, "on cuda, choose SameStep"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        made(**arguments).reset(seed=1)


def test_an_environment_without_games_must_be_reset() -> None:
    with pytest.raises(UsageError, match="no games yet"):
        made().step(np.zeros(6, np.int64))


@pytest.mark.slow
def test_the_environment_steps_on_cuda_as_on_the_cpu() -> None:
    """Without a device, numba's simulator runs the kernels."""
    script = Path(__file__).with_name("same_on_cuda.py")
    simulated = {} if "cuda" in devices() else {"NUMBA_ENABLE_CUDASIM": "1"}
    ran = subprocess.run(
        [sys.executable, script], env=os.environ | simulated, capture_output=True, text=True, timeout=900
    )
    assert (ran.stdout, ran.returncode) == ("same\n", 0), ran.stderr
