"""The Porrinha games that `bench` measures."""

from __future__ import annotations

from wateringhole.facets import Benchmarks

__all__ = ["BENCHMARKS"]

BENCHMARKS = Benchmarks(
    player="random?seed=1",
    seats=(2, 3, 5),
    entrants=("random", "zero", "counter", "again=random"),
    simulated=(("random", 2), ("random", 5)),
)
