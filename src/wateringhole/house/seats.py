"""A human at a table, who is asked through the page wherever it is open."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from wateringhole import fallbacks
from wateringhole.facets import Page, Reader
from wateringhole.formatting import sentence
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, ReportedViolation, Request, Seat, Violation
from wateringhole.house.feeds import Feed
from wateringhole.house.from_page import ConsultGame, ReportSeen, SendAnswer
from wateringhole.house.page_messages import RefusedMessage, RequestMessage
from wateringhole.house.resumption import Presence
from wateringhole.house.transports.page import PageTransport
from wateringhole.match.loops import AsyncPlayer
from wateringhole.player import PlayerFailed, PlayerLeft, SeatAssignment
from wateringhole.texts import LANGUAGES

__all__ = ["ConnectedPlayer"]

LONGEST_PLAYBACK = 20.0
"""Seconds after which a player's clock starts even if the page has not shown all moves yet."""


@dataclass(frozen=True)
class _OpenRequest:
    id: int
    request: Request[Any]
    ends_at: float | None
    """The deadline, by the loop's clock."""
    answer: asyncio.Future[Answer]


class ConnectedPlayer(AsyncPlayer):
    """A human on a page.  An answer that breaks a rule is rejected here and never reaches the referee."""

    def __init__(
        self,
        kind: AnyKind,
        names: Sequence[str],
        seat: Seat,
        feed: Feed,
        reconnect_seconds: float,
        on_watching: Callable[[], None] = lambda: None,
    ) -> None:
        """`on_watching` is called when the clock has to wait until the player has seen the moves so far."""
        self.feed = feed
        self.answers = 0
        """The number of answers so far.  It numbers the requests, so a request keeps its number after a restart."""
        self._kind = kind
        self._language = LANGUAGES[0]
        """The language of the page that was attached last."""
        self._names = names
        self._reader = Reader(tuple(names), seat)
        self._open_request: _OpenRequest | None = None
        self._away_since: float | None = asyncio.get_running_loop().time()
        self._presence = Presence(reconnect_seconds, lambda: self._away_since)
        self._reason_to_leave: str | None = None
        self._is_paced = False
        """True if the page shows the events at the player's pace, and reports which one the player has seen."""
        self._seen = 0
        """The number of the last event that the player has seen."""
        self._clock_starts_at: float | None = None
        """When the clock starts at the latest, by the loop's clock, while the player still watches the moves."""
        self._playback_change = asyncio.Event()
        self._on_watching = on_watching

    @property
    def _page(self) -> Page[Any, Any, Any]:
        return fallbacks.page(self._kind, self._language)

    # Opening and closing the page

    @property
    def has_left(self) -> bool:
        return self._reason_to_leave is not None

    @property
    def seconds_to_reconnect(self) -> int | None:
        """Seconds left to open the page again, or None while it is open."""
        left = self._presence.seconds_left
        return None if left is None else math.ceil(left)

    def attach(self, transport: PageTransport, heard: int | None) -> None:
        """Attach a page, and disconnect every other page of this seat."""
        for other in self.feed.transports:
            other.bye("You opened this seat in another window.", final=True)
        self.feed.transports.clear()
        self._language = transport.language
        self.feed.catch_up(transport, heard)
        self._away_since = None
        self._presence.notify()
        self._is_paced = transport.is_paced
        self._playback_change.set()

    def detach(self, transport: PageTransport) -> None:
        """Detach a page that was closed."""
        self.feed.transports.discard(transport)
        if not self.feed.transports and self._away_since is None:
            self._away_since = asyncio.get_running_loop().time()
            self._presence.notify()

    def leave(self, reason: str) -> None:
        """Leave the game.  The referee notices at the next request or notice for this seat."""
        self._reason_to_leave = self._reason_to_leave or reason
        self._playback_change.set()
        if self._open_request and not self._open_request.answer.done():
            self._open_request.answer.set_exception(PlayerLeft(self._reason_to_leave))

    # Messages from the page

    @property
    def seconds_to_answer(self) -> float | None:
        """Seconds left for the open request, or None without a request or a time limit."""
        ends_at = self._open_request.ends_at if self._open_request else None
        return None if ends_at is None else max(0.0, ends_at - asyncio.get_running_loop().time())

    def open_request(self, id: int) -> Request[Any] | None:
        """Return the open request if it has this number and no answer yet, or None."""
        asked = self._open_request
        return asked.request if asked and asked.id == id and not asked.answer.done() else None

    @property
    def seconds_to_clock(self) -> float | None:
        """Seconds until the clock starts at the latest, or None unless the player still watches the moves."""
        starts_at = self._clock_starts_at
        return None if starts_at is None else max(0.0, starts_at - asyncio.get_running_loop().time())

    def repeat_request(self) -> None:
        """Send the open request to a page that has just been attached."""
        if self._open_request:
            self.feed.send(self._request_message(self._open_request))

    def receive(self, message: ReportSeen | SendAnswer | ConsultGame) -> RefusedMessage | dict[str, Any] | None:
        """Handle a message from the page.  Return the reply, if any."""
        if isinstance(message, ReportSeen):
            self._seen = max(self._seen, message.number)
            self._playback_change.set()
            return None
        asked = self._open_request
        if asked is None or message.id != asked.id or asked.answer.done():
            return None
        try:
            if isinstance(message, SendAnswer):
                return self._accept_answer(asked, message.answer)
            reply = self._page.consult(self.feed.builder(self._language), asked.request, message.fields)
        except ValueError as error:
            return self._violation_message(ReportedViolation("unreadable", str(error)))
        return reply and {**reply, "id": asked.id}

    def _accept_answer(self, asked: _OpenRequest, value: Any) -> RefusedMessage | None:
        answer = self._kind.codec.answer_from_json(asked.request, value)
        accepted = asked.request.accept(answer)
        violation = accepted if isinstance(accepted, Violation) else self._page.dissuade(asked.request, accepted)
        if violation:
            return self._violation_message(violation)
        asked.answer.set_result(accepted)
        return None

    # Playing

    @contextlib.asynccontextmanager
    async def turn(self, request: Request[Any]) -> AsyncIterator[None]:
        # The time in which the page shows the moves so far is not the player's, up to a limit.
        await self._wait_until_seen()
        yield

    async def _wait_until_seen(self) -> None:
        """Wait until the player has seen the events so far.  Do not wait without a paced page or after the limit."""
        events = self.feed.sent
        self._clock_starts_at = asyncio.get_running_loop().time() + LONGEST_PLAYBACK
        try:
            async with asyncio.timeout_at(self._clock_starts_at):
                while self._is_paced and self._seen < events and not self.has_left:
                    self._on_watching()
                    self._playback_change.clear()
                    await self._playback_change.wait()
        except TimeoutError:
            pass
        finally:
            self._clock_starts_at = None

    async def on_seated(self, assignment: SeatAssignment) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._check_present()
        loop = asyncio.get_running_loop()
        ends_at = None if seconds is None else loop.time() + seconds
        self._open_request = _OpenRequest(self.answers + 1, request, ends_at, loop.create_future())
        try:
            self.feed.send(self._request_message(self._open_request))
            return await self._wait(self._open_request.answer)
        finally:
            self._open_request = None

    async def on_notice(self, notice: Notice) -> None:
        """Raise PlayerLeft if the player has left.  Events inform the page, so a notice is not sent."""
        self._check_present()

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...

    def _check_present(self) -> None:
        if self._reason_to_leave:
            raise PlayerLeft(self._reason_to_leave)

    async def _wait(self, answer: asyncio.Future[Answer]) -> Answer:
        """Wait for the answer: as long as the referee does, but for less time while the page is closed."""
        answer.add_done_callback(lambda _: self._presence.notify())
        try:
            while not answer.done():
                await self._presence.wait_for_change()
        except TimeoutError:
            why = f"was away for more than {self._presence.reconnect_seconds:g} seconds"
            raise PlayerFailed(Forfeit("disconnected", why)) from None
        return answer.result()

    def _request_message(self, asked: _OpenRequest) -> RequestMessage:
        scenes = self.feed.builder(self._language)
        offers = self._page.offers(scenes, self._names, asked.request)
        return RequestMessage(asked.id, asked.request.name, self.seconds_to_answer, scenes.scene(), offers)

    def _violation_message(self, violation: Violation) -> RefusedMessage:
        text = sentence(fallbacks.sentence_for(self._kind, violation, self._reader, self._language))
        return RefusedMessage(violation.rule, text)
