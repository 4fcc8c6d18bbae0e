"""The user's folders for files of this package."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["cache_folder"]


def cache_folder() -> Path:
    """Return the cache folder: under ``XDG_CACHE_HOME`` if that is an absolute path, otherwise under ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "wateringhole"
