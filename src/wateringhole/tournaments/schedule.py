"""The schedule: the series of a tournament, planned from one seed.

A series is the unit of work: games in a row by the same player objects.
A table plays a *block*: one series for each seat, in which its players sit one seat further on.  All
series of a block have the same deals.  So every player sits in every seat equally often and plays the
cards that every other player was dealt, but no player object sees a deal twice.

Earlier versions planned a single series for a table, in which the players moved on by one seat after
each game and all games had the same deal.  Their unfinished tournaments (`life` is None)
are planned in the same way to their end.

Round robin and gauntlet are planned at once (`plan`).  `Swiss` and `Ladder` need only the results so
far: with these, an interrupted tournament continues as if it had not been interrupted.
"""

from __future__ import annotations

import functools
import itertools
import math
import random
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

import msgspec

from wateringhole.errors import UsageError
from wateringhole.seeds import Seed
from wateringhole.tournaments.results import GameResult, points

__all__ = ["FORMATS", "BlockShape", "FixedFormat", "Format", "Ladder", "PlannedSeries", "Rounds", "Swiss", "plan"]

FixedFormat = Literal["round-robin", "gauntlet"]
"""The formats that are planned before the first game."""

SWAPS_PER_TABLE = 60
"""The exchanges of two players that are tried, per sampled table, to balance the meetings."""
MOST_PLANNED = 1_000_000
"""The most series that are planned before the first game; more would not fit into every machine's memory."""
ROUNDS_AT_ONCE = 100
"""The rounds that are planned together if no round depends on earlier ones."""
FEWEST_SWAPS, MOST_SWAPS = 10_000, 150_000
"""Small schedules can often be made perfect; in large ones, one meeting more or less does not matter."""


class BlockShape(NamedTuple):
    """What a table plays: a number of series, all with the same deals, and the games of each."""

    series: int
    games: int
    """The games of one series."""

    @classmethod
    def of(cls, table_size: int, life: int | None) -> BlockShape:
        """Return the shape for series of `life` games, or that of earlier versions if it is None."""
        return cls(1, table_size) if life is None else cls(table_size, life)

    @property
    def all_games(self) -> int:
        return self.series * self.games


class PlannedSeries(msgspec.Struct, frozen=True, omit_defaults=True):
    """A series: its entrants, its number of games and its deals."""

    number: int
    """From 0, in the order of the plan.  The series of a block follow each other."""
    entrants: tuple[int, ...]
    """Numbers of players, from 0, in the seating of the first game."""
    games: int
    deals: int
    """Equal in series with the same deals: the number of their block, from 0.  In tournaments of earlier versions
    it is the seed of the deal."""
    absent: tuple[int, ...] = ()
    """The entrants that were withdrawn when the series was claimed."""


