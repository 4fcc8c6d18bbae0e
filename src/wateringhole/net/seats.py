"""Who comes to a hosted table: connections that speak our protocol or a foreign one.

They are players that are waited for (`match.loops.AsyncPlayer`).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Protocol

from wateringhole.facets import ServerEnd
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, Request, Violation
from wateringhole.match.loops import AsyncPlayer
from wateringhole.net.connection import Connection, ConnectionDropped, ConnectionEnded, Lines, feed
from wateringhole.player import PlayerFailed, SeatAssignment
from wateringhole.protocol.frames import SETTLE_SECONDS
from wateringhole.protocol.host import HostEnd, ask, check_style
from wateringhole.protocol.messages import PROTOCOL, Hello, Unreadable

__all__ = ["ConnectedPlayer", "ForeignPlayer", "JsonPlayer"]

MOST_KEPT = 4 << 20
"""Bytes of the messages of a game that are kept for a player who comes back."""
MOST_SILENT_GAMES = 2
"""In a row; who has cost its tables the referee's patience so often without a word is sent away."""
FOR_GOOD = frozenset({"left", "disconnected", "unreadable"})
"""Reasons after which a player does not take part in the next game; who was merely late or wrong may."""


class ConnectedPlayer(AsyncPlayer, Protocol):
    """Somebody who has signed up."""

    number: int
    """Counted by the host from 0, in the order of sign-up."""

    @property
    def name(self) -> str: ...

    @property
    def peer(self) -> str:
        """For logs."""
        ...

    @property
    def wants_events(self) -> bool: ...

    @property
    def is_human(self) -> bool: ...

    async def learn_result(self, outcome: Outcome) -> None:
        """Its game is over; whoever was thrown out learns how it ended, too."""
        ...

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        """To be asked once after each game, with what threw it out if it was: why it takes part in no other."""
        ...

    @property
    def is_here(self) -> bool:
        """Whether it is connected now."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether it is not connected and will not come back."""
        ...

    async def disconnect(self, reason: str) -> None:
        """No more games: close its connection."""
        ...


class ForeignPlayer:
    """Speaks a foreign protocol of the game, for one game.  A player that loses its connection is out."""

    wants_events: ClassVar[bool] = False
    is_human: ClassVar[bool] = False

    def __init__(self, connection: Connection, end: ServerEnd[Any, Any, Any], number: int, protocol: str) -> None:
        """`protocol`: its name in a sentence."""
        self.number = number
        self._connection = connection
        self._end = end
        self._protocol = protocol

    @property
    def name(self) -> str:
        return self._end.name

    @property
    def peer(self) -> str:
        return self._connection.peer

    @property
    def is_here(self) -> bool:
        return not self._connection.is_ended

    @property
    def is_gone(self) -> bool:
        return self._connection.is_ended

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        return f"{self._protocol} is for one game"

    async def welcome(self) -> None:
        await self._send(self._end.welcome)

    @contextlib.asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        # Some clients lose a message that comes too soon after another; that is not their time.
        await self._wait_for_gap()
        yield

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._end.take_seat(assignment.names, assignment.rules)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        await self._send(lambda now: self._end.ask(request, now))
        while (answer := self._end.answer()) is None:
            await feed(self._connection, self._end.reader, SETTLE_SECONDS)
        return answer

    async def on_notice(self, notice: Notice) -> None:
        await self._send(lambda now: self._end.notice(notice, now))

    async def on_event(self, event: Event) -> None:
        """The protocol has no such message."""

    async def on_violation(self, violation: Violation) -> None:
        """The protocol has no such message."""

    async def learn_result(self, outcome: Outcome) -> None:
        """Those still in have had a notice of it, where the rules announce results; for others there is no message."""

    async def disconnect(self, reason: str) -> None:
        self._connection.close()

    async def _send(self, message: Callable[[float], bytes]) -> None:
        await self._wait_for_gap()
        if line := message(asyncio.get_running_loop().time()):
            try:
                await self._connection.write(line)
            except ConnectionDropped as dropped:
                raise PlayerFailed(Forfeit(dropped.reason, str(dropped))) from None
            except ConnectionEnded:
                # What came before the end may still be an answer; if not, that is found out when it is due.
                pass

    async def _wait_for_gap(self) -> None:
        if pause := self._end.pause(asyncio.get_running_loop().time()):
            await asyncio.sleep(pause)


