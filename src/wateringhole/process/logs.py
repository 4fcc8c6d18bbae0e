"""The standard error of player processes: where it goes, and how much of it is kept.

Each process writes to its own file, so that processes of one player that run at the same time do not
mix.  When a process has ended, its output is appended to the log of the player, which keeps the first
and the last part of everything.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import io
import os
import shutil
import uuid
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from wateringhole.formatting import single_line

__all__ = ["KEPT_BYTES", "StderrLog", "log_file"]

KEPT_BYTES = 1 << 20
"""About the most bytes in the log of a player."""
_OMITTED = "… output left out here …\n".encode()
_LONGEST_NAME = 200
_LAST_BYTES = 2000
"""How much is read in search of the last line."""


def log_file(folder: Path, name: str) -> Path:
    """Return the log of a player in a folder of logs."""
    # A quoted name is always a valid file name, and different names stay different.
    quoted = quote(name, safe=" ")
    if len(quoted) > _LONGEST_NAME:
        digest = hashlib.sha256(quoted.encode()).hexdigest()[:16]
        quoted = f"{quoted[: _LONGEST_NAME - 17]}-{digest}"
    return folder / f"{quoted}.log"


class StderrLog:
    """The standard error of one process, and the log of its player, if there is one."""

    def __init__(self, scratch: Path, kept: Path | None) -> None:
        self._kept = kept
        self.path = scratch / "stderr" if kept is None else kept.with_suffix(f".{uuid.uuid4().hex[:8]}.running")
        """The file to which the process writes."""

    def last_line(self) -> str:
        """Return the last line that the process wrote, or an empty text."""
        try:
            with self.path.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - _LAST_BYTES))
                lines = log.read().decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return single_line(lines[-1].strip()) if lines else ""

    def keep(self) -> None:
        """Move what the process wrote to the log of its player.  A second call does nothing."""
        if self._kept is None:
            return
        # Without space on the disk the log is incomplete, which costs no game.
        with contextlib.suppress(OSError):
            with self.path.open("rb") as written, self._kept.open("ab+") as log:
                fcntl.flock(log, fcntl.LOCK_EX)
                _append(log, written)
            self.path.unlink()


def _append(log: BinaryIO, written: BinaryIO) -> None:
    size = log.seek(0, os.SEEK_END)
    if size + _size(written) <= KEPT_BYTES:
        shutil.copyfileobj(written, log)
        return
    log.seek(0)
    kept = _excerpt(io.BytesIO(log.read() + _excerpt(written)))
    log.truncate(0)
    log.write(kept)


def _excerpt(file: BinaryIO) -> bytes:
    """Return a file, or its first and its last lines if it is too long."""
    if _size(file) <= KEPT_BYTES:
        return file.read()
    half = KEPT_BYTES // 2
    first = file.read(half)
    file.seek(-half, os.SEEK_END)
    last = file.read()
    # A file with a single long line is cut inside of it.
    return first[: first.rfind(b"\n") + 1 or half] + _OMITTED + last[last.find(b"\n") + 1 :]


def _size(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size
