"""A cache of results: JSON files in the user's cache directory.

The directory may be missing or read-only, and a file may be incomplete or unrelated.  None of this is
an error; the result is computed again.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from typing import Any

from wateringhole.folders import cache_folder

__all__ = ["load", "store"]


def load(name: str) -> Any:
    """Return the content that is stored under a name, or None.  It is unchecked."""
    try:
        return json.loads((cache_folder() / f"{name}.json").read_bytes())
    except (OSError, ValueError, RecursionError, RuntimeError):
        return None


def store(name: str, content: Any) -> None:
    """Store content under a name.  The file is replaced atomically, also if another process writes it."""
    with contextlib.suppress(OSError, RuntimeError):
        cache_folder().mkdir(parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=cache_folder(), prefix=f".{name}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(content, file, separators=(",", ":"))
            os.replace(draft, cache_folder() / f"{name}.json")
        except BaseException:
            os.unlink(draft)
            raise
