"""The bad players.  Each does one thing wrong, at a moment of its choosing, and is decent otherwise.

=====================  ==================================================================================
``Cheat``, ``CHEATS``  Evolution players in our own process that fail in a method of one's choice
``cheat_program``      the module next to this one: bad players as a program, and as deeds on any wire;
                       its ``KINDS`` are their names, ``verdict_on_wire(kind, game)`` is what is right
                       for a program, ``verdict_on_line(kind, game, line)`` for a connection
``EvolutionCheat``     and ``PorrinhaCheat``: bad Python players, by kind; ``PYTHON`` are their own kinds
                       (``ISOLATED`` only in a process of their own), and the kinds ``illegal …``,
                       ``fault …`` and ``never right`` of the program exist here too; see
                       ``verdict_in_python(kind, game)``
``Verdict``            which reasons of a forfeit are right (none: it stays in), and words of its message
=====================  ==================================================================================
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from tests import cheat_program
from tests.cheat_program import AFTER, DECLARATIONS, FEEDINGS, NEVER_RIGHT, OURS, PROCESS, bad_answer, decent
from wateringhole import registry
from wateringhole.game import Notice, Outcome
from wateringhole.games.evolution import Declaration, DeclareCards, Feeding, FeedNext, FeedPlants, View
from wateringhole.games.evolution.bots.player import Player as EvolutionPlayer
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.player import Player as PorrinhaPlayer
from wateringhole.player import Place, PlayerLeft

__all__ = [
    "CHEATS",
    "HARMLESS",
    "ISOLATED",
    "LINES",
    "PYTHON",
    "Cheat",
    "EvolutionCheat",
    "PorrinhaCheat",
    "Verdict",
    "verdict_in_python",
    "verdict_on_line",
    "verdict_on_wire",
]


class Cheat(Silly):
    """Misbehaves once in one of its methods, from its n-th call on."""

    def __init__(self, method: str, misbehave: Callable[[], Any], after: int = 0) -> None:
        self._method = method
        self._misbehave = misbehave
        self._left = after

    def _now(self, method: str) -> bool:
        if method != self._method:
            return False
        self._left -= 1
        return self._left < 0

    def start(self, view: View) -> None:
        if self._now("start"):
            self._misbehave()

    def choose(self, request: DeclareCards) -> Declaration:
        return self._misbehave() if self._now("choose") else super().choose(request)

    def feed_next(self, request: FeedNext) -> Feeding:
        return self._misbehave() if self._now("feed_next") else super().feed_next(request)

    def game_over(self, outcome: Outcome) -> None:
        if self._now("game_over"):
            self._misbehave()


def _raise(error: BaseException) -> Callable[[], Any]:
    def misbehave() -> Any:
        raise error

    return misbehave


def _leave_the_program() -> Any:
    sys.exit(3)


def _recurse() -> Any:
    return _recurse()


CHEATS: dict[str, tuple[Callable[[], Any], str, str]] = {
    # name: what it does instead of answering, the reason of the forfeit, a part of the message
    "crashing": (_raise(RuntimeError("out of ideas")), "exception", "RuntimeError in cheats.py line"),
    "exiting": (_leave_the_program, "exception", "SystemExit"),
    "recursing": (_recurse, "exception", "RecursionError"),
    "leaving": (_raise(PlayerLeft("had to go")), "left", "had to go"),
    "answering nothing": (lambda: None, "illegal", "None is not a"),
    "answering a string": (lambda: "0", "illegal", "'0' is not a"),
    "answering a number": (lambda: 7, "illegal", "7 is not a"),
    "answering a list": (lambda: [0, [], [], [], []], "illegal", "is not a"),
    "answering a class": (lambda: Declaration, "illegal", "is not a"),
    "answering another question": (lambda: FeedPlants("a"), "illegal", ""),  # type: ignore[arg-type]
}


# The catalogue for every transport.


class Verdict(NamedTuple):
    """What the referee makes of a bad player."""

    reasons: frozenset[str]
    """The reasons of the forfeit that are right; none: the player stays in the game."""
    words: str = ""
    """A part of what is said about it."""
    is_fault: bool = False
    """It stays in, and its bad answer is told."""


HARMLESS = Verdict(frozenset())
FAULT = Verdict(frozenset(), is_fault=True)
LATE = Verdict(frozenset({"late"}), "no answer came within ")
UNREADABLE = Verdict(frozenset({"unreadable"}))
GONE = Verdict(frozenset({"disconnected"}), "the program")
CRASHED = Verdict(frozenset({"exception"}))
ILLEGAL = frozenset({"illegal", "unreadable"})

_ON_WIRES = {
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
    "exiting": GONE._replace(words="the program ended with status 3; its last words: I have had enough"),
    "allocating": Verdict(frozenset({"disconnected", "late"})),
    "giving up": Verdict(frozenset({"left"}), "had to go"),
    "a large number": Verdict(ILLEGAL, "99999999999999999999"),
    "a gigabyte": UNREADABLE._replace(words="a line of more than 1048576 bytes"),
    "a flood": UNREADABLE._replace(words="messages that answer nothing"),
}
_READABLE = ("a large number", "a string", "an object", "null")
"""Whatever can be read is an answer in Porrinha, if a bad one."""


def verdict_on_wire(kind: str, game: str) -> Verdict | None:
    """What becomes of `cheat_program` of a kind; None: the misdeed does not exist in that game."""
    if kind == NEVER_RIGHT:
        return HARMLESS if game == "porrinha" else None
    sort, _, name = kind.partition(" ")
    if sort == "illegal":
        words = {**DECLARATIONS, **FEEDINGS}[name][1]
        return Verdict(ILLEGAL, words) if game == "evolution" else None
    if sort == "fault":
        return FAULT if game == "porrinha" else None
    if kind in _READABLE and game == "porrinha":
        return FAULT
    return _ON_WIRES.get(kind, UNREADABLE)


LINES = ("TCP", "WebSocket", "course")
"""Ways to come from somewhere else: our protocol over two transports, and the course's."""
_LATE_ON_LINE = LATE._replace(words="within the referee's patience of")
_GONE_ON_LINE = GONE._replace(words="the connection has ended")
_ON_LINES = {
    **{kind: _LATE_ON_LINE for kind, verdict in _ON_WIRES.items() if verdict == LATE},
    "closing": _GONE_ON_LINE,
    "closing mid-answer": _GONE_ON_LINE,
}
_ON_COURSE_LINES = {
    **_ON_LINES,
    "closing mid-answer": _GONE_ON_LINE._replace(words="in the middle of a value; the answer to"),
    "half a JSON value": _LATE_ON_LINE,
    "a gigabyte": UNREADABLE._replace(words='no value begins with "x"'),
    "deep nesting": UNREADABLE._replace(words="nested more than 32 deep"),
    "a huge number": UNREADABLE._replace(words="more than 65536 bytes"),
    "no message": Verdict(ILLEGAL),
}


