"""Compare the processor time of whole tournament commands with that of another version of this project.

Run: python benchmarks/against_commit.py ../other-checkout/.venv/bin/wateringhole .venv/bin/wateringhole

Each pair plays the same number of games with the two executables, one after the other and in changing
order, so other work on the machine affects both alike.  The ratio is the median over all pairs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

TOURNAMENTS = (
    (("evolution", "silly", "silly", "silly", "silly"), 400),
    (("evolution", "greedy", "random", "silly", "silly"), 64),
    (("porrinha", "random", "random", "random", "random"), 1800),
)
"""Players and games.  The numbers of games are those of whole blocks, which no version rounds up."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the executable to compare with")
    parser.add_argument("this", type=Path, help="the executable to measure")
    parser.add_argument("--pairs", type=int, default=15, help="pairs of runs per tournament (default: 15)")
    parser.add_argument("--scale", type=int, default=1, help="play this many times as many games (default: 1)")
    options = parser.parse_args()
    print("seconds of the other and of this, and the ratio (middle half)")
    for players, games in TOURNAMENTS:
        tournament = (*players, "--games", str(games * options.scale))
        pairs = [_pair(options.other, options.this, tournament, seed) for seed in range(options.pairs)]
        ratios = [this / other for other, this in pairs]
        low, ratio, high = statistics.quantiles(ratios, n=4)
        other, this = (statistics.median(seconds) for seconds in zip(*pairs, strict=True))
        print(f"{' '.join(tournament):60} {other:6.2f} {this:6.2f}  {ratio:.2f} ({low:.2f} to {high:.2f})", flush=True)


def _pair(other: Path, this: Path, tournament: Sequence[str], seed: int) -> tuple[float, float]:
    if seed % 2:
        later = _seconds(this, tournament, seed)
        return _seconds(other, tournament, seed), later
    return _seconds(other, tournament, seed), _seconds(this, tournament, seed)


def _seconds(executable: Path, tournament: Sequence[str], seed: int) -> float:
    """Return the processor time of a tournament in a new store."""
    with tempfile.TemporaryDirectory() as folder:
        command = [executable, "tournament", *tournament, "--seed", str(seed), "--store", Path(folder, "store.sqlite")]
        before = os.times()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


if __name__ == "__main__":
    main()