class JsonPlayer:
    """Speaks our protocol, over TCP or WebSocket.

    Its seat is not bound to a connection: who comes back with the token in time goes on where it
    was.  The messages of the running game are kept for that.
    """

    def __init__(self, kind: AnyKind, talk: HostEnd, lines: Lines, number: int, grace_seconds: float) -> None:
        self.number = number
        self.token = secrets.token_urlsafe(24)
        self._kind = kind
        self._talk = talk
        self._hello = Hello(PROTOCOL)
        self._lines = lines
        self._grace = grace_seconds
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._forgotten = 0
        """Messages sent that are not kept any more."""
        self._asked: int | None = None
        """The number of the message with the open question."""
        self._is_back = asyncio.Event()
        self._is_disconnected = False
        self._has_answered = False
        """In this game."""
        self._silent_games = 0
        """The last ones in a row in which it was waited for in vain from the first question on."""

    @property
    def name(self) -> str:
        return self._hello.name or f"player {self.number + 1}"

    @property
    def peer(self) -> str:
        return self._lines.connection.peer

    @property
    def wants_events(self) -> bool:
        return self._hello.events

    @property
    def is_human(self) -> bool:
        return self._hello.person

    @property
    def is_here(self) -> bool:
        return not self._lines.connection.is_ended

    @property
    def is_gone(self) -> bool:
        return self._is_disconnected or (not self.is_here and self._grace_left() <= 0)

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        is_silent = forfeit is not None and forfeit.reason == "late" and not self._has_answered
        self._silent_games = self._silent_games + 1 if is_silent else 0
        if self._silent_games >= MOST_SILENT_GAMES:
            return f"you answered nothing in {MOST_SILENT_GAMES} games in a row"
        if forfeit is not None and forfeit.reason in FOR_GOOD:
            return f"you are out: {forfeit.message}"
        return "your connection has ended" if self.is_gone else None

    # Coming and going

    async def greet(self, hello: Hello | None) -> None:
        """Say hello, and hear the player's where it has not said it yet.  Raises ConnectionEnded and Unreadable."""
        await self._lines.send(self._talk.hello(token=self.token))
        self._hello = hello or self._talk.read_hello(await self._lines.receive())
        check_style(self._kind, self._hello.style)

    async def reconnect(self, lines: Lines, heard: int | None) -> None:
        """Go on over another connection.  Raises ConnectionEnded if that one fails, too."""
        self._lines.connection.close()
        sent = self._forgotten + len(self._kept)
        number = self._forgotten if heard is None else min(max(heard, self._forgotten), sent)
        if self._asked is not None:
            number = min(number, self._asked)
        await lines.send(self._talk.hello(token=self.token, resumed=number))
        # While one message is sent another may be added.
        while number < self._forgotten + len(self._kept):
            number = max(number, self._forgotten)
            await lines.send(self._kept[number - self._forgotten])
            number += 1
        # Somebody else may have come back at the same time: the last one counts.
        self._lines.connection.close()
        self._lines = lines
        self._is_back.set()

    async def disconnect(self, reason: str) -> None:
        await self._tell(self._talk.bye(reason))
        self._is_disconnected = True
        self._lines.connection.close()

    # Playing

    def turn(self) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._has_answered = False
        self._forgotten += len(self._kept)
        self._kept.clear()
        self._kept_bytes = 0
        await self._tell(self._talk.game(assignment.seat, assignment.names, assignment.rules))

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        questions = ask(self._talk, self._kind, self._hello.style, request, seconds=seconds)
        try:
            line = next(questions)
            while True:
                if line is not None:
                    self._asked = self._forgotten + len(self._kept)
                    await self._tell(line)
                line = questions.send(await self._receive())
                self._has_answered = self._has_answered or line is not None
        except StopIteration as answered:
            self._has_answered = True
            return answered.value
        except Unreadable as error:
            raise PlayerFailed(Forfeit("unreadable", str(error))) from None
        finally:
            self._asked = None

    async def on_notice(self, notice: Notice) -> None:
        await self._tell(self._talk.notice(notice))

    async def on_event(self, event: Event) -> None:
        await self._tell(self._talk.event(event))

    async def on_violation(self, violation: Violation) -> None:
        await self._tell(self._talk.refused(violation))

    async def learn_result(self, outcome: Outcome) -> None:
        await self._tell(self._talk.result(outcome))

    async def _tell(self, line: bytes) -> None:
        """Send a message, or keep it for when the player comes back."""
        self._kept.append(line)
        self._kept_bytes += len(line)
        while self._kept_bytes > MOST_KEPT:
            self._kept_bytes -= len(self._kept.pop(0))
            self._forgotten += 1
        # It may come back; if not, that is found out when an answer is due.
        with contextlib.suppress(ConnectionEnded):
            await self._lines.send(line)

    async def _receive(self) -> bytes:
        """The next message, over this connection or the next."""
        while True:
            lines = self._lines
            try:
                return await lines.receive()
            except ConnectionDropped as dropped:
                raise PlayerFailed(Forfeit(dropped.reason, str(dropped))) from None
            except ConnectionEnded as ended:
                if self._lines is lines:
                    await self._wait_for_return(str(ended))

    async def _wait_for_return(self, why: str) -> None:
        self._is_back.clear()
        try:
            async with asyncio.timeout(self._grace_left()):
                await self._is_back.wait()
        except TimeoutError:
            after = f" and did not come back within {self._grace:g} s" if self._grace else ""
            raise PlayerFailed(Forfeit("disconnected", f"{why}{after}")) from None

    def _grace_left(self) -> float:
        return self._lines.connection.ended_at + self._grace - asyncio.get_running_loop().time()
