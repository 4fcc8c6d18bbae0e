"""The bots of the house, which take the empty seats at a table.

They are made for every game and closed after it.  If a bot is slow or fails while it is made, asked
or closed, only its own table waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from wateringhole.game import Answer, Event, Notice, Request, Violation
from wateringhole.match.loops import AsyncPlayer
from wateringhole.match.specs import PlayerSpec
from wateringhole.match.threads import PlayerThread, in_thread
from wateringhole.player import Player, PlayerContext, SeatAssignment
from wateringhole.process.player import ProgramPlayer

__all__ = ["BotGroup", "BotPool", "LocalPlayer"]

CLOSE_SECONDS = 2.0
"""How long to wait for a bot that is still busy before it is closed from another thread."""


@dataclass(frozen=True)
class LocalPlayer:
    """A player in this process that sits at a table."""

    label: str
    player: AsyncPlayer
    wants_events: bool
    is_human: bool


class BotPool:
    """The bots for empty seats, used in this order and then again from the first."""

    def __init__(self, bots: Sequence[PlayerSpec]) -> None:
        # The players of one program must sit at one table, so they are made together.  They have the
        # same spec.  A program that is listed twice is started twice, although once would do.
        self._groups = [[*group] for _, group in itertools.groupby(bots, lambda bot: bot.spec)]
        self._group_lock = threading.Lock()

    @contextlib.asynccontextmanager
    async def bots(self, seats: int, taken: int) -> AsyncIterator[list[LocalPlayer]]:
        """Provide the bots for a table at which some seats are taken."""
        missing = max(0, seats - taken)
        pending = _PendingBots()
        groups: list[BotGroup] = []
        try:
            if missing:
                await PlayerThread().call(self._make, pending, seats, missing)
            groups = _groups_of(pending.made)
            yield [bot for group in groups for bot in group.bots()][:missing]
        finally:
            # If the table gives up while the bots are made, there are no groups yet.
            await asyncio.gather(*(group.close() for group in groups or _groups_of(pending.stop())))

    def _make(self, pending: _PendingBots, seats: int, missing: int) -> None:
        # Some bots start a process or train first.
        with PlayerContext(seats):
            for group in itertools.cycle(self._groups):
                if pending.is_stopped or len(pending.made) >= missing:
                    return
                with self._group_lock if len(group) > 1 else contextlib.nullcontext():
                    for bot in group:
                        pending.add(bot, bot.make())


class _PendingBots:
    """The bots made so far, for a table that may stop waiting for them."""

    def __init__(self) -> None:
        self.made: list[tuple[PlayerSpec, Player]] = []
        self._lock = threading.Lock()
        self.is_stopped = False

    def add(self, bot: PlayerSpec, player: Player) -> None:
        with self._lock:
            if not self.is_stopped:
                self.made.append((bot, player))
                return
        player.close()

    def stop(self) -> list[tuple[PlayerSpec, Player]]:
        """Return the bots made so far, and close every later one at once."""
        with self._lock:
            self.is_stopped = True
            return self.made


class BotGroup:
    """One player, or all players of one program, which are asked one at a time and closed together."""

    def __init__(self, bot: PlayerSpec, player: Player) -> None:
        self._players = [(bot.name_of(player), player)]
        self._thread = None if bot.is_fast else PlayerThread()

    def shares_program(self, player: Player) -> bool:
        first = self._players[0][1]
        return (
            isinstance(player, ProgramPlayer) and isinstance(first, ProgramPlayer) and player.program is first.program
        )

    def add(self, bot: PlayerSpec, player: Player) -> None:
        self._players.append((bot.name_of(player), player))

    def bots(self) -> Iterator[LocalPlayer]:
        for label, player in self._players:
            async_player = in_thread(player, self._thread) if self._thread else _Direct(player)
            yield LocalPlayer(label, async_player, player.wants_events, player.is_human)

    async def close(self) -> None:
        if self._thread is None:
            self._close()
            return
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._thread.call(self._close)
        except TimeoutError:
            # The bot hangs.  Closing it from another thread also ends a program's process.
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await PlayerThread().call(self._close)
        finally:
            self._thread.end()

    def _close(self) -> None:
        for _, player in self._players:
            # The game is over, so an error no longer matters.
            with contextlib.suppress(Exception, SystemExit):
                player.close()


def _groups_of(made: Sequence[tuple[PlayerSpec, Player]]) -> list[BotGroup]:
    groups: list[BotGroup] = []
    for bot, player in made:
        if groups and groups[-1].shares_program(player):
            groups[-1].add(bot, player)
        else:
            groups.append(BotGroup(bot, player))
    return groups


class _Direct:
    """A player that is called directly in the event loop."""

    def __init__(self, player: Player) -> None:
        self._player = player

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._player.on_seated(assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return self._player.answer(request, seconds)

    async def on_notice(self, notice: Notice) -> None:
        self._player.on_notice(notice)

    async def on_event(self, event: Event) -> None:
        self._player.on_event(event)

    async def on_violation(self, violation: Violation) -> None:
        self._player.on_violation(violation)
