"""Spectators of a waiting table who have asked its host for a seat.

A request lasts as long as the page that made it, so there is nothing to save or to clean up.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

from wateringhole.house.names import clean_name
from wateringhole.house.page_messages import SeatRequestInfo, SeatRequestMessage
from wateringhole.house.transports.page import PageTransport

__all__ = ["SeatRequest", "SeatRequests"]

MOST_REQUESTS = 8
"""Open requests at one table."""
MOST_DECLINED = 2
"""Declined requests of one address, after which it cannot ask again."""


class SeatRequest(NamedTuple):
    """A spectator who has asked for a seat."""

    id: int
    name: str
    transport: PageTransport


class SeatRequests:
    """The open requests at one table, in the order in which they were made."""

    def __init__(self) -> None:
        self._open: dict[int, SeatRequest] = {}
        self._declined: Counter[str] = Counter()
        self._last_id = 0

    def add(self, transport: PageTransport, name: Any) -> bool:
        """Add or rename the request of a page.  Return whether that is allowed."""
        self.discard(transport)
        if len(self._open) >= MOST_REQUESTS or self._declined[transport.address] >= MOST_DECLINED:
            return False
        cleaned = clean_name(name, "") if isinstance(name, str) else ""
        if not cleaned:
            return False
        self._last_id += 1
        self._open[self._last_id] = SeatRequest(self._last_id, cleaned, transport)
        return True

    def discard(self, transport: PageTransport) -> None:
        """Forget the request of a page that was closed."""
        self._open = {id: request for id, request in self._open.items() if request.transport is not transport}

    def get(self, id: int) -> SeatRequest | None:
        return self._open.get(id)

    def accept(self, request: SeatRequest, token: str) -> None:
        """Give the page the token of its seat."""
        del self._open[request.id]
        request.transport.send(SeatRequestMessage("accepted", token))

    def decline(self, request: SeatRequest) -> None:
        del self._open[request.id]
        self._declined[request.transport.address] += 1
        request.transport.send(SeatRequestMessage("declined"))

    def decline_all(self) -> None:
        """Decline what is open, because the game begins.  That is not held against the pages."""
        for request in self._open.values():
            request.transport.send(SeatRequestMessage("declined"))
        self._open.clear()

    def info(self) -> list[SeatRequestInfo]:
        return [SeatRequestInfo(request.id, request.name) for request in self._open.values()]
