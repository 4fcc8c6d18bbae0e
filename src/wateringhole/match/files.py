"""The files of a player: those in its folder and below, modules and data such as weights.

Left out are:

- names that start with a dot, `__pycache__`, `node_modules`, and virtual environments;
- links to folders, which may form cycles;
- files that this program writes: stores, records, standings, reports.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Collection, Iterator
from pathlib import Path

from wateringhole.process.sandbox import SQLITE_START, shared_folders

__all__ = ["files_in", "is_shared"]

_IGNORED = ("__pycache__", "node_modules")
_STARTS = (SQLITE_START, b'{"format":"wateringhole-record"', b"rank,player,rating,")
"""The first bytes of stores, records and tables of standings."""
_GENERATOR = b'<meta name="generator" content="Watering Hole'
"""In the first bytes of reports and replays."""
_START = 1000


def files_in(folder: Path, foreign: Collection[Path] = ()) -> Iterator[Path]:
    """Yield the files of a player in its folder, in a fixed order, without `foreign` files and folders."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.name in _IGNORED or path.resolve() in foreign:
            continue
        if path.is_dir():
            if not path.is_symlink() and not (path / "pyvenv.cfg").is_file():
                yield from files_in(path, foreign)
        elif path.is_file() and not _is_written_here(path):
            yield path


def is_shared(folder: Path) -> bool:
    """Return whether a folder is not one player's, although its file is in it."""
    installed = (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    return folder in shared_folders() or str(folder) in {*os.get_exec_path(), *installed}


def _is_written_here(path: Path) -> bool:
    """Return whether a file is one that this program writes, and not a player's."""
    for name in {path.name, *(path.name.removesuffix(end) for end in ("-wal", "-shm", "-journal"))}:
        written = path.with_name(name)
        if written.is_file():
            with written.open("rb") as file:
                start = file.read(_START)
            if start.startswith(_STARTS) or _GENERATOR in start:
                return True
    return False
