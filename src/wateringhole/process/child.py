"""A program in the care of a `caretaker`: its pipes, how it ended, and the end of all that it started."""

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
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from wateringhole.process import limits as process_limits
from wateringhole.process.limits import Isolation
from wateringhole.process.supervisor import descendants

__all__ = ["FAREWELL_SECONDS", "ChildProcess"]

FAREWELL_SECONDS = 0.5
"""How long a program, and what it has started, may take to end after its input was closed."""
_CLEARING_SECONDS = 3.0
"""How long a caretaker may take to end everything before we do it ourselves."""
_STARTING_SECONDS = 30.0
"""How long a caretaker may take to start, which is not its program's fault."""
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


class ChildProcess:
    """A running program.  It ends with `end`, or at the latest with our own process."""

    def __init__(self, command: Sequence[str], isolation: Isolation, log_name: str) -> None:
        """Start it.  Raises OSError if it cannot be started, and UsageError where there is no sandbox."""
        if isolation.sandbox:
            process_limits.check_sandbox()
        self.tag = uuid.uuid4().hex
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        scratch = folder / "scratch"
        # A quoted name is a file name, whatever is in it, and no two players have the same.
        self.log = (isolation.log or folder) / f"{quote(log_name, safe=' ')}.log"
        self.log_start = 0
        control, theirs = socket.socketpair()
        try:
            scratch.mkdir()
            with self.log.open("ab") as log:
                self.log_start = log.tell()
                limits = " ".join(",".join(map(str, limit)) for limit in self._limits(isolation))
                process = subprocess.Popen(
                    [
                        # Without anybody's modules and settings: it starts faster, and cannot be led astray.
                        *(sys.executable, "-I", "-S", str(_SUPERVISOR)),
                        *(str(theirs.fileno()), str(folder), limits, f"{process_limits.ENVIRONMENT_TAG}={self.tag}"),
                        *(process_limits.sandboxed(command, scratch) if isolation.sandbox else command),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=scratch,
                    env=process_limits.environment(scratch, isolation),
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    bufsize=0,
                )
        except BaseException:
            control.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
        finally:
            theirs.close()
        self._supervisor = _SupervisorHandle(process, control, self.tag, folder)
        # Also when nobody stops it: at the latest when our own process ends.
        self._end = weakref.finalize(self, self._supervisor.end)
        try:
            self._supervisor.wait_for_start()
        except BaseException:
            self._end()
            raise
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        os.set_blocking(self.stdin.fileno(), False)
        os.set_blocking(self.stdout.fileno(), False)

    def _limits(self, isolation: Isolation) -> list[tuple[int, int, int]]:
        limits = isolation.limits.rlimits()
        if sys.platform == "linux":
            rlimit = process_limits.rlimit_tag(self.tag)
            limits.append((process_limits.RLIMIT_TAG, rlimit, rlimit))
        return limits

    def fileno(self) -> int:
        """Can be waited for: there is something to read when the program has ended."""
        return self._supervisor.control.fileno()

    @property
    def has_ended(self) -> bool:
        """Whether the program is over; what it has started may go on."""
        self._supervisor.listen(0.0)
        return self._supervisor.status is not None or self._supervisor.is_silent

    def exit_reason(self) -> str | None:
        """In words; None: it runs.  The system takes a moment to say so, and is given one."""
        care = self._supervisor
        care.listen(0.2)
        if care.status is None:
            return "the program killed its caretaker, and was ended" if care.is_silent else None
        if care.status >= 0:
            return f"the program ended with status {care.status}"
        name = signal.Signals(-care.status).name
        return f"the program was ended by {name}" + _MEANT.get(name, "")

    @property
    def stopped_supervisor(self) -> bool:
        """Whether its caretaker was found stopped in the end, which nobody else would do."""
        return self._supervisor.was_stopped

    def end(self) -> int:
        """End it with everything it started, and remove its folder; how many processes had to be killed.

        A second time does nothing.
        """
        return self._end() or 0

    def peak_memory(self) -> int:
        """The most bytes that its processes of this moment had in memory, each at its own worst moment."""
        total = 0
        for pid in descendants(self._supervisor.process.pid):
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1]) << 10
        return total


_MEANT = {
    "SIGXCPU": " (all its CPU time was used up)",
    "SIGXFSZ": " (a file it wrote became too large)",
}


class _SupervisorHandle:
    """A caretaker at work.  Knows nothing of the lodging, which may be forgotten before it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, tag: str, folder: Path) -> None:
        self.process = process
        self.control = control
        self.is_silent = False
        """Whether the caretaker says no more: everything has ended, or somebody killed it."""
        self.was_stopped = False
        self._tag = tag
        self._folder = folder
        self._said: dict[str, int] = {}
        self._half = b""

    @property
    def status(self) -> int | None:
        """How the program ended: its exit status, or minus a signal."""
        return self._said.get("ended")

    def wait_for_start(self) -> None:
        """Raises OSError for a command that cannot be started."""
        self._listen_for(("started", "failed"), _STARTING_SECONDS)
        if "started" not in self._said:
            number = self._said.get("failed", errno.ECHILD)
            raise OSError(number, os.strerror(number))

    def listen(self, seconds: float) -> None:
        """Wait for word of the program's end."""
        self._listen_for(("ended",), seconds)

    def end(self) -> int:
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
        try:
            self._listen_for((), FAREWELL_SECONDS)
        finally:
            # Also when somebody is impatient and interrupts us here.
            self.was_stopped = _is_stopped(self.process.pid)
            with contextlib.suppress(OSError):
                # Who was stopped can neither tell nor do anything.
                self.process.send_signal(signal.SIGCONT)
                self.control.shutdown(socket.SHUT_WR)
            self._listen_for((), _CLEARING_SECONDS)
            if "left" not in self._said and "failed" not in self._said:
                self._end_without_help()
            self.process.wait()
            self.is_silent = True
            self.control.close()
            shutil.rmtree(self._folder, ignore_errors=True)
        return self._said.get("left", 0)

    def _end_without_help(self) -> None:
        """Its own program has stopped or killed the caretaker."""
        # Those that come from it know their parent, a tag or a rlimit; few can be rid of all three.
        found = {*descendants(self.process.pid), *process_limits.find_tagged(self._tag)}
        self._said["left"] = len(found)
        self.process.kill()
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        process_limits.kill_tagged(self._tag)

    def _listen_for(self, words: Sequence[str], seconds: float) -> None:
        """Take in what the caretaker says until it is one of these words, or it says no more."""
        until = time.monotonic() + seconds
        while not self.is_silent and not any(word in self._said for word in words):
            poll = select.poll()
            poll.register(self.control, select.POLLIN)
            if not poll.poll(max(0.0, until - time.monotonic()) * 1000):
                return
            try:
                chunk = self.control.recv(4096)
            except ConnectionError:
                chunk = b""
            self.is_silent = not chunk
            *lines, self._half = (self._half + chunk).split(b"\n")
            for line in lines:
                word, _, number = line.decode().partition(" ")
                self._said[word] = int(number)


def _is_stopped(pid: int) -> bool:
    """Whether a process of ours rests where it is, by SIGSTOP; never where the system has no /proc."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"T"
    except (OSError, IndexError):
        return False