def verdict_on_line(kind: str, game: str, line: str) -> Verdict | None:
    """What becomes of a bad player that is connected; None: the misdeed does not exist there."""
    if kind in PROCESS or (line == "course" and (game != "evolution" or kind in OURS)):
        return None
    if line == "WebSocket" and kind == "a gigabyte":
        return UNREADABLE._replace(words="its WebSocket broke off")
    return (_ON_COURSE_LINES if line == "course" else _ON_LINES).get(kind) or verdict_on_wire(kind, game)


# The same as Python players.


class _Culprit:
    """Plays decently, and from its third question that allows it on commits its misdeed."""

    game: ClassVar[str]

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._asked = 0

    def take_seat(self, place: Place) -> None:
        if self._kind == "crashing when seated":
            raise RuntimeError("out of ideas")

    def notice(self, notice: Notice) -> None:
        if self._kind == "crashing when told":
            raise RuntimeError("out of ideas")

    def answer(self, request: Any, seconds: float | None = None) -> Any:
        game = registry.game_kind(self.game)
        asked = game.codec.request_to_json(request)
        message = {**asked, "request": asked["kind"], "id": 0}
        self._asked += 1
        value = decent(message)
        if self._asked > AFTER:
            if self._kind in PYTHON:
                misdeed = PYTHON[self._kind][0]()
                if misdeed is not HARMLESS:
                    return misdeed
            elif said := bad_answer(self._kind, message):
                value = said.value
        try:
            return game.codec.answer_from_json(request, value)
        except ValueError:
            return value


