"""Players that are programs: JSON Lines on standard input and output (`docs/protocol.md`).

A program is started once and lives through a whole series.  It gets a scratch folder of its
own, limits on what it may use, and a log for its standard error; whatever it does, it ends
with the series, children included.
"""

from __future__ import annotations

import contextlib
import os
import resource
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from wateringhole.errors import Misuse
from wateringhole.game import Answer, Event, Forfeit, Kind, Notice, Request, Violation
from wateringhole.players.player import Place, PlayerFailed
from wateringhole.protocol import LONGEST_LINE, Hello, Reply, Talk, Unreadable

__all__ = ["AT_HOME", "Housing", "Limits", "Program", "ProgramPlayer", "split_command", "start_program"]


class Limits(msgspec.Struct, frozen=True):
    """What one program may use."""

    memory_bytes: int = 2 << 30
    cpu_seconds: int = 3600
    processes: int = 256
    """Counted over the user that runs us; the system does not enforce it for root."""
    file_bytes: int = 64 << 20
    open_files: int = 256
    startup_seconds: float = 10.0
    """Until its hello."""
    answer_seconds: float = 30.0
    """For an answer, where the referee has set no other patience: nobody is waited for without end."""

    def apply(self) -> None:
        """Impose them on this process; called in the program's process before it starts."""
        for kind, limit in (
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_CPU, self.cpu_seconds),
            (resource.RLIMIT_NPROC, self.processes),
            (resource.RLIMIT_FSIZE, self.file_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_CORE, 0),
        ):
            hard = resource.getrlimit(kind)[1]
            allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(kind, (allowed, allowed))


class Housing(msgspec.Struct, frozen=True):
    """Under what conditions strangers' players live here."""

    isolates: bool = False
    """Python players that are not ours get a process of their own, so that they can be stopped."""
    limits: Limits = Limits()
    sandbox: bool = False
    """Programs run in bubblewrap: no network, and a file system they cannot write to."""


AT_HOME = Housing()


class Program:
    """A running program and the lines it is sent and sends.  Every wait has an end."""

    def __init__(self, command: Sequence[str], housing: Housing) -> None:
        """Start it.  Raises Misuse if it cannot be started."""
        self.limits = housing.limits
        self.folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        self._log = self.folder / "stderr.log"
        self._mark = uuid.uuid4().hex
        scratch = self.folder / "scratch"
        scratch.mkdir()
        try:
            with self._log.open("wb") as log:
                self._process = subprocess.Popen(
                    [*(_bubblewrap(scratch) if housing.sandbox else ()), *command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=scratch,
                    env=_environment(self._mark),
                    close_fds=True,
                    start_new_session=True,
                    preexec_fn=housing.limits.apply,
                    bufsize=0,
                )
        except (OSError, subprocess.SubprocessError) as error:
            shutil.rmtree(self.folder, ignore_errors=True)
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise Misuse(f"the program {shlex.join(command)!r} cannot be started: {why}.") from None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        assert self._stdin is not None
        assert self._stdout is not None
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()

    def send(self, line: bytes, deadline: float) -> None:
        """Raises PlayerFailed when the program is gone or does not read."""
        assert self._stdin is not None
        rest = memoryview(line)
        try:
            while rest:
                self._wait(self._stdin, selectors.EVENT_WRITE, deadline)
                rest = rest[os.write(self._stdin.fileno(), rest) :]
        except (BrokenPipeError, ValueError):
            raise self.failed("disconnected", self._how_it_ended()) from None

    def receive(self, deadline: float) -> bytes:
        """The next line.  Raises PlayerFailed when there is none in time, or none any more."""
        assert self._stdout is not None
        while not self._lines:
            self._wait(self._stdout, selectors.EVENT_READ, deadline)
            try:
                chunk = os.read(self._stdout.fileno(), 1 << 16)
            except ValueError:
                chunk = b""
            if not chunk:
                raise self.failed("disconnected", self._how_it_ended())
            *lines, rest = (bytes(self._buffer) + chunk).split(b"\n") if b"\n" in chunk else (self._buffer + chunk,)
            self._buffer = bytearray(rest)
            self._lines.extend(line for line in lines if line.strip())
            if len(self._buffer) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
                raise self.failed("unreadable", f"it sent a line of more than {LONGEST_LINE} bytes")
        return self._lines.popleft()

    def failed(self, reason: Any, message: str) -> PlayerFailed:
        """What to raise when the program has failed; the last thing it said on standard error helps its author."""
        said = self._last_words()
        return PlayerFailed(Forfeit(reason, f"{message}; its last words: {said}" if said else message))

    def stop(self) -> None:
        """End it with everything it started, and remove its folder."""
        for pipe in (self._stdin, self._stdout):
            if pipe:
                pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=0.2)
        for pid in _marked(self._mark):
            _kill(pid)
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def _wait(self, pipe: Any, event: int, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(pipe, event)
            if not selector.select(max(0.0, deadline - time.monotonic())):
                what = "no answer came" if event == selectors.EVENT_READ else "it did not read what it was sent"
                raise self.failed("late", f"{what} in time")

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            return "the program closed its output"
        if status < 0:
            return f"the program was ended by {signal.Signals(-status).name}"
        return f"the program ended with status {status}"

    def _last_words(self) -> str:
        try:
            lines = self._log.read_bytes()[-2000:].decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1].strip()[:200] if lines else ""


