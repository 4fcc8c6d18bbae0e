"""An approximate strategy for tables that are too large to solve, by counterfactual regret minimisation.

It makes these simplifications:

- *One round at a time.*  A round is played for the chance not to lose in a fair race, or to be first if
  the first player without sticks wins.  In this race, each player still in is equally likely to make
  every later right guess.  The next lead does not count.
- *Information sets.*  For the hand: the position in guessing order, the player's sticks, and the sum of the
  other players' sticks.  For the guess: the position, the others' sticks, the player's hand, and a hint.
  The hint is one number for what the guesses so far reveal about the others' hands: their mean, less half
  of the player's sticks, rounded.  Taken values are always excluded.
- *Actions.*  Every hand, and every guess that is possible with the player's hand.  There are no bluffs with
  impossible sums.

External sampling over random stick counts updates the regrets: one player at a time, the traverser,
tries every action, and the others follow their current strategies.  With three or more players this need
not converge to an equilibrium.  The result is the average strategy.  All chance comes from a seed, and the
work is bounded, so every machine finds the same strategy.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from wateringhole.games.porrinha.solver import cache

__all__ = [
    "Approximation",
    "Finish",
    "chance_not_to_lose",
    "chance_to_be_first",
    "from_json",
    "load_or_train",
    "to_json",
    "train",
]

Finish = Literal["last_loses", "first_out_wins"]

FORMAT = 1
"""The version of stored strategies.  Increase it when their meaning or the training changes."""

WORK = 300_000
"""The approximate number of guesses tried in one training, which takes a second or two."""

LARGEST_TABLE = 40
"""The most sticks on a table for which a strategy is trained.  With more, each situation is too rare."""

HEAD_START = 3.0
"""The initial regret of the plain strategy, in chances to win a game."""

NOTHING_SAID = -1
"""The hint of the lead, which has no earlier guesses."""

DIGITS = 4
"""The number of digits of stored probabilities."""

HandKey = tuple[int, int, int]
"""Position, own sticks, others' sticks."""

GuessKey = tuple[int, int, int, int]
"""Position, others' sticks, own hand, hint."""


class Approximation(msgspec.Struct, frozen=True):
    """A strategy for tables of `players` with up to `sticks` sticks each."""

    players: int
    sticks: int
    finish: Finish
    iterations: int
    """The number of training iterations.  With 0, all answers are plain."""
    hands: dict[HandKey, tuple[float, ...]]
    """The chance of every hand."""
    guesses: dict[GuessKey, tuple[float, ...]]
    """The chance of every guess.  Index 0 is a guess equal to the hand."""

    def hand(self, random: Random, sticks: Sequence[int], position: int, least: int = 0) -> int:
        """Draw a hand for the player at a position.  `sticks` are in guessing order."""
        own = sticks[position]
        weights = self.hands.get((position, own, sum(sticks) - own), ())[least:]
        return least + _draw(random, weights) if any(weights) else random.randint(least, own)

    def guess(self, random: Random, sticks: Sequence[int], position: int, hand: int, said: Iterable[int]) -> int:
        """Draw a free guess for the player at a position with `hand`, after the guesses `said`."""
        own, taken = sticks[position], list(said)
        others = sum(sticks) - own
        weights = self.guesses.get((position, others, hand, _hint(taken, own)), ())
        free = [0.0 if hand + more in taken else weight for more, weight in enumerate(weights)]
        return hand + _draw(random, free) if any(free) else _plain_guess(random, sticks, position, hand, taken)


def train(players: int, sticks: int, finish: Finish = "last_loses", *, seed: int = 1) -> Approximation:
    """Train a strategy for tables of `players` with up to `sticks` sticks each."""
    training = _Training(players, sticks, finish, Random(seed))
    iterations = 0
    if players * sticks <= LARGEST_TABLE:
        # The guesses of one iteration: hands times guesses, each followed by half of the others on average.
        tries = (sticks / 2 + 1) * ((players - 1) * sticks / 2 + 1) * players / 2
        iterations = int(WORK / tries)
    for iteration in range(1, iterations + 1):
        training.iterate(iteration % players, iteration)
    return Approximation(
        players=players,
        sticks=sticks,
        finish=finish,
        iterations=iterations,
        hands=_averages(training.hand_sums),
        guesses=_averages(training.guess_sums),
    )


def load_or_train(players: int, sticks: int, finish: Finish = "last_loses") -> Approximation:
    """Return the strategy from the user's cache, or train and store it."""
    name = f"porrinha-cfr-{players}-{sticks}-{finish}"
    try:
        found = from_json(cache.load(name))
        if (found.players, found.sticks, found.finish) == (players, sticks, finish):
            return found
    except ValueError:
        pass
    approximation = train(players, sticks, finish)
    if approximation.iterations:
        cache.store(name, to_json(approximation))
    return approximation


def to_json(approximation: Approximation) -> dict[str, Any]:
    """Return a strategy as JSON, with information sets written as ``"position,…"``."""
    return {
        "format": FORMAT,
        "game": "porrinha",
        "players": approximation.players,
        "sticks": approximation.sticks,
        "finish": approximation.finish,
        "iterations": approximation.iterations,
        "hands": {",".join(map(str, key)): list(weights) for key, weights in approximation.hands.items()},
        "guesses": {",".join(map(str, key)): list(weights) for key, weights in approximation.guesses.items()},
    }


