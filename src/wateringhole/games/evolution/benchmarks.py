"""The games of Evolution that `bench` measures."""

from __future__ import annotations

from wateringhole.facets import Benchmarks

__all__ = ["BENCHMARKS"]

BENCHMARKS = Benchmarks(
    player="silly",
    seats=(3, 4, 8),
    entrants=("silly", "random", "greedy", "again=random"),
    choices={"deck": "ascending"},
    simulated=(("silly", 4), ("random", 4), ("greedy", 4)),
)
