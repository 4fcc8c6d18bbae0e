"""An approximate strategy for tables that are too large to solve, by counterfactual regret minimisation.

What is simplified, and so what the result is not:

- *One round at a time.*  A round is played for the chance not to lose (or, where the first one
  out wins, to be first) in a fair race: every later right guess falls to each player still in
  with equal chance.  Who leads next is left out.
- *What a player looks at.*  For the hand: its place in the order of guessing, its sticks, the
  sticks of all others together.  For the guess: its place, the others' sticks, its own hand,
  and what the guesses so far say about the others' hands, as one number (their mean, less half
  of the own sticks, rounded).  Which values are still free is always respected.
- *What it may do.*  Every hand, and every guess that its own hand leaves possible; there are no
  bluffs with impossible sums.

Regrets are found by external sampling over random stick counts: one player at a time tries
everything, the others answer by their present strategies.  With three or more players nothing
promises an equilibrium; the average strategy is what is played.  All chance comes from a seed,
and the work is bounded, so the same strategy is found everywhere.
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
"""Of stored strategies; grows when their meaning or the way to find them changes."""

WORK = 300_000
"""About how many guesses are tried in one training: a second or two."""

LARGEST_TABLE = 40
"""Sticks on a table beyond which nothing is trained: it would be spread too thinly to mean anything."""

HEAD_START = 3.0
"""Regret that the plain strategy is given before anything is known, in chances to win a game."""

NOTHING_SAID = -1
"""In place of what earlier guesses say, for the lead."""

DIGITS = 4
"""Of stored probabilities."""

HandKey = tuple[int, int, int]
"""Place, own sticks, others' sticks."""

GuessKey = tuple[int, int, int, int]
"""Place, others' sticks, own hand, what earlier guesses say."""


class Approximation(msgspec.Struct, frozen=True):
    """A strategy for tables of so many players with up to so many sticks each."""

    players: int
    sticks: int
    finish: Finish
    iterations: int
    """0: nothing was trained, all answers are the plain ones."""
    hands: dict[HandKey, tuple[float, ...]]
    """Chance of every hand."""
    guesses: dict[GuessKey, tuple[float, ...]]
    """Chance of every guess, counted from the own hand."""

    def hand(self, random: Random, sticks: Sequence[int], place: int, least: int = 0) -> int:
        """A hand for the player at a place; `sticks` are in the order of guessing."""
        own = sticks[place]
        weights = self.hands.get((place, own, sum(sticks) - own), ())[least:]
        return least + _draw(random, weights) if any(weights) else random.randint(least, own)

    def guess(self, random: Random, sticks: Sequence[int], place: int, hand: int, said: Iterable[int]) -> int:
        """A free guess for the player at a place who shows `hand`, after the values `said`."""
        own, taken = sticks[place], list(said)
        others = sum(sticks) - own
        weights = self.guesses.get((place, others, hand, _hint(taken, own)), ())
        free = [0.0 if hand + more in taken else weight for more, weight in enumerate(weights)]
        return hand + _draw(random, free) if any(free) else _plain_guess(random, sticks, place, hand, taken)


def train(players: int, sticks: int, finish: Finish = "last_loses", *, seed: int = 1) -> Approximation:
    """Find a strategy for tables of `players` with up to `sticks` sticks each."""
    training = _Training(players, sticks, finish, Random(seed))
    iterations = 0
    if players * sticks <= LARGEST_TABLE:
        # Tries of one iteration: hands times guesses, each answered by half of the others on average.
        tries = (sticks / 2 + 1) * ((players - 1) * sticks / 2 + 1) * players / 2
        iterations = int(WORK / tries)
    for iteration in range(1, iterations + 1):
        training.iterate(iteration % players, iteration)
    return Approximation(
        players=players,
        sticks=sticks,
        finish=finish,
        iterations=iterations,
        hands=_shares(training.hand_sums),
        guesses=_shares(training.guess_sums),
    )


def load_or_train(players: int, sticks: int, finish: Finish = "last_loses") -> Approximation:
    """The same, from the user's cache where it has been found before."""
    name = f"porrinha-cfr-{players}-{sticks}-{finish}"
    try:
        found = from_json(cache.recall(name))
        if (found.players, found.sticks, found.finish) == (players, sticks, finish):
            return found
    except ValueError:
        pass
    approximation = train(players, sticks, finish)
    if approximation.iterations:
        cache.store(name, to_json(approximation))
    return approximation


