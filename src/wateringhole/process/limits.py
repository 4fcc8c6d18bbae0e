"""Resource limits and environment of player processes, as data.

`process.child` starts and stops these processes.  Each of them also carries two tags, one in its
environment and one among its resource limits.  The tags find the processes of a program that killed
its supervisor.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

__all__ = [
    "ENVIRONMENT_TAG",
    "ISOLATED",
    "NO_ISOLATION",
    "RLIMIT_TAG",
    "Isolation",
    "ProcessLimits",
    "environment",
    "find_tagged",
    "isolation_for",
    "kill_tagged",
    "needs_process",
    "rlimit_tag",
]

ENVIRONMENT_TAG = "WATERINGHOLE_PLAYER"
"""The environment variable that tags the processes of a player."""
RLIMIT_TAG = 10
"""The resource limit that tags them: the one on file locks, which Linux has not enforced since 2.4.

Child processes inherit it even without their environment.  Only root can raise it again."""


class ProcessLimits(msgspec.Struct, frozen=True):
    """The limits of one program.

    Memory and processes are those of the whole program (`process.cgroups`).  The other limits apply to each process.
    """

    memory_bytes: int = 1 << 30
    """Memory in use.  Reserved address space does not count, because runtimes like those of JavaScript,
    Java and Go reserve many times what they use.  Files in memory count."""
    cpu_seconds: int = 3600
    processes: int = 256
    """The number of processes and threads.  Without a control group, the processes of our user are added to it, and
    the system does not enforce it for root."""
    file_bytes: int = 64 << 20
    """For each file that the program writes, its log included."""
    scratch_bytes: int = 64 << 20
    """In the sandbox, for all files in its scratch folder, for those in /tmp and for those in /dev/shm."""
    open_files: int = 256
    startup_seconds: float = 10.0
    """The time until its hello."""
    answer_seconds: float = 30.0
    """The time for an answer if the referee sets none, and for reading a message."""
    exit_seconds: float = 0.5
    """The time to exit after its last message."""

    def rlimits(self, *, limits_processes: bool = True) -> list[tuple[int, int, int]]:
        """Return the kind, the soft and the hard value of each resource limit."""
        limits = []
        for kind, field, margin in _RLIMITS:
            value = getattr(self, field)
            limits.append((kind, value, value + margin))
        limits.append((resource.RLIMIT_CORE, 0, 0))
        running = _threads_of_this_user() if limits_processes else None
        if running is not None:
            most = running + self.processes
            limits.append((resource.RLIMIT_NPROC, most, most))
        return limits


_RLIMITS = (
    (resource.RLIMIT_DATA, "memory_bytes", 0),
    # The soft limit sends a signal that names the reason.  The hard limit, a second later, kills.
    (resource.RLIMIT_CPU, "cpu_seconds", 1),
    (resource.RLIMIT_FSIZE, "file_bytes", 0),
    (resource.RLIMIT_NOFILE, "open_files", 0),
)
"""Kinds of resource limits, the fields with their soft values, and how far the hard value lies above."""


MOST_RESTARTS = 3
"""The default number of restarts in a series: one failure does not cost the rest of it, and they end."""


class Isolation(msgspec.Struct, frozen=True):
    """The conditions under which untrusted players run."""

    isolates: bool = False
    """True to run untrusted Python players in their own processes, so that they can be stopped."""
    isolates_builtin: bool = False
    """True to isolate built-in players, too."""
    limits: ProcessLimits = ProcessLimits()
    sandbox: bool = False
    """True to run programs in bubblewrap, where they see only their own files (`process.sandbox`)."""
    read_only: tuple[Path, ...] = ()
    """Absolute paths that every program in the sandbox can read, too."""
    hidden: tuple[Path, ...] = ()
    """Resolved paths that no program in the sandbox can read unless it is its own: players, stores, records."""
    restarts: int | None = 0
    """How often in a series a program that exited or hung is started again for the next game; None for no limit."""
    preloads: bool = False
    """True to fork isolated Python players from a process that has imported their game (`process.preloaded`)."""
    log: Path | None = None
    """A folder for the standard error of players, one file each.  By default it is deleted with the scratch folder."""


NO_ISOLATION = Isolation()
ISOLATED = Isolation(isolates=True)


def isolation_for(
    *,
    isolates: bool | None = None,
    answer_seconds: float | None = None,
    startup_seconds: float | None = None,
    memory_bytes: int | None = None,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
    hidden: Sequence[str | Path] = (),
    restarts: int | None = MOST_RESTARTS,
    log: Path | None = None,
) -> Isolation:
    """Return conditions that isolate untrusted Python players, or that do so if one of the settings needs a process.

    The start-up time limit and restarts do not: they concern programs only.
    """
    given = {"answer_seconds": answer_seconds, "startup_seconds": startup_seconds, "memory_bytes": memory_bytes}
    return Isolation(
        isolates=needs_process(sandbox, answer_seconds, memory_bytes, log) if isolates is None else isolates,
        limits=msgspec.structs.replace(
            ProcessLimits(), **{name: value for name, value in given.items() if value is not None}
        ),
        sandbox=sandbox,
        read_only=tuple(Path(path).absolute() for path in read_only),
        hidden=tuple(Path(path).resolve() for path in hidden),
        restarts=restarts,
        log=log,
    )


def needs_process(sandbox: bool, *limits: object) -> bool:
    """Return whether settings are only effective for a player in its own process."""
    return sandbox or any(limit is not None for limit in limits)


def environment(scratch: Path) -> dict[str, str]:
    """Return the environment of a program outside of the sandbox, in which Python finds modules of our folder."""
    modules = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": modules, "TMPDIR": str(scratch)}


# Finding processes by their tags


def rlimit_tag(tag: str) -> int:
    """Return the resource limit that encodes a tag: below the value for "no limit", and above all real limits."""
    return 1 << 61 | int(tag, 16) & (1 << 60) - 1


def find_tagged(tag: str) -> list[int]:
    """Return the running processes that carry either tag; none if the system has no /proc."""
    found = []
    wanted, rlimit = f"{ENVIRONMENT_TAG}={tag}".encode(), str(rlimit_tag(tag)).encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # This fails for a process that exited and was not reaped yet.
            (entry / "exe").readlink()
            if wanted in (entry / "environ").read_bytes().split(b"\0") or rlimit in _lock_limits(entry):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _lock_limits(process: Path) -> list[bytes]:
    """Return the soft and the hard limit on file locks, as /proc prints them."""
    limits = (process / "limits").read_bytes().partition(b"Max file locks")[2]
    return limits.partition(b"\n")[0].split()[:2]


def kill_tagged(tag: str) -> None:
    """Kill all processes that carry a tag, including those that start meanwhile."""
    until = time.monotonic() + 5.0
    while (found := find_tagged(tag)) and time.monotonic() < until:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _threads_of_this_user() -> int | None:
    """Return how many threads count towards the limit of our user, or None if the system does not report it."""
    user, total = os.getuid(), 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == user:
                total += len(os.listdir(entry / "task"))
    return total or None
