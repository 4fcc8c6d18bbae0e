"""The games there are.  The only place that names them all."""

from __future__ import annotations

import importlib
from typing import Any

from wateringhole.errors import Misuse
from wateringhole.game import Kind

__all__ = ["GAMES", "game"]

GAMES = ("evolution", "porrinha")


def game(name: str) -> Kind[Any, Any]:
    """A kind of game by name; loaded when it is asked for, because most commands need only one."""
    if name not in GAMES:
        raise Misuse(f"there is no game {name!r}; there are {' and '.join(GAMES)}.")
    kind: Kind[Any, Any] = importlib.import_module(f"wateringhole.games.{name}.kind").KIND
    return kind
