"""A table at which one game of a tournament is played.

It is a table like any other, which pages can watch.  Its players do not choose it: the tournament seats them, and
gets the game when it is over.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from wateringhole.errors import OperationError
from wateringhole.game import Answer, Event, Forfeit, Notice, Outcome, Request, Violation
from wateringhole.house.page_tables import PageTable
from wateringhole.house.people import Person
from wateringhole.house.plans import TournamentGame
from wateringhole.house.tables import ForwardingPlayer, SeatedPlayer
from wateringhole.match.loops import AsyncPlayer
from wateringhole.match.series import EventCounter, PlayedGame
from wateringhole.player import PlayerFailed, SeatAssignment
from wateringhole.tournaments.withdrawals import WITHDRAWN

__all__ = ["TournamentTable"]


class TournamentTable(PageTable):
    """A table of a tournament.  Call its methods from the event loop only."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._counter = EventCounter(self.kind)
        self._played: PlayedGame | None = None

    @property
    def game(self) -> TournamentGame:
        """The game of the tournament that is played here."""
        assert self.plan.tournament is not None, "a table of a tournament has one of its games"
        return self.plan.tournament

    @property
    def has_coach(self) -> bool:
        return False

    def _absent_players(self) -> dict[int, SeatedPlayer]:
        forfeits = {
            **{seat: Forfeit(WITHDRAWN, reason) for seat, reason in self.game.withdrawn.items()},
            **dict.fromkeys(self.game.deleted, Forfeit("left", "left the table")),
        }
        return {seat: SeatedPlayer(_AbsentPlayer(forfeit), False, False) for seat, forfeit in forfeits.items()}

    def forget_person(self, person: Person) -> None:
        """Let a deleted person leave the game, or play on if they are at the table."""
        seat = self.seat_of_person(person)
        super().forget_person(person)
        if seat is not None and not self.is_here(seat):
            self._leave(seat)

    def _wrapped(self, seat: int, player: AsyncPlayer) -> AsyncPlayer:
        watched = super()._wrapped(seat, player)
        return _PacedPlayer(watched, self.game.pace) if self.plan.seats[seat].kind == "bot" else watched

    def _observe(self, event: Event) -> None:
        self._counter(event)
        super()._observe(event)

    def save_result(self, outcome: Outcome) -> None:
        """Give the game to the tournament, which saves it with its other games."""
        assert self._match is not None, "a game that is over had a match"
        self._played = PlayedGame.from_match(
            self._match,
            self._counter,
            self.recorder,
            seed=self.plan.seed,
            entrants=tuple(range(len(self.names))),
            commitment=self.commitment,
        )

    @property
    def is_done(self) -> bool:
        """True if the game is over and all its players know, or if it was stopped."""
        return self._task is not None and self._task.done()

    async def result(self) -> PlayedGame:
        """Wait for the end of the game, and return it.  Raises OperationError if it was stopped."""
        assert self._task is not None, "the game has begun"
        await asyncio.wait([self._task])
        if self._played is None:
            raise OperationError(self._failure or "The house was stopped.")
        return self._played

    async def _disconnect_remotes(self, reason: str) -> None:
        """Keep the connections, because the programs play the next games of the tournament."""


class _PacedPlayer(ForwardingPlayer):
    """A bot that pauses before each answer: for the people who watch, and for the other tables of the house."""

    def __init__(self, player: AsyncPlayer, seconds: float) -> None:
        super().__init__(player)
        self._seconds = seconds

    @contextlib.asynccontextmanager
    async def turn(self, request: Request[Any]) -> AsyncIterator[None]:
        async with super().turn(request):
            await asyncio.sleep(self._seconds)
            yield


class _AbsentPlayer:
    """Stands in for a player who no longer plays in the tournament, and forfeits at once."""

    def __init__(self, forfeit: Forfeit) -> None:
        self._forfeit = forfeit

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def on_seated(self, assignment: SeatAssignment) -> None:
        raise PlayerFailed(self._forfeit)

    async def on_notice(self, notice: Notice) -> None: ...

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        raise PlayerFailed(self._forfeit)
