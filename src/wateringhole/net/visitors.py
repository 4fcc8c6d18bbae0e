"""Who sits at a hosted table: connections that speak the course's protocol or ours, and bots of the house.

All of them are players that are waited for (`arena.play.AsyncPlayer`).
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable
from typing import Any, ClassVar, Protocol

from wateringhole.arena.play import AsyncPlayer, in_thread
from wateringhole.evolution.requests import EvolutionRequest
from wateringhole.game import Answer, Event, Forfeit, Kind, Notice, Request, Violation
from wateringhole.net.connection import Connection, ConnectionEnded, CutOff, Lines, feed
from wateringhole.net.course import ServerEnd
from wateringhole.net.frames import SETTLE_SECONDS, Incomplete
from wateringhole.players.asking import ask, check_style
from wateringhole.players.player import Place, Player, PlayerFailed
from wateringhole.protocol import PROTOCOL, Hello, Reply, Talk, Unreadable

__all__ = ["CourseVisitor", "TalkVisitor", "Visitor", "house_bot"]

MOST_KEPT = 4 << 20
"""Bytes of the messages of a game that are kept for a player who comes back."""
MOST_IGNORED = 100
"""Messages that answer nothing, after one question."""


class Visitor(AsyncPlayer, Protocol):
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
    def sees_events(self) -> bool: ...

    @property
    def plays_on(self) -> bool:
        """Whether it may take part in another game after this one."""
        ...

    @property
    def is_here(self) -> bool:
        """Whether it is connected now."""
        ...

    @property
    def is_gone(self) -> bool:
        """Whether it is not connected and will not come back."""
        ...

    async def dismiss(self, reason: str) -> None:
        """No more games: close its connection."""
        ...


class CourseVisitor:
    """Speaks the course's protocol, for one game.  Who loses its connection is out."""

    sees_events: ClassVar[bool] = False
    plays_on: ClassVar[bool] = False

    def __init__(self, connection: Connection, end: ServerEnd, number: int) -> None:
        self.number = number
        self._connection = connection
        self._end = end

    @property
    def name(self) -> str:
        return self._end.sign_up.name

    @property
    def peer(self) -> str:
        return self._connection.peer

    @property
    def is_here(self) -> bool:
        return not self._connection.is_ended

    @property
    def is_gone(self) -> bool:
        return self._connection.is_ended

    async def welcome(self) -> None:
        await self._send(self._end.welcome)

    async def take_seat(self, place: Place) -> None:
        self._end.take_seat(place)

    async def answer(self, request: Request, seconds: float | None = None) -> Answer:
        assert isinstance(request, EvolutionRequest)
        await self._send(lambda now: self._end.ask(request, now))
        while isinstance(answer := self._end.answer(), Incomplete):
            await feed(self._connection, self._end.reader, SETTLE_SECONDS)
        return answer

    async def notice(self, notice: Notice) -> None:
        await self._send(lambda now: self._end.tell(notice, now))

    async def see(self, event: Event) -> None:
        """The protocol has no such message."""

    async def refused(self, violation: Violation) -> None:
        """The protocol has no such message."""

    async def dismiss(self, reason: str) -> None:
        self._connection.close()

    async def _send(self, message: Callable[[float], bytes]) -> None:
        clock = asyncio.get_running_loop().time
        if pause := self._end.pause(clock()):
            await asyncio.sleep(pause)
        if line := message(clock()):
            try:
                await self._connection.write(line)
            except CutOff as cut_off:
                raise PlayerFailed(Forfeit(cut_off.reason, str(cut_off))) from None
            except ConnectionEnded:
                # What came before the end may still be an answer; if not, that is found out when it is due.
                pass


