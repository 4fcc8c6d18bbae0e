"""Ratings and standings, with their errors.  `docs/explanation/ratings.md` explains them.

Live ratings (openskill) are updated after each game and depend on the order of the games; standings
do not.  Standings come from a Plackett–Luce model that is fitted to all games at once.  Their
errors come from a bootstrap over blocks, because the games of one block share their deals and the
memory of their players.  Ranks differ only where players differ by more than the error.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TypeAlias

import msgspec
import numpy as np
import openskill.models
from numpy.typing import NDArray
from scipy import sparse, special
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from wateringhole.formatting import single_line
from wateringhole.tournaments.report.wording import format_estimate, share
from wateringhole.tournaments.results import GameResult, ResultSums
from wateringhole.tournaments.scale import CONFIDENCE, MEAN_RATING, POINTS, VIRTUAL_GAMES
from wateringhole.tournaments.withdrawals import WITHDRAWN

__all__ = [
    "CONFIDENCE",
    "Estimate",
    "HeadToHead",
    "LiveRating",
    "LiveRatings",
    "PlayerStanding",
    "RatingsAfter",
    "Standings",
    "fit",
    "history",
    "standings",
]

RESAMPLES = 500
"""Enough for two digits of an interval's width."""
MOST_STEPS = 1000
"""The most steps of a fit, which usually takes fewer than ten."""
EXACT, CLOSE = 1e-8, 1e-4
"""The tolerances of a fit; for a resample, a hundredth of a point is enough."""
BATCH = 50
"""The number of resamples that are summed together, which limits the memory."""

Floats: TypeAlias = NDArray[np.float64]


# Live ratings


class LiveRating(msgspec.Struct, frozen=True):
    """The current estimate of a player's strength: a mean and its uncertainty."""

    mu: float
    sigma: float


class LiveRatings:
    """Ratings that are updated after each game."""

    def __init__(self, players: int) -> None:
        self._model = openskill.models.PlackettLuce()
        self._ratings = [self._model.rating() for _ in range(players)]

    def add(self, result: GameResult) -> None:
        teams = [[self._ratings[entrant]] for entrant in result.entrants]
        rated = self._model.rate(teams, ranks=[float(place) for place in result.places])
        for entrant, (rating,) in zip(result.entrants, rated, strict=True):
            self._ratings[entrant] = rating

    def __getitem__(self, player: int) -> LiveRating:
        return LiveRating(self._ratings[player].mu, self._ratings[player].sigma)


# Standings


class Estimate(msgspec.Struct, frozen=True):
    """A value and its confidence interval, which is None if there are too few blocks."""

    value: float
    low: float | None = None
    high: float | None = None


