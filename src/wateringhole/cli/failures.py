"""Reports a failed player to its author, with the command that reproduces the failure."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from wateringhole.digests import digest
from wateringhole.folders import cache_folder

if TYPE_CHECKING:
    from wateringhole.match.failures import Failure

__all__ = ["report_failure"]

MOST_FILES = 50
"""The most saved failures; then the oldest are removed."""


def report_failure(failure: Failure) -> None:
    """Print a player's traceback to standard error, save the request that caused it, and print how to repeat it."""
    lines = [failure.traceback.rstrip()] if failure.traceback else []
    try:
        path = _save(failure)
    except OSError as error:
        lines.append(
            f"wateringhole: the request that caused this cannot be saved: {error.filename}: {error.strerror}. "
            "Set XDG_CACHE_HOME to a folder that you can write to."
        )
    else:
        again = shlex.join(["wateringhole", "ask", failure.player, str(path)])
        lines.append(f"wateringhole: {failure.player} failed; to repeat the request that caused it: {again}")
    print("\n".join(lines), file=sys.stderr, flush=True)


def _save(failure: Failure) -> Path:
    """Write a failure to the user's cache folder, and return its path."""
    folder = cache_folder() / "failures"
    folder.mkdir(parents=True, exist_ok=True)
    content = msgspec.json.format(msgspec.json.encode(failure))
    name = re.sub(r"\W+", "-", Path(failure.player.partition("?")[0]).name).strip("-")[:40]
    path = folder / f"{failure.game}-{name}-{digest(content).removeprefix('sha256:')[:8]}.json"
    path.write_bytes(content + b"\n")
    for old in sorted(folder.glob("*.json"), key=lambda each: each.stat().st_mtime)[:-MOST_FILES]:
        old.unlink(missing_ok=True)
    return path
