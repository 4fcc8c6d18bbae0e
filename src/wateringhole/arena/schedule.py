"""Who meets whom: the series of a tournament, planned from one seed.

A series is the unit of work: a table of players, the same objects in all its games, moving on by
one seat after each, all dealt from the same seed.  Its games are whole rotations, so within every
series each player sits in each seat equally often, and for games with a deck everybody has played
everybody's cards.

Round robin and gauntlet are planned at once (`plan`); `Swiss` and `Ladder` need the results so
far, and nothing else: they remember nothing, so a tournament that was interrupted goes on as if
it had not been.
"""

from __future__ import annotations

import itertools
import math
import random
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec

from wateringhole.arena.results import GameResult, points
from wateringhole.errors import Misuse

__all__ = ["Format", "Ladder", "PlannedSeries", "Swiss", "plan"]

Format = Literal["round-robin", "gauntlet"]
"""What can be planned before the first game."""

SWAPS_PER_TABLE = 60
"""How many exchanges of two players are tried, for every sampled table, to even out who meets whom."""
MOST_PLANNED = 1_000_000
"""That are planned before the first game; more would not fit into the memory of everybody."""
FEWEST_SWAPS, MOST_SWAPS = 10_000, 150_000
"""Small schedules can often be made perfect; in large ones a pair more or less is next to nothing."""


class PlannedSeries(msgspec.Struct, frozen=True):
    """A table and how many games are played at it."""

    number: int
    """From 0, in the order of the plan."""
    entrants: tuple[int, ...]
    """Numbers of players, from 0, in the seating of the first game."""
    games: int
    seed: int

    def seating(self, game: int) -> tuple[int, ...]:
        """Who sits where in a game of this series, games counted from 0."""
        size = len(self.entrants)
        return tuple(self.entrants[(seat + game) % size] for seat in range(size))


def plan(
    format: Format,
    players: int,
    *,
    table_size: int,
    games: int,
    seed: int,
    rotations: int = 1,
    challenger: int = 0,
) -> list[PlannedSeries]:
    """All series of a tournament, at least `games` games in all: whole series are played.

    A series has `rotations` games in every seat.  In a round robin every pair of players meets
    equally often, up to rounding; in a gauntlet the challenger sits at every table, and the
    others are equals of each other in the same sense.
    """
    _check_table(players, table_size, rotations)
    if games < 1:
        raise Misuse(f"{games} games are too few for a tournament.")
    if not 0 <= challenger < players:
        raise Misuse(f"there is no player {challenger} among {players}, who are counted from 0.")
    rng = _chance(seed, format)
    count = math.ceil(games / (table_size * rotations))
    if count > MOST_PLANNED:
        raise Misuse(
            f"{games} games are {count} series, too many to plan at once: {MOST_PLANNED} are the most. "
            "Play several tournaments with seeds of their own, or swiss or ladder, which plan round by round."
        )
    if format == "round-robin":
        tables = _balanced_tables(players, table_size, count, rng)
    elif format == "gauntlet":
        others = [player for player in range(players) if player != challenger]
        tables = [
            (challenger, *(others[other] for other in table))
            for table in _balanced_tables(players - 1, table_size - 1, count, rng)
        ]
    else:
        raise Misuse(f"there is no schedule {format!r}; there are round-robin and gauntlet, swiss and ladder.")
    return _series(tables, 0, table_size * rotations, rng)


@dataclass(frozen=True, kw_only=True)
class _Rounds(ABC):
    """A tournament in rounds, each planned from the results of those before."""

    players: int
    table_size: int
    seed: int
    rotations: int = 1

    def __post_init__(self) -> None:
        _check_table(self.players, self.table_size, self.rotations)

    @property
    def games_per_series(self) -> int:
        return self.table_size * self.rotations

    def next_round(self, results: Iterable[GameResult]) -> list[PlannedSeries]:
        """The first round that is not complete in `results`, which may come in any order.

        What has been played of that round itself changes nothing in it: after an interruption the
        same round is given again.  Empty when the tournament is over.
        """
        by_series: defaultdict[int, list[GameResult]] = defaultdict(list)
        for result in results:
            by_series[result.series].append(result)
        past: list[list[GameResult]] = []
        first = 0
        for number in itertools.count():
            if self._is_over(number):
                return []
            numbers = range(first, first + self._tables_in(number))
            if any(len(by_series[series]) < self.games_per_series for series in numbers):
                rng = _chance(self.seed, f"{type(self).__name__} {number}")
                return _series(self._tables(past, rng), first, self.games_per_series, rng)
            past.append([result for series in numbers for result in by_series[series]])
            first = numbers.stop
        raise AssertionError("rounds are counted without end")

    def _is_over(self, number: int) -> bool:
        return False

    @abstractmethod
    def _tables_in(self, number: int) -> int:
        """How many tables a round has, from 0."""

    @abstractmethod
    def _tables(self, past: Sequence[Sequence[GameResult]], rng: random.Random) -> list[tuple[int, ...]]:
        """The tables of the round after those of the past."""


