"""The messages from the page of a table to the server.

The types of the page's JavaScript are generated from these structs: after a change, run ``python -m tools.page_types``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, get_args

import msgspec

from wateringhole.house.emotes import Emote

__all__ = [
    "AgreeToCoach",
    "AskForHint",
    "AskForSeat",
    "AskForWarning",
    "ConsultGame",
    "LeaveTable",
    "PageHello",
    "PageMessage",
    "PrepareCoach",
    "ReportSeen",
    "SendAnswer",
    "SendEmote",
    "read_message",
]


def _unchecked(name: str) -> msgspec.Meta:
    """Return the mark of a value that the page always sends, and that its receiver checks and refuses with a reply."""
    return msgspec.Meta(extra={"type": name, "required": True})


class PageHello(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The first message."""

    protocol: int
    token: str | None = None
    """The token of the page's seat.  A spectator has none."""
    heard: int | None = None
    """The number of the last event that the page got before its connection broke."""
    paced: bool = False
    """True if the page shows the events at the user's pace, and reports which one the user has seen."""


class AskForSeat(msgspec.Struct, frozen=True, tag_field="type", tag="ask_seat"):
    """A spectator asks the host for a seat."""

    name: Annotated[Any, _unchecked("string")] = None


class LeaveTable(msgspec.Struct, frozen=True, tag_field="type", tag="leave"):
    """The player gives up the seat."""


class AgreeToCoach(msgspec.Struct, frozen=True, tag_field="type", tag="agree"):
    """The player wants a game with a coach for all, or no longer wants it."""

    coach: bool


class SendEmote(msgspec.Struct, frozen=True, tag_field="type", tag="emote"):
    """The player says something to all."""

    emote: Emote


class ReportSeen(msgspec.Struct, frozen=True, tag_field="type", tag="seen"):
    """The user has seen all events up to this one."""

    number: int


class SendAnswer(msgspec.Struct, frozen=True, tag_field="type", tag="answer"):
    """The answer to the open request."""

    id: int
    """The number of the request."""
    answer: Annotated[Any, _unchecked("any")] = None


class PrepareCoach(msgspec.Struct, frozen=True, tag_field="type", tag="coach"):
    """The user may soon ask the coach about the open request."""

    id: int


class AskForHint(msgspec.Struct, frozen=True, tag_field="type", tag="hint"):
    """The user asks the coach about the open request."""

    id: int
    level: Annotated[Any, _unchecked("number")] = None
    """From 1, what to look at, to 3, what the best player would do."""
    language: str = "en"


class AskForWarning(msgspec.Struct, frozen=True, tag_field="type", tag="check"):
    """The page asks the coach whether an answer to the open request costs much."""

    id: int
    answer: Annotated[Any, _unchecked("any")] = None
    language: str = "en"


PageMessage = (
    AskForSeat
    | LeaveTable
    | AgreeToCoach
    | SendEmote
    | ReportSeen
    | SendAnswer
    | PrepareCoach
    | AskForHint
    | AskForWarning
)
"""The messages after the hello."""


class ConsultGame(msgspec.Struct, frozen=True):
    """A message of another type, with which the game's own view asks about the open request."""

    id: Any
    fields: Mapping[str, Any]
    """The whole message, which only the game can read."""


_TYPES: Final = tuple(each.__struct_config__.tag for each in get_args(PageMessage))


def read_message(message: dict[str, Any]) -> PageMessage | ConsultGame | None:
    """Return a message after the hello, or None if its fields do not fit its type."""
    if message.get("type") not in _TYPES:
        return ConsultGame(message.get("id"), message)
    try:
        read: PageMessage = msgspec.convert(message, PageMessage)
    except msgspec.ValidationError:
        return None
    return read