def to_json(approximation: Approximation) -> dict[str, Any]:
    """A strategy as JSON; what a player looks at is written as ``"place,…"``."""
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
    """The way back.  Raises ValueError unless the strategies fit what they are for."""
    try:
        stored = msgspec.convert(content, _Stored)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"no stored strategy: {wrong}") from None
    hands: dict[HandKey, tuple[float, ...]] = {}
    for text, weights in stored.hands.items():
        place, own, others = _numbers(text, 3)
        hands[place, own, others] = _checked(weights, own + 1)
    guesses: dict[GuessKey, tuple[float, ...]] = {}
    for text, weights in stored.guesses.items():
        place, others, hand, hint = _numbers(text, 4)
        guesses[place, others, hand, hint] = _checked(weights, others + 1)
    return Approximation(
        players=stored.players,
        sticks=stored.sticks,
        finish=stored.finish,
        iterations=stored.iterations,
        hands=hands,
        guesses=guesses,
    )


class _Training:
    """Regrets and sums of strategies, by what a player looks at."""

    def __init__(self, players: int, sticks: int, finish: Finish, random: Random) -> None:
        self.players = players
        self.most = sticks
        self.chance = chance_not_to_lose if finish == "last_loses" else chance_to_be_first
        self.random = random
        self.hand_regrets: dict[HandKey, list[float]] = {}
        self.hand_sums: dict[HandKey, list[float]] = {}
        self.guess_regrets: dict[GuessKey, list[float]] = {}
        self.guess_sums: dict[GuessKey, list[float]] = {}

    def iterate(self, trier: int, weight: int) -> None:
        """Let the player at one place try all it can on a random table; later iterations weigh more."""
        sticks = [self.random.randint(1, self.most) for _ in range(self.players)]
        table = sum(sticks)
        hands = [0] * self.players
        for place, own in enumerate(sticks):
            if place != trier:
                key = (place, own, table - own)
                sums = self.hand_sums.setdefault(key, [0.0] * (own + 1))
                hands[place] = self._sample(self._hand_regrets(key), sums, weight)
        said: list[int] = []
        for place in range(trier):
            said.append(self._say(sticks, hands, place, said, weight))
        own, others = sticks[trier], table - sticks[trier]
        stakes = _stakes(self.chance, sticks, trier)
        hint = _hint(said, own)
        worths = []
        for hand in range(own + 1):
            hands[trier] = hand
            total = sum(hands)
            if total in said:
                # Nothing that is said now can change this ending.
                worths.append(stakes[said.index(total)])
                continue
            tried = [
                None if hand + more in said else self._try(sticks, hands, trier, [*said, hand + more], stakes, weight)
                for more in range(others + 1)
            ]
            worths.append(_learn(self._guess_regrets(sticks, trier, (trier, others, hand, hint)), tried))
        _learn(self._hand_regrets((trier, own, others)), worths)

    def _try(
        self, sticks: list[int], hands: list[int], trier: int, said: list[int], stakes: list[float], weight: int
    ) -> float:
        """What the trier gets after its guess, the last of `said`; the rest of the table answers."""
        total = sum(hands)
        if said[-1] == total:
            return stakes[trier]
        for place in range(trier + 1, self.players):
            guess = self._say(sticks, hands, place, said, weight)
            if guess == total:
                return stakes[place]
            said.append(guess)
        return stakes[-1]

    def _say(self, sticks: list[int], hands: list[int], place: int, said: list[int], weight: int) -> int:
        own, hand = sticks[place], hands[place]
        others = sum(sticks) - own
        key = (place, others, hand, _hint(said, own))
        regrets = self._guess_regrets(sticks, place, key)
        sums = self.guess_sums.setdefault(key, [0.0] * (others + 1))
        return hand + self._sample(regrets, sums, weight, [guess - hand for guess in said])

    def _guess_regrets(self, sticks: list[int], place: int, key: GuessKey) -> list[float]:
        """Where a player starts: as if everybody showed anything, which saves most of the early blunders."""
        regrets = self.guess_regrets.get(key)
        if regrets is None:
            sums = _sums_of_random_hands(tuple(sorted([*sticks[:place], *sticks[place + 1 :]])))
            regrets = self.guess_regrets[key] = [HEAD_START * chance for chance in sums]
        return regrets

    def _hand_regrets(self, key: HandKey) -> list[float]:
        return self.hand_regrets.setdefault(key, [HEAD_START / (key[1] + 1)] * (key[1] + 1))

    def _sample(self, regrets: list[float], sums: list[float], weight: int, taken: Sequence[int] = ()) -> int:
        """A choice by the present strategy, which is added to the average."""
        strategy = [max(regret, 0.0) for regret in regrets]
        total = _leave_free(strategy, taken)
        if total <= 0:
            strategy = [1.0] * len(regrets)
            total = _leave_free(strategy, taken)
        share = weight / total
        for choice, mass in enumerate(strategy):
            sums[choice] += mass * share
        return _draw(self.random, strategy)