class _Stored(msgspec.Struct, frozen=True):
    """The shape of a stored strategy."""

    format: Literal[1]
    game: Literal["porrinha"]
    players: int
    sticks: int
    finish: Finish
    iterations: int
    hands: dict[str, tuple[float, ...]]
    guesses: dict[str, tuple[float, ...]]


def from_json(content: Any) -> Approximation:
    """Return a strategy from its JSON.  Raises ValueError unless all probabilities fit their information sets."""
    try:
        stored = msgspec.convert(content, _Stored)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"not a stored strategy: {wrong}") from None
    hands: dict[HandKey, tuple[float, ...]] = {}
    for text, weights in stored.hands.items():
        position, own, others = _numbers(text, 3)
        hands[position, own, others] = _checked(weights, own + 1)
    guesses: dict[GuessKey, tuple[float, ...]] = {}
    for text, weights in stored.guesses.items():
        position, others, hand, hint = _numbers(text, 4)
        guesses[position, others, hand, hint] = _checked(weights, others + 1)
    return Approximation(
        players=stored.players,
        sticks=stored.sticks,
        finish=stored.finish,
        iterations=stored.iterations,
        hands=hands,
        guesses=guesses,
    )


class _Training:
    """The regrets and sums of strategies, by information set."""

    def __init__(self, players: int, sticks: int, finish: Finish, random: Random) -> None:
        self.players = players
        self.most = sticks
        self.chance = chance_not_to_lose if finish == "last_loses" else chance_to_be_first
        self.random = random
        self.hand_regrets: dict[HandKey, list[float]] = {}
        self.hand_sums: dict[HandKey, list[float]] = {}
        self.guess_regrets: dict[GuessKey, list[float]] = {}
        self.guess_sums: dict[GuessKey, list[float]] = {}

    def iterate(self, traverser: int, weight: int) -> None:
        """Let the player at one position try every action on a random table.  Later iterations weigh more."""
        sticks = [self.random.randint(1, self.most) for _ in range(self.players)]
        table = sum(sticks)
        hands = [0] * self.players
        for position, own in enumerate(sticks):
            if position != traverser:
                key = (position, own, table - own)
                sums = self.hand_sums.setdefault(key, [0.0] * (own + 1))
                hands[position] = self._sample(self._hand_regrets(key), sums, weight)
        said: list[int] = []
        for position in range(traverser):
            said.append(self._sample_guess(sticks, hands, position, said, weight))
        own, others = sticks[traverser], table - sticks[traverser]
        stakes = _stakes(self.chance, sticks, traverser)
        hint = _hint(said, own)
        values = []
        for hand in range(own + 1):
            hands[traverser] = hand
            total = sum(hands)
            if total in said:
                # An earlier guess is right, so this player's guess does not matter.
                values.append(stakes[said.index(total)])
                continue
            tried = [
                None
                if hand + more in said
                else self._try_guess(sticks, hands, traverser, [*said, hand + more], stakes, weight)
                for more in range(others + 1)
            ]
            values.append(
                _update_regrets(self._guess_regrets(sticks, traverser, (traverser, others, hand, hint)), tried)
            )
        _update_regrets(self._hand_regrets((traverser, own, others)), values)

    def _try_guess(
        self, sticks: list[int], hands: list[int], traverser: int, said: list[int], stakes: list[float], weight: int
    ) -> float:
        """Return the value of the traverser's guess, the last of `said`, after the other players have guessed."""
        total = sum(hands)
        if said[-1] == total:
            return stakes[traverser]
        for position in range(traverser + 1, self.players):
            guess = self._sample_guess(sticks, hands, position, said, weight)
            if guess == total:
                return stakes[position]
            said.append(guess)
        return stakes[-1]

    def _sample_guess(self, sticks: list[int], hands: list[int], position: int, said: list[int], weight: int) -> int:
        own, hand = sticks[position], hands[position]
        others = sum(sticks) - own
        key = (position, others, hand, _hint(said, own))
        regrets = self._guess_regrets(sticks, position, key)
        sums = self.guess_sums.setdefault(key, [0.0] * (others + 1))
        return hand + self._sample(regrets, sums, weight, [guess - hand for guess in said])

    def _guess_regrets(self, sticks: list[int], position: int, key: GuessKey) -> list[float]:
        """Return regrets that start as if all hands were random, which avoids most early mistakes."""
        regrets = self.guess_regrets.get(key)
        if regrets is None:
            sums = _sums_of_random_hands(tuple(sorted([*sticks[:position], *sticks[position + 1 :]])))
            regrets = self.guess_regrets[key] = [HEAD_START * chance for chance in sums]
        return regrets

    def _hand_regrets(self, key: HandKey) -> list[float]:
        return self.hand_regrets.setdefault(key, [HEAD_START / (key[1] + 1)] * (key[1] + 1))

    def _sample(self, regrets: list[float], sums: list[float], weight: int, taken: Sequence[int] = ()) -> int:
        """Draw an action from the current strategy, and add the strategy to the average."""
        strategy = [max(regret, 0.0) for regret in regrets]
        total = _exclude(strategy, taken)
        if total <= 0:
            strategy = [1.0] * len(regrets)
            total = _exclude(strategy, taken)
        share = weight / total
        for action, mass in enumerate(strategy):
            sums[action] += mass * share
        return _draw(self.random, strategy)


