"""Players that are programs: JSON Lines on standard input and output (`docs/reference/protocol.md`).

A program starts once and plays a whole series.  `TRANSITIONS` decides everything: for each state of a
program and each input, it holds the next state and the effect.  Inputs come from the referee, who seats
and asks the program, and from the program, which answers, hangs or exits.
"""

from __future__ import annotations

import contextlib
import math
import re
import shlex
import time
from collections.abc import Callable, Generator, Sequence
from enum import StrEnum, auto
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from wateringhole.errors import PlayerNotMade, UsageError
from wateringhole.formatting import single_line
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Request, Violation
from wateringhole.player import PlayerFailed, SeatAssignment
from wateringhole.process.child import (
    AnswerTimeout,
    ChildError,
    ChildExited,
    ChildProcess,
    Deadline,
    InputFull,
    LineTooLong,
)
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.process.preloaded import Fork
from wateringhole.process.sandbox import PlayerFiles
from wateringhole.protocol.host import HostEnd, TooManyMessages, acknowledge, ask, check_style
from wateringhole.protocol.messages import Hello, NotReady, Unreadable

__all__ = [
    "RESTARTS",
    "TRANSITIONS",
    "Input",
    "ProgramPlayer",
    "StartupTimeout",
    "State",
    "Transition",
    "command_files",
    "split_command",
    "start_program",
]

MOST_WARNINGS = 10
"""Most warnings of a program that are shown."""
READ_SECONDS = 0.1
"""The time to read an old answer that has already come."""


class StartupTimeout(UsageError):
    """A program that did not introduce itself in time."""


# The hash of a StrEnum, unlike that of an Enum, takes no Python call.
class State(StrEnum):
    """The state of a program."""

    NEW = auto()
    STARTING = auto()
    """The process runs and has not sent its hello."""
    RESTARTING = auto()
    """The same for a new process in place of one that is dead."""
    READY = auto()
    ASKED = auto()
    """It has an open request, or a notice to acknowledge."""
    LATE = auto()
    """It did not answer in time, and its answer may still come."""
    DEAD = auto()
    """It has failed, and all its processes are stopped."""
    CLOSED = auto()
    """The series is over."""


class Input(StrEnum):
    """A reason to change the state of a program."""

    # From the referee
    START = auto()
    NEXT_GAME = auto()
    """The first player of the program takes its seat in a new game."""
    JOIN_GAME = auto()
    """Another player of the program takes its seat in the same game."""
    SEND = auto()
    NOTICE = auto()
    """A notice that the program acknowledges."""
    ASK = auto()
    STOP = auto()
    CLOSE = auto()

    # From the program
    HELLO = auto()
    ANSWER = auto()
    ACKNOWLEDGEMENT = auto()
    OLD_ANSWER = auto()
    """An answer, or a failure, after its time limit."""
    OTHER_MESSAGE = auto()
    FAILURE = auto()
    """The program reports that it fails, or waiting for it was interrupted."""
    UNREADABLE = auto()
    TOO_MANY = auto()
    ENDLESS_LINE = auto()
    INPUT_FULL = auto()
    CLOCK = auto()
    """It did not answer in time."""
    NO_START = auto()
    """Its command cannot be started."""
    EXIT = auto()
    EXIT_BETWEEN_GAMES = auto()
    """An exit that is noticed when the next game begins."""
    EARLIER_EXIT = auto()
    """An exit that is noticed before the first answer in a game, and probably happened after the game before."""


_INPUTS: dict[type[BaseException], Input] = {
    AnswerTimeout: Input.CLOCK,
    ChildExited: Input.EXIT,
    InputFull: Input.INPUT_FULL,
    LineTooLong: Input.ENDLESS_LINE,
    TooManyMessages: Input.TOO_MANY,
    Unreadable: Input.UNREADABLE,
    NotReady: Input.UNREADABLE,
}
"""The inputs that exceptions stand for.  Any other exception is a `FAILURE`."""


_OpenRequest = tuple[int, Request[Any], float | None]
"""The number of a player, a request to it, and its time limit."""


