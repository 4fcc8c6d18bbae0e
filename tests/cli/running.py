"""Running the real command in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

__all__ = ["Ran", "wateringhole"]

Ran = subprocess.CompletedProcess[str]


def wateringhole(*words: str | Path, stdin: str = "", folder: Path | None = None) -> Ran:
    """`wateringhole WORD…`; a command that hangs fails its test."""
    return subprocess.run(
        [sys.executable, "-m", "wateringhole", *map(str, words)],
        input=stdin,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
