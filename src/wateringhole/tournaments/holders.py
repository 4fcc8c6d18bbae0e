"""Names for lease holders.  A process on the same machine can find out whether a holder has exited."""

from __future__ import annotations

import os
import platform
import uuid
from pathlib import Path

__all__ = ["has_exited", "new_holder_id"]


def new_holder_id() -> str:
    """Return a unique name for a holder in this process."""
    pid = os.getpid()
    return " ".join([_machine(), str(pid), _started(pid) or "-", uuid.uuid4().hex[:8]])


def has_exited(holder: str) -> bool:
    """Return whether a holder's process has exited, or False if it runs on another machine."""
    machine, pid, started, _ = holder.rsplit(" ", 3)
    if machine != _machine():
        return False
    if started == "-":
        return not _is_running(int(pid))
    # A process ID can be reused, but not by a process with the same start time.
    return _started(int(pid)) != started


def _machine() -> str:
    """Return the machine's name and its PID namespace, because containers may share a name."""
    try:
        return f"{platform.node()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{platform.node()} -"


def _started(pid: int) -> str | None:
    """Return the start time of a process in clock ticks, or None if it has exited or the system gives none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The second field is the program's name in parentheses and may contain any characters.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else fields[18]


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
