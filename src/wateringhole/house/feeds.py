"""The events of one table for one seat, or for the spectators.

Events are numbered from 1, counting those that the seat may see.  The numbers follow from the game
alone, so they are the same after a restart of the server.  The last events are kept for pages that
lost their connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wateringhole import fallbacks
from wateringhole.facets import SceneBuilder
from wateringhole.game import Answer, AnyKind, Event, Notice, Request, Seat
from wateringhole.house.page import manifest_of
from wateringhole.house.page_messages import EventMessage, GameMessage, LoggedEvent, SceneMessage
from wateringhole.house.resumption import Backlog
from wateringhole.house.transports.page import PageTransport, encode
from wateringhole.match.commitments import Commitment
from wateringhole.match.match import LateFailure
from wateringhole.texts import LANGUAGES

__all__ = ["Feed"]

MOST_KEPT = 256 << 10
"""Bytes of events that are kept for pages that reconnect."""
MOST_LOGGED = 200
"""Events whose sentences a new page gets."""


class Feed:
    """The events that one seat or the spectators may see, and the pages that get them."""

    def __init__(
        self,
        kind: AnyKind,
        names: Sequence[str],
        seat: Seat | None,
        rules: Any,
        commitment: Commitment | None = None,
    ) -> None:
        self.transports: set[PageTransport] = set()
        self._kind = kind
        self._seat = seat
        self._rules = rules
        self._builders = {language: fallbacks.page(kind, language).scenes(names, seat) for language in LANGUAGES}
        self._game = GameMessage(
            seat=seat,
            names=list(names),
            rules=msgspec.to_builtins(rules),
            texts={},
            page=manifest_of(kind),
            commitment=msgspec.UNSET if commitment is None else commitment.digest,
            log=[],
        )
        """The start of the game, without what depends on the page."""
        self._turn = 0
        self._backlog = Backlog(MOST_KEPT)
        self._log: deque[LoggedEvent] = deque(maxlen=MOST_LOGGED)
        self._last: EventMessage | None = None
        """The last event, without its scene."""

    @property
    def sent(self) -> int:
        """The number of the last event."""
        return self._backlog.sent

    def deliver(self, event: Event) -> None:
        """Send an event, as far as this seat may see it."""
        seen = event.seen_by(self._seat)
        if seen is None or isinstance(seen, Notice | LateFailure):
            return
        self._turn = self._kind.turn_of(seen) or self._turn
        text, *translations = (builder.see(seen) for builder in self._builders.values())
        last = self._last
        if last is not None and last.text:
            self._log.append(LoggedEvent(last.number, last.turn, last.text, last.translations))
        self._last = EventMessage(
            number=self._backlog.sent + 1,
            turn=self._turn,
            event=self._kind.codec.event_to_json(seen),
            text=text,
            translations=dict(zip(LANGUAGES[1:], translations, strict=True)),
            scene=None,
        )
        message = self._encoded(self._last)
        self._backlog.add(message)
        self.send(message)

    def send(self, message: msgspec.Struct | dict[str, Any] | bytes) -> None:
        """Send a message to all pages of this feed."""
        line = message if isinstance(message, bytes) else encode(message)
        for transport in self.transports:
            transport.send(line)

    def answered(self, request: Request[Any], answer: Answer) -> None:
        """Note that a player has answered.  Only its own feed learns the answer."""
        own = answer if request.seat == self._seat else None
        changes = [builder.answered(request, own) for builder in self._builders.values()]
        if any(changes):
            self.send(self._scene_message())

    def asked(self, requests: Mapping[Seat, str]) -> None:
        """Note which seats are asked, and what."""
        for builder in self._builders.values():
            builder.asked(requests)

    def builder(self, language: str) -> SceneBuilder:
        """Return the builder of the scenes, with texts in a language."""
        return self._builders[language]

    def can_resume(self, heard: int | None) -> bool:
        """Return whether all events after the last one received are still kept."""
        return self._backlog.can_resume(heard)

    def catch_up(self, transport: PageTransport, heard: int | None) -> None:
        """Send a page what it missed, or the current state.  Then add it to the feed."""
        log = list(self._log)
        if heard is not None and self.can_resume(heard):
            # Answers since the last event have changed the scene but are no events.
            missed = [*self._backlog.after(heard), encode(self._scene_message())]
        else:
            missed = [self._encoded(self._last)] if self._last else []
        texts = fallbacks.page(self._kind, transport.language).texts(self._rules)
        transport.send(msgspec.structs.replace(self._game, texts=texts, log=log))
        for message in missed:
            transport.send(message)
        self.transports.add(transport)

    def _encoded(self, event: EventMessage) -> bytes:
        """Return an event with the scene as it stands now."""
        return encode(msgspec.structs.replace(event, scene=self._scene()))

    def _scene_message(self) -> SceneMessage:
        return SceneMessage(self._scene())

    def _scene(self) -> dict[str, Any]:
        return self._builders[LANGUAGES[0]].scene()
