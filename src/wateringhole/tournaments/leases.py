"""Who works on what: names for processes that can be told to be dead by others on the same machine."""

from __future__ import annotations

import os
import platform
import uuid
from pathlib import Path

__all__ = ["is_dead", "new_holder_id"]


def new_holder_id() -> str:
    """A name for somebody in this process, different each time."""
    pid = os.getpid()
    return " ".join([_machine(), str(pid), _started(pid) or "-", uuid.uuid4().hex[:8]])


def is_dead(holder: str) -> bool:
    """Whether a holder's process is known to have ended.  Nothing is known of other machines."""
    machine, pid, started, _ = holder.rsplit(" ", 3)
    if machine != _machine():
        return False
    if started == "-":
        return not _is_running(int(pid))
    # A number is given to a new process sooner or later, but not one that started at the same moment.
    return _started(int(pid)) != started


def _machine() -> str:
    """The machine, and the part of it whose process numbers are ours: containers may share a name."""
    try:
        return f"{platform.node()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{platform.node()} -"


def _started(pid: int) -> str | None:
    """When a process started, in the system's own count; None: it has ended, or the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    # The second field is the program's name in parentheses, and may hold anything.
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
