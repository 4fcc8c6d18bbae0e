"""Remote players at a table, over connections that speak the JSON protocol or a foreign one.

They are asynchronous players (`match.loops.AsyncPlayer`).
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, ClassVar, Protocol

import msgspec

from wateringhole.facets import ServerEnd
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, Request, Violation
from wateringhole.house.plans import TableSeat, TokenDigest
from wateringhole.house.resumption import Backlog, Presence
from wateringhole.house.transports.connection import Connection, ConnectionDropped, ConnectionEnded, feed
from wateringhole.house.transports.lines import Lines
from wateringhole.match.loops import AsyncPlayer
from wateringhole.player import PlayerFailed, SeatAssignment
from wateringhole.protocol.frames import SETTLE_SECONDS
from wateringhole.protocol.host import HostEnd, ask, check_style
from wateringhole.protocol.messages import PROTOCOL, Hello, Unreadable

__all__ = ["ForeignPlayer", "JsonPlayer", "LostPlayer", "RemotePlayer"]

MOST_KEPT = 4 << 20
"""Bytes of a game's messages that are kept for a player who reconnects."""
MOST_SILENT_GAMES = 2
"""Games in a row in which a player may run out of time without any answer before it is disconnected."""
EXCLUDING_REASONS = frozenset({"left", "disconnected", "unreadable"})
"""Forfeit reasons that exclude a player from the next game.  A late or illegal answer does not."""


class RemotePlayer(AsyncPlayer, Protocol):
    """A player who has signed up over a connection."""

    @property
    def number(self) -> int:
        """Number by the order of sign-up, from 0."""
        ...

    @property
    def name(self) -> str: ...

    @property
    def peer(self) -> str:
        """Address and port, for logs."""
        ...

    @property
    def wants_events(self) -> bool: ...

    @property
    def is_human(self) -> bool: ...

    async def send_result(self, outcome: Outcome, nonce: str | None = None) -> None:
        """Send the result and the nonce of the deal, also to a player who was thrown out."""
        ...

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        """Return why the player may not play another game, or None.  Call this once after each game."""
        ...

    @property
    def is_connected(self) -> bool:
        """True while the player is connected."""
        ...

    @property
    def is_lost(self) -> bool:
        """True if the player is disconnected and can no longer reconnect."""
        ...

    @property
    def seconds_to_reconnect(self) -> int | None:
        """Seconds left to reconnect, or None while the player is connected."""
        ...

    def save_to(self, seat: TableSeat) -> None:
        """Write to a seat what the player needs to return after a restart of the house."""
        ...

    @property
    def steps(self) -> int | None:
        """The step requests of the last request, or None if a record is enough to make its messages again."""
        ...

    def repeat_request(self, request: Request[Any], seconds: float | None, steps: int | None) -> None:
        """Take in that the player got a request before a restart of the house, and answered it or failed."""
        ...

    async def disconnect(self, reason: str) -> None:
        """Send the reason and close the connection."""
        ...


