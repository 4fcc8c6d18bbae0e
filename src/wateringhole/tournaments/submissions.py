"""Checks of a whole folder of players, each in its own process, several at a time.

=========================  ==============================================================
`ada.py`                   a Python player: the class `Mine`, or else the only class
`bea`, executable          a program
`cai/`                     the player in `cai/player.py`, `cai/cai.py` or the only Python file,
                           or else the program `cai/player`, `cai/cai` or the only executable file
=========================  ==============================================================

Hidden files and `__pycache__` are no submissions, and neither is any other file.
"""

from __future__ import annotations

import ast
import multiprocessing
import os
import re
import shlex
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing import connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from wateringhole.errors import OperationError, Terminated, UsageError, WateringHoleError
from wateringhole.formatting import single_line
from wateringhole.tournaments.check import CheckReport, Finding

__all__ = ["Check", "CheckedSubmission", "Submission", "check_submissions", "find_submissions"]

STOP_SECONDS = 3.0
"""The time that a stopped check gets to close its player."""
MAIN_CLASS = "Mine"
"""The class of a Python player, as the templates write it."""
MOST_SOURCE_BYTES = 1 << 20
"""The longest Python file that is searched for its class.  Parsing takes hundreds of times as much memory."""


class Check(Protocol):
    """Checks one player.  It must be picklable."""

    def __call__(self, spec: str, *, hidden: Sequence[Path] = ()) -> CheckReport:
        """Return the report on a player, which does not see `hidden` files in a sandbox."""
        ...


class Submission(msgspec.Struct, frozen=True):
    """A player in a folder."""

    name: str
    """Its name, from its file or folder."""
    path: Path
    spec: str | None
    """The player as on the command line, or None if there is none."""
    problem: str = ""
    """The reason why there is none."""


class CheckedSubmission(msgspec.Struct, frozen=True):
    """A submission and the result of its check."""

    submission: Submission
    report: CheckReport
    seconds: float
    """The duration of the check."""

    @property
    def first_problem(self) -> str:
        return next((finding.message for finding in self.report.findings if finding.is_problem), "")

    @property
    def warnings(self) -> list[Finding]:
        return [finding for finding in self.report.findings if not finding.is_problem]


# Finding submissions


def find_submissions(folder: Path) -> tuple[list[Submission], list[str]]:
    """Return the submissions in a folder by name, and the names of files that are none.

    Raises OperationError for a folder that cannot be read, and UsageError if there is no submission in it.
    """
    try:
        paths = sorted(path for path in folder.iterdir() if not path.name.startswith((".", "__")))
    except OSError as error:
        raise OperationError(f"{folder} cannot be read: {error.strerror}.") from None
    found = [path for path in paths if path.is_dir() or _is_python(path) or _is_program(path)]
    if not found:
        raise UsageError(
            f"there is no player in {folder}. Expected Python files, executable files, or folders with one of them."
        )
    stems = [path.stem if _is_python(path) else path.name for path in found]
    names = [stem if stems.count(stem) == 1 else path.name for stem, path in zip(stems, found, strict=True)]
    return [_submission(name, path) for name, path in zip(names, found, strict=True)], [
        path.name for path in paths if path not in found
    ]


def _submission(name: str, path: Path) -> Submission:
    player = _player_in(path) if path.is_dir() else path
    problem = _problem(name, path, player)
    if problem or player is None:
        return Submission(single_line(name), path, None, problem)
    if _is_python(player):
        return Submission(name, path, f"{name}={player}:{_class_in(player)}")
    # Without a slash, the system would search for the program in its own folders.
    command = str(player) if "/" in str(player) else f"./{player}"
    return Submission(name, path, f"{name}=cmd:{shlex.quote(command)}")


def _problem(name: str, path: Path, player: Path | None) -> str:
    """Return the reason why a file or folder with this player is no submission, or an empty text."""
    # A line break in any of the names would add a line to a list of players.
    shown = name + (player.name if player else "")
    if not re.fullmatch(r"[^\s@#=?:\\][^=?:\\]*", name) or not shown.isprintable():
        return "Its name has a character that the name of a player may not have: rename it."
    if player is None:
        return f"The folder has no player.py, no {name}.py and no executable file named player or {name}."
    if path.is_dir() and _is_python(player) and (program := _named_program(path)):
        return f"The folder has two players, {player.name} and the executable file {program.name}. Remove one of them."
    own = path.resolve() if path.is_dir() else path.parent.resolve() / path.name
    if not player.resolve().is_relative_to(own):
        return f"Its file {player.name} is a link to somewhere else: copy the file."
    return ""


def _player_in(folder: Path) -> Path | None:
    """Return the file of the player in its folder, or None if it has none."""
    try:
        files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError:
        return None
    for is_player, names in (
        (_is_python, ("player.py", f"{folder.name}.py")),
        (_is_program, ("player", folder.name)),
    ):
        players = [path for path in files if is_player(path)]
        named = [path for name in names for path in players if path.name == name]
        if named or len(players) == 1:
            return (named or players)[0]
    return None


