"""Games by name.

Games are found through the entry point group `wateringhole.games`: a package that defines a game
names its `GameKind` there, and so does this one.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points

from wateringhole.errors import Misuse
from wateringhole.formatting import one_line
from wateringhole.game import AnyKind, GameKind

__all__ = ["GROUP", "display_name", "game_kind", "game_names", "kinds", "loadable_kinds"]

GROUP = "wateringhole.games"


def game_names() -> tuple[str, ...]:
    """Return the names of all installed games, sorted."""
    return tuple(_installed(tuple(sys.path)))


def game_kind(name: str) -> AnyKind:
    """Return a kind of game by name.  Raises UsageError if there is none, or if it cannot be loaded."""
    found = _installed(tuple(sys.path))
    if name not in found:
        raise Misuse(f"{name!r} is not an installed game. Choose from: {', '.join(found)}.")
    return _load(found[name])


def display_name(name: str) -> str:
    """Return a game's name as people write it, or `name` itself if the game is no longer installed."""
    return game_kind(name).display_name if name in game_names() else name


def kinds() -> list[AnyKind]:
    """Return all installed kinds of games, sorted by name.

    >>> import wateringhole as wh
    >>> seats = {kind.name: kind.seats for kind in wh.kinds()}
    """
    return [_load(point) for point in _installed(tuple(sys.path)).values()]


def loadable_kinds() -> list[AnyKind]:
    """Return the same without games that cannot be loaded: they must not stop commands about other games."""
    found = []
    for point in _installed(tuple(sys.path)).values():
        with contextlib.suppress(Misuse):
            found.append(_load(point))
    return found


def packages() -> frozenset[str]:
    """Return the packages of all installed games; a game in a single module is its own."""
    return frozenset(point.module.rpartition(".")[0] or point.module for point in _installed(tuple(sys.path)).values())


@functools.lru_cache(maxsize=16)
def _installed(path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Cached, because reading what all packages offer takes longer than a game."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


@functools.cache
def _load(point: EntryPoint) -> AnyKind:
    try:
        kind = point.load()
    except Exception as error:
        raise Misuse(
            f"the game {point.name!r} cannot be loaded from {point.value}: "
            f"{type(error).__name__}: {one_line(str(error))}"
        ) from error
    if not isinstance(kind, GameKind) or kind.name != point.name:
        raise Misuse(f"the game {point.name!r} cannot be loaded: {point.value} is not a GameKind of that name.")
    return kind
