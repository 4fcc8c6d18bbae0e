"""A program in its own process: its pipes, its exit, and the end of all processes that it started."""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import msgspec

from wateringhole.process import limits as process_limits
from wateringhole.process.cgroups import Cgroups, Group, find_cgroups, kill_groups
from wateringhole.process.limits import Isolation
from wateringhole.process.logs import StderrLog, log_file
from wateringhole.process.preloaded import Fork, PreloadedParent, find_parent, give_up
from wateringhole.process.sandbox import NO_FILES, PlayerFiles, check_sandbox, environment, sandboxed
from wateringhole.process.supervision import ForkedProcess, SupervisorHandle, control_sockets, spawn_supervisor
from wateringhole.process.supervisor import Group as OpenGroup
from wateringhole.process.supervisor import Task, descendants
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

_LONGEST_WAIT = 1000.0
"""The most seconds of one wait for a pipe, because the system limits it."""
_REPORT_SECONDS = 2.0
"""The most seconds of a wait for the report that a program has exited, after it closed a pipe."""
_LEAST_REPORT_SECONDS = 0.2
"""The seconds of this wait at a deadline."""
_NICENESS = 5
"""Where no group gives each player its share of the processors, at least the referee goes first."""


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
        fork: Fork | None = None,
    ) -> None:
        """Start a command, or fork the same player from a preloaded parent if that is possible.

        Raises OSError if it cannot be started, and UsageError if the sandbox cannot run.
        """
        if isolation.sandbox:
            check_sandbox()
        self.tag = uuid.uuid4().hex
        """The tag in the environment of all its processes, unless they remove it."""
        self._isolation = isolation
        self._parent: PreloadedParent | None = None
        """The parent that forked it, if any."""
        parent = find_parent(fork.parent, isolation, files) if fork else None
        if fork is None or parent is None or not self._fork(parent, fork.words, log_name):
            self._spawn(command, log_name, files)
        # The finalizer also runs when our process ends without a call of `stop`.
        self._end = weakref.finalize(self, _end, self._supervisor, self._log, self._parent)
        self._writable, self._readable = select.poll(), select.poll()
        for pipe, poll, event in (
            (self._stdin, self._writable, select.POLLOUT),
            (self._stdout, self._readable, select.POLLIN),
        ):
            os.set_blocking(pipe.fileno(), False)
            poll.register(pipe, event)
            poll.register(self._supervisor.control, select.POLLIN)
        self._has_exited = False
        self._half_line = b""
        self._lines: deque[bytes] = deque()

    def _spawn(self, command: Sequence[str], log_name: str, files: PlayerFiles) -> None:
        isolation = self._isolation

        def start(task: Task, standard: Sequence[int], scratch: Path) -> subprocess.Popen[bytes]:
            words = command
            variables = environment(isolation) if isolation.sandbox else process_limits.environment(scratch)
            if isolation.sandbox:
                words = sandboxed(command, files, isolation, scratch.parent)
            return spawn_supervisor(
                task,
                [*find_cgroups().prefix(isolation.limits), *words],
                standard,
                scratch,
                variables,
                is_sandboxed=isolation.sandbox,
            )

        self._launch(start, self.tag, log_name, None)

    def _fork(self, parent: PreloadedParent, words: Sequence[str], log_name: str) -> bool:
        """Return whether a preloaded parent has forked the player."""

        def start(task: Task, standard: Sequence[int], scratch: Path) -> ForkedProcess:
            return parent.fork(task, words, standard, scratch)

        try:
            self._launch(start, f"{parent.tag}-{self.tag}", log_name, parent.folder)
        except OSError:
            give_up(parent)
            return False
        parent.has_forked = True
        parent.lives += 1
        self._parent = parent
        return True

    def _launch(self, start: _Start, group_name: str, log_name: str, where: Path | None) -> None:
        """Start a supervisor, and wait until it has started the program.  Its folder is made in another one."""
        isolation, limits = self._isolation, self._isolation.limits
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-", dir=where))
        """The folder of the program, which `stop` removes."""
        self._log = StderrLog(folder, isolation.log and log_file(isolation.log, log_name))
        cgroups = find_cgroups()
        groups = cgroups.groups(limits, group_name)
        with contextlib.ExitStack() as failed, contextlib.ExitStack() as theirs:
            failed.callback(shutil.rmtree, folder, ignore_errors=True)
            failed.callback(self._log.keep)
            failed.callback(kill_groups, groups)
            scratch = folder / "scratch"
            scratch.mkdir()
            stdin, stdout, standard = _pipes(theirs)
            failed.callback(stdin.close)
            failed.callback(stdout.close)
            standard.append(theirs.enter_context(self._log.path.open("wb")).fileno())
            control, their_control = control_sockets()
            failed.callback(control.close)
            theirs.callback(their_control.close)
            has_shares = any(name.startswith("cpu.") for group in groups for name in group.settings)
            task = Task(
                control=their_control.fileno(),
                folder=str(folder),
                limits=" ".join(",".join(map(str, limit)) for limit in self._rlimits(cgroups)),
                tag=f"{process_limits.ENVIRONMENT_TAG}={self.tag}",
                memory=0 if "memory" in cgroups.controllers else limits.memory_bytes,
                niceness=0 if has_shares else _NICENESS,
                groups=[_opened(group, theirs) for group in groups],
            )
            process = start(task, standard, scratch)
            failed.pop_all()
        self._stdin, self._stdout = stdin, stdout
        self._supervisor = SupervisorHandle(
            process, control, self.tag, folder, groups, (stdin, stdout), limits.exit_seconds
        )
        try:
            self._supervisor.wait_for_start()
        except BaseException:
            _end(self._supervisor, self._log, None)
            raise

    def _rlimits(self, cgroups: Cgroups) -> list[tuple[int, int, int]]:
        # Counting the processes of our user takes longer than starting one.
        limits = self._isolation.limits.rlimits(limits_processes="pids" not in cgroups.controllers)
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
                raise ChildExited(self.exit_reason(deadline)) from None

    def receive(self, deadline: Deadline) -> bytes:
        """Return the next line that is not blank.  Raises AnswerTimeout, ChildExited or LineTooLong."""
        lines = self._lines
        while not lines:
            if not self._wait(self._readable, self._stdout, deadline):
                raise AnswerTimeout(deadline)
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                raise ChildExited(self.exit_reason(deadline) + (" in the middle of a line" if self._half_line else ""))
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
                raise ChildExited(self.exit_reason(deadline))
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

    def exit_reason(self, deadline: Deadline | None = None) -> str:
        """Return how the program exited.  On a busy machine, the supervisor reports it later than the pipes."""
        supervisor = self._supervisor
        left = _REPORT_SECONDS if deadline is None else deadline.at - time.monotonic()
        supervisor.wait_for_exit(min(_REPORT_SECONDS, max(left, _LEAST_REPORT_SECONDS)))
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

