"""Is a new player better than an old one?  A test that stops as soon as it can say.

Both sit at the same table.  A round plays every seating of the table's rotation twice from one
seed, the second time with the two exchanged, so each has had exactly the other's seats, neighbours,
cards and chance.  What a round gives is how much more often the new one finished ahead of the old one
than behind it, between -1 and 1; rounds are independent of each other.

The test asks of the mean of that whether it is 0, or D, or -D: two of Wald's sequential tests side
by side, with the variance estimated from the rounds.  `docs/ratings.md` tells its error rates.
It needs no package of the extras.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import UsageError
from wateringhole.game import AnyKind, Seat
from wateringhole.match.match import UNTIMED, RefereeSettings
from wateringhole.match.series import Entrant, PlayedGame, Series
from wateringhole.match.specs import PlayerFactory, PlayerSpec, parse_specs
from wateringhole.player import player_seed, seating
from wateringhole.process.limits import NO_ISOLATION, Isolation

__all__ = ["Comparison", "ComparisonResult", "Contest", "Round", "SequentialTest", "Verdict", "compared_players"]

Verdict = Literal["better", "worse", "no difference"]


FEWEST_ROUNDS = 16
"""Before this many the variance is not known well enough to say anything."""
EXTREME_ROUNDS = 6.0
"""What has not been seen yet, a rare crash for instance, enters the variance as so many rounds of 1 or -1.
Without them equal players of whom one seldom loses, but then thoroughly, are told apart too often."""
CAUTION = 1.05
"""How much further out the bounds are than Wald's: the variance is estimated, and outcomes are not normal."""


class SequentialTest:
    """Takes the outcomes of rounds one by one and says when it is enough.

    - If there is no difference, "better" and "worse" together are said with a probability of at
      most about `alpha`.
    - If the difference is D or more, "better" is said with a probability of at least about
      1 - `beta`; the same holds for "worse".
    """

    def __init__(self, *, alpha: float = 0.05, beta: float = 0.05, difference: float = 0.1) -> None:
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 < value < 0.5:
                raise UsageError(f"--{name} {value:g}: an error rate lies between 0 and 0.5.")
        if not 0 < difference <= 1:
            raise UsageError(f"--difference {difference:g}: it lies above 0 and is 1 at most, which is always ahead.")
        self.alpha, self.beta, self.difference = alpha, beta, difference
        # Either wrong verdict has half of alpha.
        self._upper = CAUTION * math.log((1 - beta) / (alpha / 2))
        self._lower = CAUTION * math.log(beta / (1 - alpha / 2))
        self.rounds = 0
        self.mean = 0.0
        self._squares = 0.0
        self._is_better: bool | None = None
        self._is_worse: bool | None = None

    def add(self, outcome: float) -> None:
        """Another round's outcome, between -1 and 1."""
        self.rounds += 1
        step = outcome - self.mean
        self.mean += step / self.rounds
        self._squares += step * (outcome - self.mean)
        if self.rounds >= FEWEST_ROUNDS:
            # Each of the two keeps its first decision, as Wald's bounds want it.
            if self._is_better is None:
                self._is_better = self._decide(self.mean)
            if self._is_worse is None:
                self._is_worse = self._decide(-self.mean)

    @property
    def verdict(self) -> Verdict | None:
        """What the rounds so far say; None: go on."""
        if self._is_better:
            return "better"
        if self._is_worse:
            return "worse"
        if self._is_better is False and self._is_worse is False:
            return "no difference"
        return None

    @property
    def variance(self) -> float:
        """Of one round, as if a few more had been as far off as can be: never 0, and late to be sure."""
        return (self._squares + EXTREME_ROUNDS) / self.rounds

    def interval(self) -> tuple[float, float]:
        """Where the mean lies with probability 1 - alpha, had the number of rounds been fixed beforehand."""
        if self.rounds < 2:
            return -1.0, 1.0
        margin = NormalDist().inv_cdf(1 - self.alpha / 2) * math.sqrt(self.variance / self.rounds)
        return max(-1.0, self.mean - margin), min(1.0, self.mean + margin)

    def _decide(self, mean: float) -> bool | None:
        """Whether the mean is D rather than 0; None: not clear yet."""
        likelihood = self.rounds * self.difference * (mean - self.difference / 2) / self.variance
        if likelihood >= self._upper:
            return True
        return False if likelihood <= self._lower else None


