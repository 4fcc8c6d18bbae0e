"""The games that `check` plays with a player of Porrinha."""

from __future__ import annotations

from wateringhole.facets import Trial, Trials

__all__ = ["TRIALS"]

TRIALS = Trials(
    games=(
        Trial("two players", (), ("random?seed=1",), 0, 1),
        Trial("eight players", (), tuple(f"random?seed={seed}" for seed in range(7)), 3, 2),
        Trial(
            "the original program's rules",
            ("original", "opening_zero=forbidden"),
            ("counter?seed=1", "random?seed=2"),
            2,
            3,
        ),
        Trial("taken guesses asked again", ("taken_guess=again", "sticks=6"), ("random?seed=3", "random?seed=4"), 1, 4),
    ),
)
