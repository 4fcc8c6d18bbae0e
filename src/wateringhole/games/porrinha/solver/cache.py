"""Results worth keeping between runs, as JSON files in the user's cache directory.

A cache may be missing, read-only, half written or full of somebody else's files: nothing of
that is an error, it only costs the time to compute again.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

__all__ = ["directory", "recall", "store"]


def directory() -> Path:
    """Where results are kept: under ``XDG_CACHE_HOME`` if that is an absolute path, else under ``~/.cache``."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(home) if os.path.isabs(home) else Path.home() / ".cache") / "wateringhole"


def recall(name: str) -> Any:
    """What is stored under a name, or None.  It is unchecked: the file may be anybody's."""
    try:
        return json.loads((directory() / f"{name}.json").read_bytes())
    except (OSError, ValueError, RecursionError, RuntimeError):
        return None


def store(name: str, content: Any) -> None:
    """Keep something under a name.  The file appears whole or not at all, whoever else writes it."""
    with contextlib.suppress(OSError, RuntimeError):
        directory().mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=directory(), prefix=f".{name}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, separators=(",", ":"))
            os.replace(draft, directory() / f"{name}.json")
        except BaseException:
            os.unlink(draft)
            raise