def _named_program(folder: Path) -> Path | None:
    """Return the executable file in a folder that is named as a player, or None if there is none."""
    return next((path for path in (folder / "player", folder / folder.name) if _is_program(path)), None)


def _is_python(path: Path) -> bool:
    return path.suffix == ".py" and path.is_file()


def _is_program(path: Path) -> bool:
    return path.suffix != ".py" and path.is_file() and os.access(path, os.X_OK)


def _class_in(path: Path) -> str:
    """Return the name of the player's class.  No code of the file runs."""
    try:
        nodes = ast.parse(path.read_bytes()).body if path.stat().st_size <= MOST_SOURCE_BYTES else []
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return MAIN_CLASS  # the check reports why the file cannot be loaded
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    return classes[0] if len(classes) == 1 else MAIN_CLASS


# Checking them


class _Running(NamedTuple):
    """A check in its own process."""

    submission: Submission
    process: BaseProcess
    started: float


def check_submissions(
    game: str, submissions: Sequence[Submission], check: Check, workers: int, timeout: float
) -> Iterator[CheckedSubmission]:
    """Check submissions in parallel, each in its own process, and yield them as their checks end.

    Whatever a player does to the process that checks it, the other checks continue.  A check that takes
    longer than `timeout` seconds is stopped.
    """
    # Spawned, because a forked copy would share the state of this process and lack its threads.
    context = multiprocessing.get_context("spawn")
    waiting = deque(submissions)
    running: dict[connection.Connection, _Running] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                submission = waiting.popleft()
                if submission.spec is None:
                    yield _failed(game, submission, "startup", submission.problem)
                    continue
                ours, theirs = context.Pipe(duplex=False)
                others = [other.path for other in submissions if other is not submission]
                process = context.Process(target=_run, args=(theirs, check, submission.spec, others), daemon=True)
                process.start()
                theirs.close()
                running[ours] = _Running(submission, process, time.monotonic())
            for pipe in _next_ended(running, timeout):
                yield _result(game, pipe, running.pop(pipe), timeout)
    finally:
        _stop([each.process for each in running.values()])


def _next_ended(running: dict[connection.Connection, _Running], timeout: float) -> list[connection.Connection]:
    """Wait for the next checks that end or run out of time."""
    if not running:
        return []
    first = min(each.started for each in running.values()) + timeout
    ready = connection.wait(list(running), max(0.0, first - time.monotonic()))
    late = [pipe for pipe, each in running.items() if each.started + timeout <= time.monotonic()]
    return [pipe for pipe in running if pipe in ready or pipe in late]


def _result(game: str, pipe: connection.Connection, ended: _Running, timeout: float) -> CheckedSubmission:
    submission, process, started = ended
    seconds = time.monotonic() - started
    try:
        answer = pipe.recv_bytes() if pipe.poll() else None
    except (EOFError, OSError):
        answer = b""
    finally:
        pipe.close()
        _stop([process])
    if answer is None:
        return _failed(game, submission, "late", f"The check did not end within {timeout:g} s.", seconds)
    if not answer:
        return _failed(game, submission, "meddling", "It ended the process that checked it.", seconds)
    report = msgspec.json.decode(answer, type=CheckReport | str)
    if isinstance(report, str):
        return _failed(game, submission, "startup", report, seconds)
    return CheckedSubmission(submission, report, seconds)


def _stop(processes: Sequence[BaseProcess]) -> None:
    """Stop processes with their players.  They get a moment to close the players and to complete their logs."""
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + STOP_SECONDS
    for process in processes:
        process.join(max(0.0, deadline - time.monotonic()))
        process.kill()
        process.join()


def _failed(game: str, submission: Submission, kind: str, problem: str, seconds: float = 0.0) -> CheckedSubmission:
    report = CheckReport(
        game=game,
        player=submission.spec or str(submission.path),
        tables=[],
        startup_seconds=0.0,
        answers=0,
        median_seconds=0.0,
        worst_seconds=0.0,
        peak_memory_bytes=0,
        places=[],
        findings=[Finding(True, kind, problem)],
    )
    return CheckedSubmission(submission, report, seconds)


def _run(pipe: connection.Connection, check: Check, spec: str, hidden: Sequence[Path]) -> None:
    """Check one player in this process, and send the report, or a text if there is none."""
    # Ctrl-C reaches every process of a terminal; the parent stops this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _terminate)
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    result: CheckReport | str
    try:
        result = check(spec, hidden=hidden)
    except WateringHoleError as error:
        result = str(error)
    except Terminated:
        return
    # The parent stops this process as soon as it has the report.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pipe.send_bytes(msgspec.json.encode(result))


def _terminate(*_: object) -> None:
    # Any other exception would count as the player's.
    raise Terminated


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)
