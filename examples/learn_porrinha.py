"""Train a Porrinha player for two against `counter`, with NumPy alone.

The policy is a table: a row of preferences for each situation, turned into probabilities by a softmax.  After each game
the preferences of the actions that were taken move by the result, less the mean result of the situation (REINFORCE).
"""

import argparse
import time
from pathlib import Path

import gymnasium
import numpy as np

import wateringhole as wh
from wateringhole.learn import policy_player

STICKS = 3
GUESSES = 2 * STICKS + 1
SHAPE = (2, STICKS, STICKS, 2, STICKS + 2, GUESSES + 3)
"""Situations: decision, own sticks, the opponent's sticks, who leads, own hand, the opponent's guess."""
ACTIONS = GUESSES
"""More than there are hands."""


def situation(observation):
    """Return the number of the situation that an observation shows."""
    kind, hand, lead, mine, other, guess = observation[[0, 6, 7, 9, 10, 18]].tolist()
    return np.ravel_multi_index((kind - 1, mine - 1, other - 1, lead, hand + 1, guess + 3), SHAPE)


def probabilities(preferences, mask):
    """Return the chance of each action; illegal ones have none."""
    weights = np.where(mask[:ACTIONS], np.exp(preferences - preferences.max()), 0)
    return weights / weights.sum()


def train(episodes, seed=1, rate=0.1):
    """Return the preferences after this number of games against `counter`."""
    rng = np.random.default_rng(seed)
    preferences = np.zeros((np.prod(SHAPE), ACTIONS))
    values = np.zeros(len(preferences))
    env = gymnasium.make("wateringhole/Porrinha-v0", opponents=["counter"], disable_env_checker=True).unwrapped
    for episode in range(episodes):
        observation, _ = env.reset(seed=seed if episode == 0 else None)
        taken, over = [], False
        while not over:
            row = situation(observation["observation"])
            chances = probabilities(preferences[row], observation["action_mask"])
            action = int(np.searchsorted(chances.cumsum(), rng.random()))
            taken.append((row, action, chances))
            observation, reward, over, _, _ = env.step(action)
        for row, action, chances in taken:
            advantage = reward - values[row]
            values[row] += 0.01 * advantage
            preferences[row] -= rate * advantage * chances
            preferences[row, action] += rate * advantage
    return preferences


def player(preferences, seed=1):
    """Return a class of players that play by these preferences."""
    rng = np.random.default_rng(seed)

    def policy(observation, mask):
        chances = probabilities(preferences[situation(observation)], mask)
        return int(rng.choice(ACTIONS, p=chances))

    return policy_player("porrinha", policy)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", nargs="?", type=Path, default="porrinha.npy", help="the file to write")
    parser.add_argument("episodes", nargs="?", type=int, default=20_000, help="games to train for")
    given = parser.parse_args()
    if not given.weights.parent.is_dir():
        parser.error(f"there is no folder {given.weights.parent}.")
    started = time.perf_counter()
    preferences = train(given.episodes)
    np.save(given.weights, preferences)
    print(f"Trained for {given.episodes} games in {time.perf_counter() - started:.0f} s; see {given.weights}.")
    games = wh.play("porrinha", [player(preferences), "counter"], games=2000, seed=7, rotate_seats=True)
    share = np.mean([game.entrants[game.outcome.ranking[0].seat] == 0 for game in games])
    print(f"It wins {share:.1%} of 2000 games against counter (± {1 / np.sqrt(4 * 2000):.1%}).")


if __name__ == "__main__":
    main()
