"""The simulator's speed, its price, and how far it is from the limit.

    python benchmarks/sim.py [--seconds 5] [--instructions]

`--instructions` counts the machine instructions of a game with callgrind (valgrind must be
installed): two runs of different length, so that all that is not playing cancels out.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from wateringhole import sim
from wateringhole.cli.bench_simulator import TABLES, measurements

PLAY = """
import sys
from wateringhole import sim

sim.simulate(sys.argv[1], sys.argv[3:], int(sys.argv[2]), threads=1)
"""

# Valgrind knows no newer instructions; the same compiled code has to be found by both runs.
PLAIN_CPU = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+lzcnt,+popcnt,+fma"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="for each figure, the best of five stretches")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of seconds")
    options = parser.parse_args()
    print(f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    if options.instructions:
        count_instructions()
        return
    for _, measure in measurements(options.seconds):
        for figure in measure():
            print(figure, flush=True)


def _processor() -> str:
    """Its model, where Linux tells it."""
    told = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", told.read_text()) if told.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def count_instructions() -> None:
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed")
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | PLAIN_CPU | {"NUMBA_CACHE_DIR": cache}
        for game, player, seats in TABLES:
            players = [player] * seats
            # To start takes some ten million instructions more or less from run to run, which so many games outweigh.
            games = 1_000_000 if game == "porrinha" else 2_000 if player == "greedy" else 20_000
            fewer, more = 100, 100 + games
            _counted(game, players, 1, environment, [])  # compiles
            counts = [
                _counted(game, players, number, environment, ["valgrind", "--tool=callgrind"])
                for number in (fewer, more)
            ]
            decisions = sim.simulate(game, players, more).decisions - sim.simulate(game, players, fewer).decisions
            spent = counts[1] - counts[0]
            print(
                f"{game}, {seats} {player} players: {spent / games:,.0f} instructions a game, "
                f"{spent / decisions:,.1f} an answer",
                flush=True,
            )


def _counted(game: str, players: list[str], games: int, environment: dict[str, str], tool: list[str]) -> int:
    out = [f"--callgrind-out-file={os.devnull}"] if tool else []
    ran = subprocess.run(
        [*tool, *out, sys.executable, "-c", PLAY, game, str(games), *players],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Collected : (\d+)", ran.stderr)
    return int(found[1]) if found else 0


if __name__ == "__main__":
    main()
