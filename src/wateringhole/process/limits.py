"""How strangers' processes are housed: what they may use, and under what conditions they live here.

`players.lodging` starts and ends them.  Every process of a program carries a mark in its
environment and a brand among its limits as well, for the case that a program kills the caretaker
which looks after it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from wateringhole.errors import UsageError

__all__ = [
    "AT_HOME",
    "BRAND",
    "MARK",
    "Housing",
    "Limits",
    "brand_of",
    "check_sandbox",
    "end_marked",
    "environment",
    "isolation",
    "marked",
    "sandboxed",
]

MARK = "WATERINGHOLE_PLAYER"
"""The variable that marks a player's processes."""
BRAND = 10
"""The limit that brands them: on file locks, which no Linux since 2.4 enforces.  Children inherit it whatever becomes
of their environment, and only root can be rid of it, or who lowers it on purpose."""
_SANDBOX_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "TZ")
"""What a program in the sandbox may know of our environment."""


class Limits(msgspec.Struct, frozen=True):
    """What one program may use.  All but the times are for each of its processes."""

    memory_bytes: int = 1 << 30
    """Memory that it can write to.  Address space that is merely reserved does not count: runtimes like those
    of JavaScript, Java and Go reserve many times what they use."""
    cpu_seconds: int = 3600
    processes: int = 256
    """On top of what our user runs already; the system does not enforce it for root."""
    file_bytes: int = 64 << 20
    """For each file that it writes, its log included."""
    open_files: int = 256
    startup_seconds: float = 10.0
    """Until its hello."""
    answer_seconds: float = 30.0
    """For an answer, where the referee has set no other patience, and for taking what it is told:
    nobody is waited for without end."""

    def by_kind(self) -> list[tuple[int, int, int]]:
        """Kind, soft and hard limit, as the system wants them."""
        limits = [
            (resource.RLIMIT_DATA, self.memory_bytes, self.memory_bytes),
            # Beyond the soft limit comes a signal that names the reason, beyond the hard one the end.
            (resource.RLIMIT_CPU, self.cpu_seconds, self.cpu_seconds + 1),
            (resource.RLIMIT_FSIZE, self.file_bytes, self.file_bytes),
            (resource.RLIMIT_NOFILE, self.open_files, self.open_files),
            (resource.RLIMIT_CORE, 0, 0),
        ]
        running = _threads_of_this_user()
        if running is not None:
            most = running + self.processes
            limits.append((resource.RLIMIT_NPROC, most, most))
        return limits


class Housing(msgspec.Struct, frozen=True):
    """Under what conditions strangers' players live here."""

    isolates: bool = False
    """Python players that are not ours get a process of their own, so that they can be stopped."""
    isolates_ours: bool = False
    """Ours do, too."""
    limits: Limits = Limits()
    sandbox: bool = False
    """Programs run in bubblewrap: no network, and a file system they cannot write to."""
    restarts: bool = False
    """A program that has died or got stuck gets a new process for the next game."""
    log: Path | None = None
    """A folder for what players write to standard error, one file for each; None: it goes with the scratch folder."""


AT_HOME = Housing()


def isolation(
    *,
    answer_seconds: float | None = None,
    startup_seconds: float | None = None,
    memory_bytes: int | None = None,
    sandbox: bool = False,
    restarts: bool = False,
    log: Path | None = None,
) -> Housing:
    """Return conditions that isolate Python players if any of these can only be met for a process.

    A time to start up concerns programs alone.
    """
    given = {"answer_seconds": answer_seconds, "startup_seconds": startup_seconds, "memory_bytes": memory_bytes}
    return Housing(
        isolates=sandbox or restarts or any(limit is not None for limit in (answer_seconds, memory_bytes, log)),
        limits=msgspec.structs.replace(Limits(), **{name: value for name, value in given.items() if value is not None}),
        sandbox=sandbox,
        restarts=restarts,
        log=log,
    )


def environment(scratch: Path, housing: Housing) -> dict[str, str]:
    """Ours; a Python player finds the modules that it would find in our folder."""
    ours = dict(os.environ)
    if housing.sandbox:
        ours = {name: ours[name] for name in _SANDBOX_VARIABLES if name in ours} | {"HOME": str(scratch)}
    modules = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
    return {**ours, "PYTHONPATH": modules, "TMPDIR": str(scratch)}


# The sandbox


def sandboxed(command: Sequence[str], scratch: Path) -> list[str]:
    """A command that runs locked in: no network, and nothing to write to but the scratch folder."""
    return [*_BUBBLEWRAP, "--bind", str(scratch), str(scratch), "--chdir", str(scratch), "--", *command]


_BUBBLEWRAP = (
    "bwrap", "--die-with-parent", "--unshare-all", "--new-session",
    "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
)  # fmt: skip


@functools.cache
def check_sandbox() -> None:
    """Raises UsageError where programs cannot be locked in, and says why."""
    if shutil.which("bwrap") is None:
        raise UsageError(
            "--sandbox bwrap: bubblewrap is not installed here; on Debian and Ubuntu: apt install bubblewrap."
        )
    tried = subprocess.run([*_BUBBLEWRAP, "--", "true"], capture_output=True, text=True, check=False)
    if tried.returncode:
        why = tried.stderr.strip().splitlines() or [f"status {tried.returncode}"]
        raise UsageError(
            f"--sandbox bwrap: bubblewrap is installed and cannot run here ({why[-1]}); "
            "it needs user namespaces, which the system has to allow."
        )


# Processes, by their mark


def brand_of(mark: str) -> int:
    """The number that goes with a mark; far below what means no limit, and beyond all that anybody would ask for."""
    return 1 << 61 | int(mark, 16) & (1 << 60) - 1


def marked(mark: str) -> list[int]:
    """The living processes that carry a mark or its brand; none where the system has no /proc."""
    found = []
    wanted, brand = f"{MARK}={mark}".encode(), str(brand_of(mark)).encode()
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            # What is dead and not yet buried has no program any more, and this fails.
            (entry / "exe").readlink()
            if wanted in (entry / "environ").read_bytes().split(b"\0") or brand in _lock_limits(entry):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def _lock_limits(process: Path) -> list[bytes]:
    """The soft and the hard limit on file locks, as the system writes them."""
    limits = (process / "limits").read_bytes().partition(b"Max file locks")[2]
    return limits.partition(b"\n")[0].split()[:2]


def end_marked(mark: str) -> None:
    """Kill all processes that carry a mark, those that are started meanwhile included."""
    until = time.monotonic() + 5.0
    while (found := marked(mark)) and time.monotonic() < until:
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _threads_of_this_user() -> int | None:
    """How many threads count towards our user's limit already; None where the system does not tell."""
    us, total = os.getuid(), 0
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if entry.stat().st_uid == us:
                total += len(os.listdir(entry / "task"))
    return total or None