class ProgramPlayer:
    """One of the players of a program.  What goes wrong is raised as PlayerFailed."""

    def __init__(self, program: Program, talk: Talk, hello: Hello, number: int = 0) -> None:
        self._program = program
        self._talk = talk
        self._number = number
        self.sees_events = hello.events
        self.name = hello.name

    def take_seat(self, place: Place) -> None:
        self._tell(self._talk.game(place.seat, place.names, place.rules, self._number))

    def answer(self, request: Request, seconds: float | None = None) -> Answer:
        reply = self.ask(self._talk.request(request, self._number), seconds)
        try:
            return self._talk.understand(request, reply)
        except Unreadable as error:
            raise self._program.failed("unreadable", str(error)) from None

    def ask(self, line: bytes, seconds: float | None) -> Reply:
        """Put a question and wait for its answer."""
        deadline = time.monotonic() + (self._program.limits.answer_seconds if seconds is None else seconds)
        self._program.send(line, deadline)
        while True:
            try:
                reply = self._talk.read(self._program.receive(deadline))
            except Unreadable as error:
                raise self._program.failed("unreadable", str(error)) from None
            if failure := self._talk.failure(self._number):
                raise PlayerFailed(failure)
            if reply is not None:
                return reply

    def notice(self, notice: Notice) -> None:
        self._tell(self._talk.notice(notice, self._number))

    def see(self, event: Event) -> None:
        self._tell(self._talk.event(event, self._number))

    def refused(self, violation: Violation) -> None:
        self._tell(self._talk.refused(violation, self._number))

    def close(self) -> None:
        if self._program.is_running:
            with contextlib.suppress(PlayerFailed):
                self._tell(self._talk.bye("the series is over"))
        self._program.stop()

    def _tell(self, line: bytes) -> None:
        self._program.send(line, time.monotonic() + self._program.limits.answer_seconds)


def start_program(
    kind: Kind[Any, Any], command: Sequence[str], players: int = 1, housing: Housing = AT_HOME
) -> list[ProgramPlayer]:
    """Start a program and greet it; one player object for each of its players.

    Raises Misuse when it cannot be started or does not introduce itself.
    """
    program = Program(command, housing)
    talk = Talk(kind, players)
    deadline = time.monotonic() + program.limits.startup_seconds
    try:
        program.send(talk.hello(), deadline)
        hello = talk.read_hello(program.receive(deadline))
    except (PlayerFailed, Unreadable) as error:
        program.stop()
        raise Misuse(f"the program {shlex.join(command)!r} did not introduce itself: {error}.") from None
    except BaseException:
        program.stop()
        raise
    return [ProgramPlayer(program, talk, hello, number) for number in range(players)]


_MARK = "WATERINGHOLE_PLAYER"
"""An environment variable that every process of a program carries, however it got away."""


def split_command(command: str) -> list[str]:
    """The words of a command; files are named from our folder, not from the program's scratch folder."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Misuse(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise Misuse("cmd: needs a command behind it, e.g. cmd:./mine.")
    return [str(Path(word).resolve()) if Path(word).exists() else word for word in words]


def _environment(mark: str) -> dict[str, str]:
    """Ours, with the mark; a Python player finds the modules that it would find in our folder."""
    modules = os.pathsep.join(filter(None, (os.getcwd(), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": modules, _MARK: mark}


def _bubblewrap(scratch: Path) -> list[str]:
    """The words in front of a command that lock it in.  Raises Misuse where that cannot be done."""
    if shutil.which("bwrap") is None:
        raise Misuse("--sandbox bwrap: bubblewrap is not installed here; on Debian and Ubuntu: apt install bubblewrap.")
    return [
        "bwrap", "--die-with-parent", "--unshare-all", "--new-session",
        "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
        "--bind", str(scratch), str(scratch), "--chdir", str(scratch),
    ]  # fmt: skip


def _marked(mark: str) -> list[int]:
    """The processes that carry a mark."""
    found = []
    wanted = f"{_MARK}={mark}".encode()
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if wanted in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
