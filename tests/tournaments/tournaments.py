"""Small tournaments, and their results without times."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.digests import digest
from wateringhole.tournaments.results import GameResult, PackedGame
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store

__all__ = ["failing_bot", "outcomes", "played", "settings", "small_plan"]


def settings(*players: str, game: str = "porrinha", **changes: Any) -> Settings:
    """Return settings, by default of a round robin of thirty games, each by new player objects."""
    kind = registry.game_kind(game)
    named = players or ("random", "zero", "counter", "again=random")
    chosen: dict[str, Any] = {
        "game": game,
        "rules": msgspec.to_builtins(kind.default_rules),
        "rules_version": kind.rules_version,
        "players": named,
        "names": tuple(f"player {number}" for number, _ in enumerate(named)),
        "format": "round-robin",
        "table_size": 3,
        "games": 30,
        "seed": 7,
        "life": 1,
    }
    return Settings(**(chosen | changes))


def small_plan(series: int = 4) -> list[PlannedSeries]:
    return [PlannedSeries(number, (0, 1, 2), 2, 100 + number) for number in range(series)]


def played(planned: PlannedSeries, *, record: bytes = b"a record\n") -> list[PackedGame]:
    """Return made-up games of a series."""
    return [
        PackedGame.pack(
            GameResult(planned.number, game, planned.entrants, (1, 2, 2), (7, 3, None), (None,) * 3, (0.5,) * 3, 4),
            record,
            digest(record),
        )
        for game in range(planned.games)
    ]


def failing_bot(folder: Path) -> str:
    """Write a Porrinha player that fails in three of four series, according to its seed."""
    path = folder / "failing.py"
    path.write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Failing(Zero):\n"
        "    def __init__(self, seed: int = 0) -> None:\n"
        "        super().__init__(seed)\n"
        "        self.fails = seed % 4 > 0\n"
        "    def hand(self, *args, **kwargs):\n"
        "        if self.fails:\n"
        "            raise RuntimeError\n"
        "        return super().hand(*args, **kwargs)\n"
    )
    return f"Failing={path}:Failing"


def outcomes(store: Store, tournament: int) -> list[GameResult]:
    """Return all results without the times, which vary."""
    return [msgspec.structs.replace(result, seconds=()) for result in store.results(tournament)]