def _leave_free(strategy: list[float], taken: Sequence[int]) -> float:
    """Clear the choices that are taken; what remains in all."""
    for choice in taken:
        if 0 <= choice < len(strategy):
            strategy[choice] = 0.0
    return sum(strategy)


def _learn(regrets: list[float], worths: Sequence[float | None]) -> float:
    """Add to the regrets what each choice (None: not free) would have gained; the worth of the present strategy."""
    strategy = [0.0 if worth is None else max(regret, 0.0) for regret, worth in zip(regrets, worths, strict=True)]
    if not any(strategy):
        strategy = [float(worth is not None) for worth in worths]
    total = sum(strategy)
    present = sum(mass * worth for mass, worth in zip(strategy, worths, strict=True) if worth is not None) / total
    for choice, worth in enumerate(worths):
        if worth is not None:
            regrets[choice] += worth - present
    return present


def _stakes(chance: Callable[[int, tuple[int, ...]], float], sticks: list[int], trier: int) -> list[float]:
    """The trier's chances after the player at each place was right and, last, after nobody was."""
    stakes = []
    for right in [*range(len(sticks)), None]:
        left = [own - (place == right) for place, own in enumerate(sticks)]
        own = left.pop(trier)
        stakes.append(chance(own, tuple(sorted(left))))
    return stakes


@functools.cache
def chance_not_to_lose(own: int, others: tuple[int, ...]) -> float:
    """The chance not to be the last one in, if each right guess falls to anybody still in."""
    rivals = [sticks for sticks in others if sticks]
    if not own or not rivals:
        return float(not own)
    return _mean_after_next(chance_not_to_lose, own, rivals)


@functools.cache
def chance_to_be_first(own: int, others: tuple[int, ...]) -> float:
    """The chance to be out before everybody else, in the same race."""
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
    """How likely each sum is if everybody shows any of its sticks."""
    sums = [1.0]
    for own in sticks:
        sums = [sum(sums[max(0, total - own) : total + 1]) / (own + 1) for total in range(len(sums) + own)]
    return sums


def _hint(said: Sequence[int], own: int) -> int:
    """What the guesses so far say about the others' hands, taking half of the own sticks for the own hand.

    >>> _hint([4, 5], own=3), _hint([], own=3)
    (3, -1)
    """
    if not said:
        return NOTHING_SAID
    return max(0, (2 * sum(said) - len(said) * own + len(said)) // (2 * len(said)))


def _draw(random: Random, weights: Sequence[float]) -> int:
    """An index, drawn by weight; at least one weight is positive."""
    left = random.random() * sum(weights)
    last = 0
    for index, weight in enumerate(weights):
        if weight > 0:
            last = index
            left -= weight
            if left < 0:
                break
    return last


def _plain_guess(random: Random, sticks: Sequence[int], place: int, hand: int, taken: list[int]) -> int:
    """The own hand and a random hand for everybody else; if that is taken, the nearest free value."""
    table = sum(sticks)
    total = hand + sum(random.randint(0, other) for at, other in enumerate(sticks) if at != place)
    # At most as many values are taken as there are other players, and the table has more.
    near = (total + way * step for step in range(table + 1) for way in (1, -1))
    return next(value for value in near if 0 <= value <= table and value not in taken)


def _shares(sums: dict[Any, list[float]]) -> dict[Any, tuple[float, ...]]:
    return {key: tuple(round(mass / sum(masses), DIGITS) for mass in masses) for key, masses in sorted(sums.items())}


def _numbers(text: str, count: int) -> list[int]:
    numbers = [int(word) for word in text.split(",")]
    if len(numbers) != count:
        raise ValueError(f"no stored strategy: {text!r} should be {count} numbers")
    return numbers


def _checked(weights: tuple[float, ...], count: int) -> tuple[float, ...]:
    if len(weights) != count or not (all(weight >= 0 for weight in weights) and abs(sum(weights) - 1) < 0.01):
        raise ValueError(f"no stored strategy: {weights} are not the chances of {count} choices")
    return weights
