"""Players that are programs: JSON Lines on standard input and output (`docs/protocol.md`).

A program is started once and lives through a whole series.  Whatever it does, every wait for
it has an end, and it ends with the series, children included (`players.lodging`).
"""

from __future__ import annotations

import contextlib
import os
import select
import shlex
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import one_line
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Request, Violation
from wateringhole.player import Place, PlayerFailed
from wateringhole.process.child import FAREWELL_SECONDS, ChildProcess
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.protocol.host import Chatter, Talk, acknowledge, ask, check_style
from wateringhole.protocol.messages import LONGEST_LINE, Unreadable

__all__ = ["Deadline", "Program", "ProgramPlayer", "split_command", "start_program"]

T = TypeVar("T")

LONGEST_WAIT = 1000.0
"""Seconds of one wait for a pipe."""


class Deadline:
    """How long something is waited for, and how much of that is left."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._over_at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._over_at - time.monotonic())


class Program:
    """A running program and the lines it is sent and sends.  Every wait has an end.

    A program that is gone, that does not read, or of whose output nobody knows any more where a
    line begins is over: it is ended at once, and whatever is asked of it afterwards fails as the
    first time.
    """

    def __init__(self, command: Sequence[str], isolation: Isolation, log_name: str = "stderr") -> None:
        """Start it.  Raises OSError if it cannot be started, and UsageError where there is no sandbox."""
        self._child = ChildProcess(command, isolation, log_name)
        self.limits = isolation.limits
        self.over: Forfeit | None = None
        """Why it is not talked to any more."""
        self.ignored = 0
        """How many messages it sent that answered nothing."""
        self.orphans_killed = 0
        """How many of its processes had to be killed when it was stopped."""
        self._buffer = bytearray()
        self._lines: deque[bytes] = deque()

    @property
    def tag(self) -> str:
        """What all its processes carry in their environment, unless they shed it."""
        return self._child.tag

    @property
    def folder(self) -> Path:
        """Where it lives; gone when it is stopped."""
        return self._child.folder

    @property
    def stopped_supervisor(self) -> bool:
        """Whether it laid hands on the process of ours that looks after it, and could be ended all the same."""
        return self._child.stopped_supervisor

    @property
    def is_running(self) -> bool:
        return self.over is None and not self._child.has_ended

    @property
    def end_in_words(self) -> str:
        """How it ended."""
        return (self.over or self.failed("disconnected", self._exit_reason()).forfeit).message

    def send(self, line: bytes, deadline: Deadline) -> None:
        """Raises PlayerFailed when the program is gone or does not read."""
        self._refuse_if_over()
        stdin = self._child.stdin
        rest = memoryview(line)
        try:
            while rest:
                if not self._wait(stdin, select.POLLOUT, deadline):
                    # The line may have gone halfway, and nothing can follow half a line.
                    raise self.fail_and_stop("late", f"it did not read what it was sent within {deadline.seconds:g} s")
                rest = rest[os.write(stdin.fileno(), rest) :]
        except BrokenPipeError:
            raise self.fail_and_stop("disconnected", self._exit_reason()) from None

    def receive(self, deadline: Deadline) -> bytes:
        """The next line.  Raises PlayerFailed when there is none in time, or none any more."""
        self._refuse_if_over()
        stdout = self._child.stdout
        while not self._lines:
            if not self._wait(stdout, select.POLLIN, deadline):
                raise self._late(deadline)
            chunk = os.read(stdout.fileno(), 1 << 16)
            if not chunk:
                inside = " in the middle of a line" if self._buffer else ""
                raise self.fail_and_stop("disconnected", self._exit_reason() + inside)
            *lines, rest = chunk.split(b"\n")
            if lines:
                lines[0] = bytes(self._buffer) + lines[0]
                self._buffer.clear()
            self._buffer += rest
            if len(self._buffer) > LONGEST_LINE or any(len(line) > LONGEST_LINE for line in lines):
                raise self.fail_and_stop("unreadable", f"it sent a line of more than {LONGEST_LINE} bytes")
            self._lines.extend(line for line in lines if line.strip())
        if not deadline.left:
            # Somebody who never stops talking has always something to be read.
            raise self._late(deadline)
        return self._lines.popleft()

    def _late(self, deadline: Deadline) -> PlayerFailed:
        return self.failed("late", f"no answer came within {deadline.seconds:g} s")

    def failed(self, reason: Any, message: str) -> PlayerFailed:
        """What to raise when the program has failed; the last thing it said on standard error helps its author."""
        said = self._last_stderr_line()
        return PlayerFailed(Forfeit(reason, f"{message}; its last words: {said}" if said else message))

    def fail_and_stop(self, reason: Any, message: str) -> PlayerFailed:
        """The same when nothing more can be expected of it: it is ended."""
        error = self.failed(reason, message)
        self.over = error.forfeit
        self.stop()
        return error

    def stop(self) -> None:
        """End it with everything it started, and remove its folder.  A second time does nothing."""
        is_cut_short = self.over is not None and not self._child.has_ended
        killed = self._child.end()
        # Whoever is cut short has had no chance to end by itself; what it has started counts all the same.
        self.orphans_killed += max(0, killed - is_cut_short)

    def peak_memory(self) -> int:
        """Bytes, over all its processes."""
        return self._child.peak_memory()

    def _refuse_if_over(self) -> None:
        if self.over is not None:
            raise PlayerFailed(self.over)

    def _wait(self, pipe: Any, event: int, deadline: Deadline) -> bool:
        """Whether a pipe became ready in time.

        Raises PlayerFailed when the program has ended and the pipe is not ready: others may hold
        it open that the program has started and left behind.
        """
        while True:
            has_ended = self._child.has_ended
            left = 0.0 if has_ended else deadline.left
            poll = select.poll()
            poll.register(pipe, event)
            if not has_ended:
                poll.register(self._child, select.POLLIN)
            # One wait has an upper limit in the system; a patient referee waits several times.
            ready = poll.poll(1000 * min(left, LONGEST_WAIT))
            if any(number == pipe.fileno() for number, _ in ready):
                return True
            if has_ended:
                raise self.fail_and_stop("disconnected", self._exit_reason())
            if not ready and left <= LONGEST_WAIT:
                return False

    def _exit_reason(self) -> str:
        return self._child.exit_reason() or "the program closed its output"

    def _last_stderr_line(self) -> str:
        try:
            with self._child.log.open("rb") as log:
                start = max(self._child.log_start, log.seek(0, os.SEEK_END) - 2000)
                log.seek(start)
                lines = log.read().decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return one_line(lines[-1].strip()) if lines else ""


class _ProgramSession:
    """A program that plays for one or several seats: its process, and the conversation with it."""

    def __init__(
        self,
        kind: AnyKind,
        command: Sequence[str],
        players: int,
        isolation: Isolation,
        log_name: str,
        title: str | None,
    ) -> None:
        """Start it and greet it.  Raises UsageError when it does not introduce itself."""
        self._kind = kind
        self._command = command
        self._players = players
        self._isolation = isolation
        self._log_name = log_name
        self._title = title or f"the program {shlex.join(command)!r}"
        self._seated: set[int] = set()
        self._owes_answer = False
        self._games = 0
        """That this process was told of."""
        self.exits: list[str] = []
        """How its former processes ended."""
        self._orphans_killed_before = self._ignored_before = 0
        self._stopped_before = False
        """With former processes."""
        self._has_answered = False
        """In this game."""
        self._told: list[Callable[[], None]] = []
        """What tells it all that it was told in this game before its first answer."""
        self._start()

    def _start(self) -> None:
        try:
            self.program = Program(self._command, self._isolation, self._log_name)
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise UsageError(f"{self._title} cannot be started: {error.strerror}{where}.") from None
        self.talk = Talk(self._kind, self._players)
        self._owes_answer = False
        self._games = 0
        deadline = Deadline(self.program.limits.startup_seconds)
        try:
            self.program.send(self.talk.hello(), deadline)
            self.hello = self.talk.read_hello(self.program.receive(deadline))
            check_style(self._kind, self.hello.style)
        except (PlayerFailed, Unreadable) as error:
            self.program.stop()
            why = str(error).removesuffix(".")
            raise UsageError(f"{self._title} did not introduce itself: {why}.") from None
        except BaseException:
            self.program.stop()
            raise

    def get_ready(self, number: int) -> None:
        """One of its players sits down for a new game.  Raises PlayerFailed when it cannot play."""
        begins = not self._seated or number in self._seated
        if begins:
            self._seated.clear()
            self._told.clear()
            self._has_answered = False
        self._seated.add(number)
        if self._owes_answer:
            self._wait_for_owed_answer()
        if not self.program.is_running:
            if not (begins and self._isolation.restarts):
                if self.program.over is None:
                    raise self.program.fail_and_stop("disconnected", "the program had ended between two games")
                raise PlayerFailed(Forfeit("disconnected", f"not running any more: {self.program.over.message}"))
            self._restart()
        self._games += begins

    def _restart(self) -> None:
        former = self.program
        self.exits.append(former.end_in_words)
        former.stop()
        try:
            self._start()
        except (UsageError, OperationError) as error:
            raise self.program.fail_and_stop("disconnected", str(error).removesuffix(".")) from None
        finally:
            if self.program is not former:
                self._orphans_killed_before += former.orphans_killed
                self._ignored_before += former.ignored
                self._stopped_before = self._stopped_before or former.stopped_supervisor

    def _begin_again(self) -> bool:
        """Give a program that has died a new process for the game that has begun, if it is due to it.

        It is if it has played before, and no answer has come in this game: then it died of the
        game before, and merely nobody had noticed yet.
        """
        over = self.program.over
        has_died = over is not None and over.reason == "disconnected"
        if not (has_died and self._isolation.restarts and self._games > 1 and not self._has_answered):
            return False
        self._restart()
        self._games = 1
        for tell in self._told:
            tell()
        return True

    def _wait_for_owed_answer(self) -> None:
        """A program that was late has until its next game to come back from its thoughts, and as long as for starting.

        Otherwise one that is stuck would cost everybody the referee's patience in every game of the series.
        """
        deadline = Deadline(self.program.limits.startup_seconds)
        try:
            while self._owes_answer:
                with contextlib.suppress(Unreadable):
                    self._owes_answer = self.talk.read(self.program.receive(deadline)) is None
        except PlayerFailed:
            if self.program.over is None:
                self.program.fail_and_stop(
                    "late", "it was stuck: what it was asked in an earlier game it never answered"
                )

    def answer(self, number: int, request: Request[Any], seconds: float | None) -> Answer:
        """Put a request, in one question or many, and wait for the whole answer."""
        try:
            answer = self._ask(number, request, seconds)
        except PlayerFailed:
            if not self._begin_again():
                raise
            answer = self._ask(number, request, seconds)
        self._has_answered = True
        return answer

    def _ask(self, number: int, request: Request[Any], seconds: float | None) -> Answer:
        deadline = Deadline(self.program.limits.answer_seconds if seconds is None else seconds)
        return self._converse(ask(self.talk, self._kind, self.hello.style, request, number, seconds), deadline)

    def _converse(self, questions: Generator[bytes | None, bytes, T], deadline: Deadline) -> T:
        """Put questions, and wait for each reply; what they come to."""
        try:
            line = next(questions)
            while True:
                if line is None:
                    self.program.ignored += 1
                else:
                    self.program.send(line, deadline)
                line = questions.send(self._receive(deadline))
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        except Chatter as error:
            raise self.program.fail_and_stop("unreadable", str(error)) from None
        except Unreadable as error:
            raise self.program.failed("unreadable", str(error)) from None

    def _receive(self, deadline: Deadline) -> bytes:
        try:
            return self.program.receive(deadline)
        except PlayerFailed:
            self._owes_answer = True
            raise

    def tell(self, line: bytes) -> None:
        """Send something that is not answered."""
        self._put(lambda: self.program.send(line, self._soon()))

    def notice(self, number: int, notice: Notice) -> None:
        # Whoever has not answered yet is not waited for a second time: it is merely told that it is out.
        if self.hello.acknowledges and not self._owes_answer:
            self._put(lambda: self._converse(acknowledge(self.talk, notice, number), self._soon()))
        else:
            self.tell(self.talk.notice(notice, number))

    def _put(self, tell: Callable[[], None]) -> None:
        if not self._has_answered:
            self._told.append(tell)
        try:
            tell()
        except PlayerFailed:
            if not self._begin_again():
                raise

    def _soon(self) -> Deadline:
        return Deadline(self.program.limits.answer_seconds)

    @property
    def orphans_killed(self) -> int:
        return self._orphans_killed_before + self.program.orphans_killed

    @property
    def ignored(self) -> int:
        return self._ignored_before + self.program.ignored

    @property
    def stopped_supervisor(self) -> bool:
        return self._stopped_before or self.program.stopped_supervisor

    def dismiss(self) -> None:
        if self._owes_answer and self.program.over is None:
            self.program.fail_and_stop("late", "it was stuck: it never answered")
        if self.program.is_running:
            with contextlib.suppress(PlayerFailed):
                self.program.send(self.talk.bye("the series is over"), Deadline(FAREWELL_SECONDS))
        self.program.stop()


class ProgramPlayer:
    """One of the players of a program.  What goes wrong is raised as PlayerFailed."""

    is_person: ClassVar[bool] = False

    def __init__(self, session: _ProgramSession, number: int = 0) -> None:
        self._session = session
        self._number = number
        self.name = session.hello.name

    @property
    def sees_events(self) -> bool:
        return self._session.hello.events

    @property
    def program(self) -> Program:
        """The process it lives in now."""
        return self._session.program

    @property
    def exits(self) -> Sequence[str]:
        """How the program's former lives ended, in words."""
        return self._session.exits

    @property
    def orphans_killed(self) -> int:
        """How many processes had to be killed, over all lives of the program that are over."""
        return self._session.orphans_killed

    @property
    def ignored(self) -> int:
        """How many messages answered nothing, over all lives of the program."""
        return self._session.ignored

    @property
    def stopped_supervisor(self) -> bool:
        """Whether the program, in one of its lives that are over, stopped the process of ours that looks after it."""
        return self._session.stopped_supervisor

    def take_seat(self, place: Place) -> None:
        self._session.get_ready(self._number)
        self._session.tell(self._session.talk.game(place.seat, place.names, place.rules, self._number))

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return self._session.answer(self._number, request, seconds)

    def notice(self, notice: Notice) -> None:
        self._session.notice(self._number, notice)

    def see(self, event: Event) -> None:
        self._session.tell(self._session.talk.event(event, self._number))

    def refused(self, violation: Violation) -> None:
        self._session.tell(self._session.talk.refused(violation, self._number))

    def close(self) -> None:
        self._session.dismiss()


def start_program(
    kind: AnyKind,
    command: Sequence[str],
    players: int = 1,
    isolation: Isolation = NO_ISOLATION,
    log_name: str = "stderr",
    title: str | None = None,
) -> list[ProgramPlayer]:
    """Start a program and greet it; one player object for each of its players.

    `title` is what to call it where nobody knows its command.
    Raises UsageError when it cannot be started or does not introduce itself.
    """
    session = _ProgramSession(kind, command, players, isolation, log_name, title)
    return [ProgramPlayer(session, number) for number in range(players)]


def split_command(command: str) -> list[str]:
    """The words of a command.

    A program runs in a folder of its own, so the program itself, and a script given to an
    interpreter, are named from ours.  All other words are its own and stay as they are.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise UsageError("cmd: needs a command behind it, e.g. cmd:./mine.")
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
