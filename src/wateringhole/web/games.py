"""How a game is drawn: the promise that one module for each game keeps, and the small things they share."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, cast

from rich.text import Text

from wateringhole import registry
from wateringhole.errors import Failure
from wateringhole.game import Answer, Event, Request, Seat, ThrownOut, Violation

__all__ = ["GamePage", "Missing", "Watch", "page_of", "plain", "refusal", "sentence", "title_of"]


class Missing(Failure):
    """What somebody asked for is not there, or not any more."""


class Watch(Protocol):
    """Follows one game through one pair of eyes, and says what the page draws."""

    def see(self, event: Event) -> list[str]:
        """Take in what happened, as these eyes may see it; the sentences that tell it."""
        ...

    def answered(self, request: Request, answer: Answer | None) -> bool:
        """Somebody has answered, and no event tells it yet; None: what, is not for these eyes.

        Whether the scene has changed by it.
        """
        ...

    def asked(self, questions: Mapping[Seat, str]) -> None:
        """Who is asked now, and the kind of the question."""
        ...

    def scene(self) -> dict[str, Any]:
        """The table as it stands, ready for JSON."""
        ...


class GamePage(Protocol):
    """What the page needs of a game; a module keeps this promise."""

    def watch(self, names: Sequence[str], seat: Seat | None) -> Watch:
        """The eyes of a seat, or of the gallery."""
        ...

    def watch_all(self, names: Sequence[str], events: Sequence[Event]) -> Watch:
        """Eyes that see everything, for a game that is known to its end."""
        ...

    def flaw(self, rules: Any, seats: int) -> str | None:
        """Why the page cannot draw such a table, if it cannot."""
        ...

    def words(self, rules: Any) -> dict[str, Any]:
        """What the page explains, as it holds under these rules."""
        ...

    def aid(self, watch: Watch, names: Sequence[str], request: Request) -> dict[str, Any]:
        """All that can be answered to a request, with what comes of it."""
        ...

    def problem(self, request: Request, answer: Answer) -> Violation | None:
        """Why a person had better not answer this."""
        ...

    def consult(self, watch: Watch, request: Request, message: Mapping[str, Any]) -> dict[str, Any] | None:
        """What the page asks while an answer is made; None: nothing that this game knows.

        Raises ValueError with a sentence for what cannot be read.
        """
        ...

    def public(self, event: Event) -> dict[str, Any]:
        """An event of a game that is over, hidden things included."""
        ...

    def out(self, event: Event) -> ThrownOut | None:
        """Who is out by an event."""
        ...


def page_of(game: str) -> GamePage:
    """The module that draws a game; loaded when it is asked for."""
    return cast(GamePage, importlib.import_module(f"wateringhole.games.{game}.page.scene"))


def title_of(game: str) -> str:
    """What a game is called."""
    return registry.game(game).title.partition(":")[0]


def plain(lines: Iterable[str]) -> list[str]:
    """Lines of a narrator without their markup; blank ones are left out."""
    texts = (Text.from_markup(line, emoji=False).plain.strip() for line in lines)
    return [text for text in texts if text]


def refusal(violation: Violation, message: str | None = None) -> dict[str, str]:
    """A violation for the page."""
    return {"rule": violation.rule, "message": sentence(message or violation.message)}


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop.

    >>> sentence("no card is given")
    'No card is given.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
