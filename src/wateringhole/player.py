"""The interface of every player: a bot, a program, a human or a remote player.

A loop passes requests to `answer` and notices to `on_notice`; the referee judges the result.
Authors of bots do not need this module: they derive from the game's own `Player`, whose methods
have the rulebook's names.
"""

from __future__ import annotations

import hashlib
import os
import signal
import sysconfig
import threading
import traceback
from collections.abc import Sequence
from contextvars import ContextVar
from types import FunctionType
from typing import Any, ClassVar, NamedTuple, Protocol

import msgspec

from wateringhole import registry
from wateringhole.errors import PromptCancelled, Terminated
from wateringhole.formatting import printable_lines, short_repr, single_line
from wateringhole.game import Answer, Event, Forfeit, Notice, Request, Seat, Violation
from wateringhole.seeds import Seed

__all__ = [
    "CodeLine",
    "IllegalAnswer",
    "InProcess",
    "Player",
    "PlayerContext",
    "PlayerFailed",
    "PlayerLeft",
    "SeatAssignment",
    "author_line",
    "author_traceback",
    "blamed_line",
    "forfeit_for",
    "ignored_notices",
    "inherited_notices",
    "is_authors_module",
    "is_interruption",
    "player_seed",
]

NOT_AUTHORS = ("wateringhole.", "importlib", "_frozen_importlib")
"""Prefixes of the modules that no author of a player has written: this package, and Python's import system.
The packages of installed games come on top."""
RENAMED_HOOKS = {
    "see": "on_event",
    "notice": "on_notice",
    "refused": "on_violation",
    "take_seat": "on_seated",
    "sees_events": "wants_events",
    "is_person": "is_human",
}
"""Hooks of older versions, which players may no longer define, with their new names."""
LIBRARIES = ("<frozen ", *(sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib")))
"""Prefixes of the files whose code an author may have called: Python's, and those of installed packages."""


class PlayerLeft(Exception):
    """Raised by a player that leaves the game of its own accord."""


class IllegalAnswer(Exception):
    """Raised by the code around a player for an answer that breaks a rule before it is complete.

    The message is the violation's text for programs.
    """

    def __init__(self, violation: Violation, text: str) -> None:
        super().__init__(text)
        self.violation = violation


class PlayerFailed(Exception):
    """Raised by the code around a player that can give no answer."""

    def __init__(self, forfeit: Forfeit, traceback: str | None = None) -> None:
        super().__init__(forfeit.message)
        self.forfeit = forfeit
        self.traceback = traceback
        """The traceback that the player's process reports, or None."""


class SeatAssignment(msgspec.Struct, frozen=True):
    """A player's seat in a game that is about to begin, with the names and the rules."""

    seat: Seat
    names: tuple[str, ...]
    """By seat."""
    rules: Any
    """The rules of this game, of the type that its kind defines."""
    commitment: str | None = None
    """A digest of this deal and of all later ones of the series, or None (`docs/reference/records.md`)."""


class Player(Protocol):
    """The interface that decides for a seat.  One object may play a whole series of games."""

    @property
    def wants_events(self) -> bool:
        """Whether to call `on_event`.  Most bots learn all they need from their requests."""
        ...

    @property
    def is_human(self) -> bool:
        """Whether a human decides, who gets the referee's time limit for humans."""
        ...

    def on_seated(self, assignment: SeatAssignment) -> None:
        """Prepare for a game that is about to begin."""
        ...

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        """Return an answer within `seconds`, or without a time limit if it is None."""
        ...

    def on_notice(self, notice: Notice) -> None:
        """Take a message to this seat that needs no answer."""
        ...

    def on_event(self, event: Event) -> None:
        """Take an event, filtered for this seat."""
        ...

    def on_violation(self, violation: Violation) -> None:
        """Learn why the last answer was illegal; the referee repeats the request."""
        ...

    def close(self) -> None:
        """Release processes and other resources after the last game."""
        ...


class InProcess:
    """A player whose methods are called directly: each request calls the method of its own name."""

    wants_events: ClassVar[bool] = False
    is_human: ClassVar[bool] = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for old, new in RENAMED_HOOKS.items():
            if hasattr(cls, old):
                raise TypeError(f"{cls.__name__}.{old} is called {new} now; rename it")

    def on_seated(self, assignment: SeatAssignment) -> None:
        """Override to learn the seat, the names of all players and the rules before the game."""

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return request.ask(self)

    def on_notice(self, notice: Notice) -> None:
        notice.deliver(self)

    @property
    def ignored_notices(self) -> frozenset[type[Notice]]:
        """The types of notices that would only call methods which do nothing."""
        return frozenset()

    def on_event(self, event: Event) -> None:
        """Override and set `wants_events` to follow the game event by event."""

    def on_violation(self, violation: Violation) -> None:
        """Override to learn why an answer was illegal before the request is repeated."""

    def close(self) -> None:
        """Override to release resources after the last game."""


def inherited_notices(player: InProcess, base: type[InProcess], *notices: type[Notice]) -> frozenset[type[Notice]]:
    """Return the notices whose methods a player inherits unchanged from `base`."""
    if type(player).on_notice is not InProcess.on_notice:
        return frozenset()
    own = getattr(player, "__dict__", {})
    return frozenset(
        notice
        for notice in notices
        for method in [str(notice.method)]
        if method not in own and getattr(type(player), method) is getattr(base, method)
    )


def ignored_notices(players: Sequence[Any]) -> frozenset[type[Notice]]:
    """Return the types of notices that no player reads, so that the game need not make them."""
    # Looked up in the class first, because a player may pass unknown attributes on to another one.
    ignored: list[frozenset[type[Notice]]] = [
        player.ignored_notices if hasattr(type(player), "ignored_notices") else frozenset() for player in players
    ]
    return frozenset.intersection(*ignored) if ignored else frozenset()


def is_interruption(error: BaseException) -> bool:
    """Return whether an exception interrupts this process or a human's prompt, and is not the player's own.

    Ctrl-C reaches only the main thread, unless it is ignored.  A player raised any other KeyboardInterrupt.
    """
    if isinstance(error, PromptCancelled | Terminated):
        return True
    if not isinstance(error, KeyboardInterrupt):
        return False
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def forfeit_for(error: BaseException) -> Forfeit:
    """Return the forfeit for an exception that a player raised, with the line that raised it."""
    if isinstance(error, PlayerFailed):
        return error.forfeit
    if isinstance(error, IllegalAnswer):
        return Forfeit("illegal", single_line(str(error)))
    try:
        said = single_line(str(error))
    except BaseException as failure:  # an exception that has no text
        if is_interruption(failure):
            raise
        said = ""
    if isinstance(error, PlayerLeft):
        return Forfeit("left", said or "left the table")
    if _lacks_method(error):
        return Forfeit("exception", said)
    # Without an author's line, a built-in player has a bug.
    line = blamed_line(error) or next(iter(_traceback_lines(error)), None)
    place = f" in {line.file.rpartition('/')[2]} line {line.number}" if line else ""
    return Forfeit("exception", single_line(f"{type(error).__name__}{place}: {said}".removesuffix(": ")))


def _lacks_method(error: BaseException) -> bool:
    """Return whether a method of a game's `Player` states that the author must define it."""
    return isinstance(error, NotImplementedError) and bool(error.args) and blamed_line(error) is None


class CodeLine(NamedTuple):
    """A line of a traceback."""

    module: str
    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}, line {self.number}"


def author_line(error: BaseException) -> CodeLine | None:
    """Return the innermost line of an author: not of this package, and not of a library."""
    return next((line for line in _foreign(error) if not line.file.startswith(LIBRARIES)), None)


def blamed_line(error: BaseException) -> CodeLine | None:
    """Return the author's line, or else the innermost line that is not of this package.

    The author may have installed the player as a library.  A method that cannot be called has not run, so the line is
    that of its definition.
    """
    if line := author_line(error) or next(iter(_foreign(error)), None):
        return line
    method = _uncallable_method(error)
    return method and CodeLine(method.__module__, method.__code__.co_filename, method.__code__.co_firstlineno)


def _uncallable_method(error: BaseException) -> FunctionType | None:
    """Return the author's method whose call raised an exception, because it takes other arguments, or None."""
    said = error.args[0] if type(error) is TypeError and error.args else None
    player = _failed_player(error)
    if not isinstance(said, str) or player is None:
        return None
    methods = [each for cls in type(player).__mro__ for each in vars(cls).values() if isinstance(each, FunctionType)]
    return next(
        (each for each in methods if said.startswith(f"{each.__qualname__}() ") and is_authors_module(each.__module__)),
        None,
    )


def _failed_player(error: BaseException) -> InProcess | None:
    """Return the outermost player in the frames of an exception, or None."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        caller = frame.f_locals.get("self")
        for each in (frame.f_locals.get("player"), caller, getattr(caller, "__dict__", {}).get("player")):
            if issubclass(type(each), InProcess):
                return each
    return None


def _foreign(error: BaseException) -> list[CodeLine]:
    return [line for line in _traceback_lines(error) if is_authors_module(line.module)]


def author_traceback(error: BaseException) -> str:
    """Return the traceback of an exception without the lines of this package and of games, as printable lines.

    If there are no others, these lines stay for a built-in player, which has a bug.  An author gets the line of the
    method that cannot be called, or else no lines.  Many lines and long ones are cut.  It never raises, whatever the
    exception's own code does, except for Ctrl-C.
    """
    try:
        shown = traceback.TracebackException.from_exception(error)
        modules = _keep_author_lines(shown, error)
        has_lines = blamed_line(error) is not None or not (isinstance(error, SyntaxError) or _is_authors(error))
        text = "".join(shown.format() if has_lines else shown.format_exception_only())
    except BaseException as failure:
        if is_interruption(failure):
            raise
        text = f"{short_repr(error)}, whose traceback cannot be shown"
    else:
        # Authors do not know the names of the modules that their files are loaded as.
        for module in modules:
            if "/" in module:
                text = text.replace(f"{module}.", "")
    return printable_lines(text)


def _keep_author_lines(shown: traceback.TracebackException, error: BaseException) -> set[str]:
    """Remove the lines of this package from a traceback, its causes and its parts; return the modules of their types.

    A recursive player may have raised a chain of exceptions that is longer than the stack may be deep.
    """
    modules = set()
    unseen = [(shown, error)]
    while unseen:
        part, raised = unseen.pop()
        modules.add(str(type(raised).__module__))
        _keep_lines(part, raised)
        unseen += [
            (one, other)
            for one, other in (
                (part.__cause__, raised.__cause__),
                (part.__context__, raised.__context__),
                *zip(part.exceptions or (), getattr(raised, "exceptions", ()), strict=False),
            )
            if one is not None and other is not None
        ]
    return modules


def _keep_lines(shown: traceback.TracebackException, error: BaseException) -> None:
    modules = [str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)]
    lines = [line for line, module in zip(shown.stack, modules, strict=False) if is_authors_module(module)]
    if not lines and (method := _uncallable_method(error)):
        code = method.__code__
        lines = [traceback.FrameSummary(code.co_filename, code.co_firstlineno, method.__name__)]
    if lines:
        shown.stack = traceback.StackSummary.from_list(lines)


def _is_authors(error: BaseException) -> bool:
    """Return whether the player that failed is an author's."""
    player = _failed_player(error)
    return player is not None and is_authors_module(type(player).__module__)


def is_authors_module(module: str) -> bool:
    """Return whether a module may be an author's: not of this package, nor of an installed game."""
    games = registry.packages()
    return not module.startswith(NOT_AUTHORS) and not any(f"{module}.".startswith(f"{game}.") for game in games)


def _traceback_lines(error: BaseException) -> list[CodeLine]:
    """Return the lines of the traceback, innermost first."""
    lines = [
        CodeLine(str(frame.f_globals.get("__name__")), frame.f_code.co_filename, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
    ]
    return lines[::-1]


class PlayerContext:
    """What a player's factory can know of the run: inside the context, how many players there will be.

    >>> with PlayerContext(players=3):
    ...     PlayerContext.current_players()
    3
    """

    def __init__(self, players: int) -> None:
        self._players = players

    def __enter__(self) -> None:
        self._token = _players_of_this_run.set(self._players)

    def __exit__(self, *raised: object) -> None:
        _players_of_this_run.reset(self._token)

    @staticmethod
    def current_players() -> int | None:
        """Return how many players there will be, or None outside of a context."""
        return _players_of_this_run.get()


_players_of_this_run: ContextVar[int | None] = ContextVar("players_of_this_run", default=None)


def player_seed(seed: Seed, seat: int) -> int:
    """Return the seed of a player, from that of its series and its seat in the first game."""
    return int.from_bytes(hashlib.sha256(f"{seed} {seat}".encode()).digest()[:6])
