"""A sequential test whether a new player is better than an old one, which stops as soon as it can decide.

Both play in the same games.  A round plays its deals from every seating of the rotation, and then
again with the two exchanged.  So each has had exactly the other's seats, neighbours, cards and chance.
New player objects play each seating, so none of them sees a deal twice.  The outcome of a round lies
between -1 and 1: the share of games in which the new player finished ahead of the old one, less the
share in which it finished behind.  Rounds are independent.

The test decides whether the mean outcome is 0, D or -D.  It runs two of Wald's sequential tests side
by side, with the variance estimated from the rounds.  `docs/explanation/ratings.md` lists its error rates.
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
from wateringhole.match.specs import PlayerFactory, PlayerSpec, parse_specs, table_names
from wateringhole.player import PlayerContext, player_seed
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.seeds import Seed, derived_seed

__all__ = ["Comparison", "ComparisonResult", "Contest", "Round", "SequentialTest", "Verdict", "compared_players"]

Verdict = Literal["better", "worse", "no difference"]


FEWEST_ROUNDS = 16
"""The fewest rounds for a verdict: before, the variance is not known well enough."""
EXTREME_ROUNDS = 6.0
"""Unseen outcomes, such as a rare crash, enter the variance as this many rounds of 1 or -1.
Without them, equal players are called different too often if one of them loses rarely but by much."""
CAUTION = 1.05
"""The factor on Wald's bounds, because the variance is estimated and outcomes are not normal."""


class SequentialTest:
    """A test that takes the outcomes of rounds one by one and has a verdict as soon as possible.

    - If there is no difference, the verdict is "better" or "worse" with a probability of at most
      about `alpha`.
    - If the difference is D or more, the verdict is "better" with a probability of at least about
      1 - `beta`; the same holds for "worse".
    """

    def __init__(self, *, alpha: float = 0.05, beta: float = 0.05, difference: float = 0.1) -> None:
        for name, value in (("alpha", alpha), ("beta", beta)):
            if not 0 < value < 0.5:
                raise UsageError(f"--{name} {value:g}: expected an error rate between 0 and 0.5.")
        if not 0 < difference <= 1:
            raise UsageError(f"--difference {difference:g}: expected a number above 0 and up to 1.")
        self.alpha, self.beta, self.difference = alpha, beta, difference
        # Each of the two wrong verdicts gets half of alpha.
        self._upper = CAUTION * math.log((1 - beta) / (alpha / 2))
        self._lower = CAUTION * math.log(beta / (1 - alpha / 2))
        self.rounds = 0
        self.mean = 0.0
        self._squares = 0.0
        self._is_better: bool | None = None
        self._is_worse: bool | None = None

    def add(self, outcome: float) -> None:
        """Add a round's outcome, between -1 and 1."""
        self.rounds += 1
        step = outcome - self.mean
        self.mean += step / self.rounds
        self._squares += step * (outcome - self.mean)
        if self.rounds >= FEWEST_ROUNDS:
            # Each of the two tests keeps its first decision, as Wald's bounds require.
            if self._is_better is None:
                self._is_better = self._decide(self.mean)
            if self._is_worse is None:
                self._is_worse = self._decide(-self.mean)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict after the rounds so far, or None if more are needed."""
        if self._is_better:
            return "better"
        if self._is_worse:
            return "worse"
        if self._is_better is False and self._is_worse is False:
            return "no difference"
        return None

    @property
    def variance(self) -> float:
        """The variance of one round's outcome, with `EXTREME_ROUNDS` added; it is never 0."""
        return (self._squares + EXTREME_ROUNDS) / self.rounds

    def interval(self) -> tuple[float, float]:
        """Return the interval of the mean for confidence 1 - alpha, as if the number of rounds had been fixed."""
        if self.rounds < 2:
            return -1.0, 1.0
        margin = NormalDist().inv_cdf(1 - self.alpha / 2) * math.sqrt(self.variance / self.rounds)
        return max(-1.0, self.mean - margin), min(1.0, self.mean + margin)

    def _decide(self, mean: float) -> bool | None:
        """Return whether the mean is D rather than 0, or None if that is not clear yet."""
        likelihood = self.rounds * self.difference * (mean - self.difference / 2) / self.variance
        if likelihood >= self._upper:
            return True
        return False if likelihood <= self._lower else None


