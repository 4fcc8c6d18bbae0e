"""The part of `play --json` that only Evolution has: the full state after every turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.game import Event, Seat
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import TurnEnded
from wateringhole.games.evolution.rules.view import FullState

__all__ = ["Summary"]


class Summary:
    """A collector of full states, converted to JSON only on request."""

    def __init__(self) -> None:
        self._states: list[FullState] = []

    def see(self, event: Event) -> None:
        if isinstance(event, TurnEnded) and event.table:
            self._states.append(event.table)

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        tables = [codec.configuration_to_json(state, number) for state in self._states]
        return {"turns": len(tables), "tables": tables}