class _ProgramSession:
    """A program that plays for one or several seats: its process, and the exchange of messages with it."""

    def __init__(
        self,
        kind: AnyKind,
        command: Sequence[str],
        players: int,
        isolation: Isolation,
        log_name: str,
        title: str | None,
        files: PlayerFiles,
        fork: Fork | None,
    ) -> None:
        """Start a program.  Raises UsageError if it does not introduce itself."""
        self._kind = kind
        self._command = command
        self._players = players
        self._isolation = isolation
        self._limits = isolation.limits
        self._log_name = log_name
        self._files = files
        self._fork = fork
        self._title = title or f"the program {shlex.join(command)!r}"
        self._restarts_left = isolation.restarts
        self._transitions = TRANSITIONS if isolation.restarts == 0 else TRANSITIONS | RESTARTS
        self._failure: Forfeit | None = None
        """The forfeit that made the program dead."""
        self._seated: set[int] = set()
        """The numbers of its players that have a seat in this game."""
        self._games = 0
        """The number of games that this process knows of."""
        self._has_answered = False
        """True if an answer has come in this game."""
        self._sent: list[tuple[Input, Any]] = []
        """The inputs that sent something in this game before its first answer."""
        self._open_request: _OpenRequest | None = None
        """The open request."""
        self.exits: list[str] = []
        """The exit reasons of its former processes."""
        self.ignored = 0
        self.orphans_killed = 0
        self.stopped_supervisor = False
        self.state = State.NEW
        self.handle(Input.START)

    def handle(self, given: Input, detail: Any = None) -> Any:
        """Change the state, and return the result of the effect.  An input without effect returns its detail."""
        self.state, effect = self._transitions[self.state, given]
        return detail if effect is None else effect(self, detail)

    def on_seated(self, number: int, assignment: SeatAssignment) -> None:
        """Seat one of its players in a game.  Raises PlayerFailed if it cannot play."""
        is_first = not self._seated or number in self._seated
        if is_first:
            self._seated.clear()
            self._sent.clear()
            self._has_answered = False
        self._seated.add(number)
        self.handle(Input.NEXT_GAME if is_first else Input.JOIN_GAME)
        line = self.talk.game(assignment.seat, assignment.names, assignment.rules, number, assignment.commitment)
        self.handle(Input.SEND, line)

    # Effects of starting

    def _start(self, _: None) -> Any:
        """Start a process and wait for its hello."""
        try:
            self.program = ChildProcess(self._command, self._isolation, self._log_name, self._files, self._fork)
        except OSError as error:
            return self.handle(Input.NO_START, error)
        self.talk = HostEnd(self._kind, self._players)
        deadline = _deadline(self._limits.startup_seconds)
        given: Input = Input.HELLO
        detail: Any
        try:
            with contextlib.suppress(ChildExited):  # it may have reported why
                self.program.send(self.talk.hello(), deadline)
            detail = self.talk.read_hello(self.program.receive(deadline))
            check_style(self._kind, detail)
        except (ChildError, Unreadable) as error:
            given, detail = _INPUTS[type(error)], error
        except BaseException:
            self.handle(Input.CLOSE)
            raise
        return self.handle(given, detail)

    def _greet(self, hello: Hello) -> None:
        self.hello = hello

    def _refuse_start(self, error: Exception) -> None:
        problem = self._start_problem(error)
        if not problem.endswith("?"):
            problem += "."
        if self._isolation.sandbox and _may_miss_files(error):
            problem += " It ran in the sandbox, where it sees only its own files; show more with --read-only."
        if isinstance(error, NotReady):
            raise PlayerNotMade(problem, str(error), error.traceback)
        raise (StartupTimeout if isinstance(error, AnswerTimeout) else UsageError)(problem)

    def _start_problem(self, error: Exception) -> str:
        """Stop a process that did not start.  Return the reason without a full stop."""
        if isinstance(error, OSError):
            where = f" ({error.filename})" if error.filename else ""
            return f"{self._title} cannot be started: {error.strerror}{where}"
        why = str(error) if isinstance(error, Unreadable) else self._with_stderr(str(error))
        self._stop(is_interrupted=True)
        what = "did not start" if isinstance(error, NotReady) else "did not introduce itself"
        return f"{self._title} {what}: {why.removesuffix('.')}"

    def _restart(self, _: object) -> Any:
        """Start a new process in place of one that exited.  After the last restart, the next exit is final."""
        if self._restarts_left is not None:
            self._restarts_left -= 1
            if self._restarts_left == 0:
                self._transitions = TRANSITIONS | LAST_RESTART
        if self._failure is None:
            self.exits.append(self._with_stderr(self.program.exit_reason()))
            self._stop()
        else:
            self.exits.append(self._failure.message)
            self._failure = None
        return self._start(None)

    def _fail_restart(self, error: Exception) -> None:
        if isinstance(error, AnswerTimeout):
            # A second attempt would cost the other players as much time again.
            self._transitions = TRANSITIONS | LAST_RESTART
        self._failure = Forfeit("disconnected", self._start_problem(error))
        raise PlayerFailed(self._failure)

    def _resume(self, hello: Hello) -> Any:
        """Send to a new process what the old one got in this game, which may be nothing."""
        self.hello = hello
        self._games = 1
        sent, self._sent = self._sent, []
        for given, detail in sent:
            self.handle(given, detail)
        return None if self._open_request is None else self.handle(Input.ASK, self._open_request)

    # Effects in a game

    def _begin_game(self, _: None) -> None:
        if self.program.has_exited:
            self.handle(Input.EXIT_BETWEEN_GAMES)
        else:
            self._games += 1

    def _wait_for_old_answer(self, _: None) -> None:
        """Wait for the old answer of a late program.

        A program that can be restarted has no more time than its answer takes to be read.  Any other
        program gets as much time as for its start, because it is stopped for the rest of the series.
        """
        can_restart = self._transitions[State.DEAD, Input.NEXT_GAME].state is State.RESTARTING
        deadline = _deadline(min(self._limits.startup_seconds, READ_SECONDS if can_restart else math.inf))
        with contextlib.suppress(PlayerFailed):
            while self.state is State.LATE:
                detail: Exception | None = None
                try:
                    is_answer = self.talk.drop(self.program.receive(deadline))
                    given = Input.OLD_ANSWER if is_answer else Input.OTHER_MESSAGE
                except (ChildError, Unreadable) as error:
                    given, detail = _INPUTS[type(error)], error
                self.handle(given, detail)
        self.handle(Input.NEXT_GAME)

    def _send(self, line: bytes) -> None:
        self._remember(Input.SEND, line)
        try:
            self.program.send(line, _deadline(self._limits.answer_seconds))
        except ChildError as error:
            failed = error
        else:
            return
        self.handle(self._input_of(failed), failed)

    def _acknowledge(self, notice: tuple[int, Notice]) -> None:
        """Send a notice, and wait until the program has acknowledged it."""
        self._remember(Input.NOTICE, notice)
        number, content = notice
        lines = acknowledge(self.talk, content, number)
        self._exchange(lines, self._limits.answer_seconds, Input.ACKNOWLEDGEMENT)

    def _send_notice(self, notice: tuple[int, Notice]) -> None:
        """Send a notice to a program that has not answered yet, and do not wait for it a second time."""
        number, content = notice
        self._send(self.talk.notice(content, number))

    def _ask(self, asked: _OpenRequest) -> Any:
        """Send a request, in one message or many, and return the answer."""
        self._open_request = asked
        number, request, seconds = asked
        try:
            lines = ask(self.talk, self._kind, self.hello, request, number, seconds)
            answer = self._exchange(lines, self._limits.answer_seconds if seconds is None else seconds, Input.ANSWER)
        finally:
            self._open_request = None
        self._has_answered = True
        self._sent.clear()
        return answer

    def _exchange(self, lines: Generator[bytes | None, bytes, Any], seconds: float, finished: Input) -> Any:
        """Send lines, and wait for the answer to each."""
        deadline = Deadline(seconds, time.monotonic() + seconds)
        detail: Any
        try:
            line = next(lines)
            while True:
                if line is None:
                    self.ignored += 1
                else:
                    self.program.send(line, deadline)
                line = lines.send(self.program.receive(deadline))
        except StopIteration as done:
            given, detail = finished, done.value
        except BaseException as error:
            given, detail = self._input_of(error), error
        return self.handle(given, detail)

    def _input_of(self, error: BaseException) -> Input:
        given = _INPUTS.get(type(error), Input.FAILURE)
        if given is Input.EXIT and self._games > 1 and not self._has_answered:
            return Input.EARLIER_EXIT
        return given

    def _remember(self, given: Input, detail: Any) -> None:
        if not self._has_answered:
            self._sent.append((given, detail))

    # Effects of failing

    def _raise(self, error: BaseException) -> None:
        raise error

    def _fail(self, detail: object, reason: Any) -> None:
        raise PlayerFailed(Forfeit(reason, self._with_stderr(str(detail))))

    def _fail_and_stop(self, detail: object, reason: Any, message: str = "") -> None:
        self._failure = Forfeit(reason, self._with_stderr(message or str(detail)))
        self._stop(is_interrupted=True, is_hung=isinstance(detail, AnswerTimeout))
        raise PlayerFailed(self._failure)

    def _repeat_failure(self, _: object) -> None:
        raise PlayerFailed(self._failure or Forfeit("disconnected", "the program was stopped"))

    def _refuse_game(self, _: None) -> None:
        assert self._failure is not None, "a dead program has failed"
        raise PlayerFailed(Forfeit("disconnected", f"not running any more: {self._failure.message}"))

    def _with_stderr(self, message: str) -> str:
        """Return a message with the last line of standard error, which helps the author of the program."""
        line = self.program.last_stderr_line()
        return f"{message}; last line on standard error: {line}" if line else message

    # Effects of closing

    def _close(self, _: None) -> None:
        """Send bye, and give the program a moment to exit."""
        is_interrupted = False
        if not self.program.has_exited:
            try:
                self.program.send(self.talk.bye("the series is over"), _deadline(self._limits.exit_seconds))
            except ChildError:
                is_interrupted = True
        self._stop(is_interrupted=is_interrupted)

    def _kill(self, _: None) -> None:
        self._stop(is_interrupted=True, is_hung=True)

    def _stop(self, *, is_interrupted: bool = False, is_hung: bool = False) -> None:
        self.orphans_killed += self.program.stop(is_interrupted=is_interrupted, is_hung=is_hung)
        self.stopped_supervisor |= self.program.stopped_supervisor


