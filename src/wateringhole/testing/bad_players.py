"""Badly behaved players in Python.  Each answers legally twice, and commits one misdeed from its third request on.

Derive a class from `BadPlayer` and from the class that players of the game derive from::

    class Bad(BadPlayer, Player): ...

    Bad("recursing")

====================  ===================================================================================
``PYTHON``            the kinds, each with its misdeed and its `Verdict`
``ISOLATED``          the kinds among them that need a player in its own process
``bad_program``       bad players as a program, and as deeds on any connection
``verdict_on_wire``   the verdict for a program of a kind
``Verdict``           the expected reasons of a forfeit (none if the player stays in), and a part of its message
====================  ===================================================================================
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn

from wateringhole.game import Notice, Request
from wateringhole.match.match import Match
from wateringhole.player import PlayerLeft, SeatAssignment
from wateringhole.testing import bad_program
from wateringhole.testing.bad_program import AFTER

__all__ = [
    "CRASHED",
    "DISCONNECTED",
    "HARMLESS",
    "ILLEGAL",
    "ISOLATED",
    "LATE",
    "ON_WIRES",
    "PYTHON",
    "UNREADABLE",
    "BadPlayer",
    "Verdict",
    "exit_program",
    "raising",
    "recurse",
    "verdict_on_wire",
]


class Verdict(NamedTuple):
    """The expected decision of the referee about a bad player."""

    reasons: frozenset[str]
    """The possible reasons of the forfeit; empty if the player stays in the game."""
    message: str = ""
    """A part of the message."""
    is_incident: bool = False
    """True if it stays in, and its bad answer is reported."""


HARMLESS = Verdict(frozenset())
LATE = Verdict(frozenset({"late"}), "no answer came within ")
UNREADABLE = Verdict(frozenset({"unreadable"}))
DISCONNECTED = Verdict(frozenset({"disconnected"}), "the program")
CRASHED = Verdict(frozenset({"exception"}))
ILLEGAL = frozenset({"illegal", "unreadable"})

ON_WIRES = {
    "silent": LATE,
    "late": LATE,
    "one byte a second": LATE,
    "repeating": LATE,
    "another seat": LATE,
    "half an answer": LATE,
    "deaf": LATE,
    "answering twice": HARMLESS,
    "forking": HARMLESS,
    "closing": DISCONNECTED,
    "closing mid-answer": DISCONNECTED._replace(message="in the middle of a line"),
    "aborting": DISCONNECTED._replace(message="SIGABRT"),
    "exiting": DISCONNECTED._replace(
        message="the program ended with status 3; last line on standard error: I have had enough"
    ),
    "allocating": Verdict(frozenset({"disconnected", "late"})),
    "giving up": Verdict(frozenset({"left"}), "had to go"),
    "a large number": Verdict(ILLEGAL, "99999999999999999999"),
    "a gigabyte": UNREADABLE._replace(message="a line of more than 1048576 bytes"),
    "a flood": UNREADABLE._replace(message="messages that answer nothing"),
}
"""Verdicts by kind.  All other kinds of `bad_program` are unreadable."""


def verdict_on_wire(kind: str) -> Verdict:
    """Return the verdict for a `bad_program` of a kind, in a game where no such answer is legal."""
    return ON_WIRES.get(kind, UNREADABLE)


class BadPlayer:
    """A player that answers legally twice, and commits its misdeed from its third request on."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._asked = 0

    def on_seated(self, assignment: SeatAssignment) -> None:
        if self._kind == "crashing when seated":
            raise RuntimeError("out of ideas")

    def on_notice(self, notice: Notice) -> None:
        if self._kind == "crashing on a notice":
            raise RuntimeError("out of ideas")

    def answer(self, request: Request[Any], seconds: float | None = None) -> Any:
        self._asked += 1
        given = self.misbehave(request) if self._asked > AFTER else HARMLESS
        return self.decent(request) if given is HARMLESS else given

    def decent(self, request: Any) -> Any:
        """Return a legal answer: the first listed option, or the default answer."""
        options = getattr(request, "options", None)
        return options[0] if options else request.default_answer()

    def misbehave(self, request: Any) -> Any:
        """Commit the misdeed.  Return its answer, or HARMLESS for a legal answer."""
        return PYTHON[self._kind][0]() if self._kind in PYTHON else HARMLESS


