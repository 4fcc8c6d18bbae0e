"""Our end of supervisors: how we start them, and what they report."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from wateringhole.process import limits as process_limits
from wateringhole.process.cgroups import Group, kill_groups
from wateringhole.process.supervisor import Task, descendants

__all__ = ["ForkedProcess", "SupervisorHandle", "control_sockets", "spawn_supervisor"]

_KILL_SECONDS = 3.0
"""The time that a supervisor has to kill all processes before we do it ourselves."""
_ORPHAN_SECONDS = 3.0
"""The time that processes which a program started have to exit after it, unless it has less time itself."""
_START_SECONDS = 30.0
"""The time that a supervisor has to start.  It does not count as the time of its program."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_CREDENTIALS = struct.Struct("3i")
_CREDENTIALS_SIZE = socket.CMSG_SPACE(_CREDENTIALS.size)
_SCM_CREDENTIALS = 2
"""The kind of message that names the sender.  Python has no name for it on systems other than Linux."""


def spawn_supervisor(
    task: Task,
    command: Sequence[str],
    standard: Sequence[int],
    folder: Path,
    environment: Mapping[str, str],
    *,
    is_sandboxed: bool,
) -> subprocess.Popen[bytes]:
    """Start a supervisor for a command: its standard files, its working folder and its environment.

    A command that `is_sandboxed` starts bubblewrap.
    """
    groups = [str(word) for group in task.groups for word in (group.folder, group.processes, group.events)]
    files = [task.control, *(file for group in task.groups for file in (group.processes, group.events) if file >= 0)]
    return subprocess.Popen(
        [
            # Without site packages and settings the supervisor starts faster and cannot be altered.
            *(sys.executable, "-I", "-S", str(_SUPERVISOR)),
            *(str(task.control), task.folder, task.limits, task.tag, str(task.memory), str(task.niceness)),
            *(str(int(is_sandboxed)), str(len(task.groups)), *groups, *command),
        ],
        stdin=standard[0],
        stdout=standard[1],
        stderr=standard[2],
        cwd=folder,
        env=environment,
        pass_fds=files,
        start_new_session=True,
    )


class ForkedProcess:
    """A supervisor that a preloaded parent forked."""

    def __init__(self) -> None:
        self.pid = -1
        """The number of the process, or -1 before its first report."""
        self._file: int | None = None

    def note_sender(self, details: Sequence[tuple[int, int, bytes]]) -> None:
        """Take the number of the process from what the system adds to its reports.  It does not know it itself."""
        for level, kind, data in details:
            if self._file is None and (level, kind) == (socket.SOL_SOCKET, _SCM_CREDENTIALS):
                self.pid = _CREDENTIALS.unpack_from(data)[0]
                with contextlib.suppress(OSError):
                    self._file = os.pidfd_open(self.pid)

    def send_signal(self, number: int) -> None:
        """Send a signal to this process, never to another with the same number."""
        if self._file is not None:
            signal.pidfd_send_signal(self._file, number)

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.send_signal(signal.SIGKILL)

    def wait(self) -> None:
        """Wait until the process has exited.  A second call does nothing."""
        if self._file is not None:
            poll = select.poll()
            poll.register(self._file, select.POLLIN)
            poll.poll()
            os.close(self._file)
            self._file = None


def control_sockets() -> tuple[socket.socket, socket.socket]:
    """Return our end of a connection with a supervisor, and the other end."""
    ours, theirs = socket.socketpair()
    if sys.platform == "linux":
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
    return ours, theirs


class SupervisorHandle:
    """Our end of a supervisor.  It holds no reference to the child, so that the child can be collected."""

    def __init__(
        self,
        process: subprocess.Popen[bytes] | ForkedProcess,
        control: socket.socket,
        tag: str,
        folder: Path,
        groups: Sequence[Group] = (),
        pipes: Sequence[IO[bytes]] = (),
        exit_seconds: float = 0.0,
    ) -> None:
        """Take over the groups, the folder and the pipes of a program, which end with it."""
        self.process = process
        self.control = control
        self.is_closed = False
        """True if no more reports can come: all processes have exited, or the supervisor was killed."""
        self.was_stopped = False
        self.exit_seconds = exit_seconds
        """The time that the program has to exit before it is killed."""
        self._tag = tag
        self._folder = folder
        self._groups = groups
        self._pipes = pipes
        self._reports: dict[str, int] = {}
        self._half_line = b""

    @property
    def status(self) -> int | None:
        """The exit status of the program, or minus a signal, or None while it runs."""
        return self._reports.get("ended")

    @property
    def is_out_of_memory(self) -> bool:
        """True if the system killed the program because of its memory limit."""
        return "memory" in self._reports

    def wait_for_start(self) -> None:
        """Raise OSError if the command cannot be started."""
        self._read_reports(("started", "failed"), _START_SECONDS)
        if "started" not in self._reports:
            number = self._reports.get("failed", errno.ECHILD)
            raise OSError(number, os.strerror(number))

    def wait_for_exit(self, seconds: float) -> None:
        """Wait for the report that the program has exited."""
        self._read_reports(("ended",), seconds)

    def end(self) -> int:
        """End all processes, and return how many had to be killed."""
        for pipe in self._pipes:
            pipe.close()
        try:
            self.wait_for_exit(self.exit_seconds)
            if self.status is not None:
                self._read_reports((), min(self.exit_seconds, _ORPHAN_SECONDS))
        finally:
            # Also after an interrupt.
            self.was_stopped = _is_stopped(self.process.pid)
            with contextlib.suppress(OSError):
                # A stopped supervisor can do nothing until it continues.
                self.process.send_signal(signal.SIGCONT)
                self.control.shutdown(socket.SHUT_WR)
            self._read_reports((), _KILL_SECONDS)
            if "left" not in self._reports and "failed" not in self._reports:
                self._end_without_supervisor()
            self.process.wait()
            self.is_closed = True
            self.control.close()
            # A supervisor in the sandbox does not see them.
            kill_groups(self._groups)
            shutil.rmtree(self._folder, ignore_errors=True)
        return self._reports.get("left", 0)

    def _end_without_supervisor(self) -> None:
        """End all processes of a program that stopped or killed its supervisor."""
        # Ancestry and two tags identify the processes.  Few can remove all three.
        found = {*descendants(self.process.pid), *process_limits.find_tagged(self._tag)}
        self._reports["left"] = len(found)
        self.process.kill()
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process_limits.kill_tagged(self._tag)

    def _read_reports(self, names: Sequence[str], seconds: float) -> None:
        """Read reports until a report with one of the names has come, or no more can come, or the time is over."""
        until = time.monotonic() + seconds
        while not self.is_closed and not any(name in self._reports for name in names):
            poll = select.poll()
            poll.register(self.control, select.POLLIN)
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                return
            try:
                chunk, details, _, _ = self.control.recvmsg(4096, _CREDENTIALS_SIZE, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue  # another thread, which waits for an answer, has read it
            except ConnectionError:
                chunk = b""
            self.is_closed = not chunk
            if chunk and isinstance(self.process, ForkedProcess):
                self.process.note_sender(details)
            *lines, self._half_line = (self._half_line + chunk).split(b"\n")
            for line in lines:
                name, _, number = line.decode().partition(" ")
                self._reports[name] = int(number)


def _is_stopped(pid: int) -> bool:
    """Return whether SIGSTOP stopped one of our processes; never true if the system has no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False