def _may_miss_files(error: Exception) -> bool:
    """Return whether a program may not have started because the sandbox hides files from it."""
    if isinstance(error, NotReady):
        return _MISSES_FILES.search(f"{error} {error.traceback}") is not None
    return isinstance(error, ChildExited)


_MISSES_FILES = re.compile(r"\b(FileNotFound|NotADirectory|Permission|OS|Import|ModuleNotFound)Error\b")


def _deadline(seconds: float) -> Deadline:
    return Deadline(seconds, time.monotonic() + seconds)


Effect = Callable[[_ProgramSession, Any], Any]


class Transition(NamedTuple):
    """The effect of an input in a state, and the next state."""

    state: State
    """The next state."""
    effect: Effect | None = None
    """Does the work with the detail of the input.  Without an effect only the state changes."""


def _table(
    *rows: tuple[tuple[State, ...], tuple[Input, ...], State | None, Effect | None],
) -> dict[tuple[State, Input], Transition]:
    """Return a table of rows: states, inputs, the next state or None for the same one, the effect."""
    return {
        (state, given): Transition(following or state, effect)
        for states, inputs, following, effect in rows
        for state in states
        for given in inputs
    }


def _fails(reason: str) -> Effect:
    return partial(_ProgramSession._fail, reason=reason)


