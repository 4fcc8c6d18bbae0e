"""Search by playing on: what comes of each first choice, on average over imagined tables.

A player sees a part of its table and can only imagine the rest; so every continuation is played
on another table that looks the same to it.  Here is what all games have in common; each compiled
game has its own `sample_state` and `rollout`.
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
from wateringhole.sim.arguments import MOST_SEED, whole, whole_number
from wateringhole.sim.cpu import rollout_loop
from wateringhole.sim.game import CompiledGame
from wateringhole.sim.game_ranges import GameRanges

__all__ = [
    "Known",
    "RolloutResult",
    "SampledState",
    "beliefs_by_seat",
    "check_seats",
    "check_type",
    "draw_seed",
    "listed",
    "rollout_results",
]

MOST_CONTINUATIONS = 1 << 32
"""Of one first choice; nobody waits that long."""

C = TypeVar("C")
T = TypeVar("T")


@dataclass(frozen=True)
class SampledState:
    """A whole table that looks to one seat as its view does."""

    state: npt.NDArray[Any]
    """As the `layout` of the game says."""
    seats: tuple[Seat, ...]
    """Who sits in each seat of the state."""
    seat: int
    """The seat of the state whose view it is."""


@dataclass(frozen=True)
class Known:
    """What one seat knows of its table."""

    words: npt.NDArray[Any]
    """As the compiled `play_out` of the game reads it."""
    rules: Any
    seats: tuple[Seat, ...]
    """Who sits in each seat of the words."""
    seat: int
    """The seat of the words that knows this."""


@dataclass(frozen=True)
class RolloutResult(Generic[C]):
    """What came of one first choice, on average."""

    candidate: C
    games: int
    """Continuations that count."""
    stopped: int
    """Of these, continuations that a limit of the rules ended before all places were decided."""
    overflowed: int
    """Continuations that met a bound of the engine and do not count."""
    wins: float
    """The share of them with the first place, also where it was shared."""
    place: float
    score: float
    error: float
    """The standard error of `score`."""
    scores: Mapping[Seat, float]
    """Of all, by seat."""


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
    """Play `games` continuations after each candidate, which is given as legal choices, too.

    Raises UsageError for numbers that make no sense, and for players that are not compiled.
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
    """By which one table is imagined.  Raises UsageError for another kind of generator."""
    if not isinstance(rng, random.Random):
        raise UsageError(f"rng is a random.Random, not {short_repr(rng)}.")
    return rng.getrandbits(63)


def listed(candidates: Iterable[C]) -> list[C]:
    """First choices that were given.  Raises UsageError where there are none to go through."""
    if not isinstance(candidates, Iterable):
        raise UsageError(f"candidates are a list of first choices, not {short_repr(candidates)}.")
    return list(candidates)


def beliefs_by_seat(what: str, given: Mapping[Seat, T] | None) -> Mapping[Seat, T]:
    """What is believed of some seats, or of none.  Raises UsageError for what does not go by seat."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise UsageError(f"{what} go by seat, e.g. {{0: …}}, and are not {short_repr(given)}.")
    return given


def check_type(what: str, given: object, *kinds: type) -> None:
    """Raises UsageError for what is of none of these kinds."""
    if not isinstance(given, kinds):
        names = " or ".join(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
        raise UsageError(f"{what} is a {names}, not {short_repr(given)}.")


def check_seats(what: str, named: Collection[Seat], seats: Collection[Seat]) -> None:
    """Raises UsageError when somebody is named who does not sit at the table."""
    if not isinstance(named, Collection):
        raise UsageError(f"{what}: give the seats as a list, not {short_repr(named)}.")
    for seat in named:
        if whole(seat) not in seats:
            raise UsageError(
                f"{what}: nobody sits in seat {short_repr(seat)}; there are {', '.join(map(str, sorted(seats)))}."
            )


def _seated(known: Known, me: str, others: str | Mapping[Seat, str]) -> list[str]:
    """Who plays on, by seat; others who are not named play like me."""
    if isinstance(others, str):
        named = dict.fromkeys(known.seats, others)
    elif not isinstance(others, Mapping):
        raise UsageError(
            f"others are one compiled player, or players by seat, e.g. {{0: 'random'}}, not {short_repr(others)}."
        )
    else:
        check_seats("others", others, known.seats)
        named = {seat: others.get(seat, me) for seat in known.seats}
    return [me if place == known.seat else named[seat] for place, seat in enumerate(known.seats)]


def _padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int32]:
    """All in one array, each followed by a negative number."""
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
    places = sum(place * times for place, times in enumerate(mine[at.PLACES :], 1))
    return RolloutResult(
        candidate,
        games=games,
        stopped=int(sums[at.STOPPED]),
        overflowed=int(sums[at.OVERFLOWED]),
        wins=mine[at.FIRSTS] / counted,
        place=places / counted,
        score=score.mean,
        error=score.error,
        scores={seat: of[at.SCORES] / counted for seat, of in zip(known.seats, seats, strict=True)},
    )