class TalkVisitor:
    """Speaks our protocol, over TCP or WebSocket.

    Its seat is not bound to a connection: who comes back with the token in time goes on where it
    was.  The messages of the running game are kept for that.
    """

    def __init__(self, kind: Kind[Any, Any], talk: Talk, lines: Lines, number: int, grace_seconds: float) -> None:
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
        self._is_dismissed = False

    @property
    def name(self) -> str:
        return self._hello.name or f"player {self.number + 1}"

    @property
    def peer(self) -> str:
        return self._lines.connection.peer

    @property
    def sees_events(self) -> bool:
        return self._hello.events

    @property
    def plays_on(self) -> bool:
        return not self._is_dismissed and not self.is_gone

    @property
    def is_here(self) -> bool:
        return not self._lines.connection.is_ended

    @property
    def is_gone(self) -> bool:
        return self._is_dismissed or (not self.is_here and self._grace_left() <= 0)

    # Coming and going

    async def greet(self, hello: Hello | None) -> None:
        """Say hello, and hear the player's where it has not said it yet.  Raises ConnectionEnded and Unreadable."""
        await self._lines.send(self._talk.hello(token=self.token))
        self._hello = hello or self._talk.read_hello(await self._lines.receive())
        check_style(self._kind, self._hello.style)

    async def come_back(self, lines: Lines, heard: int | None) -> None:
        """Go on over another connection.  Raises ConnectionEnded if that one fails, too."""
        self._lines.connection.close()
        number = self._forgotten if heard is None else max(heard, self._forgotten)
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

    async def dismiss(self, reason: str) -> None:
        await self._tell(self._talk.bye(reason))
        self._is_dismissed = True
        self._lines.connection.close()

    # Playing

    async def take_seat(self, place: Place) -> None:
        self._forgotten += len(self._kept)
        self._kept.clear()
        self._kept_bytes = 0
        await self._tell(self._talk.game(place.seat, place.names, place.rules))

    async def answer(self, request: Request, seconds: float | None = None) -> Answer:
        questions = ask(self._talk, self._kind, self._hello.style, request, seconds=seconds)
        try:
            line = next(questions)
            while True:
                line = questions.send(await self._reply(line))
        except StopIteration as answered:
            return answered.value
        except Unreadable as error:
            raise PlayerFailed(Forfeit("unreadable", str(error))) from None
        finally:
            self._asked = None

    async def notice(self, notice: Notice) -> None:
        await self._tell(self._talk.notice(notice))

    async def see(self, event: Event) -> None:
        await self._tell(self._talk.event(event))

    async def refused(self, violation: Violation) -> None:
        await self._tell(self._talk.refused(violation))

    async def _reply(self, line: bytes) -> Reply:
        self._asked = self._forgotten + len(self._kept)
        await self._tell(line)
        for _ in range(MOST_IGNORED):
            reply = self._talk.read(await self._receive())
            if failure := self._talk.failure():
                raise PlayerFailed(failure)
            if reply is not None:
                return reply
        raise PlayerFailed(Forfeit("unreadable", f"it sent {MOST_IGNORED} messages that answer nothing"))

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
            except CutOff as cut_off:
                raise PlayerFailed(Forfeit(cut_off.reason, str(cut_off))) from None
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


FAST = frozenset(
    f"wateringhole.players.{bot}"
    for bot in (
        "evolution.silly",
        "evolution.random",
        "evolution.greedy",
        "porrinha.random",
        "porrinha.zero",
        "porrinha.counter",
    )
)
"""The modules of players that never make anybody wait; all others get a thread."""


def house_bot(player: Player) -> AsyncPlayer:
    """A bot of the house as a player that is waited for."""
    return _Direct(player) if type(player).__module__ in FAST else in_thread(player)


class _Direct:
    """Calls its player at once, in the loop."""

    def __init__(self, player: Player) -> None:
        self._player = player

    async def take_seat(self, place: Place) -> None:
        self._player.take_seat(place)

    async def answer(self, request: Request, seconds: float | None = None) -> Answer:
        return self._player.answer(request, seconds)

    async def notice(self, notice: Notice) -> None:
        self._player.notice(notice)

    async def see(self, event: Event) -> None:
        self._player.see(event)

    async def refused(self, violation: Violation) -> None:
        self._player.refused(violation)
