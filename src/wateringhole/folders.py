"""The user's folders for files of this package."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder", "data_folder"]


def cache_folder() -> Path:
    """Return the cache folder: under ``XDG_CACHE_HOME`` if that is an absolute path, or else ``~/.cache``."""
    return _folder("XDG_CACHE_HOME", Path.home() / ".cache")


def data_folder() -> Path:
    """Return the data folder: under ``XDG_DATA_HOME`` if that is an absolute path, or else ``~/.local/share``."""
    return _folder("XDG_DATA_HOME", Path.home() / ".local" / "share")


def _folder(variable: str, usual: Path) -> Path:
    home = os.environ.get(variable, "")
    return (Path(home) if os.path.isabs(home) else usual) / "wateringhole"
