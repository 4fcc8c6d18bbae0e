"""Measure the simulator's speed, its compile time and its machine instructions.

    python benchmarks/sim.py [--seconds 5] [--instructions]

`--instructions` counts the machine instructions of a game with callgrind (valgrind must be
installed): two runs of different length, so that everything but playing cancels out.
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

from wateringhole import registry, sim
from wateringhole.cli.bench_simulator import measurements, simulated_tables

PLAY = """
import sys
from wateringhole import sim

sim.simulate(sys.argv[1], sys.argv[3:], int(sys.argv[2]), threads=1)
"""

# Valgrind does not support newer instructions, and both runs must find the same compiled code.
PLAIN_CPU = {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+bmi,+bmi2,+lzcnt,+popcnt,+fma"}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds per figure, which is the best of five runs")
    parser.add_argument("--instructions", action="store_true", help="count instructions instead of seconds")
    options = parser.parse_args()
    print(f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}", flush=True)
    if options.instructions:
        count_instructions()
        return
    for _, measure in measurements(registry.kinds(), options.seconds):
        for figure in measure():
            print(figure, flush=True)


def _processor() -> str:
    """Return the processor's model, if Linux provides it."""
    info = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.+)", info.read_text()) if info.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def count_instructions() -> None:
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed")
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | PLAIN_CPU | {"NUMBA_CACHE_DIR": cache}
        for game, player, seats in _tables():
            players = [player] * seats
            # The start takes some ten million instructions more or less per run, which this many games outweigh.
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


def _tables() -> list[tuple[str, str, int]]:
    """Return each compiled game with its players and seats."""
    return [(kind.name, *row) for kind in registry.kinds() if kind.compiled for row in simulated_tables(kind)]


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
