"""The versions of players, by which a record shows whose code played.

====================================  ==================================================
a built-in player                     the version of this package: ``wateringhole 0.1.0``
an installed player                   its distribution and version: ``club-bots 1.2``
a file, a module or a program         the digest of its files: ``sha256:…``
====================================  ==================================================

The files of a player are the one that names it, and all others in its folder or package (`match.files`), without
those that name other players.  The digest is that of a sorted list as `sha256sum` prints it.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from wateringhole import __version__, fallbacks, registry
from wateringhole.digests import digest
from wateringhole.errors import UsageError
from wateringhole.match.files import files_in, is_shared
from wateringhole.match.loading import entry_point
from wateringhole.match.specs import own_files, split_spec
from wateringhole.process.sandbox import NO_FILES, PlayerFiles

__all__ = ["BUILT_IN", "player_versions", "short_version"]

BUILT_IN = f"wateringhole {__version__}"
"""The version of every built-in player."""

_LETTERS = 8
"""The letters of a digest that tables show."""


def player_versions(game: str, specs: Sequence[str], log_folder: Path | None = None) -> list[str | None]:
    """Return the version of each player, or None if it cannot be determined, e.g. because its files are elsewhere.

    The `log_folder` with the standard error of players belongs to none of them.
    """
    files = [_own_files(game, spec) for spec in specs]
    named = {path.resolve() for own in files for path in own.paths}
    logs = {log_folder.resolve()} if log_folder else set()
    return [
        _version(game, spec, own, logs | named.difference(path.resolve() for path in own.paths))
        for spec, own in zip(specs, files, strict=True)
    ]


def short_version(version: str | None) -> str:
    """Return a version for a table.

    >>> short_version("sha256:f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2")
    'f2ca1bb6'
    """
    if version is None:
        return "unknown"
    if version == BUILT_IN:
        return "built-in"
    return version.removeprefix("sha256:")[:_LETTERS] if version.startswith("sha256:") else version


def _version(game: str, spec: str, own: PlayerFiles, foreign: Collection[Path]) -> str | None:
    _, target = split_spec(spec)
    if target in fallbacks.bots(registry.game_kind(game)):
        return BUILT_IN
    point = entry_point(game, target)
    if point is not None and point.dist is not None:
        return f"{point.dist.name} {point.dist.version}"
    try:
        lines = sorted(f"{_sha256(path)}  {name}\n" for path, name in _named_files(own, foreign))
    except OSError:
        return None
    return digest("".join(lines).encode()) if lines else None


def _own_files(game: str, spec: str) -> PlayerFiles:
    command, _ = split_spec(spec)
    try:
        own = own_files(game, spec)
    except UsageError:
        return NO_FILES  # the command cannot be read
    found = shutil.which(command.split()[0]) if command and not own.paths else None
    return PlayerFiles((Path(found),), (Path(found).parent,)) if found else own


def _named_files(own: PlayerFiles, foreign: Collection[Path]) -> Iterator[tuple[Path, str]]:
    """Yield the files of a player, each with its path in the player's folder."""
    seen: set[Path] = set()
    for folder in own.folders:
        # The only file of a module without a package stands for its folder.
        for path in () if folder.is_file() or is_shared(folder) else files_in(folder, foreign):
            seen.add(path.resolve())
            yield path, path.relative_to(folder).as_posix()
    for path in (*own.paths, *own.folders):
        if path.is_file() and path.resolve() not in seen:
            yield path, path.name


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