class ForeignPlayer:
    """A player over a foreign protocol, for one game.  It is thrown out if it loses its connection."""

    wants_events: ClassVar[bool] = False
    is_human: ClassVar[bool] = False
    steps: ClassVar[int | None] = None

    def __init__(self, connection: Connection, end: ServerEnd[Any, Any, Any], protocol: str, number: int = 0) -> None:
        """Use `protocol` as the protocol's name in messages."""
        self.number = number
        self._protocol = protocol
        self._connection = connection
        self._end = end
        self._disconnect_reason: str | None = None
        """The reason of the house for disconnecting the player, if it has done so."""

    @property
    def name(self) -> str:
        return self._end.name

    @property
    def peer(self) -> str:
        return self._connection.peer

    @property
    def is_connected(self) -> bool:
        return not self._connection.is_ended

    @property
    def is_lost(self) -> bool:
        return self._connection.is_ended

    @property
    def seconds_to_reconnect(self) -> int | None:
        return None if self.is_connected else 0

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        return f"{self._protocol} is for one game"

    async def welcome(self) -> None:
        await self._send(self._end.welcome)

    @contextlib.asynccontextmanager
    async def turn(self, request: Request[Any]) -> AsyncIterator[None]:
        # Some clients lose a message that comes too soon after another.  This pause is not their time.
        await self._wait_for_gap()
        yield

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._end.take_seat(assignment.names, assignment.rules)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        await self._send(lambda now: self._end.ask(request, now))
        try:
            while (answer := self._end.answer()) is None:
                await feed(self._connection, self._end.reader, SETTLE_SECONDS)
            return answer
        except Exception:
            if self._disconnect_reason is not None:
                raise PlayerFailed(Forfeit("disconnected", self._disconnect_reason)) from None
            raise

    def save_to(self, seat: TableSeat) -> None:
        seat.number = self.number
        seat.protocol = self._protocol

    def repeat_request(self, request: Request[Any], seconds: float | None, steps: int | None) -> None:
        """Do nothing: no connection survives a restart."""

    async def on_notice(self, notice: Notice) -> None:
        await self._send(lambda now: self._end.notice(notice, now))

    async def on_event(self, event: Event) -> None:
        """Send nothing: the protocol has no such message."""

    async def on_violation(self, violation: Violation) -> None:
        """Send nothing: the protocol has no such message."""

    async def send_result(self, outcome: Outcome, nonce: str | None = None) -> None:
        """Send nothing: notices announce results if the rules say so, and there is no other message."""

    async def disconnect(self, reason: str) -> None:
        self._disconnect_reason = reason
        self._connection.close(ConnectionEnded(reason))

    async def _send(self, message: Callable[[float], bytes]) -> None:
        await self._wait_for_gap()
        if line := message(asyncio.get_running_loop().time()):
            try:
                await self._connection.send(line)
            except ConnectionDropped as dropped:
                raise PlayerFailed(Forfeit(dropped.reason, str(dropped))) from None
            except ConnectionEnded:
                # An answer may have arrived before the end.  If not, the player fails when the answer is due.
                pass

    async def _wait_for_gap(self) -> None:
        if pause := self._end.pause(asyncio.get_running_loop().time()):
            await asyncio.sleep(pause)


class LostPlayer:
    """A player over a foreign protocol after a restart of the house: it has no token, so it cannot return."""

    peer: ClassVar[str] = "?"
    wants_events: ClassVar[bool] = False
    is_human: ClassVar[bool] = False
    is_connected: ClassVar[bool] = False
    is_lost: ClassVar[bool] = True
    seconds_to_reconnect: ClassVar[int | None] = 0
    steps: ClassVar[int | None] = None

    def __init__(self, seat: TableSeat) -> None:
        self.name = seat.name
        self.number = seat.number
        self._protocol = seat.protocol

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        why = f"the house was restarted, and {self._protocol} has no way to reconnect"
        raise PlayerFailed(Forfeit("disconnected", why))

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        return f"{self._protocol} is for one game"

    def save_to(self, seat: TableSeat) -> None: ...

    def repeat_request(self, request: Request[Any], seconds: float | None, steps: int | None) -> None: ...

    async def on_seated(self, assignment: SeatAssignment) -> None: ...

    async def on_notice(self, notice: Notice) -> None: ...

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...

    async def send_result(self, outcome: Outcome, nonce: str | None = None) -> None: ...

    async def disconnect(self, reason: str) -> None: ...


