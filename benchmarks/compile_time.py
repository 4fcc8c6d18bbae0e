"""Measure the processor time of first compilations, with an empty cache.

    python benchmarks/compile_time.py [../other-checkout …]

Each figure is a new process that plays one game, steps one batch or creates one player, in this and in the other
checkouts.  A checkout that does not have the player gets no figure.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

USES = {
    "evolution, whole games": "sim.simulate('evolution', ['silly', 'silly', 'greedy', 'random'], 1, threads=1)",
    "evolution, batch": "step(sim.Batch('evolution', players=4, games=2))",
    "evolution, player search": "search()",
    "porrinha, whole games": "sim.simulate('porrinha', ['random', 'random'], 1, threads=1)",
    "porrinha, batch": "step(sim.Batch('porrinha', players=4, games=2))",
}
PROGRAM = """
import time
from wateringhole import sim

def step(batch):
    batch.step(batch.choose("random"))
    return batch.observations, batch.scores

def search():
    from wateringhole.games.evolution.bots.search.player import Search
    Search()

start = time.process_time()
{use}
print(time.process_time() - start)
"""


def main() -> None:
    checkouts = [Path(__file__).parents[1], *map(Path, sys.argv[1:])]
    for name, use in USES.items():
        print(f"{name:25}", *(_seconds(checkout, PROGRAM.format(use=use)) for checkout in checkouts), flush=True)


def _seconds(checkout: Path, program: str) -> str:
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": str(checkout.resolve() / "src")}
        ran = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    return f"{float(ran.stdout):6.1f} s" if ran.returncode == 0 else "no figure"


if __name__ == "__main__":
    main()