def _stops(reason: str, message: str = "") -> Effect:
    return partial(_ProgramSession._fail_and_stop, reason=reason, message=message)


# fmt: off
NEW, STARTING, RESTARTING = (State.NEW,), (State.STARTING,), (State.RESTARTING,)
READY, ASKED, LATE, DEAD, CLOSED = (State.READY,), (State.ASKED,), (State.LATE,), (State.DEAD,), (State.CLOSED,)
NO_HELLO = (Input.CLOCK, Input.EXIT, Input.INPUT_FULL, Input.ENDLESS_LINE, Input.UNREADABLE, Input.NO_START)
HUNG = "it was stuck: what it was asked in an earlier game it never answered"
EXITED = "the program had ended between two games"
_Session = _ProgramSession

TRANSITIONS = _table(
    (NEW,                  (Input.START,),                       State.STARTING, _Session._start),
    (STARTING,             (Input.HELLO,),                       State.READY,    _Session._greet),
    (STARTING,             NO_HELLO,                             State.DEAD,     _Session._refuse_start),

    (READY,                (Input.NEXT_GAME,),                   None,           _Session._begin_game),
    (READY,                (Input.EXIT_BETWEEN_GAMES,),          State.DEAD,     _stops("disconnected", EXITED)),
    (LATE,                 (Input.NEXT_GAME,),                   None,           _Session._wait_for_old_answer),
    (LATE,                 (Input.OLD_ANSWER,),                  State.READY,    None),
    (LATE,                 (Input.OTHER_MESSAGE,),               None,           None),
    (LATE,                 (Input.UNREADABLE,),                  None,           None),
    (LATE,                 (Input.CLOCK,),                       State.DEAD,     _stops("late", HUNG)),

    (READY + LATE,         (Input.JOIN_GAME,),                   None,           None),
    (READY + LATE,         (Input.SEND,),                        None,           _Session._send),
    (READY,                (Input.NOTICE,),                      State.ASKED,    _Session._acknowledge),
    (LATE,                 (Input.NOTICE,),                      None,           _Session._send_notice),
    (READY + LATE,         (Input.ASK,),                         State.ASKED,    _Session._ask),
    (ASKED,                (Input.ANSWER,),                      State.READY,    None),
    (ASKED,                (Input.ACKNOWLEDGEMENT,),             State.READY,    None),
    (ASKED,                (Input.FAILURE,),                     State.READY,    _Session._raise),
    (ASKED,                (Input.UNREADABLE,),                  State.READY,    _fails("unreadable")),
    (ASKED,                (Input.CLOCK,),                       State.LATE,     _fails("late")),

    (READY + ASKED + LATE, (Input.EXIT, Input.EARLIER_EXIT),     State.DEAD,     _stops("disconnected")),
    (READY + ASKED + LATE, (Input.TOO_MANY, Input.ENDLESS_LINE), State.DEAD,     _stops("unreadable")),
    (READY + ASKED + LATE, (Input.INPUT_FULL, Input.STOP),       State.DEAD,     _stops("late")),
    (DEAD,                 (Input.NEXT_GAME, Input.JOIN_GAME),   None,           _Session._refuse_game),
    (DEAD,                 (Input.SEND, Input.NOTICE, Input.ASK), None,          _Session._repeat_failure),
    (DEAD,                 (Input.STOP,),                        None,           None),

    (READY + ASKED,        (Input.CLOSE,),                       State.CLOSED,   _Session._close),
    (STARTING + LATE,      (Input.CLOSE,),                       State.CLOSED,   _Session._kill),
    (DEAD,                 (Input.CLOSE,),                       State.CLOSED,   None),
    (CLOSED,               tuple(Input),                         None,           _Session._repeat_failure),
    (CLOSED,               (Input.STOP, Input.CLOSE),            None,           None),
)
"""For each state and input, the next state and the effect.  A later row overrides an earlier one."""