def plan(
    format: FixedFormat,
    players: int,
    *,
    table_size: int,
    games: int,
    seed: Seed,
    life: int | None = None,
    challenger: int = 0,
) -> list[PlannedSeries]:
    """Return all series of a tournament, with at least `games` games, because blocks are played completely.

    In a round robin, every pair of players meets equally often, up to rounding.  In a gauntlet, the
    challenger plays in every series, and every pair of the others meets equally often.
    """
    _check_table(players, table_size, life)
    if games < 1:
        raise UsageError(f"{games} games: a tournament needs at least 1.")
    if not 0 <= challenger < players:
        raise UsageError(f"challenger {challenger}: expected a number from 0 to {players - 1}.")
    rng = _chance(seed, format)
    shape = BlockShape.of(table_size, life)
    count = math.ceil(games / shape.all_games)
    if count * shape.series > MOST_PLANNED:
        raise UsageError(
            f"{games} games are {count * shape.series} series, too many to plan at once: the limit is {MOST_PLANNED}. "
            "Play several tournaments with different seeds, or use swiss or ladder, which plan round by round."
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
        raise UsageError(f"format {format!r} does not exist. Choose from: round-robin, gauntlet, swiss, ladder.")
    return _series(tables, 0, life, rng)


class Rounds(ABC):
    """A tournament in rounds, each planned from the summed results of earlier rounds.

    Results can be added in any order.  They are dropped when their round is complete, so that the
    size depends on the number of players alone.
    """

    def __init__(self, *, players: int, table_size: int, seed: Seed, life: int | None = None) -> None:
        _check_table(players, table_size, life)
        self.players = players
        self.table_size = table_size
        self.first = 0
        """The first series of the round that is not complete."""
        self.shape = BlockShape.of(table_size, life)
        self._seed = seed
        self._life = life
        self._round = 0
        """The number of the round that is not complete, from 0."""
        self._games = 0
        """The games of all complete rounds."""
        self._known: defaultdict[int, dict[int, GameResult]] = defaultdict(dict)
        """The results of incomplete rounds, by series and game."""
        self._missing = set(self._numbers())

    def see(self, results: Iterable[GameResult]) -> None:
        """Add results; those that are known already change nothing."""
        for result in results:
            if result.series < self.first:
                continue
            self._known[result.series][result.game] = result
            if len(self._known[result.series]) == self.shape.games:
                self._missing.discard(result.series)
                while not self._missing:
                    self._close_round()

    def forget_round(self) -> None:
        """Drop the results of the round that is not complete, because some were replaced."""
        self._known.clear()
        self._missing = set(self._numbers())

    def next_round(self) -> list[PlannedSeries]:
        """Return the first round that is not complete, empty when the tournament is over.

        Results of that round itself do not change it, so it is the same after an interruption.  If all
        players fit at one table, no result matters, and many rounds are returned together.
        """
        planned: list[PlannedSeries] = []
        rounds = ROUNDS_AT_ONCE if self.players == self.table_size else 1
        for number in range(self._round, self._round + rounds):
            if self._is_over(number, self._games + sum(series.games for series in planned)):
                break
            rng = _chance(self._seed, f"{type(self).__name__} {number}")
            # Sorted, so that success does not influence the seating if all players fit at one table.
            tables = map(sorted, self._tables(rng))
            planned += _series(tables, self.first + len(planned), self._life, rng)
        return planned

    def _numbers(self) -> range:
        """Return the numbers of the series of the incomplete round."""
        return range(self.first, self.first + self._tables_in(self._round) * self.shape.series)

    def _close_round(self) -> None:
        numbers = self._numbers()
        results = [result for series in numbers for result in self._known.pop(series).values()]
        self._learn(results)
        self._games += len(results)
        self._round += 1
        self.first = numbers.stop
        self._missing = {each for each in self._numbers() if len(self._known.get(each, ())) < self.shape.games}

    @abstractmethod
    def _is_over(self, number: int, games: int) -> bool:
        """Return whether the tournament is over before this round, counted from 0, after this many games."""

    @abstractmethod
    def _tables_in(self, number: int) -> int:
        """Return the number of tables of a round, counted from 0; each plays a block."""

    @abstractmethod
    def _tables(self, rng: random.Random) -> Iterable[Sequence[int]]:
        """Return the entrants at each table of the incomplete round."""

    @abstractmethod
    def _learn(self, results: Sequence[GameResult]) -> None:
        """Process all games of the round that has just been completed."""


class Swiss(Rounds):
    """A fixed number of rounds in which players of similar success meet, new opponents first.

    Success is the mean share of opponents that a player finished ahead of.  If the number of players
    is not a multiple of the table size, those who have rested least often rest, the least successful first.
    """

    def __init__(self, *, players: int, table_size: int, seed: Seed, rounds: int, life: int | None = None) -> None:
        super().__init__(players=players, table_size=table_size, seed=seed, life=life)
        self._rounds = rounds
        self._success = _Success()
        self._meetings = [[0] * players for _ in range(players)]
        """The number of blocks that each pair has played together."""
        self._played: Counter[int] = Counter()

    def _is_over(self, number: int, games: int) -> bool:
        return number >= self._rounds

    def _tables_in(self, number: int) -> int:
        return self.players // self.table_size

    def _learn(self, results: Sequence[GameResult]) -> None:
        for result in results:
            self._success.add(result)
        for table in {result.series // self.shape.series: result.entrants for result in results}.values():
            self._played.update(table)
            for one, other in itertools.permutations(table, 2):
                self._meetings[one][other] += 1

    def _tables(self, rng: random.Random) -> Iterable[Sequence[int]]:
        by_chance = rng.sample(range(self.players), self.players)
        ranked = sorted(by_chance, key=lambda player: -self._success[player])
        idle = self.players % self.table_size
        # The sort is stable: of the players with equally many blocks, the least successful rests.
        rests = set(sorted(ranked, key=lambda player: self._played[player])[self.players - idle :])
        seats = [player for player in ranked if player not in rests]
        tables = [seats[first : first + self.table_size] for first in range(0, len(seats), self.table_size)]
        position = {player: index for index, player in enumerate(seats)}
        # A repeated meeting costs as much as a distance of half the field.
        costs = [
            [
                abs(position.get(one, 0) - position.get(other, 0)) + self.players // 2 * self._meetings[one][other]
                for other in range(self.players)
            ]
            for one in range(self.players)
        ]
        _exchange_while_cheaper(tables, costs)
        return tables


class Ladder(Rounds):
    """Endless rounds in which neighbours on a ladder meet and change rungs according to their success.

    It starts in the order of entry.  In one round tables are cut from the top.  In the next they are cut
    from the bottom, or half a table further down, so that every player can climb to the top.
    """

    def __init__(
        self, *, players: int, table_size: int, seed: Seed, games: int | None = None, life: int | None = None
    ) -> None:
        """With `games`, end with the round in which this number is reached."""
        super().__init__(players=players, table_size=table_size, seed=seed, life=life)
        self._enough = math.inf if games is None else games
        self.rungs = list(range(players))
        """The players from the top rung down, after all complete rounds."""

    def _is_over(self, number: int, games: int) -> bool:
        return games >= self._enough

    def _tables_in(self, number: int) -> int:
        return (self.players - self._first_rung(number)) // self.table_size

    def _tables(self, rng: random.Random) -> Iterable[Sequence[int]]:
        return self._cut()

    def _cut(self) -> Iterator[Sequence[int]]:
        start = self._first_rung(self._round)
        for first in range(start, start + self._tables_in(self._round) * self.table_size, self.table_size):
            yield self.rungs[first : first + self.table_size]

    def _learn(self, results: Sequence[GameResult]) -> None:
        success = _Success()
        for result in results:
            success.add(result)
        # The sort is stable: a player who did no better stays below.
        climbed = [sorted(table, key=lambda player: -success[player]) for table in self._cut()]
        start = self._first_rung(self._round)
        self.rungs[start : start + len(climbed) * self.table_size] = itertools.chain.from_iterable(climbed)

    def _first_rung(self, number: int) -> int:
        if number % 2 == 0 or self.players == self.table_size:
            return 0
        return self.players % self.table_size or self.table_size // 2


class Format(NamedTuple):
    """A way to plan the series of a tournament: all before the first game, or round by round."""

    series: Callable[..., list[PlannedSeries]] | None = None
    """`series(players, table_size=…, games=…, seed=…, life=…)`: all series, if they are planned at once."""
    rounds: Callable[..., Rounds] | None = None
    """`rounds(players, table_size=…, games=…, seed=…, life=…)`, if each round depends on earlier ones."""
    tables: Callable[[int, int], int] | None = None
    """`tables(players, table_size)`: the number of blocks after which a tournament can end, or None if that varies."""
    is_endless: bool = False
    """True if a tournament without a number of games continues until it is stopped."""


def _swiss(players: int, *, table_size: int, games: int, seed: Seed, life: int | None) -> Rounds:
    in_round = players // table_size * BlockShape.of(table_size, life).all_games
    return Swiss(players=players, table_size=table_size, seed=seed, rounds=math.ceil(games / in_round), life=life)


def _ladder(players: int, *, table_size: int, games: int | None, seed: Seed, life: int | None) -> Rounds:
    return Ladder(players=players, table_size=table_size, seed=seed, games=games, life=life)


FORMATS: Final[Mapping[str, Format]] = {
    "round-robin": Format(functools.partial(plan, "round-robin"), tables=lambda players, table_size: 1),
    "gauntlet": Format(functools.partial(plan, "gauntlet"), tables=lambda players, table_size: 1),
    "swiss": Format(rounds=_swiss, tables=lambda players, table_size: players // table_size),
    # The rounds of a ladder have two sizes; the round in which the number is reached is completed.
    "ladder": Format(rounds=_ladder, is_endless=True),
}


def _exchange_while_cheaper(tables: list[list[int]], costs: Sequence[Sequence[int]]) -> None:
    """Exchange players between tables while that lowers the cost of all pairs; it ends because costs are integers."""
    size = len(tables[0])
    changed = [1] * len(tables)
    """By table: the number of exchanges at its last change."""
    compared: dict[tuple[int, int], int] = {}
    exchanges = 1
    improved = True
    while improved:
        improved = False
        for pair in itertools.combinations(range(len(tables)), 2):
            one, other = pair
            if compared.get(pair, 0) >= max(changed[one], changed[other]):
                continue
            compared[pair] = exchanges
            here, there = tables[one], tables[other]
            for seat, other_seat in itertools.product(range(size), repeat=2):
                goes, comes = here[seat], there[other_seat]
                of_goes, of_comes = costs[goes], costs[comes]
                # A player's cost with itself is 0, so only the exchanged pair is counted too often.
                growth = -2 * of_goes[comes]
                for player in here:
                    growth += of_comes[player] - of_goes[player]
                for player in there:
                    growth += of_goes[player] - of_comes[player]
                if growth < 0:
                    here[seat], there[other_seat] = comes, goes
                    exchanges += 1
                    changed[one] = changed[other] = exchanges
                    improved = True


class _Success:
    """By player: the mean share of opponents that it finished ahead of."""

    def __init__(self) -> None:
        self._points: defaultdict[int, float] = defaultdict(float)
        self._others: Counter[int] = Counter()

    def add(self, result: GameResult) -> None:
        # Sums of halves do not depend on the order; all tables have the same size.
        for player, gained in zip(result.entrants, points(result), strict=True):
            self._points[player] += gained
            self._others[player] += len(result.entrants) - 1

    def __getitem__(self, player: int) -> float:
        return self._points[player] / self._others[player] if self._others[player] else 0.5


def _check_table(players: int, table_size: int, life: int | None) -> None:
    if table_size < 2:
        raise UsageError(f"a table of {table_size}: a series needs at least 2 players.")
    if players < table_size:
        raise UsageError(f"{players} players cannot fill a table of {table_size}.")
    if life is not None and life < 1:
        raise UsageError(f"a life of {life} games: expected at least 1.")


def _chance(seed: Seed, purpose: str) -> random.Random:
    """Return a separate generator for a purpose; a text seed means the same in every version of Python."""
    return random.Random(f"{purpose} {seed}")


def _series(tables: Iterable[Sequence[int]], first: int, life: int | None, rng: random.Random) -> list[PlannedSeries]:
    """Return a block for each table, with random neighbours; its series have numbers from `first` on."""
    planned: list[PlannedSeries] = []
    for table in tables:
        size = len(table)
        seating = rng.sample(table, size)
        number = first + len(planned)
        if life is None:
            planned.append(PlannedSeries(number, tuple(seating), size, rng.randrange(2**32)))
            continue
        for shift in range(size):
            entrants = tuple(seating[shift:] + seating[:shift])
            planned.append(PlannedSeries(number + shift, entrants, life, number // size))
    return planned


# Balanced tables


def _balanced_tables(players: int, size: int, count: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Return all possible tables as often as they fit into `count`, then a balanced sample for the rest."""
    different = math.comb(players, size)
    tables: list[tuple[int, ...]] = []
    for _ in range(count // different):
        tables += rng.sample(list(itertools.combinations(range(players), size)), different)
    return tables + _sample(players, size, count % different, rng)


def _sample(players: int, size: int, count: int, rng: random.Random) -> list[tuple[int, ...]]:
    """Return `count` tables at which every player sits, and every pair meets, equally often up to rounding."""
    meetings = [[0] * players for _ in range(players)]
    appearances = [0] * players
    tables: list[list[int]] = []
    for _ in range(count):
        table: list[int] = []
        # Players with the fewest appearances come first, which keeps appearances within one of each other.
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
    """Exchange players between tables where that balances how often pairs meet.

    An exchange does not change a player's number of tables.  It is kept if the sum of the squared
    meetings does not grow; that sum is smallest when all pairs meet equally often.  Early exchanges
    are sometimes kept even if the sum grows a little, which gets small schedules out of local minima.
    """
    if len(tables) < 2:
        return
    size = len(tables[0])
    exchanges = min(max(FEWEST_SWAPS, SWAPS_PER_TABLE * len(tables)), MOST_SWAPS)
    for tried in range(exchanges):
        here, there = rng.sample(tables, 2)
        seat, other_seat = rng.randrange(size), rng.randrange(size)
        goes, comes = here[seat], there[other_seat]
        if goes in there or comes in here:
            continue
        stay = [player for player in here if player != goes]
        others = [player for player in there if player != comes]
        # Half of the change from c² to (c ± 1)², summed over all pairs that are split or joined.
        growth = sum(meetings[comes][player] - meetings[goes][player] + 1 for player in stay)
        growth += sum(meetings[goes][player] - meetings[comes][player] + 1 for player in others)
        if growth > (rng.random() < 0.1 * (0.5 - tried / exchanges)):
            continue
        here[seat], there[other_seat] = comes, goes
        for company, old, new in ((stay, goes, comes), (others, comes, goes)):
            for player in company:
                for moved, change in ((old, -1), (new, 1)):
                    meetings[moved][player] += change
                    meetings[player][moved] += change
