"""The bad players.  Each does one thing wrong, at a moment of its choosing, and is silly otherwise."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from wateringhole.evolution import Declaration, DeclareCards, Feeding, FeedNext, FeedPlants, View
from wateringhole.game import Outcome
from wateringhole.players.evolution.silly import Silly
from wateringhole.players.player import PlayerLeft

__all__ = ["CHEATS", "Cheat"]


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
