"""Players that are programs: JSON Lines on standard input and output (`docs/protocol.md`).

A program is started once and lives through a whole series.  Whatever it does, every wait for
it has an end, and it ends with the series, children included (`players.housing`).
"""

from __future__ import annotations

import contextlib
import os
import selectors
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
import weakref
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from wateringhole.errors import Failure, Misuse
from wateringhole.game import Answer, Event, Forfeit, Kind, Notice, Request, Violation
from wateringhole.players import housing as house
from wateringhole.players.asking import ask, check_style
from wateringhole.players.housing import AT_HOME, Housing, Limits
from wateringhole.players.player import Place, PlayerFailed
from wateringhole.protocol import LONGEST_LINE, Reply, Talk, Unreadable

__all__ = ["AT_HOME", "Housing", "Limits", "Program", "ProgramPlayer", "split_command", "start_program"]

MOST_IGNORED = 100
"""Messages that answer nothing, while one answer is waited for; a program that sends more is out of its mind."""
FAREWELL_SECONDS = 0.5
"""How long a program may take to end after its input was closed."""


LONGEST_WAIT = 1000.0
"""Seconds of one wait for a pipe."""


class Program:
    """A running program and the lines it is sent and sends.  Every wait has an end.

    A program that is gone, that does not read, or of whose output nobody knows any more where a
    line begins is over: it is ended at once, and whatever is asked of it afterwards fails as the
    first time.
    """

    def __init__(self, command: Sequence[str], housing: Housing, log_name: str = "stderr") -> None:
        """Start it.  Raises Misuse if it cannot be started."""
        if housing.sandbox:
            house.check_sandbox()
        self.limits = housing.limits
        self.mark = uuid.uuid4().hex
        self.over: Forfeit | None = None
        """Why it is not talked to any more."""
        self.ignored = 0
        """How many messages it sent that answered nothing."""
        self.left_over = 0
        """How many of its processes had to be killed when it was stopped."""
        self.folder = folder = Path(tempfile.mkdtemp(prefix="wateringhole-"))
        scratch = folder / "scratch"
        # A quoted name is a file name, whatever is in it, and no two players have the same.
        self._log = (housing.log or folder) / f"{quote(log_name, safe=' ')}.log"
        self._log_start = 0
        try:
            scratch.mkdir()
            with self._log.open("ab") as log:
                self._log_start = log.tell()
                limits = housing.limits.by_kind()
                self._process = subprocess.Popen(
                    house.sandboxed(command, scratch) if housing.sandbox else command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    cwd=scratch,
                    env=house.environment(self.mark, scratch, housing),
                    close_fds=True,
                    start_new_session=True,
                    preexec_fn=lambda: house.impose(limits),
                    bufsize=0,
                )
        except (OSError, subprocess.SubprocessError) as error:
            shutil.rmtree(folder, ignore_errors=True)
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise Misuse(f"the program {shlex.join(command)!r} cannot be started: {why}.") from None
        # Also when nobody stops it: at the latest when our own process ends.
        self._end = weakref.finalize(self, _end, self._process, self.mark, folder)
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        assert self._stdin is not None
        assert self._stdout is not None
        os.set_blocking(self._stdin.fileno(), False)
        os.set_blocking(self._stdout.fileno(), False)
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()

    @property
    def is_running(self) -> bool:
        return self.over is None and self._process.poll() is None

    def send(self, line: bytes, deadline: float) -> None:
        """Raises PlayerFailed when the program is gone or does not read."""
        self._refuse_if_over()
        assert self._stdin is not None
        rest = memoryview(line)
        try:
            while rest:
                if not _wait(self._stdin, selectors.EVENT_WRITE, deadline):
                    # The line may have gone halfway, and nothing can follow half a line.
                    raise self.give_up("late", "it did not read what it was sent in time")
                rest = rest[os.write(self._stdin.fileno(), rest) :]
        except BrokenPipeError:
            raise self.give_up("disconnected", self._how_it_ended()) from None

    def receive(self, deadline: float) -> bytes:
        """The next line.  Raises PlayerFailed when there is none in time, or none any more."""
        self._refuse_if_over()
        assert self._stdout is not None
        while not self._lines:
            if not _wait(self._stdout, selectors.EVENT_READ, deadline):
                raise self.failed("late", "no answer came in time")
            chunk = os.read(self._stdout.fileno(), 1 << 16)
            if not chunk:
                inside = " in the middle of a line" if self._buffer else ""
                raise self.give_up("disconnected", self._how_it_ended() + inside)
            *lines, rest = chunk.split(b"\n")
            if lines:
                lines[0] = bytes(self._buffer) + lines[0]
                self._buffer.clear()
            self._buffer += rest
            if len(self._buffer) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
                raise self.give_up("unreadable", f"it sent a line of more than {LONGEST_LINE} bytes")
            self._lines.extend(line for line in lines if line.strip())
        if time.monotonic() > deadline:
            # Somebody who never stops talking has always something to be read.
            raise self.failed("late", "no answer came in time")
        return self._lines.popleft()

    def failed(self, reason: Any, message: str) -> PlayerFailed:
        """What to raise when the program has failed; the last thing it said on standard error helps its author."""
        said = self._last_words()
        return PlayerFailed(Forfeit(reason, f"{message}; its last words: {said}" if said else message))

    def give_up(self, reason: Any, message: str) -> PlayerFailed:
        """The same when nothing more can be expected of it: it is ended."""
        error = self.failed(reason, message)
        self.over = error.forfeit
        self.stop()
        return error

    def stop(self) -> None:
        """End it with everything it started, and remove its folder.  A second time does nothing."""
        self.left_over += self._end() or 0

    def peak_memory(self) -> int:
        """Bytes, over all its processes."""
        return house.peak_memory(self.mark)

    def _refuse_if_over(self) -> None:
        if self.over is not None:
            raise PlayerFailed(self.over)

    def _how_it_ended(self) -> str:
        try:
            status = self._process.wait(timeout=0.2)
        except subprocess.TimeoutExpired:
            return "the program closed its output"
        if status >= 0:
            return f"the program ended with status {status}"
        name = signal.Signals(-status).name
        return f"the program was ended by {name}" + _MEANT.get(name, "")

    def _last_words(self) -> str:
        try:
            with self._log.open("rb") as log:
                start = max(self._log_start, log.seek(0, os.SEEK_END) - 2000)
                log.seek(start)
                lines = log.read().decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1].strip()[:300] if lines else ""


