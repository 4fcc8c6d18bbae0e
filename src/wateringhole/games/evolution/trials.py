"""The games and requests with which `check` tests players of Evolution."""

from __future__ import annotations

from wateringhole.facets import Trial, Trials

__all__ = ["TRIALS"]

TRIALS = Trials(
    games=(
        Trial("three players", (), ("silly", "greedy"), 0, 1),
        Trial("eight players", (), ("silly", "greedy") * 3 + ("silly",), 3, 2),
        Trial("the framework's rules", ("framework",), ("greedy", "silly", "greedy"), 2, 3),
        Trial("the reference program's rules", ("reference",), ("silly", "silly", "greedy"), 1, 4),
    ),
    requests=(
        Trial("the default rules", (), ("greedy",) * 4, 0, 5),
        Trial("the framework's rules", ("framework",), ("greedy",) * 4, 0, 6),
    ),
)
