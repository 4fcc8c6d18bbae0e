"""Badly behaved players in Python.  Each does one thing wrong from its third request on, and is decent otherwise.

Derive a class from `BadPlayer` and from the class that players of the game derive from::

    class Bad(BadPlayer, Player): ...

    Bad("recursing")

====================  ===================================================================================
``PYTHON``            the kinds, each with its misdeed and its `Verdict`
``ISOLATED``          those among them that only a player in a process of its own may commit
``bad_program``       bad players as a program, and as deeds on any connection
``verdict_on_wire``   what is right for a program of a kind
``Verdict``           which reasons of a forfeit are right (none if it stays in), and words of its message
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
    "GONE",
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
    """How the referee deals with a bad player."""

    reasons: frozenset[str]
    """The reasons of the forfeit that are right; empty if the player stays in the game."""
    words: str = ""
    """A part of the message."""
    is_incident: bool = False
    """Whether it stays in, and its bad answer is reported."""


HARMLESS = Verdict(frozenset())
LATE = Verdict(frozenset({"late"}), "no answer came within ")
UNREADABLE = Verdict(frozenset({"unreadable"}))
GONE = Verdict(frozenset({"disconnected"}), "the program")
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
    "closing": GONE,
    "closing mid-answer": GONE._replace(words="in the middle of a line"),
    "dying": GONE._replace(words="SIGABRT"),
    "exiting": GONE._replace(words="the program ended with status 3; last line on standard error: I have had enough"),
    "allocating": Verdict(frozenset({"disconnected", "late"})),
    "giving up": Verdict(frozenset({"left"}), "had to go"),
    "a large number": Verdict(ILLEGAL, "99999999999999999999"),
    "a gigabyte": UNREADABLE._replace(words="a line of more than 1048576 bytes"),
    "a flood": UNREADABLE._replace(words="messages that answer nothing"),
}
"""By kind; the others of `bad_program` are unreadable."""


def verdict_on_wire(kind: str) -> Verdict:
    """Return what is right for `bad_program` of a kind, in a game where no such answer is legal."""
    return ON_WIRES.get(kind, UNREADABLE)


class BadPlayer:
    """Plays decently, and commits its misdeed from its third request on."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._asked = 0

    def on_seated(self, assignment: SeatAssignment) -> None:
        if self._kind == "crashing when seated":
            raise RuntimeError("out of ideas")

    def on_notice(self, notice: Notice) -> None:
        if self._kind == "crashing when told":
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
        """Commit the misdeed.  Return the answer, or HARMLESS for a decent one."""
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
    # kind: what it does instead of answering (it answers decently after HARMLESS), and what is right for it
    "crashing": (raising(RuntimeError("out of ideas")), CRASHED._replace(words="RuntimeError in ")),
    "crashing when seated": (lambda: HARMLESS, CRASHED._replace(words="out of ideas")),
    "crashing when told": (lambda: HARMLESS, CRASHED._replace(words="out of ideas")),
    "exiting": (exit_program, CRASHED._replace(words="SystemExit")),
    "recursing": (recurse, CRASHED._replace(words="RecursionError")),
    "leaving": (raising(PlayerLeft("had to go")), Verdict(frozenset({"left"}), "had to go")),
    "a wrong type": (object, Verdict(frozenset({"illegal"}))),
    "something unspeakable": (_Unspeakable, Verdict(frozenset({"illegal", "exception"}))),
    "late": (_sleep, Verdict(frozenset({"late"}))),
}
"""Misdeeds that even a player in the process of the referee may commit."""

ISOLATED: dict[str, tuple[Callable[[], Any], Verdict]] = {
    "looping": (_loop, LATE),
    "allocating": (_allocate, Verdict(frozenset({"exception"}), "MemoryError")),
    "dying": (os.abort, GONE._replace(words="SIGABRT")),
    "closing everything": (_close_everything, Verdict(frozenset({"disconnected"}))),
    "interrupting": (raising(KeyboardInterrupt()), GONE),
    "printing": (_print, HARMLESS),
    "reading": (_read, HARMLESS),
    "forking": (_fork, HARMLESS),
    "peeking": (_peek, HARMLESS),
}
"""Misdeeds of players in processes of their own; elsewhere they would end the referee, or be none."""
PYTHON |= ISOLATED