class JsonPlayer:
    """A player over the JSON protocol, on TCP or WebSocket: a program, a bot, or a human in a terminal.

    The seat is not bound to a connection: a player that reconnects in time with its token continues
    its game.  The messages of the running game are kept for this.  A player that returns after a
    restart of the house is made from its saved hello, and its messages are made again from the record.
    """

    def __init__(self, kind: AnyKind, reconnect_seconds: float, seat: TableSeat | None = None, number: int = 0) -> None:
        """Make a new player with this number, or the one that was saved to a seat."""
        seat = seat or TableSeat("person", "", number=number)
        self.number = seat.number
        self.digest = seat.token
        """The digest of the player's token, once it has one."""
        self.steps: int | None = None
        self._kind = kind
        self._host_end = HostEnd(kind)
        self._host_end.serial = seat.asked
        self._hello = seat.hello or Hello(PROTOCOL)
        self._lines: Lines = _NoLines()
        self._presence = Presence(reconnect_seconds, lambda: self._lines.ended_at if self._lines.is_ended else None)
        self._backlog = Backlog(MOST_KEPT, seat.sent)
        self._asked: int | None = None
        """The number of messages before the open request."""
        self._disconnect_reason: str | None = None
        """The reason of the house for disconnecting the player, if it has done so."""
        self._has_answered = False
        """True after the first answer in this game."""
        self._silent_games = 0
        """The number of games in a row in which the player was late without any answer."""

    @property
    def name(self) -> str:
        return self._hello.name or f"player {self.number + 1}"

    @property
    def hello(self) -> Hello:
        """The player's hello."""
        return self._hello

    @property
    def peer(self) -> str:
        return self._lines.peer

    @property
    def wants_events(self) -> bool:
        return self._hello.events

    @property
    def is_human(self) -> bool:
        return self._hello.person

    @property
    def is_connected(self) -> bool:
        return not self._lines.is_ended

    @property
    def is_lost(self) -> bool:
        return self._disconnect_reason is not None or self._presence.is_lost

    @property
    def seconds_to_reconnect(self) -> int | None:
        left = self._presence.seconds_left
        return None if left is None else math.ceil(left)

    def exclusion_reason(self, forfeit: Forfeit | None) -> str | None:
        is_silent = forfeit is not None and forfeit.reason == "late" and not self._has_answered
        self._silent_games = self._silent_games + 1 if is_silent else 0
        if self._silent_games >= MOST_SILENT_GAMES:
            return f"you sent no answer in {MOST_SILENT_GAMES} games in a row"
        if forfeit is not None and forfeit.reason in EXCLUDING_REASONS:
            return f"you are out: {forfeit.message}"
        return "your connection has ended" if self.is_lost else None

    # Connecting and disconnecting

    async def greet(self, lines: Lines, hello: Hello | None) -> None:
        """Send the hello with a new token, and receive the player's unless it is given.

        Raises ConnectionEnded and Unreadable.
        """
        token, self.digest = TokenDigest.new()
        self._lines = lines
        await lines.send(self._host_end.hello(token=token))
        self._hello = hello or self._host_end.read_hello(await lines.receive())
        check_style(self._kind, self._hello)

    async def reconnect(self, lines: Lines, token: str, heard: int | None) -> None:
        """Continue over another connection.  Raises ConnectionEnded if that one fails, too."""
        self._lines.close()
        number = self._backlog.dropped
        if heard is not None:
            number = min(max(heard, number), self._backlog.sent)
        if self._asked is not None:
            number = min(number, self._asked)
        await lines.send(self._host_end.hello(token=token, resumed=number))
        for message in self._backlog.after(number):
            await lines.send(message)
        # The player may have reconnected twice at the same time: the last connection counts.
        self._lines.close()
        self._lines = lines
        self._presence.notify()
        if self._disconnect_reason is not None:
            # The game is over, or the player was removed meanwhile; the bye was the last message.
            lines.close(ConnectionEnded(self._disconnect_reason))

    async def disconnect(self, reason: str) -> None:
        await self._deliver(self._host_end.bye(reason))
        self._disconnect_reason = reason
        # A running game does not wait for the player, not even for one who has lost the connection before.
        self._presence.reconnect_seconds = 0.0
        self._lines.close(ConnectionEnded(reason))
        self._presence.notify()

    def save_to(self, seat: TableSeat) -> None:
        seat.token = self.digest
        seat.hello = msgspec.structs.replace(self._hello, token=None, code=None, heard=None)
        seat.number = self.number
        seat.sent = self._backlog.sent
        seat.asked = self._host_end.serial

    # Playing

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return self._return() if isinstance(self._lines, _NoLines) else contextlib.nullcontext()

    @contextlib.asynccontextmanager
    async def _return(self) -> AsyncIterator[None]:
        # The time until a player is back after a restart of the house is not the player's.
        with contextlib.suppress(TimeoutError):
            await self._presence.wait_for_change()
        yield

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._has_answered = False
        self._backlog.drop()
        line = self._host_end.game(
            assignment.seat, assignment.names, assignment.rules, commitment=assignment.commitment
        )
        await self._deliver(line)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        before = self._host_end.serial
        messages = ask(self._host_end, self._kind, self._hello, request, seconds=seconds)
        try:
            line = next(messages)
            while True:
                if line is not None:
                    self._asked = self._backlog.sent
                    await self._deliver(line)
                line = messages.send(await self._receive())
                self._has_answered = self._has_answered or line is not None
        except StopIteration as answered:
            self._has_answered = True
            return answered.value
        except Unreadable as error:
            raise PlayerFailed(Forfeit("unreadable", str(error))) from None
        finally:
            self._asked = None
            self.steps = None if self._hello.style == "whole" else self._host_end.serial - before

    def repeat_request(self, request: Request[Any], seconds: float | None, steps: int | None) -> None:
        if self._hello.style == "whole":
            self._backlog.add(self._host_end.request(request, seconds=seconds))
        else:
            # Step requests depend on the answers to those before, which are not recorded.
            self._backlog.drop(steps or 0)
            self._host_end.serial += steps or 0

    async def on_notice(self, notice: Notice) -> None:
        await self._deliver(self._host_end.notice(notice))

    async def on_event(self, event: Event) -> None:
        await self._deliver(self._host_end.event(event))

    async def on_violation(self, violation: Violation) -> None:
        await self._deliver(self._host_end.refused(violation))

    async def send_result(self, outcome: Outcome, nonce: str | None = None) -> None:
        await self._deliver(self._host_end.result(outcome, nonce))

    async def _deliver(self, line: bytes) -> None:
        """Send a message, and keep it in case the player reconnects."""
        self._backlog.add(line)
        # The player may reconnect.  If not, it fails when its next answer is due.
        with contextlib.suppress(ConnectionEnded):
            await self._lines.send(line)

    async def _receive(self) -> bytes:
        """Return the next message, over this connection or the next."""
        while True:
            lines = self._lines
            try:
                return await lines.receive()
            except ConnectionDropped as dropped:
                raise PlayerFailed(Forfeit(dropped.reason, str(dropped))) from None
            except ConnectionEnded as ended:
                if self._lines is lines:
                    await self._wait_for_reconnection(str(ended))

    async def _wait_for_reconnection(self, why: str) -> None:
        try:
            await self._presence.wait_for_change()
        except TimeoutError:
            why = self._disconnect_reason or why
            seconds = self._presence.reconnect_seconds
            after = f" and did not come back within {seconds:g} s" if seconds else ""
            raise PlayerFailed(Forfeit("disconnected", f"{why}{after}")) from None


class _NoLines:
    """The connection of a player who has not connected since the house was restarted."""

    transport = address = peer = "?"
    is_ended = True
    is_closed_here = False

    def __init__(self) -> None:
        self.ended_at = asyncio.get_running_loop().time()

    async def receive(self) -> bytes:
        raise ConnectionEnded("the house was restarted")

    async def send(self, line: bytes) -> None:
        raise ConnectionEnded("the house was restarted")

    def close(self, ending: ConnectionEnded | None = None) -> None: ...
