"""Search by simulation: the mean result of each first action over sampled states.

A player sees only a part of the game.  So every continuation starts from another sampled state, which looks
the same to the player.  This module has the parts that all games share; each compiled game has its own
`sample_state` and `rollout`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Seat
from wateringhole.sim import sums as at
from wateringhole.sim.arguments import MOST_SEED, as_integer, whole_number
from wateringhole.sim.cpu import rollout_loop
from wateringhole.sim.game import CompiledGame
from wateringhole.sim.game_ranges import GameRanges

__all__ = [
    "Known",
    "RolloutResult",
    "SampledState",
    "beliefs_by_seat",
    "candidate_list",
    "check_seats",
    "check_type",
    "draw_seed",
    "rollout_results",
]

MOST_CONTINUATIONS = 1 << 32
"""The most continuations of one candidate, more than anyone waits for."""

C = TypeVar("C")
T = TypeVar("T")


@dataclass(frozen=True)
class SampledState:
    """A full state of a game that is consistent with the view of one seat."""

    state: npt.NDArray[Any]
    """A row, as the `layout` of the game describes it."""
    seats: tuple[Seat, ...]
    """The seat of the game for each seat of the state."""
    seat: int
    """The seat of the state that has the view."""


@dataclass(frozen=True)
class Known:
    """The knowledge of one seat about its game."""

    words: npt.NDArray[Any]
    """The words that the compiled `play_out` of the game reads."""
    rules: Any
    seats: tuple[Seat, ...]
    """The seat of the game for each seat of the words."""
    seat: int
    """The seat of the words that has this knowledge."""


@dataclass(frozen=True)
class RolloutResult(Generic[C]):
    """The mean result of one candidate."""

    candidate: C
    games: int
    """Continuations that count."""
    stopped: int
    """Continuations among `games` that a limit of the rules ended before all places were decided."""
    overflowed: int
    """Continuations that reached a bound of the engine and do not count."""
    wins: float
    """The share of `games` with the first place, shared ones included."""
    place: float
    places: tuple[float, ...]
    """The share of `games` with each place, from the first."""
    score: float
    error: float
    """The standard error of `score`."""
    scores: Mapping[Seat, float]
    """The mean scores of all seats."""


def rollout_results(
    compiled: CompiledGame,
    known: Known,
    candidates: Sequence[C],
    actions: Sequence[Sequence[int]],
    *,
    games: int,
    seed: int,
    me: str,
    others: str | Mapping[Seat, str],
) -> list[RolloutResult[C]]:
    """Play `games` continuations after each candidate; `actions` are the candidates as legal actions.

    Raises UsageError for invalid numbers, and for players that are not compiled.
    """
    games = whole_number("games", games, 1, MOST_CONTINUATIONS)
    seed = whole_number("seed", seed, 0, MOST_SEED)
    names = _seated(known, me, others)
    policies = compiled.numbers(names)
    strategy = compiled.strategy(known.rules, len(names), set(names))
    sums = np.zeros((len(actions), at.SUMS), np.int64)
    state = np.zeros(compiled.state, compiled.dtype)
    play, first = rollout_loop(compiled.name), _padded(actions)
    for start, stop in GameRanges(games, 1):
        play(
            start,
            stop,
            known.words,
            known.seat,
            first,
            len(names),
            state,
            policies,
            strategy,
            np.uint64(seed),
            sums,
        )
    return [_rollout_result(candidate, row, known) for candidate, row in zip(candidates, sums, strict=True)]


def draw_seed(rng: random.Random) -> int:
    """Return a seed for one sampled state.  Raises UsageError for another kind of generator."""
    if not isinstance(rng, random.Random):
        raise UsageError(f"rng must be a random.Random, not {short_repr(rng)}.")
    return rng.getrandbits(63)


def candidate_list(candidates: Iterable[C]) -> list[C]:
    """Return the given candidates as a list.  Raises UsageError if they are not iterable."""
    if not isinstance(candidates, Iterable):
        raise UsageError(f"candidates must be a list, not {short_repr(candidates)}.")
    return list(candidates)


def beliefs_by_seat(what: str, given: Mapping[Seat, T] | None) -> Mapping[Seat, T]:
    """Return beliefs about seats, or none for None.  Raises UsageError unless they are a mapping by seat."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} must be a mapping by seat, e.g. {{0: …}}, not {short_repr(given)}.")
    return given


def check_type(what: str, given: object, *types: type) -> None:
    """Raise UsageError for an object of another type."""
    if not isinstance(given, types):
        names = " or ".join(f"{kind.__module__}.{kind.__qualname__}" for kind in types)
        raise UsageError(f"{what} must be a {names}, not {short_repr(given)}.")


def check_seats(what: str, named: Collection[Seat], seats: Collection[Seat]) -> None:
    """Raise UsageError for a seat that is not in the game."""
    if not isinstance(named, Collection):
        raise UsageError(f"{what}: give the seats as a list, not {short_repr(named)}.")
    for seat in named:
        if as_integer(seat) not in seats:
            raise UsageError(
                f"{what}: there is no seat {short_repr(seat)}. Choose from: {', '.join(map(str, sorted(seats)))}."
            )


def _seated(known: Known, me: str, others: str | Mapping[Seat, str]) -> list[str]:
    """Return the players of the continuations by seat.  Seats that `others` does not name play like `me`."""
    if isinstance(others, str):
        named = dict.fromkeys(known.seats, others)
    elif not isinstance(others, Mapping):
        raise UsageError(
            f"others must be one compiled player, or players by seat, e.g. {{0: 'random'}}, not {short_repr(others)}."
        )
    else:
        check_seats("others", others, known.seats)
        named = {seat: others.get(seat, me) for seat in known.seats}
    return [me if place == known.seat else named[seat] for place, seat in enumerate(known.seats)]


def _padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int32]:
    """Return all rows in one array, each followed by a negative number."""
    padded = np.full((len(rows), 1 + max(map(len, rows), default=0)), -1, np.int32)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded


def _rollout_result(candidate: C, sums: at.Sums, known: Known) -> RolloutResult[C]:
    games = int(sums[at.GAMES])
    counted = games or math.nan
    seats = at.by_seat(sums, len(known.seats))
    mine = seats[known.seat]
    score = at.mean(mine[at.SCORES], mine[at.SCORES + 1], games)
    times = [int(each) for each in mine[at.PLACES : at.PLACES + len(known.seats)]]
    return RolloutResult(
        candidate,
        games=games,
        stopped=int(sums[at.STOPPED]),
        overflowed=int(sums[at.OVERFLOWED]),
        wins=mine[at.FIRSTS] / counted,
        place=sum(place * often for place, often in enumerate(times, 1)) / counted,
        places=tuple(often / counted for often in times),
        score=score.mean,
        error=score.error,
        scores={seat: of[at.SCORES] / counted for seat, of in zip(known.seats, seats, strict=True)},
    )
