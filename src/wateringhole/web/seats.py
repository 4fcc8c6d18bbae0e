"""A person at a table: asked through the page, wherever it is open at the moment."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wateringhole import fallbacks
from wateringhole.facets import Reader
from wateringhole.formatting import sentence
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, ReportedViolation, Request, Seat, Violation
from wateringhole.match.loops import AsyncPlayer
from wateringhole.player import PlayerFailed, PlayerLeft, SeatAssignment
from wateringhole.web.feeds import Feed
from wateringhole.web.page_transport import PageTransport

__all__ = ["ConnectedPlayer"]


@dataclass(frozen=True)
class _Question:
    id: int
    request: Request[Any]
    ends_at: float | None
    """By the loop's clock."""
    answer: asyncio.Future[Answer]


class ConnectedPlayer(AsyncPlayer):
    """Decides for a seat.  An answer that breaks a rule is refused here, and never reaches the referee."""

    def __init__(
        self,
        kind: AnyKind,
        names: Sequence[str],
        seat: Seat,
        feed: Feed,
        away_seconds: float,
    ) -> None:
        self.feed = feed
        self.has_left = False
        self.answers = 0
        """Given so far.  They number the questions: one that is asked again after a restart has its old number."""
        self._kind = kind
        self._page = fallbacks.page(kind)
        self._names = names
        self._reader = Reader(tuple(names), seat)
        self._most_away = away_seconds
        self._question: _Question | None = None
        self._away_since: float | None = asyncio.get_running_loop().time()
        self._change = asyncio.Event()

    # Coming and going

    @property
    def seconds_to_return(self) -> int | None:
        """How long there still is to open the page again; None: it is open."""
        left = self._time_to_return()
        return None if left is None else math.ceil(left)

    def _time_to_return(self) -> float | None:
        if self._away_since is None:
            return None
        return max(0.0, self._away_since + self._most_away - asyncio.get_running_loop().time())

    def attach(self, transport: PageTransport, heard: int | None) -> None:
        """The page is open, here and nowhere else."""
        for other in self.feed.transports:
            other.bye("This seat was taken up in another window.", final=True)
        self.feed.transports.clear()
        self.feed.catch_up(transport, heard)
        self._away_since = None
        self._change.set()

    def detach(self, transport: PageTransport) -> None:
        """A page was closed."""
        self.feed.transports.discard(transport)
        if not self.feed.transports and self._away_since is None:
            self._away_since = asyncio.get_running_loop().time()
            self._change.set()

    def leave(self) -> None:
        """For good: the referee learns it when this seat is next asked or told something."""
        self.has_left = True
        if self._question and not self._question.answer.done():
            self._question.answer.set_exception(PlayerLeft("left the table"))

    # What the page says

    @property
    def seconds_to_think(self) -> float | None:
        """How long the referee still waits for the answer to the open question; None: nobody is asked, or for ever."""
        ends_at = self._question.ends_at if self._question else None
        return None if ends_at is None else max(0.0, ends_at - asyncio.get_running_loop().time())

    def repeat_question(self) -> None:
        """To a page that has just come."""
        if self._question:
            self.feed.say(self._asking(self._question))

    def receive(self, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the page says to the open question; the reply, if it needs one."""
        question = self._question
        if question is None or message.get("id") != question.id or question.answer.done():
            return None
        try:
            if message.get("type") == "answer":
                return self._take(question, message.get("answer"))
            reply = self._page.consult(self.feed.watch, question.request, message)
        except ValueError as error:
            return self._refused(ReportedViolation("unreadable", str(error)))
        return reply and {**reply, "id": question.id}

    def _take(self, question: _Question, value: Any) -> dict[str, Any] | None:
        answer = self._kind.codec.answer_from_json(question.request, value)
        accepted = question.request.accept(answer)
        violation = accepted if isinstance(accepted, Violation) else self._page.dissuade(question.request, accepted)
        if violation:
            return self._refused(violation)
        question.answer.set_result(accepted)
        return None

    # Playing

    async def on_seated(self, assignment: SeatAssignment) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._stay()
        loop = asyncio.get_running_loop()
        ends_at = None if seconds is None else loop.time() + seconds
        self._question = _Question(self.answers + 1, request, ends_at, loop.create_future())
        try:
            self.feed.say(self._asking(self._question))
            return await self._wait(self._question.answer)
        finally:
            self._question = None

    async def on_notice(self, notice: Notice) -> None:
        """What happened is told by events; but who has left is found out."""
        self._stay()

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...

    def _stay(self) -> None:
        if self.has_left:
            raise PlayerLeft("left the table")

    async def _wait(self, answer: asyncio.Future[Answer]) -> Answer:
        """As long as the referee does, while the page is open; for a shorter time, while it is closed."""
        while not answer.done():
            self._change.clear()
            change = asyncio.ensure_future(self._change.wait())
            try:
                left = self._time_to_return()
                done, _ = await asyncio.wait([answer, change], timeout=left, return_when=asyncio.FIRST_COMPLETED)
            finally:
                change.cancel()
            if not done:
                why = f"was away for more than {self._most_away:g} seconds"
                raise PlayerFailed(Forfeit("disconnected", why))
        return answer.result()

    def _asking(self, question: _Question) -> dict[str, Any]:
        watch = self.feed.watch
        return {
            "type": "request",
            "id": question.id,
            "request": question.request.name,
            "seconds": self.seconds_to_think,
            "scene": watch.scene(),
            "offers": self._page.offers(watch, self._names, question.request),
        }

    def _refused(self, violation: Violation) -> dict[str, Any]:
        text = sentence(fallbacks.sentence_for(self._kind, violation, self._reader))
        return {"type": "refused", "rule": violation.rule, "message": text}