class PlayerStanding(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the standings."""

    player: int
    """The player's number, from 0."""
    name: str
    rank: int
    """One more than the number of players who are better by more than the error; several may share one."""
    not_separated: tuple[int, ...]
    """The players from whom this one differs by less than the error."""
    rating: Estimate
    win_rate: Estimate | None
    """None, like the next one, if it has not played."""
    mean_place: Estimate | None
    mean_score: Estimate | None
    """None if no game gave it a score."""
    games: int
    places: dict[int, int]
    """The number of games by place, shared places included."""
    thrown_out: dict[str, int]
    """The number of games by reason."""
    seconds: float
    repaired_answers: int = 0
    """Bad answers that the game replaced, without games from before they were counted.  JSON omits 0."""


class HeadToHead(msgspec.Struct, frozen=True):
    """The games that two players have played together."""

    games: int
    ahead: float
    """The number of games in which the first finished ahead of the second; ties count half."""


class Standings(msgspec.Struct, frozen=True):
    """The standings of a tournament."""

    players: tuple[PlayerStanding, ...]
    """Best rating first."""
    cross_table: tuple[tuple[HeadToHead, ...], ...]
    """By the numbers of the two players."""
    games: int
    series: int
    mean_turns: float
    confidence: float

    @property
    def withdrawn(self) -> tuple[PlayerStanding, ...]:
        """The players that forfeited games because they were withdrawn."""
        return tuple(line for line in self.players if WITHDRAWN in line.thrown_out)

    @property
    def separates(self) -> bool:
        """True if any player is better than another by more than the error."""
        return any(line.rank > 1 for line in self.players)

    def __str__(self) -> str:
        """Return a table, best rating first."""
        rows = [("rank", "player", "rating", "first, %", "mean place", "games")]
        rows += [
            (
                str(line.rank),
                single_line(line.name),
                format_estimate(line.rating, ".0f"),
                share(line.win_rate),
                format_estimate(line.mean_place, ".2f"),
                str(line.games),
            )
            for line in self.players
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join("  ".join(map(str.ljust, row, widths)).rstrip() for row in rows)


def standings(
    result_sums: ResultSums,
    names: Sequence[str],
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Standings:
    """Return the standings after all summed games; the order in which they were added does not matter.

    `seed` is for the bootstrap.
    """
    if len(names) != len(result_sums.players):
        raise ValueError(f"{len(names)} names for {len(result_sums.players)} players")
    sums = _Sums(result_sums)
    with _one_thread():
        strengths = fit(sums.ahead)
        spread = _bootstrap(sums, strengths, confidence, resamples, seed)
    order = sorted(range(sums.players), key=lambda player: (-strengths[player], player))
    lines: list[PlayerStanding] = []
    for player in order:
        better = sum(spread.separates[player, other] and strengths[other] > strengths[player] for other in order)
        # A player with few games may not be separated from the top; that must not improve its rank.
        rank = max([1 + int(better)] + [line.rank for line in lines])
        lines.append(_line(result_sums, sums, player, names[player], rank, strengths, spread, confidence))
    return Standings(
        players=tuple(lines),
        cross_table=tuple(
            tuple(HeadToHead(round(one + other), float(one)) for one, other in zip(row, column, strict=True))
            for row, column in zip(sums.ahead, sums.ahead.T, strict=True)
        ),
        games=result_sums.games,
        series=result_sums.series,
        mean_turns=result_sums.turns / max(1, result_sums.games),
        confidence=confidence,
    )


class RatingsAfter(msgspec.Struct, frozen=True):
    """The ratings if the tournament had ended after this many games."""

    games: int
    ratings: tuple[float, ...]
    """By number of player."""


def history(result_sums: ResultSums, steps: int = 40) -> list[RatingsAfter]:
    """Return the ratings after each of `steps` equal parts of the blocks, in the order of the schedule.

    Each step is fitted to all games so far, so that early luck has no lasting effect.  The last step
    has the final ratings.
    """
    every = list(result_sums.blocks())
    steps = min(steps, len(every))
    marks = {len(every) * (step + 1) // steps for step in range(steps)}
    players = len(result_sums.players)
    ahead = np.zeros((players, players))
    games = 0
    ratings = []
    with _one_thread():
        for number, block in enumerate(every, 1):
            games += block.games
            ahead[np.ix_(block.entrants, block.entrants)] += np.reshape(block.ahead, (len(block.entrants),) * 2)
            if number in marks:
                ratings.append(RatingsAfter(games, tuple(map(_rating, fit(ahead)))))
    return ratings


def fit(
    ahead: Floats, virtual: Floats | None = None, start: Floats | None = None, *, tolerance: float = EXACT
) -> Floats:
    """Return strengths with mean 0, from how often each player finished ahead of each other one.

    Under a Plackett–Luce model, the order of a pair depends on these two alone: i is ahead of j with
    probability 1 / (1 + exp(sj - si)) in any game.  So the orders of all pairs, with a tie as half of
    each order, give a consistent estimate of the strengths.  `virtual` are the pairs of the virtual
    games, by default half of each order.
    """
    players = len(ahead)
    if players < 2:
        return np.zeros(players)
    if virtual is None:
        virtual = _virtual(np.ones(players))
    pairs = ahead + virtual
    strengths = _refined(pairs, np.zeros(players) if start is None else start)
    for _ in range(MOST_STEPS):
        previous, strengths = strengths, _refined(pairs, strengths)
        if np.abs(strengths - previous).sum() <= tolerance * players:
            return strengths
    raise RuntimeError(f"the strengths of {players} players did not converge in {MOST_STEPS} steps")


def _refined(pairs: Floats, strengths: Floats) -> Floats:
    """Return the next estimate of the strengths (Maystre and Grossglauser, I-LSR, 2015).

    A Markov chain moves from each player to those that finished ahead of it, at rates that the last
    estimate scales.  Its stationary distribution are the exponentials of the next one.
    """
    worth = np.exp(strengths - strengths.mean())
    worth *= len(worth) / worth.sum()
    rates = pairs.T / (worth[:, None] + worth[None, :])
    rates -= np.diag(rates.sum(axis=1))
    # The factors are singular, as every such chain's, so the share of the last player can be chosen.
    factors, _, _ = lapack.dgetrf(rates.T)
    shares, _ = lapack.dtrtrs(factors[:-1, :-1], -factors[:-1, -1])
    logarithms = np.log(np.append(shares, 1.0))
    refined: Floats = logarithms - logarithms.mean()
    return refined


def _one_thread() -> AbstractContextManager[object]:
    """Use one thread for a fit: with matrices this small, two threads take ten times as long for 200 players."""
    limits: AbstractContextManager[object] = threadpool_limits(limits=1, user_api="blas")
    return limits


def _virtual(worth: Floats) -> Floats:
    """Return the virtual games as pairs, each shared between the two in proportion to their worths."""
    pairs = worth[:, None] / (worth[:, None] + worth[None, :]) * (VIRTUAL_GAMES / (len(worth) - 1))
    np.fill_diagonal(pairs, 0.0)
    return pairs


class _Sums:
    """Result sums as arrays."""

    def __init__(self, result_sums: ResultSums) -> None:
        self.players = players = len(result_sums.players)
        cells: list[int] = []
        rows: list[int] = []
        values: list[float] = []
        self.blocks = 0
        self.by_player: list[list[tuple[int, float, float, int, int]]] = [[] for _ in range(players)]
        """For each block of a player: games, wins, sum of places, sum of scores, games that gave a score."""
        for number, block in enumerate(result_sums.blocks()):
            self.blocks += 1
            pairs = itertools.product(block.entrants, repeat=2)
            for (one, other), value in zip(pairs, block.ahead, strict=True):
                if value:
                    rows.append(number)
                    cells.append(one * players + other)
                    values.append(value)
            for place, entrant in enumerate(block.entrants):
                self.by_player[entrant].append(
                    (
                        block.games,
                        float(block.wins[place]),
                        block.places[place],
                        block.scores[place],
                        block.scored[place],
                    )
                )
        self.pairs = sparse.csr_array((values, (rows, cells)), shape=(self.blocks, players * players))
        """By block and pair: the number of games in which the first finished ahead of the second."""
        self.ahead: Floats = np.asarray(self.pairs.sum(axis=0), dtype=float).reshape(players, players)


class _Spread(msgspec.Struct, frozen=True):
    """The uncertainty of the strengths."""

    margins: Floats
    """By player: half the width of the interval around its strength, or infinity if that is unknown."""
    separates: NDArray[np.bool_]
    """By pair: whether the two differ by more than the error, corrected for the number of pairs."""


def _bootstrap(sums: _Sums, strengths: Floats, confidence: float, resamples: int, seed: int) -> _Spread:
    """Fit repeatedly to blocks drawn with replacement, and return the spread of the results.

    The virtual games are drawn, too, so that each pair's share of them is uniform.  Otherwise a player
    who won both of two blocks would be the best beyond doubt.  A few blocks are a small sample, for
    which Student's distribution replaces the normal one.
    """
    players = sums.players
    rng = np.random.default_rng(seed)
    drawn = np.empty((resamples, players))
    for first in range(0, resamples if sums.blocks else 0, BATCH):
        batch = min(BATCH, resamples - first)
        weights = rng.multinomial(sums.blocks, np.full(sums.blocks, 1 / sums.blocks), size=batch)
        worths = rng.standard_exponential(size=(batch, players))
        pairs = np.asarray((sums.pairs.T @ weights.T.astype(float)).T).reshape(batch, players, players)
        for row in range(batch):
            virtual = _virtual(worths[row]) if players > 1 else None
            drawn[first + row] = fit(pairs[row], virtual, strengths, tolerance=CLOSE)
    if not sums.blocks:
        return _Spread(np.full(players, np.inf), np.zeros((players, players), dtype=bool))
    normal = float(special.ndtri((1 + confidence) / 2))
    counts = np.array([len(blocks) for blocks in sums.by_player])
    margins = _stretched(normal, counts) * drawn.std(axis=0)

    errors = np.empty((players, players))
    # The largest deviation of all pairs, so that the confidence holds for all orders together.
    largest = np.zeros(resamples)
    # Player by player, because all pairs of hundreds of players would not fit into memory.
    for player in range(players):
        differences = drawn[:, [player]] - drawn
        errors[player] = differences.std(axis=0)
        errors[player, player] = np.inf
        deviations = np.abs(differences - differences.mean(axis=0)) / errors[player]
        largest = np.maximum(largest, deviations.max(axis=1))
    critical = max(normal, float(np.quantile(largest, confidence)))
    gaps = np.abs(strengths[:, None] - strengths[None, :])
    return _Spread(margins, gaps > _stretched(critical, np.minimum(counts[:, None], counts[None, :])) * errors)


def _stretched(quantile: float, blocks: NDArray[np.int64]) -> Floats:
    """Return a normal quantile adjusted to Student's distribution for this many blocks, or infinity below two."""
    several = np.maximum(blocks, 2)
    students = special.stdtrit(several - 1, special.ndtr(quantile)) * np.sqrt(several / (several - 1))
    return np.where(blocks < 2, np.inf, students)


def _line(
    result_sums: ResultSums,
    sums: _Sums,
    player: int,
    name: str,
    rank: int,
    strengths: Floats,
    spread: _Spread,
    confidence: float,
) -> PlayerStanding:
    totals = result_sums.players[player]
    by_block = np.array(sums.by_player[player], dtype=float).reshape(-1, 5)
    games, wins, places, scores, scored = by_block.T
    value = _rating(strengths[player])
    margin = POINTS * float(spread.margins[player])
    return PlayerStanding(
        player=player,
        name=name,
        rank=rank,
        not_separated=tuple(
            other for other in range(sums.players) if other != player and not spread.separates[player, other]
        ),
        rating=Estimate(value, value - margin, value + margin) if math.isfinite(margin) else Estimate(value),
        win_rate=_share(wins, games, confidence),
        mean_place=_mean(places, games, confidence),
        mean_score=_mean(scores, scored, confidence),
        games=totals.games,
        places=dict(sorted(totals.places.items())),
        thrown_out=dict(sorted(totals.thrown_out.items())),
        seconds=totals.seconds,
        repaired_answers=totals.repaired_answers,
    )


def _rating(strength: float) -> float:
    return MEAN_RATING + POINTS * float(strength)


def _mean(sums: Floats, games: Floats, confidence: float) -> Estimate | None:
    """Return a mean over games with the error from the differences between blocks, or None without games."""
    if not games.any():
        return None
    mean, error = _mean_and_error(sums, games)
    if len(games) < 2:
        return Estimate(mean)
    margin = float(special.stdtrit(len(games) - 1, (1 + confidence) / 2)) * error
    return Estimate(mean, mean - margin, mean + margin)


def _share(wins: Floats, games: Floats, confidence: float) -> Estimate | None:
    """Return a share of games with Wilson's interval, which is also valid for 0 and 1, or None without games.

    The sample size is the number of independent games that would have the same error, or the number
    of blocks if that is unknown.
    """
    if not games.any():
        return None
    share, error = _mean_and_error(wins, games)
    if len(games) < 2:
        return Estimate(share)
    size = min(float(games.sum()), share * (1 - share) / error**2) if error > 0 else float(len(games))
    quantile = float(special.stdtrit(len(games) - 1, (1 + confidence) / 2))
    squared = quantile**2 / size
    centre = (share + squared / 2) / (1 + squared)
    margin = quantile * math.sqrt(share * (1 - share) / size + squared / (4 * size)) / (1 + squared)
    return Estimate(share, max(0.0, centre - margin), min(1.0, centre + margin))


def _mean_and_error(sums: Floats, games: Floats) -> tuple[float, float]:
    """Return a mean over all games and its standard error, with blocks as the sample."""
    mean = float(sums.sum() / games.sum())
    blocks = len(games)
    if blocks < 2:
        return mean, math.inf
    residuals = sums - mean * games
    return mean, math.sqrt(blocks / (blocks - 1) * float(residuals @ residuals)) / float(games.sum())
