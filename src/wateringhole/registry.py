"""Games by name.

Games are found through the entry point group `wateringhole.games`: a package that defines a game
names its `GameKind` there, and so does this one.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from, short_repr, single_line
from wateringhole.game import AnyKind, GameKind

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "display_name", "game_kind", "game_names", "kinds", "load_errors", "module_of", "packages"]

GROUP = "wateringhole.games"


def game_names() -> tuple[str, ...]:
    """Return the names of all installed games, sorted; some may not be loadable."""
    return tuple(_installed(tuple(sys.path)))


def game_kind(name: str) -> AnyKind:
    """Return a kind of game by name.  Raises UsageError if there is none, or if it cannot be loaded."""
    found = _installed(tuple(sys.path))
    if name not in tuple(found):  # a tuple, so that anything can be asked for
        raise UsageError(f"{short_repr(name)} is not an installed game. {choose_from(name, found)}")
    return _load(found[name])


def display_name(name: str) -> str:
    """Return a game's name as people write it, or `name` itself if the game is not there or cannot be loaded."""
    try:
        return game_kind(name).display_name
    except UsageError:
        return name


def kinds() -> list[AnyKind]:
    """Return all installed kinds of games, sorted by name, without those that cannot be loaded.

    A broken game must not stop commands about other games; `load_errors` has the reasons.

    >>> import wateringhole as wh
    >>> seats = {kind.name: kind.seats for kind in wh.kinds()}
    """
    found = []
    for points in _installed(tuple(sys.path)).values():
        with contextlib.suppress(UsageError):
            found.append(_load(points))
    return found


def load_errors() -> list[str]:
    """Return an error message for each installed game that cannot be loaded."""
    errors = []
    for points in _installed(tuple(sys.path)).values():
        try:
            _load(points)
        except UsageError as error:
            errors.append(str(error))
    return errors


def module_of(name: str) -> str:
    """Return the module that defines an installed game."""
    return _installed(tuple(sys.path))[name][0].module


def packages() -> frozenset[str]:
    """Return the packages of all installed games; a game in a single module is its own."""
    points = itertools.chain.from_iterable(_installed(tuple(sys.path)).values())
    return frozenset(point.module.rpartition(".")[0] or point.module for point in points)


@functools.lru_cache(maxsize=16)
def _installed(path: tuple[str, ...]) -> Mapping[str, tuple[EntryPoint, ...]]:
    """Cached, because reading what all packages offer takes longer than a game."""
    # Most commands only print a help text, and this import takes longer than that.
    from importlib.metadata import entry_points

    points = sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value))
    return {name: tuple(group) for name, group in itertools.groupby(points, lambda point: point.name)}


@functools.cache
def _load(points: tuple[EntryPoint, ...]) -> AnyKind:
    point, *others = points
    if others:
        homes = " and ".join(each.value for each in points)
        raise UsageError(f"the game {point.name!r} is defined twice, by {homes}. Uninstall one of the packages.")
    try:
        kind = point.load()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"the game {point.name!r} cannot be loaded from {point.value}: "
            f"{type(error).__name__}: {single_line(str(error))}"
        ) from error
    if not isinstance(kind, GameKind) or kind.name != point.name:
        raise UsageError(f"the game {point.name!r} cannot be loaded: {point.value} is not a GameKind of that name.")
    return kind