RESTARTS = _table(
    (DEAD,                 (Input.NEXT_GAME,),                   State.RESTARTING, _Session._restart),
    (READY,                (Input.EXIT_BETWEEN_GAMES,),          State.RESTARTING, _Session._restart),
    (READY + ASKED + LATE, (Input.EARLIER_EXIT,),                State.RESTARTING, _Session._restart),
    (RESTARTING,           (Input.HELLO,),                       State.READY,      _Session._resume),
    (RESTARTING,           NO_HELLO,                             State.DEAD,       _Session._fail_restart),
    (RESTARTING,           (Input.CLOSE,),                       State.CLOSED,     _Session._kill),
)
"""The rows that differ where a program that exited gets a new process."""
# fmt: on

LAST_RESTART = {key: row for key, row in RESTARTS.items() if key[0] is State.RESTARTING}
"""The rows that differ during the last restart and after it."""


class ProgramPlayer:
    """One of the players of a program.  Every failure is raised as PlayerFailed."""

    is_human: ClassVar[bool] = False

    def __init__(self, session: _ProgramSession, number: int = 0) -> None:
        self._session = session
        self._number = number
        self.name = session.hello.name_of(number)
        """The name that it reports, or None."""

    @property
    def wants_events(self) -> bool:
        return self._session.hello.events

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings in its hello, for its author."""
        return tuple(map(single_line, self._session.hello.warnings[:MOST_WARNINGS]))

    @property
    def program(self) -> ChildProcess:
        """The process that it runs in now."""
        return self._session.program

    @property
    def state(self) -> State:
        return self._session.state

    @property
    def exits(self) -> Sequence[str]:
        """The exit reasons of the former processes of the program."""
        return self._session.exits

    @property
    def orphans_killed(self) -> int:
        """The number of processes that had to be killed, over all stopped processes of the program."""
        return self._session.orphans_killed

    @property
    def ignored(self) -> int:
        """The number of messages that answered nothing."""
        return self._session.ignored

    @property
    def stopped_supervisor(self) -> bool:
        """True if the program stopped the supervisor of one of its stopped processes."""
        return self._session.stopped_supervisor

    def on_seated(self, assignment: SeatAssignment) -> None:
        self._session.on_seated(self._number, assignment)

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return self._session.handle(Input.ASK, (self._number, request, seconds))

    def on_notice(self, notice: Notice) -> None:
        if self._session.hello.acknowledges:
            self._session.handle(Input.NOTICE, (self._number, notice))
        else:
            self._session.handle(Input.SEND, self._session.talk.notice(notice, self._number))

    def on_event(self, event: Event) -> None:
        self._session.handle(Input.SEND, self._session.talk.event(event, self._number))

    def on_violation(self, violation: Violation) -> None:
        self._session.handle(Input.SEND, self._session.talk.refused(violation, self._number))

    def fail_and_stop(self, message: str) -> None:
        """Stop a program that was late, with all its processes."""
        with contextlib.suppress(PlayerFailed):
            self._session.handle(Input.STOP, message)

    def close(self) -> None:
        self._session.handle(Input.CLOSE)


def start_program(
    kind: AnyKind,
    command: Sequence[str],
    players: int = 1,
    isolation: Isolation = NO_ISOLATION,
    log_name: str = "stderr",
    title: str | None = None,
    files: PlayerFiles | None = None,
    fork: Fork | None = None,
) -> list[ProgramPlayer]:
    """Start a program, and return one player for each of its seats.

    Messages call it by its `title` if the user did not name the command.  In the sandbox it sees its
    `files`, by default those of its command.  With a `fork`, a preloaded parent may start it in place of its command.
    Raises UsageError if it cannot be started or does not introduce itself.
    """
    files = command_files(command) if files is None else files
    session = _ProgramSession(kind, command, players, isolation, log_name, title, files, fork)
    return [ProgramPlayer(session, number) for number in range(players)]


def split_command(command: str) -> list[str]:
    """Return the words of a command.

    A program runs in its own folder.  The paths of the program and of a script for an interpreter
    become absolute; all other words stay as they are.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"the command {command!r} cannot be read: {error}.") from None
    if not words:
        raise UsageError("cmd: needs a command behind it, e.g. cmd:./mine.")
    program, *arguments = words
    if "/" in program:
        # Not resolved: an interpreter in a virtual environment is a link that locates the environment.
        program = str(Path(program).absolute())
    if (index := _script(arguments)) is not None:
        arguments[index] = str(Path(arguments[index]).absolute())
    return [program, *arguments]


def command_files(command: Sequence[str]) -> PlayerFiles:
    """Return the files of a command: its program if it is given as a path, its script, and their folders."""
    program, *arguments = command
    index = _script(arguments)
    named = [program] * ("/" in program) + ([] if index is None else [arguments[index]])
    paths = tuple(Path(word).absolute() for word in named)
    return PlayerFiles(paths, tuple(dict.fromkeys(path.parent for path in paths)))


def _script(arguments: Sequence[str]) -> int | None:
    """Return the index of the script for an interpreter: the first argument without a dash, if it is a file."""
    index = next((index for index, word in enumerate(arguments) if not word.startswith("-")), None)
    return index if index is not None and Path(arguments[index]).is_file() else None
