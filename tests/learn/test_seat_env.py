"""The Gymnasium environment passes Gymnasium's checks and plays against any players."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium", reason="Gymnasium is not installed: it comes with the extra learn")

import gymnasium
from gymnasium.utils.env_checker import check_env

from wateringhole.errors import UsageError
from wateringhole.games.porrinha import Player
from wateringhole.learn.seat_env import SeatEnv

TABLES = [
    ("wateringhole/Porrinha-v0", ["counter", "random"]),
    ("wateringhole/Evolution-v0", ["greedy", "silly", "random"]),
]


@pytest.mark.parametrize(("name", "opponents"), TABLES)
def test_check_env_passes(name: str, opponents: list[str]) -> None:
    check_env(gymnasium.make(name, opponents=opponents).unwrapped)


def test_importing_the_package_registers_an_id_for_each_game() -> None:
    script = "import gymnasium; print(gymnasium.make('wateringhole.learn:wateringhole/Porrinha-v0').reset(seed=1)[1])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("{'seat': ")


def play(env: Any, seed: int | None = None) -> tuple[list[Any], float, dict[str, Any]]:
    """Play an episode of random actions.  Return its observations, the reward and the last information."""
    rng = np.random.default_rng(1)
    observation, info = env.reset(seed=seed)
    seen, reward, over = [observation["observation"].tolist()], 0.0, False
    while not over:
        assert env.observation_space.contains(observation)
        action = rng.choice(np.flatnonzero(observation["action_mask"]))
        observation, reward, over, _, info = env.step(action)
        seen.append(observation["observation"].tolist())
    return seen, reward, info


@pytest.mark.parametrize(("name", "opponents"), TABLES)
def test_the_same_seed_gives_the_same_episodes(name: str, opponents: list[str]) -> None:
    env = gymnasium.make(name, opponents=opponents)
    first = [play(env, 7), play(env)]
    assert [play(env, 7), play(env)] == first
    assert first[0] != first[1]


def test_every_seat_is_drawn_unless_one_is_given() -> None:
    env = SeatEnv("porrinha", ["zero", "zero"])
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(30)} == {0, 1, 2}
    assert {SeatEnv("porrinha", ["zero"], seat=1).reset()[1]["seat"] for _ in range(5)} == {1}


def test_the_default_opponents_are_the_usual_bots() -> None:
    assert SeatEnv("evolution").reset(seed=1)[0]["observation"][3] == 4


def test_an_illegal_action_is_a_forfeit() -> None:
    env = SeatEnv("evolution", ["silly", "silly"], reward="place")
    env.reset(seed=1)
    _, reward, over, truncated, info = env.step(1)
    assert (reward, over, truncated) == (-1.0, True, False)
    assert info["thrown_out"] == {"learner": "action 1 is not legal"}
    with pytest.raises(UsageError, match="the game is over"):
        env.step(0)


class Failing(Player):
    """Fails in its first guess."""

    def hand(self) -> int:
        return 0

    def guess(self) -> int:
        raise RuntimeError("out of ideas")


def test_an_opponent_that_fails_is_thrown_out_and_reported() -> None:
    _, reward, info = play(SeatEnv("porrinha", [Failing]), 1)
    assert reward == 1.0
    assert "out of ideas" in info["thrown_out"]["Failing"]


class Kept(Player):
    """Counts how often it was closed."""

    closed = 0

    def hand(self) -> int:
        return 0

    def guess(self) -> int:
        return min(value for value in range(9) if self.core.valid_guess(value))

    def close(self) -> None:
        type(self).closed += 1


def test_objects_of_the_caller_play_and_stay_open() -> None:
    env = SeatEnv("porrinha", [Kept(), Kept])
    play(env, 1)
    env.close()
    assert Kept.closed == 1


def test_a_closed_environment_takes_no_step_until_it_is_reset() -> None:
    env = SeatEnv("porrinha", ["zero"])
    env.reset(seed=1)
    env.close()
    with pytest.raises(UsageError, match="the environment was closed"):
        env.step(0)
    play(env, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"opponents": ["unknown"]}, "unknown"),
        ({"opponents": "counter"}, "opponents='counter': expected a list"),
        ({"opponents": 3}, "opponents=3: expected a list"),
        ({"opponents": []}, "players=1: porrinha is for 2"),
        ({"opponents": ["zero"], "seat": 2}, "seat=2: expected a seat from 0 to 1, or None"),
    ],
)
def test_mistakes_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        SeatEnv("porrinha", **arguments)