@dataclass(frozen=True, kw_only=True)
class Swiss(_Rounds):
    """A fixed number of rounds in which players of like success meet, new opponents first.

    Success is the mean share of the others at the table that a player finished ahead of.  Where
    the tables do not come out even, those sit out who did so least often, the least successful first.
    """

    rounds: int

    def _is_over(self, number: int) -> bool:
        return number >= self.rounds

    def _tables_in(self, number: int) -> int:
        return self.players // self.table_size

    def _tables(self, past: Sequence[Sequence[GameResult]], rng: random.Random) -> list[tuple[int, ...]]:
        results = [result for round in past for result in round]
        success, meetings = _success(results), _meetings(results)
        played = Counter(player for round in past for player in {each for result in round for each in result.entrants})
        by_chance = rng.sample(range(self.players), self.players)
        ranked = sorted(by_chance, key=lambda player: -success.get(player, 0.5))
        idle = self.players % self.table_size
        rests = sorted(ranked, key=lambda player: (-played[player], -ranked.index(player)))[:idle]
        seats = [player for player in ranked if player not in rests]
        tables = [seats[first : first + self.table_size] for first in range(0, len(seats), self.table_size)]
        position = {player: place for place, player in enumerate(seats)}

        def cost(table: Sequence[int]) -> int:
            # To meet somebody again is as bad as to meet somebody half the field away.
            return sum(
                abs(position[one] - position[other]) + self.players // 2 * meetings[frozenset((one, other))]
                for one, other in itertools.combinations(table, 2)
            )

        _exchange_while_cheaper(tables, cost)
        return [tuple(table) for table in tables]


@dataclass(frozen=True, kw_only=True)
class Ladder(_Rounds):
    """Rounds without end in which neighbours on a ladder meet and change rungs by what they achieved.

    It starts in the order of entry.  Tables are cut from the top in one round and from the bottom,
    or half a table further down, in the next, so that everybody can climb all the way.
    """

    def _tables_in(self, number: int) -> int:
        return (self.players - self._first_rung(number)) // self.table_size

    def _tables(self, past: Sequence[Sequence[GameResult]], rng: random.Random) -> list[tuple[int, ...]]:
        return list(self._cut(self.rungs(past), len(past)))

    def rungs(self, past: Sequence[Sequence[GameResult]]) -> list[int]:
        """The players from the top rung down, after the rounds of the past."""
        rungs = list(range(self.players))
        for number, results in enumerate(past):
            success = _success(results)
            climbed = [
                # The sort is stable: whoever did no better stays below.
                sorted(table, key=lambda player: -success[player])
                for table in self._cut(rungs, number)
            ]
            start = self._first_rung(number)
            rungs[start : start + len(climbed) * self.table_size] = itertools.chain.from_iterable(climbed)
        return rungs

    def _first_rung(self, number: int) -> int:
        if number % 2 == 0 or self.players == self.table_size:
            return 0
        return self.players % self.table_size or self.table_size // 2

    def _cut(self, rungs: Sequence[int], number: int) -> Iterator[tuple[int, ...]]:
        start = self._first_rung(number)
        for table in range(self._tables_in(number)):
            first = start + table * self.table_size
            yield tuple(rungs[first : first + self.table_size])


def _exchange_while_cheaper(tables: list[list[int]], cost: Callable[[Sequence[int]], int]) -> None:
    """Exchange players between tables as long as that lowers the cost of all; it ends, since costs are whole."""
    size = len(tables[0])
    improved = True
    while improved:
        improved = False
        for here, there in itertools.combinations(tables, 2):
            for place, elsewhere in itertools.product(range(size), repeat=2):
                before = cost(here) + cost(there)
                here[place], there[elsewhere] = there[elsewhere], here[place]
                if cost(here) + cost(there) < before:
                    improved = True
                else:
                    here[place], there[elsewhere] = there[elsewhere], here[place]