_MEANT = {
    "SIGXCPU": " (all its CPU time was used up)",
    "SIGXFSZ": " (a file it wrote became too large)",
}


def _wait(pipe: Any, event: int, deadline: float) -> bool:
    """Whether the pipe became ready in time."""
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, event)
        while True:
            left = max(0.0, deadline - time.monotonic())
            # One wait has an upper limit in the system; a patient referee waits several times.
            if selector.select(min(left, LONGEST_WAIT)):
                return True
            if left <= LONGEST_WAIT:
                return False


def _end(process: subprocess.Popen[bytes], mark: str, folder: Path) -> int:
    """End a program; how many processes had to be killed."""
    for pipe in (process.stdin, process.stdout):
        if pipe:
            pipe.close()
    left_over = 0
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=FAREWELL_SECONDS)
    finally:
        # Also when somebody is impatient and interrupts us here.
        left_over = len(house.marked(mark))
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        house.end_marked(mark)
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)
    return left_over


class _Tenant:
    """A program that plays for one or several seats: its process, and the conversation with it."""

    def __init__(
        self,
        kind: Kind[Any, Any],
        command: Sequence[str],
        players: int,
        housing: Housing,
        log_name: str,
        title: str | None,
    ) -> None:
        """Start it and greet it.  Raises Misuse when it does not introduce itself."""
        self._kind = kind
        self._command = command
        self._players = players
        self._housing = housing
        self._log_name = log_name
        self._title = title or f"the program {shlex.join(command)!r}"
        self._seated: set[int] = set()
        self._owes_answer = False
        self._move_in()

    def _move_in(self) -> None:
        self.program = Program(self._command, self._housing, self._log_name)
        self.talk = Talk(self._kind, self._players)
        self._owes_answer = False
        deadline = time.monotonic() + self.program.limits.startup_seconds
        try:
            self.program.send(self.talk.hello(), deadline)
            self.hello = self.talk.read_hello(self.program.receive(deadline))
            check_style(self._kind, self.hello.style)
        except (PlayerFailed, Unreadable) as error:
            self.program.stop()
            why = str(error).removesuffix(".")
            raise Misuse(f"{self._title} did not introduce itself: {why}.") from None
        except BaseException:
            self.program.stop()
            raise

    def get_ready(self, number: int) -> None:
        """One of its players sits down for a new game.  Raises PlayerFailed when it cannot play."""
        begins = not self._seated or number in self._seated
        if begins:
            self._seated.clear()
        self._seated.add(number)
        if self._owes_answer:
            self._wait_for_owed_answer()
        if self.program.is_running:
            return
        if not (begins and self._housing.restarts):
            if self.program.over is None:
                raise self.program.give_up("disconnected", "the program had ended between two games")
            raise PlayerFailed(Forfeit("disconnected", f"not running any more: {self.program.over.message}"))
        self.program.stop()
        try:
            self._move_in()
        except (Misuse, Failure) as error:
            raise self.program.give_up("disconnected", str(error).removesuffix(".")) from None

    def _wait_for_owed_answer(self) -> None:
        """A program that was late has until its next game to come back from its thoughts, and as long as for starting.

        Otherwise one that is stuck would cost everybody the referee's patience in every game of the series.
        """
        deadline = time.monotonic() + self.program.limits.startup_seconds
        try:
            while self._owes_answer:
                with contextlib.suppress(Unreadable):
                    self._owes_answer = self.talk.read(self.program.receive(deadline)) is None
        except PlayerFailed:
            if self.program.over is None:
                self.program.give_up("late", "it was stuck: what it was asked in an earlier game it never answered")

    def answer(self, number: int, request: Request, seconds: float | None) -> Answer:
        """Put a request, in one question or many, and wait for the whole answer."""
        deadline = time.monotonic() + (self.program.limits.answer_seconds if seconds is None else seconds)
        questions = ask(self.talk, self._kind, self.hello.style, request, number, seconds)
        try:
            line = next(questions)
            while True:
                line = questions.send(self._reply(number, line, deadline))
        except StopIteration as done:
            return done.value
        except Unreadable as error:
            raise self.program.failed("unreadable", str(error)) from None

    def _reply(self, number: int, line: bytes, deadline: float) -> Reply:
        program, talk = self.program, self.talk
        program.send(line, deadline)
        for _ in range(MOST_IGNORED):
            try:
                message = program.receive(deadline)
            except PlayerFailed:
                self._owes_answer = True
                raise
            reply = talk.read(message)
            if failure := talk.failure(number):
                raise PlayerFailed(failure)
            if reply is not None:
                return reply
            program.ignored += 1
        raise program.give_up("unreadable", f"it sent {MOST_IGNORED} messages that answer nothing")

    def tell(self, line: bytes) -> None:
        self.program.send(line, time.monotonic() + self.program.limits.answer_seconds)

    def dismiss(self) -> None:
        if self.program.is_running:
            with contextlib.suppress(PlayerFailed):
                self.program.send(self.talk.bye("the series is over"), time.monotonic() + FAREWELL_SECONDS)
        self.program.stop()


