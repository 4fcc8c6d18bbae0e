"""The promise every player keeps, whoever it is: a bot, a person, a program, a remote.

A driver puts a request to `answer` and a notice to `notice`; what comes back, or what goes
wrong there, is the referee's business.  Authors of bots do not meet this module: they derive
from the game's own `Player`, whose methods carry the rulebook's names.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sysconfig
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from wateringhole import registry
from wateringhole.errors import Terminated
from wateringhole.formatting import single_line
from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Seat, Violation

__all__ = [
    "CodeLine",
    "IllegalAnswer",
    "InProcess",
    "Player",
    "PlayerFailed",
    "PlayerLeft",
    "SeatAssignment",
    "author_line",
    "blamed_line",
    "forfeit_for",
    "is_interruption",
    "player_seed",
    "players_of_this_run",
    "seating",
]

OURS = ("wateringhole.", "importlib", "_frozen_importlib")
"""How the names of modules begin that no author of a player has written: ours, and those by which we load a player.
The packages of installed games are others."""
LIBRARIES = ("<frozen ", *(sysconfig.get_path(place) + os.sep for place in ("stdlib", "purelib", "platlib")))
"""How the names of files begin whose code an author may have called: Python's, and those of installed packages."""


class PlayerLeft(Exception):
    """Raised by a player that leaves the table of its own will."""


class IllegalAnswer(Exception):
    """Raised by a player's own machinery for an answer that breaks a rule before it is whole.

    The text is the violation's for programs.
    """

    def __init__(self, violation: Violation, text: str) -> None:
        super().__init__(text)
        self.violation = violation


class PlayerFailed(Exception):
    """Raised by a player's own machinery when nothing can be got out of the player."""

    def __init__(self, forfeit: Forfeit) -> None:
        super().__init__(forfeit.message)
        self.forfeit = forfeit


class SeatAssignment(msgspec.Struct, frozen=True):
    """Where a player sits in a game that is about to begin, and with whom."""

    seat: Seat
    names: tuple[str, ...]
    """By seat."""
    rules: Any
    """The rules of this table, as the game defines them."""


class Player(Protocol):
    """Whoever decides for a seat.  One object may live through a whole series of games."""

    @property
    def wants_events(self) -> bool:
        """Whether `see` is to be called; most bots know all they need from their requests."""
        ...

    @property
    def is_human(self) -> bool:
        """Whether somebody thinks and types there, whom the referee does not hurry as it does programs."""
        ...

    def on_seated(self, assignment: SeatAssignment) -> None:
        """A game is about to begin."""
        ...

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        """Decide; the referee waits so long, or as long as it takes (None)."""
        ...

    def on_notice(self, notice: Notice) -> None: ...

    def on_event(self, event: Event) -> None:
        """Something happened that this seat may see."""
        ...

    def on_violation(self, violation: Violation) -> None:
        """The last answer was illegal and the referee grants another one."""
        ...

    def close(self) -> None:
        """No more games: let go of whatever is held, processes for instance."""
        ...


class InProcess:
    """A player whose methods are called directly: each request knows the one it is for."""

    wants_events: ClassVar[bool] = False
    is_human: ClassVar[bool] = False

    def on_seated(self, assignment: SeatAssignment) -> None:
        """Override to know one's seat, the names of all players and the rules from the start."""

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return request.ask(self)

    def on_notice(self, notice: Notice) -> None:
        notice.deliver(self)

    def on_event(self, event: Event) -> None:
        """Override, and set `wants_events`, to follow the game move by move."""

    def on_violation(self, violation: Violation) -> None:
        """Override to learn why an answer is asked for once more."""

    def close(self) -> None:
        """Override to clean up after the last game."""


def is_interruption(error: BaseException) -> bool:
    """Whether this was meant for the process in which a player plays, and is not for the player to answer for.

    Ctrl-C reaches the main thread only, and not where it is ignored; any other KeyboardInterrupt is a player's own.
    """
    if not isinstance(error, KeyboardInterrupt):
        return False
    is_main = threading.current_thread() is threading.main_thread()
    return isinstance(error, Terminated) or (is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN)


def forfeit_for(error: BaseException) -> Forfeit:
    """What a player raised, in one sentence with the place where it happened."""
    if isinstance(error, PlayerFailed):
        return error.forfeit
    if isinstance(error, IllegalAnswer):
        return Forfeit("illegal", single_line(str(error)))
    try:
        said = single_line(str(error))
    except Exception:  # an exception that cannot even be told
        said = ""
    if isinstance(error, PlayerLeft):
        return Forfeit("left", said or "left the table")
    # Where nobody else's code is on the way, it is one of our own players that has a bug.
    line = blamed_line(error) or next(iter(_way_back(error)), None)
    place = f" in {line.file.rpartition('/')[2]} line {line.number}" if line else ""
    return Forfeit("exception", single_line(f"{type(error).__name__}{place}: {said}".removesuffix(": ")))


class CodeLine(NamedTuple):
    """A line of code on the way to where something was raised."""

    module: str
    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.number}"


def author_line(error: BaseException) -> CodeLine | None:
    """The last line on the way to where this was raised that is an author's, neither ours nor a library's."""
    return next((line for line in _foreign(error) if not line.file.startswith(LIBRARIES)), None)


def blamed_line(error: BaseException) -> CodeLine | None:
    """The same, or else the last that is not ours: an author may have made a library of a player."""
    return author_line(error) or next(iter(_foreign(error)), None)


def _foreign(error: BaseException) -> list[CodeLine]:
    games = registry.packages()
    return [
        line
        for line in _way_back(error)
        if not line.module.startswith(OURS) and not any(f"{line.module}.".startswith(f"{game}.") for game in games)
    ]


def _way_back(error: BaseException) -> list[CodeLine]:
    """From where it was raised to where it was caught."""
    way = [
        CodeLine(str(frame.f_globals.get("__name__")), frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    return way[::-1]


# What is known before the first player is made: how many there will be, and a seed for each

_players: ContextVar[int | None] = ContextVar("players_of_this_run", default=None)


@contextmanager
def seating(players: int) -> Iterator[None]:
    """Make so many players in here, and each of their factories can know of the others."""
    token = _players.set(players)
    try:
        yield
    finally:
        _players.reset(token)


def players_of_this_run() -> int | None:
    """How many players there are to be; None where nobody said."""
    return _players.get()


def player_seed(seed: int, seat: int) -> int:
    """The seed of a player from that of its run and its seat in the first game."""
    return int.from_bytes(hashlib.sha256(f"{seed} {seat}".encode()).digest()[:6])