@dataclass(frozen=True)
class Round:
    """What one round gave: in how many games the new player was ahead, level and behind."""

    ahead: int
    level: int
    behind: int
    new_thrown_out: Counter[str]
    """How often, by reason."""
    old_thrown_out: Counter[str]

    @property
    def games(self) -> int:
        return self.ahead + self.level + self.behind

    @property
    def neither_played(self) -> bool:
        """Whether both were thrown out of every game: who of them went first says nothing."""
        return self.new_thrown_out.total() == self.old_thrown_out.total() == self.games

    @property
    def outcome(self) -> float:
        return (self.ahead - self.behind) / self.games


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Who is compared at what table.  Everything follows from the seed, as far as players let it."""

    kind: AnyKind
    players: Sequence[PlayerSpec]
    """The new one, the old one, then the others at the table."""
    rules: Any
    seed: int
    referee: RefereeSettings = UNTIMED

    @property
    def games_per_round(self) -> int:
        """Two at a table of two, where the rotation exchanges them already."""
        table = len(self.players)
        return table if table == 2 else 2 * table

    def rounds(self) -> Iterator[Round]:
        """Rounds without end, each played when it is asked for."""
        for number in itertools.count():
            rng = random.Random(f"compare {self.seed} {number}")
            table = rng.sample(range(len(self.players)), len(self.players))
            seed = rng.randrange(2**32)
            exchanged = [{0: 1, 1: 0}.get(player, player) for player in table]
            yield self._round([table] if len(table) == 2 else [table, exchanged], seed)

    def _round(self, tables: Sequence[Sequence[int]], seed: int) -> Round:
        signs: Counter[int] = Counter()
        thrown_out: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        for table in tables:
            for played in self._play(table, seed):
                seats = {table[entrant]: Seat(seat) for seat, entrant in enumerate(played.entrants)}
                places = played.outcome.places()
                new, old = places[seats[0]], places[seats[1]]
                signs[(new > old) - (new < old)] += 1
                for thrown in played.outcome.thrown_out:
                    for player in (0, 1):
                        if thrown.seat == seats[player]:
                            thrown_out[player][thrown.forfeit.reason] += 1
        return Round(signs[-1], signs[0], signs[1], *thrown_out)

    def _play(self, table: Sequence[int], seed: int) -> Iterator[PlayedGame]:
        """A series at one table, with players made for it: rounds must not learn from each other."""
        with contextlib.ExitStack() as guests, seating(len(table)):
            made = {}
            # Made in the order in which they were named, which programs with several seats rely on.
            for number, named in enumerate(self.players):
                # By seat, so that the two who are exchanged have had each other's chance, too.
                made[number] = named.make(player_seed(seed, table.index(number)))
                guests.callback(made[number].close)
            yield from Series(
                kind=self.kind,
                entrants=[Entrant(self.players[number].label, made[number]) for number in table],
                rules=self.rules,
                seed=seed,
                games=len(table),
                rotate_seats=True,
                same_seed=True,
                referee=self.referee,
            ).play()


def compared_players(
    kind: AnyKind,
    new: PlayerFactory,
    old: PlayerFactory,
    others: Sequence[PlayerFactory] | None = None,
    isolation: Isolation = NO_ISOLATION,
) -> list[PlayerSpec]:
    """Return the players of a comparison; without `others` the smallest table is filled.

    Raises UsageError for players that do not exist or cannot be compared, and for a table of the wrong size.
    """
    if others is None:
        others = [fallbacks.filler(kind)] * max(0, kind.seats[0] - 2)
    for player in (new, old):
        if len(parse_specs(kind.name, [player], isolation)) != 1:
            raise UsageError(f"player {player!r}: one that plays several seats cannot be compared.")
    named = parse_specs(kind.name, [new, old, *others], isolation)
    if len(named) not in kind.seats:
        raise UsageError(
            f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players; "
            f"with those at the table there are {len(named)}."
        )
    return named


class ComparisonResult(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a new player is better than an old one, and how the games went that show it."""

    game: str
    new: str
    """The name of the player in question."""
    old: str
    at_table: tuple[str, ...]
    """The names of the others."""
    seed: int
    verdict: Verdict | Literal["undecided", "neither can play"]
    alpha: float
    beta: float
    least_difference: float
    difference: float
    """The share of games in which the new player finished ahead, less the share in which it finished behind."""
    interval: tuple[float, float]
    """Where the difference lies, with a confidence of 1 - alpha."""
    rounds: int
    games: int
    ahead: int
    level: int
    behind: int
    thrown_out: dict[str, dict[str, int]]
    """How often `new` and `old` were thrown out, by reason."""

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.new} against {self.old}: {self.verdict}; difference {self.difference:+.3f} "
            f"({low:+.3f} to {high:+.3f}) after {self.games} games"
        )


class Contest:
    """Plays the rounds of a comparison until its test has a verdict."""

    def __init__(self, comparison: Comparison, test: SequentialTest, max_games: int) -> None:
        self.comparison = comparison
        self.test = test
        self._max_games = max_games
        self._games: Counter[str] = Counter()
        self._thrown_out: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._has_played = False
        """Whether one of the two was left in a game to its end."""

    def rounds(self) -> Iterator[Round]:
        """The rounds, each counted before it is handed out, until there is a verdict or enough was played."""
        for round in self.comparison.rounds():
            self._add(round)
            yield round
            if self.verdict != "undecided" or self._games.total() >= self._max_games:
                return

    @property
    def verdict(self) -> Verdict | Literal["undecided", "neither can play"]:
        """The test's, unless there was nothing to test."""
        if self._has_played:
            return self.test.verdict or "undecided"
        return "neither can play" if self.test.rounds >= FEWEST_ROUNDS else "undecided"

    def result(self) -> ComparisonResult:
        """Return how it stands."""
        new, old, *others = (player.label for player in self.comparison.players)
        return ComparisonResult(
            game=self.comparison.kind.name,
            new=new,
            old=old,
            at_table=tuple(others),
            seed=self.comparison.seed,
            verdict=self.verdict,
            alpha=self.test.alpha,
            beta=self.test.beta,
            least_difference=self.test.difference,
            difference=self.test.mean,
            interval=self.test.interval(),
            rounds=self.test.rounds,
            games=self._games.total(),
            ahead=self._games["ahead"],
            level=self._games["level"],
            behind=self._games["behind"],
            thrown_out={"new": dict(self._thrown_out[0]), "old": dict(self._thrown_out[1])},
        )

    def _add(self, round: Round) -> None:
        self._has_played |= not round.neither_played
        self.test.add(round.outcome)
        self._games.update(ahead=round.ahead, level=round.level, behind=round.behind)
        self._thrown_out[0].update(round.new_thrown_out)
        self._thrown_out[1].update(round.old_thrown_out)
