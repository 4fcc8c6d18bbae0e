"""Our end of preloaded parents, which fork the lives of Python players (`process.forking`).

An interpreter needs a fifth of a second to import a game, and a fork of one that has imported it needs a few
milliseconds.  In the sandbox, each player has a parent of its own, which sees the files of that player.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import uuid
import weakref
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from wateringhole.process import limits as process_limits
from wateringhole.process.cgroups import find_cgroups
from wateringhole.process.forking import MOST_BYTES, ForkRequest
from wateringhole.process.limits import Isolation
from wateringhole.process.namespaces import SCRATCH
from wateringhole.process.sandbox import PlayerFiles, environment, sandboxed
from wateringhole.process.supervision import ForkedProcess, SupervisorHandle, control_sockets, spawn_supervisor
from wateringhole.process.supervisor import Group, Task, descendants

__all__ = ["Fork", "PreloadedParent", "close_parents", "find_parent", "give_up"]

MOST_PARENTS = 8
"""The most idle preloaded parents of one process.  Each takes about 20 MB."""


class Fork(NamedTuple):
    """A Python player that a preloaded parent can fork."""

    parent: tuple[str, ...]
    """The command of the parent.  In its child, `forking.fork_lives` returns the words."""
    words: tuple[str, ...]


class PreloadedParent:
    """A running preloaded parent.  It ends with our process at the latest."""

    def __init__(self, command: Sequence[str], isolation: Isolation, files: PlayerFiles) -> None:
        """Raise OSError if it cannot be started, and UsageError if the sandbox cannot show its player."""
        self.tag = uuid.uuid4().hex
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        """The folder that contains those of its lives."""
        self.has_forked = False
        """True if it is known to work."""
        self.lives = 0
        """The number of its running lives, which end with it."""
        self.isolation = isolation
        self._requests, their_requests = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control, their_control = control_sockets()
        groups = find_cgroups().groups(isolation.limits, self.tag)
        task = Task(
            control=their_control.fileno(),
            folder=str(folder),
            limits="",
            tag=f"{process_limits.ENVIRONMENT_TAG}={self.tag}",
            memory=0,
            niceness=0,
            # It removes the groups of its lives.
            groups=[Group(str(group.folder)) for group in groups],
        )
        try:
            with (folder / "stderr").open("wb") as log:
                if isolation.sandbox:
                    command = sandboxed(command, files, isolation, folder, is_parent=True)
                process = spawn_supervisor(
                    task,
                    command,
                    (their_requests.fileno(), subprocess.DEVNULL, log.fileno()),
                    folder,
                    _environment(isolation),
                    is_sandboxed=isolation.sandbox,
                )
        except BaseException:
            control.close()
            self._requests.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            their_control.close()
            their_requests.close()
        self._supervisor = supervisor = SupervisorHandle(process, control, self.tag, folder)
        self.close = weakref.finalize(self, _close, self._requests, supervisor)

    def processes(self) -> list[int]:
        """Return its running processes, those of its lives included."""
        return descendants(self._supervisor.process.pid)

    def fork(self, task: Task, words: Sequence[str], standard: Sequence[int], scratch: Path) -> ForkedProcess:
        """Ask for a life: its words, its standard files and its working folder.  Raises OSError if the parent ended."""
        request = ForkRequest(
            words=tuple(words),
            folder=task.folder,
            scratch=SCRATCH if self.isolation.sandbox else str(scratch),
            limits=task.limits,
            tag=task.tag,
            memory=task.memory,
            niceness=task.niceness,
            groups=tuple((group.folder, group.events >= 0) for group in task.groups),
            size=self.isolation.limits.scratch_bytes,
        )
        line = msgspec.json.encode(request)
        if len(line) > MOST_BYTES:
            raise OSError(f"a request of {len(line)} bytes")
        files = [file for group in task.groups for file in (group.processes, group.events) if file >= 0]
        socket.send_fds(self._requests, [line], [*standard, task.control, *files])
        return ForkedProcess()


def _close(requests: socket.socket, supervisor: SupervisorHandle) -> None:
    requests.close()
    supervisor.end()


def _environment(isolation: Isolation) -> dict[str, str]:
    return environment(isolation) if isolation.sandbox else process_limits.environment(Path(tempfile.gettempdir()))


# The parents of this process

_parents: OrderedDict[object, PreloadedParent] = OrderedDict()
"""The running parents.  The one that was used last comes last."""
_broken: set[bool] = set()
"""Contains whether a sandbox was used if a parent could not fork its first life here."""


def find_parent(command: tuple[str, ...], isolation: Isolation, files: PlayerFiles) -> PreloadedParent | None:
    """Return a parent with a command, or None if this machine cannot have one.

    Raises OSError or UsageError if it cannot be started.
    """
    # Systemd puts commands into groups, not forks.
    if sys.platform != "linux" or isolation.sandbox in _broken or find_cgroups().systemd_run:
        return None
    # A forked worker has the parents of another process.
    key = os.getpid(), command, isolation, files, _versions(files), tuple(_environment(isolation).items())
    if key not in _parents:
        idle = [key for key, parent in _parents.items() if not parent.lives]
        for old in idle[: max(0, len(idle) + 1 - MOST_PARENTS)]:
            _parents.pop(old).close()
        _parents[key] = PreloadedParent(command, isolation, files)
    _parents.move_to_end(key)
    return _parents[key]


def give_up(parent: PreloadedParent) -> None:
    """Close a parent that could not fork a life.  If it never could, no other will be used."""
    if not parent.has_forked:
        _broken.add(parent.isolation.sandbox)
    for key in [key for key, each in _parents.items() if each is parent]:
        del _parents[key]
    parent.close()


def close_parents() -> None:
    """Close all parents of this process."""
    while _parents:
        _parents.popitem()[1].close()


def _versions(files: PlayerFiles) -> tuple[tuple[int, int], ...]:
    """Return what changes if a file of a player is replaced, which a running parent may not see."""
    found = []
    for path in (*files.paths, *files.folders):
        try:
            status = path.stat()
        except OSError:
            continue
        found.append((status.st_ino, status.st_mtime_ns))
    return tuple(found)
