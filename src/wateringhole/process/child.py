"""A program in its own process: its pipes, its exit, and the end of all processes that it started."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import msgspec

from wateringhole.process import limits as process_limits
from wateringhole.process.cgroups import Group, find_cgroups, kill_groups
from wateringhole.process.limits import Isolation
from wateringhole.process.logs import StderrLog, log_file
from wateringhole.process.sandbox import NO_FILES, PlayerFiles, check_sandbox, environment, sandboxed
from wateringhole.process.supervisor import descendants
from wateringhole.protocol.messages import LONGEST_LINE

__all__ = [
    "AnswerTimeout",
    "ChildError",
    "ChildExited",
    "ChildProcess",
    "Deadline",
    "InputFull",
    "LineTooLong",
]

_ORPHAN_SECONDS = 0.5
"""The time that processes which a program started have to exit after it."""
_KILL_SECONDS = 3.0
"""The time that a supervisor has to kill all processes before we do it ourselves."""
_START_SECONDS = 30.0
"""The time that a supervisor has to start.  It does not count as the time of its program."""
_LONGEST_WAIT = 1000.0
"""The most seconds of one wait for a pipe, because the system limits it."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


class ChildError(Exception):
    """A program that cannot be written to or read from.  The text is the reason."""


class ChildExited(ChildError):
    """The program has exited, or it closed its pipes."""


class AnswerTimeout(ChildError):
    """A wait for a line that ended at its deadline."""

    def __init__(self, deadline: Deadline) -> None:
        super().__init__(f"no answer came within {deadline.seconds:g} s")


class InputFull(ChildError):
    """The program did not read its input before the deadline.  Half a line may be written."""


class LineTooLong(ChildError):
    """The program wrote a line beyond the limit of the protocol."""


class Deadline(msgspec.Struct, frozen=True):
    """The end of a wait."""

    seconds: float
    """The length of the whole wait."""
    at: float
    """Its end on the clock `time.monotonic`."""


