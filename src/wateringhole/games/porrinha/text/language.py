"""What a language of Porrinha provides: the texts of the facet `Text`, and those of the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from wateringhole.facets import Narrator
from wateringhole.game import Seat
from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
from wateringhole.games.porrinha.rules.requests import PorrinhaRequest
from wateringhole.texts import Language

__all__ = ["PorrinhaLanguage"]


class PorrinhaLanguage(Language[PorrinhaRequest, PorrinhaAnswer], Protocol):
    """The texts of one language; a module implements it."""

    def page_narrator(self, names: Sequence[str], seat: Seat | None, /) -> Narrator:
        """Return a narrator for readers who see the seats."""
        ...

    def guess_text(self, name: str | None, guess: int | None, /) -> str:
        """Return the line about a guess of a player, or of the reader (None); a void guess is None."""
        ...

    def situation_text(self, own_hand: int, least: int, most: int, has_bluffs: bool, /) -> str:
        """Return what the guessing player knows about the sum."""
        ...

    def taken_text(self, name: str, number: int, /) -> str:
        """Return who has said a number."""
        ...

    def bluff_text(self, own_hand: int, least: int, most: int, number: int, /) -> str:
        """Return why a number cannot be the sum."""
        ...

    def say_text(self, number: int, /) -> str:
        """Return what a number stands for."""
        ...
