"""Control groups: limits that hold for all processes of a player together.

Linux offers them in three ways, and the first that works here is used: writable hierarchies of version 1,
a delegated group of version 2, and scopes that systemd makes.  Where none works, the resource limits of
each process remain.  The supervisor of a player removes its groups in the end.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from wateringhole.process.limits import ProcessLimits
from wateringhole.process.supervisor import descendants

__all__ = ["CONTROLLERS", "SYSTEMD_VARIABLES", "Cgroups", "Group", "find_cgroups", "kill_groups"]

CONTROLLERS = ("memory", "pids", "cpu")
"""What a group limits: memory, the number of processes, and the share of the processors."""
SYSTEMD_VARIABLES = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
"""The variables by which systemd-run finds the manager of its user."""
_PREFIX = "wateringhole-"
_OWN = f"{_PREFIX}main"
"""The group of our own processes.  In version 2, a group with processes has no limited groups below it."""
_SYSTEM_BYTES = 32 << 20
"""Memory in a group that is not the player's own, such as that of bubblewrap and of page tables.

It also lets a single process fail with its own error first, which says more than its end."""
_TRIAL_SECONDS = 5.0
_KILL_SECONDS = 5.0


class Group(NamedTuple):
    """A group: its folder, and the files to write."""

    folder: Path
    settings: Mapping[str, int]

    def make(self) -> None:
        """Make the group.  Raises OSError if the system refuses."""
        self.folder.mkdir()
        for name, value in self.settings.items():
            (self.folder / name).write_text(str(value))

    def open_processes(self) -> int:
        """Return the open file that a process writes to in order to join the group."""
        return os.open(self.folder / "cgroup.procs", os.O_WRONLY)

    def open_events(self) -> int | None:
        """Return the open file that counts processes killed for lack of memory, or None if the group does not."""
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(FileNotFoundError):
                return os.open(self.folder / name, os.O_RDONLY)
        return None


class Cgroups(NamedTuple):
    """The kind of groups that this machine allows."""

    kind: str
    """``cgroup v1``, ``cgroup v2``, ``systemd`` or ``none``."""
    controllers: tuple[str, ...] = ()
    """Those of CONTROLLERS that work."""
    folders: Mapping[str, Path] = {}
    """The folder of each controller in which groups can be made."""
    files: frozenset[str] = frozenset()
    """The files that the system offers in a group."""
    systemd_run: tuple[str, ...] = ()

    def groups(self, limits: ProcessLimits, tag: str) -> list[Group]:
        """Return the groups for a player with a tag.  The folders of no others begin with theirs."""
        settings: dict[Path, dict[str, int]] = {}
        for controller, folder in self.folders.items():
            place = folder / f"{_PREFIX}{os.getpid()}-{tag}"
            wanted = _settings(self.kind, controller, limits)
            settings.setdefault(place, {}).update((name, wanted[name]) for name in wanted if name in self.files)
        return [Group(place, files) for place, files in settings.items()]

    def prefix(self, limits: ProcessLimits) -> list[str]:
        """Return the words before a command that put it into a scope of systemd, if that is the kind."""
        if not self.systemd_run:
            return []
        values = {
            "MemoryMax": limits.memory_bytes + _SYSTEM_BYTES,
            "MemorySwapMax": 0,
            "TasksMax": limits.processes,
            "CPUWeight": 100,
        }
        properties = [word for name, value in values.items() for word in ("-p", f"{name}={value}")]
        return [*self.systemd_run, *properties, "--"]


@functools.cache
def find_cgroups() -> Cgroups:
    """Return the groups that players can get here.  Each is really tried."""
    return _version_1() or _version_2() or _systemd() or Cgroups("none")


def kill_groups(groups: Sequence[Group]) -> int:
    """Kill all processes in groups, and remove the groups.  Return how many processes there were."""
    found: set[int] = set()
    for group in groups:
        until = time.monotonic() + _KILL_SECONDS
        with contextlib.suppress(OSError):
            while (pids := _processes(group.folder)) and time.monotonic() < until:
                found |= pids
                for pid in pids:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            group.folder.rmdir()
    return len(found)


def _processes(group: Path) -> set[int]:
    return set(map(int, (group / "cgroup.procs").read_text().split()))


def _settings(kind: str, controller: str, limits: ProcessLimits) -> dict[str, int]:
    """Return the files of a controller with their values, in the order in which to write them.

    The first is needed.  The system may lack the others, for example if it does not count swap.
    """
    memory = limits.memory_bytes + _SYSTEM_BYTES
    if controller == "pids":
        return {"pids.max": limits.processes}
    if controller == "cpu":
        return {"cpu.shares": 1024} if kind == "cgroup v1" else {"cpu.weight": 100}
    if kind == "cgroup v1":
        return {"memory.limit_in_bytes": memory, "memory.memsw.limit_in_bytes": memory}
    return {"memory.max": memory, "memory.swap.max": 0, "memory.oom.group": 1}


def _own_groups() -> dict[str, str]:
    """Return the group of this process for each controller of version 1, and for version 2 (an empty name)."""
    try:
        lines = Path("/proc/self/cgroup").read_text().splitlines()
    except OSError:
        return {}
    return {name: path for _, names, path in (line.split(":", 2) for line in lines) for name in names.split(",")}


def _mounts() -> dict[str, tuple[Path, str]]:
    """Return where each controller of version 1, and version 2 (an empty name), is mounted, with the group there."""
    found: dict[str, tuple[Path, str]] = {}
    try:
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
    except OSError:
        return {}
    for line in lines:
        before, _, after = line.partition(" - ")
        root, place = before.split()[3:5]
        type_, _, options = after.split(" ", 2)
        if type_ == "cgroup2":
            found[""] = Path(place), root
        elif type_ == "cgroup":
            found |= {name: (Path(place), root) for name in options.split(",") if name in CONTROLLERS}
    return found


def _own_folder(controller: str) -> Path | None:
    """Return the folder of the group of this process, in which it can make others, or None."""
    group, (place, root) = _own_groups().get(controller), _mounts().get(controller, (None, ""))
    if group is None or place is None:
        return None
    relative = os.path.relpath(group, root)
    folder = place if relative == "." or relative.startswith("..") else place / relative
    return folder if folder.is_dir() and os.access(folder, os.W_OK) else None


def _version_1() -> Cgroups | None:
    return _tried("cgroup v1", {name: folder for name in CONTROLLERS if (folder := _own_folder(name))})


def _version_2() -> Cgroups | None:
    folder = _own_folder("")
    if folder is None:
        return None
    if folder.name == _OWN:
        folder = folder.parent
    try:
        controllers = set((folder / "cgroup.controllers").read_text().split()) & set(CONTROLLERS)
        if not controllers <= set((folder / "cgroup.subtree_control").read_text().split()):
            _make_room(folder)
            (folder / "cgroup.subtree_control").write_text(" ".join(f"+{name}" for name in sorted(controllers)))
    except OSError:
        return None
    return _tried("cgroup v2", {name: folder for name in CONTROLLERS if name in controllers})


def _make_room(folder: Path) -> None:
    """Move our processes to a group below.  Raises OSError if other processes are in the group."""
    pids = _processes(folder)
    if not pids <= {os.getpid(), *descendants(os.getpid())}:
        raise PermissionError(f"other processes are in {folder}")
    (folder / _OWN).mkdir(exist_ok=True)
    for pid in pids:
        (folder / _OWN / "cgroup.procs").write_text(str(pid))


def _remove_stale(folder: Path) -> None:
    """Remove the empty groups of processes that were killed together with their supervisors."""
    for group in folder.glob(f"{_PREFIX}*-*"):
        pid = group.name.split("-")[1]
        if pid.isdecimal() and not Path("/proc", pid).exists():
            with contextlib.suppress(OSError):
                group.rmdir()


def _tried(kind: str, folders: Mapping[str, Path]) -> Cgroups | None:
    """Return the groups that can be made and set up in folders, or None if there are none."""
    files = {name: found for name, folder in folders.items() if (found := _usable_files(kind, name, folder))}
    usable = {name: folders[name] for name in files}
    return Cgroups(kind, tuple(usable), usable, frozenset().union(*files.values())) if usable else None


def _usable_files(kind: str, controller: str, folder: Path) -> frozenset[str]:
    """Make a group, and return the files that could be written.  Return nothing if the group cannot limit anything."""
    _remove_stale(folder)
    trial = folder / f"{_PREFIX}{os.getpid()}-{uuid.uuid4().hex}"
    settings = _settings(kind, controller, ProcessLimits())
    needed, *others = settings
    try:
        trial.mkdir()
        try:
            found = [needed, *(name for name in others if (trial / name).exists())]
            for name in found:
                (trial / name).write_text(str(settings[name]))
        finally:
            trial.rmdir()
    except OSError:
        return frozenset()
    return frozenset(found)


_SYSTEMD = Path("/run/systemd/system")
_TRIAL = """
folder=/sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)
for name in memory.max pids.max cpu.weight; do [ -e "$folder/$name" ] && echo "${name%.*}"; done; true
"""


def _systemd() -> Cgroups | None:
    program = shutil.which("systemd-run")
    if program is None or not _SYSTEMD.is_dir():
        return None
    words = (program, *(["--user"] if os.getuid() else []), "--scope", "--quiet", "--collect")
    trial = [*Cgroups("systemd", systemd_run=words).prefix(ProcessLimits()), "/bin/sh", "-c", _TRIAL]
    try:
        ran = subprocess.run(trial, capture_output=True, text=True, timeout=_TRIAL_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    controllers = tuple(name for name in CONTROLLERS if name in ran.stdout.split())
    return Cgroups("systemd", controllers, systemd_run=words) if ran.returncode == 0 and controllers else None