class ProgramPlayer:
    """One of the players of a program.  What goes wrong is raised as PlayerFailed."""

    is_person: ClassVar[bool] = False

    def __init__(self, tenant: _Tenant, number: int = 0) -> None:
        self._tenant = tenant
        self._number = number
        self.name = tenant.hello.name

    @property
    def sees_events(self) -> bool:
        return self._tenant.hello.events

    @property
    def program(self) -> Program:
        """The process it lives in now."""
        return self._tenant.program

    def take_seat(self, place: Place) -> None:
        self._tenant.get_ready(self._number)
        self._tenant.tell(self._tenant.talk.game(place.seat, place.names, place.rules, self._number))

    def answer(self, request: Request, seconds: float | None = None) -> Answer:
        return self._tenant.answer(self._number, request, seconds)

    def notice(self, notice: Notice) -> None:
        self._tenant.tell(self._tenant.talk.notice(notice, self._number))

    def see(self, event: Event) -> None:
        self._tenant.tell(self._tenant.talk.event(event, self._number))

    def refused(self, violation: Violation) -> None:
        self._tenant.tell(self._tenant.talk.refused(violation, self._number))

    def close(self) -> None:
        self._tenant.dismiss()


def start_program(
    kind: Kind[Any, Any],
    command: Sequence[str],
    players: int = 1,
    housing: Housing = AT_HOME,
    log_name: str = "stderr",
    title: str | None = None,
) -> list[ProgramPlayer]:
    """Start a program and greet it; one player object for each of its players.

    `title` is what to call it where nobody knows its command.
    Raises Misuse when it cannot be started or does not introduce itself.
    """
    tenant = _Tenant(kind, command, players, housing, log_name, title)
    return [ProgramPlayer(tenant, number) for number in range(players)]


def split_command(command: str) -> list[str]:
    """The words of a command.

    A program runs in a folder of its own, so the program itself, and a script given to an
    interpreter, are named from ours.  All other words are its own and stay as they are.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise Misuse(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise Misuse("cmd: needs a command behind it, e.g. cmd:./mine.")
    program, *arguments = words
    if "/" in program:
        # Not resolved: an interpreter in a virtual environment is a link, and knows by it where it is.
        program = str(Path(program).absolute())
    for index, word in enumerate(arguments):
        if not word.startswith("-"):
            if Path(word).is_file():
                arguments[index] = str(Path(word).absolute())
            break
    return [program, *arguments]