class EvolutionCheat(_Culprit, EvolutionPlayer):
    game = "evolution"


class PorrinhaCheat(_Culprit, PorrinhaPlayer):
    game = "porrinha"


class _Unspeakable:
    """Whoever looks at it fails."""

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
    assert sys.stdin.read() == "", "somebody's input was read"
    return HARMLESS


def _fork() -> Any:
    cheat_program.fork()
    return HARMLESS


def _peek() -> Any:
    """Look for the table itself, on which everybody's cards lie."""
    tables = [thing for thing in gc.get_objects() if type(thing).__name__ in ("Dealer", "Table", "Core", "Match")]
    assert not tables, f"found {tables[0]!r}"
    return HARMLESS


def _sleep() -> Any:
    time.sleep(1.0)  # nobody at home waits so long
    return HARMLESS


PYTHON: dict[str, tuple[Callable[[], Any], Verdict]] = {
    # kind: what it does instead of answering (HARMLESS: it answers decently then), what becomes of it
    "crashing": (_raise(RuntimeError("out of ideas")), CRASHED._replace(words="RuntimeError in cheats.py line")),
    "crashing when seated": (lambda: HARMLESS, CRASHED._replace(words="out of ideas")),
    "crashing when told": (lambda: HARMLESS, CRASHED._replace(words="out of ideas")),
    "exiting": (_leave_the_program, CRASHED._replace(words="SystemExit")),
    "recursing": (_recurse, CRASHED._replace(words="RecursionError")),
    "leaving": (_raise(PlayerLeft("had to go")), Verdict(frozenset({"left"}), "had to go")),
    "a wrong type": (object, Verdict(frozenset({"illegal"}))),
    "something unspeakable": (_Unspeakable, Verdict(frozenset({"illegal", "exception"}))),
    "late": (_sleep, Verdict(frozenset({"late"}))),
}
"""Misdeeds that even a player in our own process may commit."""

ISOLATED: dict[str, tuple[Callable[[], Any], Verdict]] = {
    "looping": (_loop, LATE),
    "allocating": (_allocate, Verdict(frozenset({"exception"}), "MemoryError")),
    "dying": (os.abort, GONE._replace(words="SIGABRT")),
    "closing everything": (_close_everything, Verdict(frozenset({"disconnected"}))),
    "interrupting": (_raise(KeyboardInterrupt()), GONE),
    "printing": (_print, HARMLESS),
    "reading": (_read, HARMLESS),
    "forking": (_fork, HARMLESS),
    "peeking": (_peek, HARMLESS),
}
"""Those of players in processes of their own; the same would end us, or be no misdeed."""
PYTHON |= ISOLATED


def verdict_in_python(kind: str, game: str) -> Verdict | None:
    """What becomes of `EvolutionCheat` or `PorrinhaCheat` of a kind; None: it does not exist in that game."""
    if kind in PYTHON:
        return PYTHON[kind][1]
    if kind == NEVER_RIGHT:
        return verdict_on_wire(kind, game)
    sort, _, name = kind.partition(" ")
    if (sort == "illegal") != (game == "evolution"):
        return None
    if sort == "fault":
        return FAULT
    words = {**DECLARATIONS, **FEEDINGS}[name][1]
    # What is no answer of the game at all is judged by its type at home, and by its shape on a wire.
    by_shape = any(part in words for part in ("is not", "is no ", "whole number", "no player"))
    return Verdict(frozenset({"illegal"}), "" if by_shape else words)
