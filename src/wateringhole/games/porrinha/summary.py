"""The fields that Porrinha adds to the result of `play --json`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.game import Event, Seat
from wateringhole.games.porrinha.rules.answers import NotANumber
from wateringhole.games.porrinha.rules.events import AnswerRepaired, GameEnded, PlayerForfeited, PorrinhaOutcome

__all__ = ["Summary"]


class Summary:
    """The outcome and the incidents of a game."""

    def __init__(self) -> None:
        self._outcome: PorrinhaOutcome | None = None
        self._incidents: list[AnswerRepaired | PlayerForfeited] = []

    def see(self, event: Event) -> None:
        if isinstance(event, GameEnded):
            self._outcome = event.outcome
        elif isinstance(event, AnswerRepaired) or (isinstance(event, PlayerForfeited) and not event.removed):
            self._incidents.append(event)

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        outcome = self._outcome
        loser = None if outcome is None or outcome.loser is None else number(outcome.loser)
        return {
            "rounds": 0 if outcome is None else outcome.rounds,
            "loser": loser,
            "faults": [{"seat": number(incident.seat), **_incident_to_json(incident)} for incident in self._incidents],
        }


def _incident_to_json(incident: AnswerRepaired | PlayerForfeited) -> dict[str, Any]:
    if isinstance(incident, PlayerForfeited):
        return {"fault": incident.forfeit.reason, "said": incident.forfeit.message, "used": None}
    said = incident.said.said if isinstance(incident.said, NotANumber) else incident.said
    return {"fault": incident.fault, "said": said, "used": incident.used}