def _exclude(strategy: list[float], taken: Sequence[int]) -> float:
    """Set the weights of taken actions to 0.  Return the sum of the others."""
    for action in taken:
        if 0 <= action < len(strategy):
            strategy[action] = 0.0
    return sum(strategy)


def _update_regrets(regrets: list[float], values: Sequence[float | None]) -> float:
    """Add the gain of each action to its regret, and return the value of the current strategy.

    The value of a taken action is None.
    """
    strategy = [0.0 if value is None else max(regret, 0.0) for regret, value in zip(regrets, values, strict=True)]
    if not any(strategy):
        strategy = [float(value is not None) for value in values]
    total = sum(strategy)
    current = sum(mass * value for mass, value in zip(strategy, values, strict=True) if value is not None) / total
    for action, value in enumerate(values):
        if value is not None:
            regrets[action] += value - current
    return current


def _stakes(chance: Callable[[int, tuple[int, ...]], float], sticks: list[int], traverser: int) -> list[float]:
    """Return the traverser's chances after a right guess at each position and, last, after no right guess."""
    stakes = []
    for right in [*range(len(sticks)), None]:
        left = [own - (position == right) for position, own in enumerate(sticks)]
        own = left.pop(traverser)
        stakes.append(chance(own, tuple(sorted(left))))
    return stakes


@functools.cache
def chance_not_to_lose(own: int, others: tuple[int, ...]) -> float:
    """Return the chance not to be the last one in, if all players still in are equally likely to be right."""
    rivals = [sticks for sticks in others if sticks]
    if not own or not rivals:
        return float(not own)
    return _mean_after_next(chance_not_to_lose, own, rivals)


@functools.cache
def chance_to_be_first(own: int, others: tuple[int, ...]) -> float:
    """Return the chance to be the first player without sticks, in the same race."""
    if not own or 0 in others:
        return float(not own)
    return _mean_after_next(chance_to_be_first, own, list(others))


def _mean_after_next(chance: Callable[[int, tuple[int, ...]], float], own: int, rivals: list[int]) -> float:
    total = chance(own - 1, tuple(rivals))
    for rival, sticks in enumerate(rivals):
        total += chance(own, tuple(sorted([*rivals[:rival], sticks - 1, *rivals[rival + 1 :]])))
    return total / (len(rivals) + 1)


@functools.cache
def _sums_of_random_hands(sticks: tuple[int, ...]) -> list[float]:
    """Return the chance of each sum if all hands are random."""
    sums = [1.0]
    for own in sticks:
        sums = [sum(sums[max(0, total - own) : total + 1]) / (own + 1) for total in range(len(sums) + own)]
    return sums


def _hint(said: Sequence[int], own: int) -> int:
    """Estimate the others' hands from the guesses so far, assuming that others expect half of our sticks.

    >>> _hint([4, 5], own=3), _hint([], own=3)
    (3, -1)
    """
    if not said:
        return NOTHING_SAID
    return max(0, (2 * sum(said) - len(said) * own + len(said)) // (2 * len(said)))


def _draw(random: Random, weights: Sequence[float]) -> int:
    """Draw an index by weight.  At least one weight is positive."""
    left = random.random() * sum(weights)
    last = 0
    for index, weight in enumerate(weights):
        if weight > 0:
            last = index
            left -= weight
            if left < 0:
                break
    return last


def _plain_guess(random: Random, sticks: Sequence[int], position: int, hand: int, taken: list[int]) -> int:
    """Return the sum of the given hand and random hands of all others, or the nearest free value."""
    table = sum(sticks)
    total = hand + sum(random.randint(0, other) for at, other in enumerate(sticks) if at != position)
    # At most one value per other player is taken, and the table has more.
    near = (total + way * step for step in range(table + 1) for way in (1, -1))
    return next(value for value in near if 0 <= value <= table and value not in taken)


def _averages(sums: dict[Any, list[float]]) -> dict[Any, tuple[float, ...]]:
    return {key: tuple(round(mass / sum(masses), DIGITS) for mass in masses) for key, masses in sorted(sums.items())}


def _numbers(text: str, count: int) -> list[int]:
    numbers = [int(word) for word in text.split(",")]
    if len(numbers) != count:
        raise ValueError(f"not a stored strategy: {text!r} should be {count} numbers")
    return numbers


def _checked(weights: tuple[float, ...], count: int) -> tuple[float, ...]:
    if len(weights) != count or not (all(weight >= 0 for weight in weights) and abs(sum(weights) - 1) < 0.01):
        raise ValueError(f"not a stored strategy: {weights} are not the chances of {count} actions")
    return weights
