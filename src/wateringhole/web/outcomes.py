"""The outcome of a game, as the page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wateringhole.formatting import sentence
from wateringhole.game import Outcome

__all__ = ["standings_of"]


def standings_of(outcome: Outcome, names: Sequence[str]) -> list[dict[str, Any]]:
    """Return all players with place and score, the best first."""
    ranked = {standing.seat: standing for standing in outcome.ranking}
    thrown = {each.seat: each.forfeit for each in outcome.thrown_out}
    lines = []
    for seat, place in sorted(outcome.places().items(), key=lambda each: each[1]):
        standing = ranked.get(seat)
        lines.append(
            {
                "place": place,
                "seat": seat,
                "name": names[seat],
                "score": standing.score if standing else None,
                "parts": [list(part) for part in standing.parts] if standing else [],
                "out": sentence(thrown[seat].message) if seat in thrown else None,
            }
        )
    return lines
