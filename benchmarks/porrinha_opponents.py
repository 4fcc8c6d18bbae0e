"""Measure how often the Porrinha player `expert` wins, also against the strategies of the C++ players of 2015.

Run: python benchmarks/porrinha_opponents.py --players 3 --games 2000

A field has the same opponent in all other seats; the last field mixes them.  Each game has new player objects, so a
player cannot use what it learned in an earlier game.  The expert takes each seat equally often.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import time

import wateringhole as wh
from wateringhole.games.porrinha import Player


class Original(Player):
    """A player that shows any hand, all equally likely."""

    def __init__(self, seed: int | str | None = None) -> None:
        self.random = random.Random(seed)
        self.shown = 0

    def hand(self) -> int:
        self.shown = self.random.randint(self.core.view.lowest_hand, self.own)
        return self.shown

    @property
    def own(self) -> int:
        return self.core.chopsticks(self.core.index(self))

    def free(self) -> list[int]:
        return [value for value in range(self.core.chopstick_count() + 1) if self.core.valid_guess(value)]


class RandyRandom(Original):
    """Says any free sum.  The C++ player `random` does the same."""

    def guess(self) -> int:
        return self.random.choice(self.free())


class Smarty(Original):
    """Adds a random hand of each opponent to its own, and steps up while the sum is taken."""

    def guess(self) -> int:
        me = self.core.index(self)
        others = (sticks for seat, sticks in enumerate(self.core.chopsticks()) if seat != me)
        total = self.shown + sum(self.random.randint(0, sticks) for sticks in others)
        return next(value for value in itertools.count(total) if value not in self.core.guess())


class Zero2(Original):
    """Keeps its hand empty in 95 % of the rounds.  It says half of the table, or the next free sum above, or below."""

    def hand(self) -> int:
        return self.core.view.lowest_hand if self.random.random() < 0.95 else super().hand()

    def guess(self) -> int:
        half = self.core.chopstick_count() // 2
        free = self.free()
        return next((value for value in free if value >= half), free[-1])


class Gaussian(Original):
    """Adds random hands of all players, its own included, until the sum is free."""

    def guess(self) -> int:
        free = self.free()
        while True:
            total = sum(self.random.randint(0, sticks) for sticks in self.core.chopsticks())
            if total in free:
                return total


class Derandom(Original):
    """Shows the more sticks, the fewer its opponents guessed.  It says the middle of what is possible, or near it."""

    remembered = 1
    """The number of rounds whose guesses count."""

    def __init__(self, seed: int | str | None = None) -> None:
        super().__init__(seed)
        self.guessed: list[float] = []

    def hand(self) -> int:
        lowest = self.core.view.lowest_hand
        if not self.guessed:
            return super().hand()
        mean = sum(self.guessed) / len(self.guessed)
        self.shown = max(lowest, round((1 - mean) * self.own))
        return self.shown

    def guess(self) -> int:
        middle = self.shown + (self.core.chopstick_count() - self.own) / 2
        return min(self.free(), key=lambda value: abs(value - middle))

    def end_round(self) -> None:
        me, table = self.core.index(self), max(self.core.chopstick_count(), 1)
        said = [min(value / table, 1.0) for seat, value in enumerate(self.core.guess()) if seat != me and value >= 0]
        self.guessed = (self.guessed + said)[-self.remembered * len(self.core.guess()) :]


class Dezero(Derandom):
    """Like `Derandom` by the guesses of many rounds, with an empty hand in half of the rounds."""

    remembered = 20

    def hand(self) -> int:
        self.shown = super().hand() if self.random.random() < 0.5 else self.core.view.lowest_hand
        return self.shown


OPPONENTS = {
    **{name: name for name in ("random", "zero", "counter", "equilibrium")},
    **{each.__name__: each for each in (RandyRandom, Smarty, Zero2, Gaussian, Derandom, Dezero)},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=3, help="players in a game (default: 3)")
    parser.add_argument("--games", type=int, default=2000, help="games against each field (default: 2000)")
    parser.add_argument("--player", default="expert", help="the player that is measured (default: expert)")
    parser.add_argument("--against", nargs="*", default=[*OPPONENTS, "mixed"], help="the fields (default: all)")
    arguments = parser.parse_args()
    for field in arguments.against:
        draws = random.Random(field)
        wins = 0
        started = time.process_time()
        for number in range(arguments.games):
            names = [field] * (arguments.players - 1)
            if field == "mixed":
                names = draws.choices(list(OPPONENTS), k=arguments.players - 1)
            seated = [OPPONENTS.get(name, name) for name in names]
            seat = number % arguments.players
            seated.insert(seat, arguments.player)
            wins += wh.play("porrinha", seated, seed=number).outcome.places().get(seat) == 1
        share = wins / arguments.games
        error = 1.96 * math.sqrt(share * (1 - share) / arguments.games)
        seconds = (time.process_time() - started) / arguments.games
        print(
            f"{field:12} {share:6.1%} ± {error:.1%} of {arguments.games} games, {1000 * seconds:.0f} ms each",
            flush=True,
        )


if __name__ == "__main__":
    main()
