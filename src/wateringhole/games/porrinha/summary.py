"""What `play --json` tells of a game of Porrinha besides its ranking."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.game import Event, Seat
from wateringhole.games.porrinha.rules.answers import NotANumber
from wateringhole.games.porrinha.rules.events import FaultReported, GameEnded, PlayerForfeited, PorrinhaOutcome

__all__ = ["Summary"]


class Summary:
    """Keeps the end of the game and everything that players did wrong without being removed for it."""

    def __init__(self) -> None:
        self._outcome: PorrinhaOutcome | None = None
        self._faults: list[FaultReported | PlayerForfeited] = []

    def see(self, event: Event) -> None:
        if isinstance(event, GameEnded):
            self._outcome = event.outcome
        elif isinstance(event, FaultReported) or (isinstance(event, PlayerForfeited) and not event.removed):
            self._faults.append(event)

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        outcome = self._outcome
        loser = None if outcome is None or outcome.loser is None else number(outcome.loser)
        return {
            "rounds": 0 if outcome is None else outcome.rounds,
            "loser": loser,
            "faults": [{"seat": number(fault.seat), **_fault_to_json(fault)} for fault in self._faults],
        }


def _fault_to_json(fault: FaultReported | PlayerForfeited) -> dict[str, Any]:
    if isinstance(fault, PlayerForfeited):
        return {"fault": fault.forfeit.reason, "said": fault.forfeit.message, "used": None}
    said = fault.said.said if isinstance(fault.said, NotANumber) else fault.said
    return {"fault": fault.fault, "said": said, "used": fault.used}
