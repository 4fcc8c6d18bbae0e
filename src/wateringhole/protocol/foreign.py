"""Foreign protocols of the installed games, for hosts and programs that do not speak the JSON protocol."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from wateringhole import fallbacks, registry
from wateringhole.facets import ForeignProtocol
from wateringhole.game import AnyKind

__all__ = ["AnyProtocol", "GameProtocol", "foreign_protocols", "games_of"]

AnyProtocol = ForeignProtocol[Any, Any, Any, Any]


class GameProtocol(NamedTuple):
    """A foreign protocol of one game."""

    name: str
    protocol: AnyProtocol
    kind: AnyKind


def foreign_protocols() -> list[GameProtocol]:
    """Return the foreign protocols of all installed games, except for games that cannot be loaded."""
    found = []
    for kind in registry.kinds():
        found += [GameProtocol(name, protocol, kind) for name, protocol in fallbacks.protocols(kind).items()]
    return found


def games_of(protocols: Iterable[GameProtocol]) -> dict[str, str]:
    """Return the title of each protocol with the games that it is for, e.g. ``chess and nim``."""
    games: dict[str, list[str]] = {}
    for each in protocols:
        games.setdefault(each.protocol.title, []).append(each.kind.name)
    return {title: " and ".join(names) for title, names in games.items()}