def raising(error: BaseException) -> Callable[[], NoReturn]:
    """Return a function that raises an error."""

    def misbehave() -> NoReturn:
        raise error

    return misbehave


def exit_program() -> NoReturn:
    sys.exit(3)


def recurse() -> Any:
    return recurse()


class _Unspeakable:
    """An object that raises when it is examined."""

    def __repr__(self) -> str:
        raise RuntimeError("look away")

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise RuntimeError("look away")


def _loop() -> Any:
    while True:
        pass


def _allocate() -> Any:
    hoard = []
    while True:
        hoard.append(bytearray(16 << 20))


def _close_everything() -> Any:
    os.closerange(0, 100)
    return HARMLESS


def _print() -> Any:
    print('{"type":"answer","id":1,"answer":0}')
    os.write(1, b"hm, let me see ...\n")
    return HARMLESS


def _read() -> Any:
    assert sys.stdin.read() == "", "the input of another process was read"
    return HARMLESS


def _fork() -> Any:
    bad_program.fork()
    return HARMLESS


def _peek() -> Any:
    """Look for the match and its game, which hold the cards of all players."""
    found = [type(each) for each in gc.get_objects() if issubclass(type(each), Match) or _is_game(type(each))]
    assert not found, f"found {found[0]}"
    return HARMLESS


def _is_game(kind: type) -> bool:
    return all(hasattr(kind, name) for name in ("advance", "opening", "requests", "upcoming"))


def _sleep() -> Any:
    time.sleep(1.0)  # longer than the time limits of tests for players in this process
    return HARMLESS


PYTHON: dict[str, tuple[Callable[[], Any], Verdict]] = {
    # kind: a function in place of the answer (after HARMLESS it answers legally), and its verdict
    "crashing": (raising(RuntimeError("out of ideas")), CRASHED._replace(message="RuntimeError in ")),
    "crashing when seated": (lambda: HARMLESS, CRASHED._replace(message="out of ideas")),
    "crashing on a notice": (lambda: HARMLESS, CRASHED._replace(message="out of ideas")),
    "exiting": (exit_program, CRASHED._replace(message="SystemExit")),
    "recursing": (recurse, CRASHED._replace(message="RecursionError")),
    "leaving": (raising(PlayerLeft("had to go")), Verdict(frozenset({"left"}), "had to go")),
    "a wrong type": (object, Verdict(frozenset({"illegal"}))),
    "something unspeakable": (_Unspeakable, Verdict(frozenset({"illegal", "exception"}))),
    "late": (_sleep, Verdict(frozenset({"late"}))),
}
"""Misdeeds that are safe even in the process of the referee."""

ISOLATED: dict[str, tuple[Callable[[], Any], Verdict]] = {
    "looping": (_loop, LATE),
    "allocating": (_allocate, Verdict(frozenset({"exception"}), "MemoryError")),
    "aborting": (os.abort, DISCONNECTED._replace(message="SIGABRT")),
    "closing everything": (_close_everything, Verdict(frozenset({"disconnected"}))),
    "interrupting": (raising(KeyboardInterrupt()), CRASHED._replace(message="KeyboardInterrupt")),
    "printing": (_print, HARMLESS),
    "reading": (_read, HARMLESS),
    "forking": (_fork, HARMLESS),
    "peeking": (_peek, HARMLESS),
}
"""Misdeeds of players in their own processes.  In the process of the referee they would stop it, or be legal."""
PYTHON |= ISOLATED
