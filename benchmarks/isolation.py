"""The cost of isolation for a fast Python player: a tournament in each mode, and the time to start a player.

"Started" are lives whose interpreter starts from the beginning, as before there were preloaded parents.

Run it with: python benchmarks/isolation.py [GAMES]
The modes take turns in one run, so that their ratios do not depend on what else the machine does.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

from wateringhole import registry
from wateringhole.match.specs import parse_specs
from wateringhole.process import child
from wateringhole.process.limits import Isolation
from wateringhole.process.machine import machine_isolation
from wateringhole.tournaments.executors import IN_PROCESS
from wateringhole.tournaments.settings import new_settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

MODES = {
    "in process": (False, False, False),
    "isolated": (True, False, True),
    "sandboxed": (True, True, True),
    "isolated, started": (True, False, False),
    "sandboxed, started": (True, True, False),
}
"""Whether the player is isolated, whether it runs in the sandbox, and whether its lives are forked."""
PLAYERS = {
    "evolution": ("from wateringhole.games.evolution.bots.silly import Silly as Mine\n", ["silly", "greedy"]),
    "porrinha": ("from wateringhole.games.porrinha.bots.random import Random as Mine\n", ["random", "zero"]),
}
"""The file of the player, and its built-in opponents."""
ROUNDS = 5
LIVES = (3, 30)
"""Games in a row by one player object."""


def main(games: int) -> None:
    modes = {name: flags for name, flags in MODES.items() if machine_isolation().sandbox or not flags[1]}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for game, (source, opponents) in PLAYERS.items():
            file = folder / game / "mine.py"
            file.parent.mkdir()
            file.write_text(source)
            starts = {mode: start_seconds(game, f"{file}:Mine", *flags) for mode, flags in modes.items()}
            print(f"{game}: start of a player", *(f"{mode} {1000 * each:.0f} ms" for mode, each in starts.items()))
            for life in LIVES:
                rates: dict[str, list[float]] = {mode: [] for mode in modes}
                for _ in range(ROUNDS):
                    for mode, flags in modes.items():
                        rates[mode].append(rate(game, [f"{file}:Mine", *opponents], life, games, folder, *flags))
                medians = {mode: statistics.median(each) for mode, each in rates.items()}
                first = medians["in process"]
                print(
                    f"{game}: games per second in lives of {life}",
                    *(f"{mode} {each:.0f} (1/{first / each:.1f})" for mode, each in medians.items()),
                    flush=True,
                )


def start_seconds(game: str, player: str, isolates: bool, sandbox: bool, forks: bool) -> float:
    """Return the median time from the start of a player to its hello."""
    (named,) = parse_specs(game, [player], Isolation(isolates=isolates, sandbox=sandbox, preloads=forks))
    seconds = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        made = named.make(1)
        seconds.append(time.perf_counter() - began)
        made.close()
    return statistics.median(seconds)


def rate(
    game: str, players: list[str], life: int, games: int, folder: Path, isolated: bool, sandbox: bool, forks: bool
) -> float:
    """Return the games per second of a tournament."""
    kind = registry.game_kind(game)
    settings = new_settings(
        kind,
        players,
        rules=next(iter(kind.profiles.values())).rules,
        games=max(games, len(players) * life),
        life=life,
        seed=1,
        isolated=isolated,
        sandbox=sandbox,
    )
    path = folder / "store"
    path.mkdir()
    find_parent = child.find_parent
    if not forks:
        child.find_parent = lambda *_: None
    try:
        with closing(Store(path / "s.sqlite")) as store:
            tournament = Tournament.start(store, settings, IN_PROCESS)
            began = time.perf_counter()
            tournament.play()
            return len(list(store.results(tournament.number))) / (time.perf_counter() - began)
    finally:
        child.find_parent = find_parent
        shutil.rmtree(path)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
