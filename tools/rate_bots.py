"""Rate the built-in bots of each game in a tournament and store their levels in the package.

    python -m tools.rate_bots [GAME …] [--games 1000] [--life 1] [--workers 2] [--leave-out NAME=REASON …]
        [--compared NAME=OTHER:LOW:HIGH …]

Every game with several bots is played at tables of the fewest, the usual and eight (or the most) players.  Where a
table has more seats than there are bots, several entrants play each bot, and its rating is their mean.  A bot that is
too slow for that is rated by the interval that `wateringhole compare GAME NAME OTHER` printed.
"""

from __future__ import annotations

import argparse
import itertools
import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import msgspec

import wateringhole as wh
from wateringhole import fallbacks, registry
from wateringhole.game import AnyKind
from wateringhole.levels import Compared, Levels, Rated, Tables, level_of, rating_after
from wateringhole.tournaments.ratings import Estimate

LARGEST = 8
"""The most seats of a table."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", metavar="GAME", help="games to rate the bots of; all if omitted")
    parser.add_argument("--games", type=int, default=1000, help="games at tables of each size")
    parser.add_argument("--life", type=int, help="games in a row by the same player objects; the table size if omitted")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--leave-out", action="append", default=[], metavar="NAME=REASON", help="bot not to rate")
    parser.add_argument(
        "--compared", action="append", default=[], metavar="NAME=OTHER:LOW:HIGH", help="bot to rate by a comparison"
    )
    options = parser.parse_args()
    reasons = dict(each.split("=", 1) for each in options.leave_out)
    compared = dict(_comparison(each) for each in options.compared)
    for kind in registry.kinds():
        file = kind.bots().levels if kind.bots else None
        if isinstance(file, Path) and (not options.kinds or kind.name in options.kinds):
            found = rate(kind, options.games, options.seed, options.workers, reasons, options.life, compared)
            file.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=2) + b"\n")
            print(f"wrote {file}", flush=True)


def rate(
    kind: AnyKind,
    games: int,
    seed: int,
    workers: int,
    reasons: Mapping[str, str],
    life: int | None = None,
    compared: Mapping[str, Compared] = MappingProxyType({}),
) -> Levels:
    """Return the levels of a game's bots.  `reasons` names bots that are not rated; comparisons rate `compared`."""
    bots = [name for name, bot in fallbacks.bots(kind).items() if not bot.human]
    names = [name for name in bots if name not in reasons and name not in compared]
    slow = {name: each for name, each in compared.items() if name in bots}
    sizes = sorted({kind.seats[0], fallbacks.usual_seats(kind), min(kind.seats[-1], LARGEST)})
    tables, errors = [], []
    for size in sizes:
        entrants = _entrants(names, size)
        specs = [f"{label}={name}" for label, name in entrants.items()]
        result = wh.tournament(kind.name, specs, games=games, table_size=size, life=life, seed=seed, workers=workers)
        lines = {name: [line for line in result.standings.players if entrants[line.name] == name] for name in names}
        ratings = {name: statistics.mean(line.rating.value for line in own) for name, own in lines.items()}
        errors.append({name: _error([line.rating for line in own]) for name, own in lines.items()})
        played = result.standings.players[0].games * len(entrants) // size
        tables.append(Tables(size, played, {name: round(rating, 1) for name, rating in ratings.items()}))
        print(kind.name, tables[-1], flush=True)
    means = {name: statistics.mean(each.ratings[name] for each in tables) for name in names}
    weakest = min(means.values())
    players = {
        name: Rated(
            level_of(means[name], weakest),
            round(means[name], 1),
            round(math.hypot(*(each[name] for each in errors)) / len(errors), 1),
        )
        for name in sorted(names, key=lambda name: means[name])
    }
    players |= {name: rating_after(each, players[each.against], weakest) for name, each in slow.items()}
    return Levels(players, dict(reasons), compared=slow, version=wh.__version__, seed=seed, tables=tuple(tables))


def _comparison(text: str) -> tuple[str, Compared]:
    """Return a name and its comparison, from NAME=OTHER:LOW:HIGH."""
    name, found = text.split("=", 1)
    against, low, high = found.split(":")
    return name, Compared(against, float(low), float(high))


def _entrants(names: Sequence[str], seats: int) -> dict[str, str]:
    """Return labels of entrants with the bot that each plays: every bot equally often, at least one for each seat."""
    rounds = math.ceil(seats / len(names))
    return {f"{name}-{number}": name for number, name in itertools.product(range(1, rounds + 1), names)}


def _error(ratings: Sequence[Estimate]) -> float:
    """Return half of the mean interval of a bot's entrants, which is too wide for their mean rather than too narrow."""
    widths = [(each.high - each.low) / 2 for each in ratings if each.low is not None and each.high is not None]
    return statistics.mean(widths) if widths else math.inf


if __name__ == "__main__":
    main()