_Start = Callable[[Task, Sequence[int], Path], subprocess.Popen[bytes] | ForkedProcess]
"""Starts a supervisor: its task, the standard files of the program, and its working folder."""


def _pipes(theirs: contextlib.ExitStack) -> tuple[IO[bytes], IO[bytes], list[int]]:
    """Return our ends of two pipes, and the other ends, which something closes: standard input and output."""
    their_input, our_output = os.pipe()
    our_input, their_output = os.pipe()
    for file in (their_input, their_output):
        theirs.callback(os.close, file)
    return (
        os.fdopen(our_output, "wb", buffering=0),
        os.fdopen(our_input, "rb", buffering=0),
        [their_input, their_output],
    )


def _opened(group: Group, theirs: contextlib.ExitStack) -> OpenGroup:
    """Make a group, and return it with its open files, which something closes."""
    group.make()
    processes, events = group.open_processes(), group.open_events()
    theirs.callback(os.close, processes)
    if events is not None:
        theirs.callback(os.close, events)
    return OpenGroup(str(group.folder), processes, -1 if events is None else events)


def _end(supervisor: SupervisorHandle, log: StderrLog, parent: PreloadedParent | None) -> int:
    """End all processes of a program, and return how many had to be killed."""
    try:
        return supervisor.end()
    finally:
        log.keep()
        if parent:
            parent.lives -= 1
