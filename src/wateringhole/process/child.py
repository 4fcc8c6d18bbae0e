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

from wateringhole.process import limits as house
from wateringhole.process.limits import Housing
from wateringhole.process.supervisor import descendants

__all__ = ["FAREWELL_SECONDS", "Lodging"]

FAREWELL_SECONDS = 0.5
"""How long a program, and what it has started, may take to end after its input was closed."""
_CLEARING_SECONDS = 3.0
"""How long a caretaker may take to end everything before we do it ourselves."""
_STARTING_SECONDS = 30.0
"""How long a caretaker may take to start, which is not its program's fault."""
_CARETAKER = Path(__file__).with_name("supervisor.py")


class Lodging:
    """A running program.  It ends with `end`, or at the latest with our own process."""

    def __init__(self, command: Sequence[str], housing: Housing, log_name: str) -> None:
        """Start it.  Raises OSError if it cannot be started, and UsageError where there is no sandbox."""
        if housing.sandbox:
            house.check_sandbox()
        self.mark = uuid.uuid4().hex
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        scratch = folder / "scratch"
        # A quoted name is a file name, whatever is in it, and no two players have the same.
        self.log = (housing.log or folder) / f"{quote(log_name, safe=' ')}.log"
        self.log_start = 0
        control, theirs = socket.socketpair()
        try:
            scratch.mkdir()
            with self.log.open("ab") as log:
                self.log_start = log.tell()
                limits = " ".join(",".join(map(str, limit)) for limit in self._limits(housing))
                process = subprocess.Popen(
                    [
                        # Without anybody's modules and settings: it starts faster, and cannot be led astray.
                        *(sys.executable, "-I", "-S", str(_CARETAKER)),
                        *(str(theirs.fileno()), str(folder), limits, f"{house.MARK}={self.mark}"),
                        *(house.sandboxed(command, scratch) if housing.sandbox else command),
                    ],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=scratch,
                    env=house.environment(scratch, housing),
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
        self._care = _Care(process, control, self.mark, folder)
        # Also when nobody stops it: at the latest when our own process ends.
        self._end = weakref.finalize(self, self._care.end)
        try:
            self._care.wait_for_start()
        except BaseException:
            self._end()
            raise
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin, self.stdout = process.stdin, process.stdout
        os.set_blocking(self.stdin.fileno(), False)
        os.set_blocking(self.stdout.fileno(), False)

    def _limits(self, housing: Housing) -> list[tuple[int, int, int]]:
        limits = housing.limits.by_kind()
        if sys.platform == "linux":
            brand = house.brand_of(self.mark)
            limits.append((house.BRAND, brand, brand))
        return limits

    def fileno(self) -> int:
        """Can be waited for: there is something to read when the program has ended."""
        return self._care.control.fileno()

    @property
    def has_ended(self) -> bool:
        """Whether the program is over; what it has started may go on."""
        self._care.listen(0.0)
        return self._care.status is not None or self._care.is_silent

    def how_it_ended(self) -> str | None:
        """In words; None: it runs.  The system takes a moment to say so, and is given one."""
        care = self._care
        care.listen(0.2)
        if care.status is None:
            return "the program killed its caretaker, and was ended" if care.is_silent else None
        if care.status >= 0:
            return f"the program ended with status {care.status}"
        name = signal.Signals(-care.status).name
        return f"the program was ended by {name}" + _MEANT.get(name, "")

    @property
    def has_meddled(self) -> bool:
        """Whether its caretaker was found stopped in the end, which nobody else would do."""
        return self._care.was_stopped

    def end(self) -> int:
        """End it with everything it started, and remove its folder; how many processes had to be killed.

        A second time does nothing.
        """
        return self._end() or 0

    def peak_memory(self) -> int:
        """The most bytes that its processes of this moment had in memory, each at its own worst moment."""
        total = 0
        for pid in descendants(self._care.process.pid):
            with contextlib.suppress(OSError):
                for line in Path(f"/proc/{pid}/status").read_text().splitlines():
                    if line.startswith("VmHWM:"):
                        total += int(line.split()[1]) << 10
        return total


_MEANT = {
    "SIGXCPU": " (all its CPU time was used up)",
    "SIGXFSZ": " (a file it wrote became too large)",
}


class _Care:
    """A caretaker at work.  Knows nothing of the lodging, which may be forgotten before it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], control: socket.socket, mark: str, folder: Path) -> None:
        self.process = process
        self.control = control
        self.is_silent = False
        """Whether the caretaker says no more: everything has ended, or somebody killed it."""
        self.was_stopped = False
        self._mark = mark
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
        # Those that come from it know their parent, a mark or a brand; few can be rid of all three.
        found = {*descendants(self.process.pid), *house.marked(self._mark)}
        self._said["left"] = len(found)
        self.process.kill()
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        house.end_marked(self._mark)

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