@dataclass(frozen=True)
class Round:
    """The result of a round: in how many games the new player was ahead, level and behind."""

    ahead: int
    level: int
    behind: int
    new_thrown_out: Counter[str]
    """The number of games by reason."""
    old_thrown_out: Counter[str]
    names: Sequence[str]
    """The names of all players, in the order of the comparison."""

    @property
    def games(self) -> int:
        return self.ahead + self.level + self.behind

    @property
    def neither_played(self) -> bool:
        """True if both were thrown out of every game, so that their order means nothing."""
        return self.new_thrown_out.total() == self.old_thrown_out.total() == self.games

    @property
    def outcome(self) -> float:
        return (self.ahead - self.behind) / self.games


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """The players and settings of a comparison.  The seed decides everything if the players are deterministic."""

    kind: AnyKind
    players: Sequence[PlayerSpec]
    """The new one, the old one, then the others in the game."""
    rules: Any
    seed: Seed
    life: int = 1
    """The games of a series."""
    referee: RefereeSettings = UNTIMED

    @property
    def games_per_round(self) -> int:
        return len(self._seatings(range(len(self.players)))) * self.life

    def rounds(self) -> Iterator[Round]:
        """Play rounds endlessly, each when it is requested."""
        for number in itertools.count():
            rng = random.Random(f"compare {self.seed} {number}")
            table = rng.sample(range(len(self.players)), len(self.players))
            yield self._round(number, self._seatings(table))

    def _seatings(self, table: Sequence[int]) -> list[list[int]]:
        """Return all rotations of a table, and the same with the first two players exchanged.

        At a table of two, the rotation is the exchange.
        """
        rotations = [[*table[shift:], *table[:shift]] for shift in range(len(table))]
        exchange = {0: 1, 1: 0}
        exchanged = [[exchange.get(player, player) for player in seating] for seating in rotations]
        return rotations if len(table) == 2 else rotations + exchanged

    def _round(self, number: int, seatings: Sequence[Sequence[int]]) -> Round:
        signs: Counter[int] = Counter()
        thrown_out: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        names: dict[int, str] = {}
        for seating in seatings:
            for played in self._play(number, seating):
                seats = {player: Seat(seat) for seat, player in enumerate(seating)}
                names = {player: played.names[seat] for player, seat in seats.items()}
                places = played.outcome.places()
                new, old = places[seats[0]], places[seats[1]]
                signs[(new > old) - (new < old)] += 1
                for thrown in played.outcome.thrown_out:
                    for player in (0, 1):
                        if thrown.seat == seats[player]:
                            thrown_out[player][thrown.forfeit.reason] += 1
        return Round(signs[-1], signs[0], signs[1], *thrown_out, [names[player] for player in sorted(names)])

    def _play(self, round: int, seating: Sequence[int]) -> Iterator[PlayedGame]:
        """Play a series with new players, because others of its round have the same deals."""
        players_seed = derived_seed(self.seed, f"players of round {round}")
        with contextlib.ExitStack() as open_players, PlayerContext(len(seating)):
            made = []
            # Created in the given order, which programs with several seats rely on.
            for number, named in enumerate(self.players):
                # Seeded by seat, so that the two exchanged players also exchange their chance.
                made.append(named.make(player_seed(players_seed, seating.index(number))))
                open_players.callback(made[number].close)
            names = table_names(self.players, made)
            yield from Series(
                kind=self.kind,
                entrants=[Entrant(names[number], made[number]) for number in seating],
                rules=self.rules,
                seeds=[derived_seed(self.seed, f"deal {round} {game}") for game in range(self.life)],
                referee=self.referee,
            ).play()


def compared_players(
    kind: AnyKind,
    new: PlayerFactory,
    old: PlayerFactory,
    others: Sequence[PlayerFactory] | None = None,
    isolation: Isolation = NO_ISOLATION,
) -> list[PlayerSpec]:
    """Return the players of a comparison; without `others`, fill the fewest seats that the game allows.

    Raises UsageError for players that do not exist or cannot be compared, and for a wrong number of players.
    """
    if others is None:
        others = [fallbacks.filler(kind)] * max(0, kind.seats[0] - 2)
    for player in (new, old):
        if len(parse_specs(kind.name, [player], isolation)) != 1:
            raise UsageError(f"player {player!r}: a program that plays several seats cannot be compared.")
    named = parse_specs(kind.name, [new, old, *others], isolation)
    if len(named) not in kind.seats:
        raise UsageError(
            f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players; "
            f"with the given players there are {len(named)}."
        )
    return named


class ComparisonResult(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict of a comparison and the games behind it."""

    game: str
    new: str
    """The name of the new player."""
    old: str
    at_table: tuple[str, ...]
    """The names of the others."""
    seed: Seed
    verdict: Verdict | Literal["undecided", "neither can play"]
    alpha: float
    beta: float
    least_difference: float
    difference: float
    """The share of games in which the new player finished ahead, less the share in which it finished behind."""
    interval: tuple[float, float]
    """The confidence interval of the difference, for confidence 1 - alpha."""
    rounds: int
    games: int
    ahead: int
    level: int
    behind: int
    thrown_out: dict[str, dict[str, int]]
    """The number of forfeits of `new` and `old`, by reason."""

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
        self._names: Sequence[str] = [player.label for player in comparison.players]
        self._games: Counter[str] = Counter()
        self._thrown_out: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._has_played = False
        """True if one of the two has played a game to its end."""

    def rounds(self) -> Iterator[Round]:
        """Play rounds until there is a verdict or enough games were played; each is counted before it is yielded."""
        for round in self.comparison.rounds():
            self._add(round)
            yield round
            if self.verdict != "undecided" or self._games.total() >= self._max_games:
                return

    @property
    def verdict(self) -> Verdict | Literal["undecided", "neither can play"]:
        """The verdict of the test, unless both were thrown out of every game."""
        if self._has_played:
            return self.test.verdict or "undecided"
        return "neither can play" if self.test.rounds >= FEWEST_ROUNDS else "undecided"

    def result(self) -> ComparisonResult:
        """Return the result so far."""
        new, old, *others = self._names
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
        self._names = round.names
        self.test.add(round.outcome)
        self._games.update(ahead=round.ahead, level=round.level, behind=round.behind)
        self._thrown_out[0].update(round.new_thrown_out)
        self._thrown_out[1].update(round.old_thrown_out)
