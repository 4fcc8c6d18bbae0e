"""The promise every player keeps, whoever it is: a bot, a person, a program, a remote.

A driver puts a request to `answer` and a notice to `notice`; what comes back, or what goes
wrong there, is the referee's business.  Authors of bots do not meet this module: they derive
from the game's own `Player`, whose methods carry the rulebook's names.
"""

from __future__ import annotations

from typing import ClassVar, Protocol

from wateringhole.game import Answer, Event, Notice, Request

__all__ = ["InProcess", "Player", "PlayerLeft"]


class PlayerLeft(Exception):
    """Raised by a player that leaves the table of its own will."""


class Player(Protocol):
    """Whoever decides for a seat.  One object may live through a whole series of games."""

    sees_events: bool
    """Whether `see` is to be called; most bots know all they need from their requests."""

    def answer(self, request: Request) -> Answer: ...

    def notice(self, notice: Notice) -> None: ...

    def see(self, event: Event) -> None:
        """Something happened that this seat may see."""
        ...


class InProcess:
    """A player whose methods are called directly: each request knows the one it is for."""

    sees_events: ClassVar[bool] = False

    def answer(self, request: Request) -> Answer:
        return request.ask(self)

    def notice(self, notice: Notice) -> None:
        notice.tell(self)

    def see(self, event: Event) -> None:
        """Override, and set `sees_events`, to follow the game move by move."""
