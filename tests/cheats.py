"""The bad players of the built-in games, in addition to those of `wateringhole.testing`.

=====================  ==================================================================================
``Cheat``, ``CHEATS``  Evolution players in this process that fail in a chosen method
``cheat_program``      the module next to this one: bad players as a program, and as deeds on any wire.
                       ``KINDS`` are their names.  ``verdict_on_wire(kind, game)`` returns the verdict
                       for a program, ``verdict_on_line(kind, game, line)`` for a connection
``EvolutionCheat``     and ``PorrinhaCheat``: bad Python players by kind: those of `bad_players`, and
                       ``illegal …``, ``fault …`` and ``never right`` of the program.  See
                       ``verdict_in_python(kind, game)``
=====================  ==================================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tests.cheat_program import DECLARATIONS, FEEDINGS, NEVER_RIGHT, bad_answer, decent
from wateringhole import registry
from wateringhole.game import Outcome
from wateringhole.games.evolution import Declaration, DeclareCards, Feeding, FeedNext, FeedPlants, View
from wateringhole.games.evolution.bots.player import Player as EvolutionPlayer
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.player import Player as PorrinhaPlayer
from wateringhole.player import PlayerLeft
from wateringhole.testing import bad_players
from wateringhole.testing.bad_players import (
    DISCONNECTED,
    HARMLESS,
    ILLEGAL,
    LATE,
    ON_WIRES,
    PYTHON,
    UNREADABLE,
    BadPlayer,
    Verdict,
    exit_program,
    raising,
    recurse,
)
from wateringhole.testing.bad_program import PROCESS, WITH_MESSAGES

__all__ = [
    "CHEATS",
    "LINES",
    "Cheat",
    "EvolutionCheat",
    "PorrinhaCheat",
    "verdict_in_python",
    "verdict_on_line",
    "verdict_on_wire",
]

INCIDENT = Verdict(frozenset(), is_incident=True)


class Cheat(Silly):
    """A player that misbehaves in one of its methods, from its n-th call on."""

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


CHEATS: dict[str, tuple[Callable[[], Any], str, str]] = {
    # name: a function in place of the answer, the reason of the forfeit, a part of the message
    "crashing": (raising(RuntimeError("out of ideas")), "exception", "RuntimeError in cheats.py line"),
    "exiting": (exit_program, "exception", "SystemExit"),
    "recursing": (recurse, "exception", "RecursionError"),
    "leaving": (raising(PlayerLeft("had to go")), "left", "had to go"),
    "answering nothing": (lambda: None, "illegal", "None is not a"),
    "answering a string": (lambda: "0", "illegal", "'0' is not a"),
    "answering a fraction": (lambda: 7.5, "illegal", "7.5 is not a"),
    "answering a list": (lambda: [0, [], [], []], "illegal", "is not a"),
    "answering a class": (lambda: Declaration, "illegal", "is not a"),
    "answering another request": (lambda: FeedPlants("a"), "illegal", ""),  # type: ignore[arg-type]
}


_READABLE = ("a large number", "a string", "an object", "null")
"""Kinds that are bad answers in Porrinha, where every readable value is an answer."""


def verdict_on_wire(kind: str, game: str) -> Verdict | None:
    """Return the verdict for a `cheat_program` of a kind, or None if that game has no such misdeed."""
    if kind == NEVER_RIGHT:
        return HARMLESS if game == "porrinha" else None
    sort, _, name = kind.partition(" ")
    if sort == "illegal":
        message = {**DECLARATIONS, **FEEDINGS}[name][1]
        return Verdict(ILLEGAL, message) if game == "evolution" else None
    if sort == "fault":
        return INCIDENT if game == "porrinha" else None
    if kind in _READABLE and game == "porrinha":
        return INCIDENT
    return bad_players.verdict_on_wire(kind)


LINES = ("TCP", "WebSocket", "course")
"""Connections to a host: the JSON protocol over two transports, and the course's protocol."""
_LATE_ON_LINE = LATE._replace(message="within the referee's patience of")
_DISCONNECTED_ON_LINE = DISCONNECTED._replace(message="the connection has ended")
_ON_LINES = {
    **{kind: _LATE_ON_LINE for kind, verdict in ON_WIRES.items() if verdict == LATE},
    "closing": _DISCONNECTED_ON_LINE,
    "closing mid-answer": _DISCONNECTED_ON_LINE,
}
_ON_COURSE_LINES = {
    **_ON_LINES,
    "closing mid-answer": _DISCONNECTED_ON_LINE._replace(message="in the middle of a value; the answer to"),
    "half a JSON value": _LATE_ON_LINE,
    "a gigabyte": UNREADABLE._replace(message='no value begins with "x"'),
    "deep nesting": UNREADABLE._replace(message="nested more than 32 deep"),
    "a huge number": UNREADABLE._replace(message="more than 65536 bytes"),
    "no message": Verdict(ILLEGAL),
}


def verdict_on_line(kind: str, game: str, line: str) -> Verdict | None:
    """Return the verdict for a bad remote player, or None if that connection has no such misdeed."""
    if kind in PROCESS or (line == "course" and (game != "evolution" or kind in WITH_MESSAGES)):
        return None
    if line == "WebSocket" and kind == "a gigabyte":
        return UNREADABLE._replace(message="its WebSocket broke off")
    return (_ON_COURSE_LINES if line == "course" else _ON_LINES).get(kind) or verdict_on_wire(kind, game)


# The same misdeeds in Python players


class _Culprit(BadPlayer):
    game: ClassVar[str]

    def decent(self, request: Any) -> Any:
        return self._read(request, decent(self._message(request)))

    def misbehave(self, request: Any) -> Any:
        if self._kind in PYTHON:
            return super().misbehave(request)
        given = bad_answer(self._kind, self._message(request))
        return HARMLESS if given is None else self._read(request, given.value)

    def _message(self, request: Any) -> dict[str, Any]:
        asked = registry.game_kind(self.game).codec.request_to_json(request)
        return {**asked, "request": asked["kind"], "id": 0}

    def _read(self, request: Any, value: Any) -> Any:
        try:
            return registry.game_kind(self.game).codec.answer_from_json(request, value)
        except ValueError:
            return value


class EvolutionCheat(_Culprit, EvolutionPlayer):
    game = "evolution"


class PorrinhaCheat(_Culprit, PorrinhaPlayer):
    game = "porrinha"


def verdict_in_python(kind: str, game: str) -> Verdict | None:
    """Return the verdict for an `EvolutionCheat` or `PorrinhaCheat`, or None if that game has no such kind."""
    if kind in PYTHON:
        return PYTHON[kind][1]
    if kind == NEVER_RIGHT:
        return verdict_on_wire(kind, game)
    sort, _, name = kind.partition(" ")
    if (sort == "illegal") != (game == "evolution"):
        return None
    if sort == "fault":
        return INCIDENT
    message = {**DECLARATIONS, **FEEDINGS}[name][1]
    # An object that is not an answer is rejected by its type in Python, and by its shape on a wire.
    by_shape = any(part in message for part in ("is not", "is no ", "whole number", "no player"))
    return Verdict(frozenset({"illegal"}), "" if by_shape else message)
