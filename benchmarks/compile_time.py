"""Measure the processor time of first compilations, with an empty cache.

    python benchmarks/compile_time.py [../other-checkout …]

Each figure is a new process that plays one game, or steps one batch, in this and in the other checkouts.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

GAMES = {
    "evolution, whole games": "sim.simulate('evolution', ['silly', 'silly', 'greedy', 'random'], 1, threads=1)",
    "evolution, batch": "step(sim.Batch('evolution', players=4, games=2))",
    "porrinha, whole games": "sim.simulate('porrinha', ['random', 'random'], 1, threads=1)",
    "porrinha, batch": "step(sim.Batch('porrinha', players=4, games=2))",
}
PROGRAM = """
import time
from wateringhole import sim

def step(batch):
    batch.step(batch.choose("random"))
    return batch.observations, batch.scores

start = time.process_time()
{what}
print(time.process_time() - start)
"""


def main() -> None:
    checkouts = [Path(__file__).parents[1], *map(Path, sys.argv[1:])]
    for name, what in GAMES.items():
        seconds = [_seconds(checkout, PROGRAM.format(what=what)) for checkout in checkouts]
        print(f"{name:25}", *(f"{each:6.1f} s" for each in seconds), flush=True)


def _seconds(checkout: Path, program: str) -> float:
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout.resolve() / "src")}
        ran = subprocess.run(
            [sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True
        )
    return float(ran.stdout)


if __name__ == "__main__":
    main()
