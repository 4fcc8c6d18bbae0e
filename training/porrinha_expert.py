"""Train and measure the strategy of the Porrinha player `expert`, on one core.

    python training/porrinha_expert.py train --seed 1 --to strategy.json
    python training/porrinha_expert.py exact --to two_players.json
    python training/porrinha_expert.py measure

The first command trained `strategy.json` in the package, in three minutes of processor time.  The second one wrote
`two_players.json`.

A round is a small game: hidden hands, then guesses in turn.  `wateringhole.games.porrinha.bots.expert.beliefs` plays it
with three numbers for each position.  `round_values` walks all sequences of guesses and computes, for each position,
what the strategy is worth and what a best response to it is worth.  The difference is the regret of that position.
`train` minimises the sum of regrets, table by table, with Powell's method.  A round is worth the number of players that
leave later, where all players are equally likely to be right in the rounds that follow.

`measure` plays for the true value of the following rounds instead.  So it finds the exact gain of a best response in
whole games, in players left behind.

Needs the extras `sim` and `solve`.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numba
import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from wateringhole.games.porrinha.bots.expert.beliefs import hand_chances
from wateringhole.games.porrinha.bots.expert.exact import MOST_SHIPPED_STICKS
from wateringhole.games.porrinha.bots.expert.strategy import MOST_STICKS, SIZES, plans
from wateringhole.games.porrinha.solver.rounds import LeadAfterWin
from wateringhole.games.porrinha.solver.solution import OpeningZero, solve, to_json

Floats = npt.NDArray[np.float64]
Sticks = tuple[int, ...]
"""The sticks of all players still in, in guessing order."""

BOUNDS = ((-1.0, 2.5), (0.0, 1.0), (0.0, 4.5))
"""Of the logarithm of the spread, the concealment, and the logarithm of the sharpness."""

UNEXPLORED = -1e9
"""The gain of a guess that is too rare to explore."""


class Effort(NamedTuple):
    """How long a table is trained."""

    starts: int
    """The first one is sensible, the others are drawn."""
    evaluations: int
    prune: float
    """Guesses that are rarer are not explored."""


EFFORTS = {3: Effort(3, 800, 0.0), 4: Effort(2, 800, 0.003), 5: Effort(1, 600, 0.003)}


# ── one round ─────────────────────────────────────────────────────────────────────────────


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def convolve(beliefs, left_out, also_left_out, sticks, sums):  # type: ignore[no-untyped-def]
    """Write the chance of each sum of the hands of all players but two.  Return the highest sum."""
    highest = 0
    sums[0] = 1.0
    for player in range(len(sticks)):
        if player in (left_out, also_left_out):
            continue
        own = sticks[player]
        sums[highest + 1 : highest + own + 1] = 0.0
        for total in range(highest + own, -1, -1):
            chance = 0.0
            for hand in range(max(0, total - highest), min(own, total) + 1):
                chance += sums[total - hand] * beliefs[player, hand]
            sums[total] = chance
        highest += own
    return highest


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def guess_chances(player, style, sticks, beliefs, taken, chances, others):  # type: ignore[no-untyped-def]
    """Write the chance of each guess of a player, by hand, as `beliefs.guess_chances` does."""
    concealment, sharpness = style
    highest = convolve(beliefs, player, player, sticks, others)
    own = sticks[player]
    values = highest + own + 1
    without_hand = np.zeros(values)
    for hand in range(own + 1):
        for total in range(highest + 1):
            without_hand[hand + total] += beliefs[player, hand] * others[total]
    for hand in range(own + 1):
        best = 0.0
        for value in range(values):
            chance = 0.0
            if not taken[value]:
                chance = concealment * without_hand[value]
                if hand <= value <= hand + highest:
                    chance += (1 - concealment) * others[value - hand]
            chances[hand, value] = chance
            best = max(best, chance)
        weights = 0.0
        for value in range(values):
            weight = 0.0
            if not taken[value]:
                weight = (chances[hand, value] / best) ** sharpness if best > 0 else 1.0
            chances[hand, value] = weight
            weights += weight
        chances[hand, :values] /= weights


@numba.njit  # type: ignore[untyped-decorator]
def explore(position, game, path, gains, best, played):  # type: ignore[no-untyped-def]
    """Explore all guesses from a position on.

    `gains` are what each guess of a player gains with each hand, over a round without a right guess.  `best` and
    `played` are the sums of gains with the best guess and with the guesses of the strategy, by player and hand.
    Other players are weighted by the chance that they act like this, the player itself by 1.
    """
    sticks, styles, stakes, prune = game
    beliefs, reach, taken, said, all_chances, all_sums = path
    players = len(sticks)
    if position == players:
        return 0
    values = sticks.sum() + 1
    own = sticks[position]
    chances, sums = all_chances[position], all_sums[position]
    guess_chances(position, styles[position], sticks, beliefs[position], taken, chances, sums)
    gains[position] = 0.0
    for player in range(players):
        gain = stakes[player, position] - stakes[player, players]
        highest = convolve(reach[position], position, player, sticks, sums)
        for hand, value in np.ndindex(sticks[player] + 1, values):
            if taken[value]:
                continue
            right = 0.0
            if player == position:
                if hand <= value <= hand + highest:
                    right = sums[value - hand]
            else:
                for shown in range(own + 1):
                    if 0 <= value - hand - shown <= highest:
                        right += reach[position, position, shown] * chances[shown, value] * sums[value - hand - shown]
            if player == position:
                gains[player, hand, value] += right * gain
            elif player < position:
                gains[player, hand, said[player]] += right * gain
            else:
                best[player, hand] += right * gain
                played[player, hand] += right * gain
    if position + 1 < players:
        for value in range(values):
            if taken[value]:
                continue
            beliefs[position + 1] = beliefs[position]
            reach[position + 1] = reach[position]
            explained = 0.0
            for hand in range(own + 1):
                explained += beliefs[position, position, hand] * chances[hand, value]
                reach[position + 1, position, hand] *= chances[hand, value]
            if explained < prune:
                gains[position, :, value] = UNEXPLORED
                continue
            if explained > 0:
                for hand in range(own + 1):
                    beliefs[position + 1, position, hand] *= chances[hand, value] / explained
            taken[value] = True
            said[position] = value
            explore(position + 1, game, path, gains, best, played)
            taken[value] = False
    for hand in range(own + 1):
        highest_gain = UNEXPLORED
        for value in range(values):
            if not taken[value] and gains[position, hand, value] > UNEXPLORED / 2:
                highest_gain = max(highest_gain, gains[position, hand, value])
                played[position, hand] += chances[hand, value] * gains[position, hand, value]
        best[position, hand] += highest_gain
    return 0


def round_values(sticks: Sticks, plan: Floats, stakes: Floats, prune: float = 0.0) -> tuple[Floats, Floats]:
    """Return what a round is worth at each position: with a best response, and with the strategy.

    A row of `plan` has the spread, the concealment and the sharpness of a position.  A row of `stakes` has the value
    for a position of a right guess at each position and, last, of none.
    """
    players, most, values = len(sticks), max(sticks), sum(sticks) + 1
    hands = np.zeros((players, most + 1))
    for position, own in enumerate(sticks):
        hands[position, : own + 1] = hand_chances(own, 0, float(plan[position, 0]))
    beliefs = np.zeros((players, players, most + 1))
    beliefs[0] = hands
    best, played = np.zeros((2, players, most + 1))
    explore(
        0,
        (np.array(sticks), np.ascontiguousarray(plan[:, 1:]), stakes, prune),
        (
            beliefs,
            beliefs.copy(),
            np.zeros(values, np.bool_),
            np.zeros(players, np.int64),
            np.zeros((players, most + 1, values)),
            np.zeros((players, values)),
        ),
        np.zeros((players, most + 1, values)),
        best,
        played,
    )
    return (
        np.array([best[at, : own + 1].max() for at, own in enumerate(sticks)]) + stakes[:, -1],
        np.array([played[at, : own + 1] @ hands[at, : own + 1] for at, own in enumerate(sticks)]) + stakes[:, -1],
    )


# ── training ──────────────────────────────────────────────────────────────────────────────


@functools.cache
def players_behind(own: int, others: Sticks) -> float:
    """Return the mean number of players that leave after a player, if all are equally likely to be right."""
    rivals = [sticks for sticks in others if sticks]
    if not own or not rivals:
        return float(len(rivals))
    total = players_behind(own - 1, tuple(rivals))
    for rival, sticks in enumerate(rivals):
        total += players_behind(own, tuple(sorted([*rivals[:rival], sticks - 1, *rivals[rival + 1 :]])))
    return total / (len(rivals) + 1)


def race_stakes(sticks: Sticks) -> Floats:
    """Return the stakes of a round if all players are equally likely to be right afterwards."""
    players = len(sticks)
    stakes = np.zeros((players, players + 1))
    for player, right in itertools.product(range(players), range(players + 1)):
        left = [own - (position == right) for position, own in enumerate(sticks)]
        own = left.pop(player)
        stakes[player, right] = players_behind(own, tuple(sorted(left)))
    return stakes


def regrets(sticks: Sticks, plan: Floats, prune: float = 0.0) -> Floats:
    """Return what a best response at each position gains in a round."""
    best, played = round_values(sticks, plan, race_stakes(sticks), prune)
    return best - played


def to_plan(numbers: Floats) -> Floats:
    """Return the plan for numbers within `BOUNDS`."""
    rows = np.clip(np.reshape(numbers, (-1, 3)), *zip(*BOUNDS, strict=True))
    # No player reads the last guess, so it has nothing to conceal.
    rows[-1, 1] = 0.0
    return np.stack([np.exp(rows[:, 0]), rows[:, 1], np.exp(rows[:, 2])], 1)


def train_table(sticks: Sticks, effort: Effort, draws: random.Random) -> Floats:
    """Return the plan with the smallest sum of regrets that was found."""
    players = len(sticks)
    found = []
    for start in range(effort.starts):
        begin = np.array([[0.3, min(0.9, 0.4 * (players - 1 - position)), 1.8] for position in range(players)])
        if start:
            begin = np.array([[draws.uniform(*bounds) for bounds in BOUNDS] for _ in range(players)])
        found.append(
            minimize(
                lambda numbers: regrets(sticks, to_plan(numbers), effort.prune).sum(),
                begin.ravel(),
                method="Powell",
                bounds=BOUNDS * players,
                options={"maxfev": effort.evaluations, "xtol": 0.02, "ftol": 1e-3},
            )
        )
    return np.round(to_plan(min(found, key=lambda each: each.fun).x), 3)


def train(sizes: Sequence[int], most_sticks: int, efforts: dict[int, Effort], seed: int) -> dict[str, Any]:
    """Return the plans of all tables, by their sticks."""
    trained = {}
    for players in sizes:
        draws = random.Random(seed)
        for sticks in itertools.product(range(1, most_sticks + 1), repeat=players):
            plan = train_table(sticks, efforts[players], draws)
            trained[",".join(map(str, sticks))] = plan.tolist()
            print(sticks, "mean regret", regrets(sticks, plan).mean().round(4), flush=True)
    return trained


# ── measuring ─────────────────────────────────────────────────────────────────────────────


def follow_up(sticks: Sticks, position: int, right: int | None) -> tuple[Sticks, int | None]:
    """Return the table after a round, and the new position of a player, or None if it has left.

    >>> follow_up((3, 2, 1), 0, None), follow_up((3, 2, 1), 0, 1), follow_up((3, 2, 1), 0, 2)
    (((2, 1, 3), 2), ((1, 1, 3), 2), ((3, 2), 0))
    """
    lead = 1 if right is None else right
    left = [own - (at == right) for at, own in enumerate(sticks)]
    order = [at % len(sticks) for at in range(lead, lead + len(sticks)) if left[at % len(sticks)]]
    return tuple(left[at] for at in order), order.index(position) if position in order else None


def game_values(players: int, most_sticks: int, precision: float = 1e-4) -> dict[Sticks, Floats]:
    """Return the players left behind at each position: with a best response (first row), and with the strategy.

    Two players play the exact equilibrium, against which a best response gains nothing.
    """
    values: dict[Sticks, Floats] = {
        sticks: np.array([[value, 1 - value]] * 2) for sticks, value in solve(most_sticks).values.items()
    }

    def stakes(sticks: Sticks, row: int) -> Floats:
        found = np.zeros((len(sticks), len(sticks) + 1))
        for position, right in itertools.product(range(len(sticks)), range(len(sticks) + 1)):
            after, moved = follow_up(sticks, position, right if right < len(sticks) else None)
            found[position, right] = len(sticks) - 1 if moved is None else values[after][row, moved]
        return found

    for size in range(3, players + 1):
        for first in sorted(itertools.product(range(1, most_sticks + 1), repeat=size), key=sum):
            if first in values:
                continue
            # Rounds without a right guess lead through all rotations of a table.
            rotations = {first[at:] + first[:at] for at in range(size)}
            values |= {sticks: race_stakes(sticks)[None, :, -1].repeat(2, 0) for sticks in rotations}
            change = 1.0
            while change > precision:
                change = 0.0
                for sticks in rotations:
                    plan = np.array([[each.spread, *each.style] for each in plans(sticks)])
                    played = round_values(sticks, plan, stakes(sticks, 1))[1]
                    best = round_values(sticks, plan, stakes(sticks, 0))[0]
                    change = max(change, np.abs(np.stack([best, played]) - values[sticks]).max())
                    values[sticks] = np.stack([best, played])
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train", help="train the strategy for three to five players")
    training.add_argument("--seed", type=int, default=1)
    training.add_argument("--to", type=Path, required=True, help="the file to write")
    exact = commands.add_parser("exact", help="solve the game of two players under all rules")
    exact.add_argument("--to", type=Path, required=True, help="the file to write")
    measuring = commands.add_parser("measure", help="compute the gain of a best response in whole games")
    measuring.add_argument("--players", type=int, default=SIZES[-1], help="the most players (default: %(default)s)")
    arguments = parser.parse_args()
    started = time.process_time()
    match arguments.command:
        case "train":
            trained = train(SIZES, MOST_STICKS, EFFORTS, arguments.seed)
            lines = ",\n".join(f'"{sticks}": {json.dumps(plan)}' for sticks, plan in trained.items())
            arguments.to.write_text(f"{{\n{lines}\n}}\n")
        case "exact":
            solved = {
                f"{lead},{zero}": to_json(solve(MOST_SHIPPED_STICKS, lead, zero))
                for lead, zero in itertools.product(get_args(LeadAfterWin), get_args(OpeningZero))
            }
            arguments.to.write_text(json.dumps(solved, separators=(",", ":")) + "\n")
        case "measure":
            values = game_values(arguments.players, MOST_STICKS)
            for players in range(3, arguments.players + 1):
                best, played = values[(MOST_STICKS,) * players]
                print(f"{players} players: a best response leaves {(best - played).mean():.4f} more behind", end="; ")
                print("by position", (best - played).round(4), "the strategy", played.round(4))
    print(f"{time.process_time() - started:.0f} s of processor time")


if __name__ == "__main__":
    main()
