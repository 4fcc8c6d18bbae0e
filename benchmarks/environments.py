"""Steps per second of the learning environments on one core, next to PettingZoo's connect four.

    python benchmarks/environments.py [--seconds 5]

All actions are random and legal.  Times are processor times, so that other programs matter less.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from wateringhole.learn import aec_env

GAMES = 4096


def rate(play: Callable[[], int], seconds: float) -> float:
    """Return how many steps a second `play` takes; it returns the number of its steps."""
    play()
    started = time.process_time()
    steps = 0
    while time.process_time() - started < seconds:
        steps += play()
    return steps / (time.process_time() - started)


def game_of(env: Any) -> Callable[[], int]:
    """Return a function that plays a game of a PettingZoo environment."""
    rng = np.random.default_rng(1)

    def play() -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            over = termination or truncation
            env.step(None if over else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
            steps += 1
        return steps

    return play


def steps_of(name: str, opponents: list[str]) -> Callable[[], int]:
    """Return a function that steps a vector environment a hundred times."""
    env: Any = gymnasium.make_vec(f"wateringhole/{name}-v0", num_envs=GAMES, opponents=opponents).unwrapped
    env.reset(seed=1)

    def step() -> int:
        for _ in range(100):
            env.step(env.sample_actions())
        return 100 * GAMES

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="processor time for each line")
    seconds = parser.parse_args().seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import connect_four_v3

        connect_four = connect_four_v3.env()
    print("PettingZoo")
    for name, env in {
        "connect four": connect_four,
        "Porrinha, 3 players": aec_env("porrinha", 3),
        "Evolution, 4 players": aec_env("evolution", 4),
    }.items():
        print(f"  {name:24}{rate(game_of(env), seconds):>12,.0f} steps/s", flush=True)
    print(f"Vector environments, {GAMES} games")
    for name, opponents in {"Porrinha": ["random"] * 2, "Evolution": ["random"] * 3}.items():
        print(f"  {name:24}{rate(steps_of(name, opponents), seconds):>12,.0f} actions/s", flush=True)


if __name__ == "__main__":
    main()
