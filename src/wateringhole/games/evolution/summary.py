"""What `play --json` tells of a game of Evolution besides its ranking: the table after every turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.game import Event, Seat
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import TurnEnded
from wateringhole.games.evolution.rules.view import FullState

__all__ = ["Summary"]


class Summary:
    """Keeps the tables; they become JSON only when somebody asks."""

    def __init__(self) -> None:
        self._tables: list[FullState] = []

    def see(self, event: Event) -> None:
        if isinstance(event, TurnEnded) and event.table:
            self._tables.append(event.table)

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        tables = [codec.configuration_to_json(table, number) for table in self._tables]
        return {"turns": len(tables), "tables": tables}