class ChildProcess:
    """A running program and its lines.  Every wait for it ends.

    The program and all its processes end with `stop`, at the latest when our own process ends.
    """

    def __init__(
        self,
        command: Sequence[str],
        isolation: Isolation,
        log_name: str = "stderr",
        files: PlayerFiles = NO_FILES,
    ) -> None:
        """Start a command.  Raises OSError if it cannot be started, and UsageError if the sandbox cannot run."""
        if isolation.sandbox:
            check_sandbox()
        self.tag = uuid.uuid4().hex
        """The tag in the environment of all its processes, unless they remove it."""
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        """The folder of the program, which `stop` removes."""
        scratch = folder / "scratch"
        self._log = StderrLog(folder, isolation.log and log_file(isolation.log, log_name))
        cgroups = find_cgroups()
        groups = cgroups.groups(isolation.limits, self.tag)
        watched = 0 if "memory" in cgroups.controllers else isolation.limits.memory_bytes
        control, theirs = socket.socketpair()
        try:
            scratch.mkdir()
            with self._log.path.open("wb") as log:
                limits = " ".join(",".join(map(str, limit)) for limit in self._rlimits(isolation))
                process = subprocess.Popen(
                    [
                        # Without site packages and settings the supervisor starts faster and cannot be altered.
                        *(sys.executable, "-I", "-S", str(_SUPERVISOR)),
                        *(str(theirs.fileno()), str(folder), limits, f"{process_limits.ENVIRONMENT_TAG}={self.tag}"),
                        *("\n".join(group.encode() for group in groups), str(watched)),
                        *cgroups.prefix(isolation.limits),
                        *(sandboxed(command, files, isolation, folder) if isolation.sandbox else command),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=scratch,
                    env=environment(isolation) if isolation.sandbox else process_limits.environment(scratch),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    bufsize=0,
                )
        except BaseException:
            control.close()
            self._log.keep()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            theirs.close()
        self._supervisor = _SupervisorHandle(
            process, control, self.tag, folder, self._log, groups, isolation.limits.exit_seconds
        )
        self._isolation = isolation
        # The finalizer also runs when our process ends without a call of `stop`.
        self._end = weakref.finalize(self, self._supervisor.end)
        try:
            self._supervisor.wait_for_start()
        except BaseException:
            self._end()
            raise
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout
        self._writable, self._readable = select.poll(), select.poll()
        for pipe, poll, event in (
            (self._stdin, self._writable, select.POLLOUT),
            (self._stdout, self._readable, select.POLLIN),
        ):
            os.set_blocking(pipe.fileno(), False)
            poll.register(pipe, event)
            poll.register(control, select.POLLIN)
        self._has_exited = False
        self._half_line = b""
        self._lines: deque[bytes] = deque()

    def _rlimits(self, isolation: Isolation) -> list[tuple[int, int, int]]:
        limits = isolation.limits.rlimits()
        if sys.platform == "linux":
            value = process_limits.rlimit_tag(self.tag)
            limits.append((process_limits.RLIMIT_TAG, value, value))
        return limits

    def send(self, line: bytes, deadline: Deadline) -> None:
        """Write a line.  Raises ChildExited or InputFull."""
        rest = memoryview(line)
        while rest:
            try:
                rest = rest[os.write(self._stdin.fileno(), rest) :]
            except BlockingIOError:
                if not self._wait(self._writable, self._stdin, deadline):
                    raise InputFull(f"it did not read what it was sent within {deadline.seconds:g} s") from None
            except BrokenPipeError:
                raise ChildExited(self.exit_reason()) from None

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next line that is not blank.  Raises AnswerTimeout, ChildExited or LineTooLong."""
        lines = self._lines
        while not lines:
            if not self._wait(self._readable, self._stdout, deadline):
                raise AnswerTimeout(deadline)
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                raise ChildExited(self.exit_reason() + (" in the middle of a line" if self._half_line else ""))
            *whole, self._half_line = (self._half_line + chunk).split(b"\n")
            if max(map(len, (self._half_line, *whole))) > LONGEST_LINE:
                raise LineTooLong(f"it sent a line of more than {LONGEST_LINE} bytes")
            lines.extend(filter(bytes.strip, whole))
        # A program that never stops writing always has a line ready.
        if deadline.at <= time.monotonic():
            raise AnswerTimeout(deadline)
        return lines.popleft()

    def _wait(self, poll: select.poll, pipe: IO[bytes], deadline: Deadline) -> bool:
        """Wait for a pipe or the exit of the program.  Return False if neither came before the deadline.

        Raises ChildExited if the program has exited and the pipe is not ready.  Its orphans may hold
        the pipe open.
        """
        while True:
            left = 0.0 if self._has_exited else max(0.0, deadline.at - time.monotonic())
            ready = dict(poll.poll(1000 * min(left, _LONGEST_WAIT)))
            if pipe.fileno() in ready:
                return True
            if self._has_exited:
                raise ChildExited(self.exit_reason())
            if ready:
                # After an exit, one more poll shows what the program wrote just before.
                self._note_exit()
            elif left <= _LONGEST_WAIT:
                return False

    @property
    def has_exited(self) -> bool:
        """True if the program has exited.  Processes that it started may still run."""
        self._note_exit()
        return self._has_exited

    def _note_exit(self) -> None:
        self._supervisor.wait_for_exit(0.0)
        self._has_exited = self._supervisor.status is not None or self._supervisor.is_closed

    def exit_reason(self) -> str:
        """Return how the program exited.  The system gets a moment to report it."""
        supervisor = self._supervisor
        supervisor.wait_for_exit(0.2)
        if supervisor.status is None:
            # Records and tests hold these words.
            if supervisor.is_closed:
                return "the program killed its caretaker, and was ended"
            return "the program closed its output"
        status = supervisor.status
        if self._isolation.sandbox and status > _SIGNAL_STATUS:
            # Bubblewrap reports a signal like a shell.
            status = _SIGNAL_STATUS - status
        if -status not in _SIGNALS:
            reason = f"the program ended with status {supervisor.status}"
        else:
            name = signal.Signals(-status).name
            reason = f"the program was ended by {name}{_SIGNAL_MEANINGS.get(name, '')}"
        limit = self._isolation.limits.memory_bytes >> 20
        return reason + (f" (its memory limit of {limit} MB was reached)" if supervisor.is_out_of_memory else "")

    def last_stderr_line(self) -> str:
        """Return the last line that the program wrote to standard error, or an empty text."""
        return self._log.last_line()

    @property
    def stopped_supervisor(self) -> bool:
        """True if its supervisor was found stopped in the end, which only the program can have done."""
        return self._supervisor.was_stopped

    def stop(self, *, is_interrupted: bool = False, is_hung: bool = False) -> int:
        """Stop the program with all its processes, and remove its folder.  A second call does nothing.

        Return how many processes did not exit and had to be killed.  A program that `is_interrupted`
        had no chance to exit, so only the other processes count.  One that `is_hung` is killed at once.
        """
        is_running = not self.has_exited
        if is_hung:
            self._supervisor.exit_seconds = 0.0
        killed: int = self._end() or 0
        return max(0, killed - (is_interrupted and is_running))

    def processes(self) -> list[int]:
        """Return the running processes of the program, in the sandbox those of bubblewrap as well."""
        return descendants(self._supervisor.process.pid)

    def peak_memory(self) -> int:
        """Return the sum of the peak memory of its running processes, in bytes."""
        total = 0
        for pid in self.processes():
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1]) << 10
        return total


_SIGNAL_STATUS = 128
_SIGNALS = frozenset(map(int, signal.Signals))
_SIGNAL_MEANINGS = {
    "SIGXCPU": " (all its CPU time was used up)",
    "SIGXFSZ": " (a file it wrote became too large)",
}


class _SupervisorHandle:
    """Our end of a supervisor.  It holds no reference to the child, so that the child can be collected."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        control: socket.socket,
        tag: str,
        folder: Path,
        log: StderrLog,
        groups: Sequence[Group],
        exit_seconds: float,
    ) -> None:
        self.process = process
        self.control = control
        self.is_closed = False
        """True if no more reports can come: all processes have exited, or the supervisor was killed."""
        self.was_stopped = False
        self.exit_seconds = exit_seconds
        """The time that the program has to exit before it is killed."""
        self._tag = tag
        self._folder = folder
        self._log = log
        self._groups = groups
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
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
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
            self._log.keep()
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
        kill_groups(self._groups)

    def _read_reports(self, names: Sequence[str], seconds: float) -> None:
        """Read reports until a report with one of the names has come, or no more can come, or the time is over."""
        until = time.monotonic() + seconds
        while not self.is_closed and not any(name in self._reports for name in names):
            poll = select.poll()
            poll.register(self.control, select.POLLIN)
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                return
            try:
                chunk = self.control.recv(4096, socket.MSG_DONTWAIT)
            except BlockingIOError:
                continue  # another thread, which waits for an answer, has read it
            except ConnectionError:
                chunk = b""
            self.is_closed = not chunk
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
