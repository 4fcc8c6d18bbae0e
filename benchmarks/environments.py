"""Steps per second of the learning environments on one core, next to PettingZoo's connect four.

    python benchmarks/environments.py [--seconds 5]

All actions are random and legal.  Times are processor times, so that other programs matter less.  An action of a vector
environment is one of the learner; the opponents' actions come on top.
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from wateringhole.learn import aec_env

OPPONENTS = {"Porrinha": ["random"] * 2, "Evolution": ["random"] * 3}
SIZES = (512, 4096)
"""Games at once in a vector environment: their states fit into a core's cache, or not."""


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


def steps_of(name: str, opponents: list[str], games: int) -> Callable[[], int]:
    """Return a function that steps a vector environment a hundred times."""
    env: Any = gymnasium.make_vec(f"wateringhole/{name}-v0", num_envs=games, opponents=opponents).unwrapped
    env.reset(seed=1)

    def step() -> int:
        for _ in range(100):
            env.step(env.sample_actions())
        return 100 * games

    return step


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5, help="processor time for each line")
    seconds = parser.parse_args().seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        from pettingzoo.classic import connect_four_v3

        connect_four = connect_four_v3.env()
    print("PettingZoo, steps per second (times connect four)")
    base = rate(game_of(connect_four), seconds)
    print(f"  {'connect four':24}{base:>12,.0f}", flush=True)
    for name, env in {
        "Porrinha, 3 players": aec_env("porrinha", 3),
        "Evolution, 4 players": aec_env("evolution", 4),
    }.items():
        steps = rate(game_of(env), seconds)
        print(f"  {name:24}{steps:>12,.0f} ({steps / base:.1f})", flush=True)
    print("Vector environments, actions of the learner per second")
    for (name, opponents), games in itertools.product(OPPONENTS.items(), SIZES):
        print(
            f"  {name}, {games} games".ljust(26) + f"{rate(steps_of(name, opponents, games), seconds):>12,.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