def _success(results: Iterable[GameResult]) -> dict[int, float]:
    """By player: the mean share of the others at its tables that it finished ahead of."""
    sums: defaultdict[int, float] = defaultdict(float)
    games: Counter[int] = Counter()
    for result in results:
        # Halves, which add up to the same in any order; the table size is the same everywhere.
        for player, gained in zip(result.entrants, points(result), strict=True):
            sums[player] += gained
            games[player] += len(result.entrants) - 1
    return {player: sums[player] / games[player] for player in games}


def _meetings(results: Iterable[GameResult]) -> Counter[frozenset[int]]:
    """How many series each pair has played together."""
    tables = {result.series: result.entrants for result in results}
    return Counter(frozenset(pair) for table in tables.values() for pair in itertools.combinations(table, 2))


def _check_table(players: int, table_size: int, rotations: int) -> None:
    if table_size < 2:
        raise Misuse(f"a table of {table_size} is too small: nobody would meet anybody.")
    if players < table_size:
        raise Misuse(f"{players} players cannot fill a table of {table_size}.")
    if rotations < 1:
        raise Misuse(f"{rotations} games in each seat make no series.")


def _chance(seed: int, purpose: str) -> random.Random:
    """Chance of its own for every purpose; text seeds mean the same in every version of Python."""
    return random.Random(f"{purpose} {seed}")


def _series(tables: Iterable[Sequence[int]], first: int, games: int, rng: random.Random) -> list[PlannedSeries]:
    """Who sits beside whom is left to chance; the rotation does the rest."""
    return [
        PlannedSeries(number, tuple(rng.sample(table, len(table))), games, rng.randrange(2**32))
        for number, table in enumerate(tables, first)
    ]


# Balanced tables


def _balanced_tables(players: int, size: int, count: int, rng: random.Random) -> list[tuple[int, ...]]:
    """All tables there can be, as often as they fit in, then a balanced sample for the rest."""
    different = math.comb(players, size)
    tables: list[tuple[int, ...]] = []
    for _ in range(count // different):
        tables += rng.sample(list(itertools.combinations(range(players), size)), different)
    return tables + _sample(players, size, count % different, rng)


def _sample(players: int, size: int, count: int, rng: random.Random) -> list[tuple[int, ...]]:
    """So many tables at which everybody sits, and every pair meets, equally often up to rounding."""
    meetings = [[0] * players for _ in range(players)]
    appearances = [0] * players
    tables: list[list[int]] = []
    for _ in range(count):
        table: list[int] = []
        # Whoever has sat least often comes first, which keeps appearances within one of each other.
        order = rng.sample(range(players), players)
        for _ in range(size):
            best = min(
                (player for player in order if player not in table),
                key=lambda player: (appearances[player], sum(meetings[player][there] for there in table)),
            )
            table.append(best)
        for player in table:
            appearances[player] += 1
        for one, other in itertools.permutations(table, 2):
            meetings[one][other] += 1
        tables.append(table)
    _even_out(tables, meetings, rng)
    return [tuple(table) for table in tables]


def _even_out(tables: list[list[int]], meetings: list[list[int]], rng: random.Random) -> None:
    """Exchange players between tables wherever that evens out how often pairs meet.

    An exchange leaves everybody's number of tables as it is.  It is kept when the sum of the
    squares of the meetings does not grow, which is least when they are as equal as can be; early
    on now and then also when it grows a little, which gets small schedules out of dead ends.
    """
    if len(tables) < 2:
        return
    size = len(tables[0])
    exchanges = min(max(FEWEST_SWAPS, SWAPS_PER_TABLE * len(tables)), MOST_SWAPS)
    for tried in range(exchanges):
        here, there = rng.sample(tables, 2)
        place, elsewhere = rng.randrange(size), rng.randrange(size)
        goes, comes = here[place], there[elsewhere]
        if goes in there or comes in here:
            continue
        stay = [player for player in here if player != goes]
        others = [player for player in there if player != comes]
        # From c² to (c ± 1)² for every pair that is parted or brought together, halved.
        growth = sum(meetings[comes][player] - meetings[goes][player] + 1 for player in stay)
        growth += sum(meetings[goes][player] - meetings[comes][player] + 1 for player in others)
        if growth > (rng.random() < 0.1 * (0.5 - tried / exchanges)):
            continue
        here[place], there[elsewhere] = comes, goes
        for company, old, new in ((stay, goes, comes), (others, comes, goes)):
            for player in company:
                for moved, change in ((old, -1), (new, 1)):
                    meetings[moved][player] += change
                    meetings[player][moved] += change
