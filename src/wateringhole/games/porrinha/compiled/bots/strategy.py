"""The strategies of the player `equilibrium` as one array of whole weights, for kernels to look up.

They are those of `porrinha.bots.equilibrium`: exact while two players are in, the approximation while there
are more, and random actions where neither has weights.  Weights are whole numbers, so that every device
draws the same.

| Words | Name | Holds |
|---|---|---|
| 0 | `EXACT` | sticks up to which two players play exactly, or 0 |
| 1 | `ROUNDS` | where the strategies of any round begin |
| 2 | `OPENINGS` | where those of a first round without empty hands begin, or 0 if they are the same |
| 3 | `APPROXIMATED` | sticks up to which the approximations reach |
| 4 … 12 | `HAND_TABLES` | where the approximate hands begin, by the number of players still in, or 0 |
| 13 … 21 | `GUESS_TABLES` | where the approximate guesses begin, likewise |

An exact round of lead `a` and follower `b` has the lead's hands, the follower's hands, the lead's guesses
by its hand, and the follower's guesses by its hand and the lead's guess.  All are padded to the largest
table, as are the approximations, which are indexed by their inputs.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.solver import cfr
from wateringhole.games.porrinha.solver.solution import Solution, load_or_solve
from wateringhole.sim.kernel import force_inline, get

__all__ = [
    "EXACT",
    "MOST_EXACT_STICKS",
    "NO_STRATEGY",
    "OPENINGS",
    "SCALE",
    "equilibrium_strategy",
    "exact_round",
    "follower_guesses",
    "follower_hands",
    "guess_weights",
    "hand_weights",
    "lead_guesses",
    "lead_hands",
]

MOST_EXACT_STICKS: Final = 8
"""The sticks per player up to which two play exactly, as in the bot."""

SCALE: Final = 1 << 30
"""The factor from chances to weights; the sum of all weights stays below 2**32."""

EXACT: Final = 0
ROUNDS: Final = 1
OPENINGS: Final = 2
APPROXIMATED: Final = 3
HAND_TABLES: Final = 4
GUESS_TABLES: Final = 13
HEADER: Final = 22

Strategy = npt.NDArray[np.uint32]

NO_STRATEGY: Final[Strategy] = np.zeros(HEADER, np.uint32)


@functools.cache
def equilibrium_strategy(rules: Rules, players: int) -> Strategy:
    """Return the strategies for all situations of a game with this number of players."""
    most = max(starting_sticks(rules, players))
    exact = min(most, MOST_EXACT_STICKS)
    header = NO_STRATEGY.copy()
    header[EXACT], header[APPROXIMATED] = exact, most
    parts = [header]

    def add(part: npt.NDArray[np.uint32]) -> int:
        start = sum(len(each) for each in parts)
        parts.append(part)
        return start

    solution = load_or_solve(exact, rules.lead_after_win, rules.opening_zero)
    header[ROUNDS] = add(_exact_rounds(solution, exact, opening=False))
    if solution.openings:
        header[OPENINGS] = add(_exact_rounds(solution, exact, opening=True))
    for still_in in range(2 if most > exact else 3, players + 1):
        found = cfr.load_or_train(still_in, most, rules.finish)
        if found.iterations:
            header[HAND_TABLES + still_in] = add(_approximate_hands(found))
            header[GUESS_TABLES + still_in] = add(_approximate_guesses(found))
    return np.concatenate(parts)


def _exact_rounds(solution: Solution, most: int, *, opening: bool) -> Strategy:
    hands, sums = most + 1, 2 * most + 1
    table = np.zeros((most, most, 2 * hands + hands * sums + hands * sums * sums), np.uint32)
    for lead in range(1, most + 1):
        for follower in range(1, most + 1):
            played = solution.round((lead, follower), opening=opening)
            part = table[lead - 1, follower - 1]
            _write(part[:hands], played.lead.hands)
            _write(part[hands : 2 * hands], played.follower.hands)
            leading = part[2 * hands : 2 * hands + hands * sums].reshape(hands, sums)
            following = part[2 * hands + hands * sums :].reshape(hands, sums, sums)
            for hand, weights in enumerate(played.lead.guesses):
                _write(leading[hand], weights)
            for hand, by_lead in enumerate(played.follower.guesses):
                for heard, weights in enumerate(by_lead):
                    _write(following[hand, heard], weights)
    return table.ravel()


def _approximate_hands(found: cfr.Approximation) -> Strategy:
    players, most = found.players, found.sticks
    table = np.zeros((players, most + 1, (players - 1) * most + 1, most + 1), np.uint32)
    for (place, own, others), weights in found.hands.items():
        _write(table[place, own, others], weights)
    return table.ravel()


def _approximate_guesses(found: cfr.Approximation) -> Strategy:
    players, most = found.players, found.sticks
    others_most = (players - 1) * most
    table = np.zeros((players, others_most + 1, most + 1, players * most + 2, others_most + 1), np.uint32)
    for (place, others, hand, hint), weights in found.guesses.items():
        _write(table[place, others, hand, hint + 1], weights)
    return table.ravel()


def _write(part: Strategy, chances: Sequence[float]) -> None:
    part[: len(chances)] = np.round(np.array(chances) * SCALE).astype(np.uint32)


# ── lookup in a kernel: where the weights of a decision begin ──────────────────────


@force_inline
def exact_round(strategy: Any, opening: Any, lead: Any, follower: Any) -> Any:
    """Return where the strategies of one round begin."""
    most = get(strategy, EXACT)
    hands, sums = most + 1, 2 * most + 1
    size = 2 * hands + hands * sums + hands * sums * sums
    start = get(strategy, OPENINGS) if opening and get(strategy, OPENINGS) else get(strategy, ROUNDS)
    return start + ((lead - 1) * most + follower - 1) * size


@force_inline
def lead_hands(strategy: Any, at: Any) -> Any:
    return at


@force_inline
def follower_hands(strategy: Any, at: Any) -> Any:
    return at + get(strategy, EXACT) + 1


@force_inline
def lead_guesses(strategy: Any, at: Any, hand: Any) -> Any:
    most = get(strategy, EXACT)
    return at + 2 * (most + 1) + hand * (2 * most + 1)


@force_inline
def follower_guesses(strategy: Any, at: Any, hand: Any, heard: Any) -> Any:
    most = get(strategy, EXACT)
    sums = 2 * most + 1
    return at + (most + 1) * (2 + sums) + (hand * sums + heard) * sums


@force_inline
def hand_weights(strategy: Any, players: Any, place: Any, own: Any, others: Any) -> Any:
    """Return where the approximate chances of all hands begin, or 0 if there are none."""
    start = get(strategy, HAND_TABLES + players)
    most = get(strategy, APPROXIMATED)
    row = (place * (most + 1) + own) * ((players - 1) * most + 1) + others
    return start + row * (most + 1) if start else 0


@force_inline
def guess_weights(strategy: Any, players: Any, place: Any, others: Any, hand: Any, hint: Any) -> Any:
    """Return where the approximate chances of all guesses begin, from the player's hand up, or 0 if there are none."""
    start = get(strategy, GUESS_TABLES + players)
    most = get(strategy, APPROXIMATED)
    width = (players - 1) * most + 1
    row = ((place * width + others) * (most + 1) + hand) * (players * most + 2) + hint + 1
    return start + row * width if start else 0
