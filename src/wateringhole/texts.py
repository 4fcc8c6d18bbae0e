"""A game's texts in several languages, joined to the facet `Text`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Generic, Protocol, TypeVar

from wateringhole.facets import Narrator, Reader
from wateringhole.game import Request, Seat, Violation

__all__ = ["LANGUAGES", "Language", "Texts"]

LANGUAGES = ("en", "pt")
"""The languages that the page speaks; the first is the default."""

Q = TypeVar("Q", bound=Request[Any])
A = TypeVar("A")
Q_contra = TypeVar("Q_contra", bound=Request[Any], contravariant=True)
A_contra = TypeVar("A_contra", contravariant=True)


class Language(Protocol[Q_contra, A_contra]):
    """A game's texts in one language; a module can implement it."""

    def violation_text(self, violation: Violation, reader: Reader, /) -> str:
        """Return a clause without capital letter and full stop."""
        ...

    def answer_text(self, request: Q_contra, answer: A_contra, reader: Reader, /) -> str:
        """Return a short phrase for an answer to a request."""
        ...

    def new_narrator(self, names: Sequence[str], seat: Seat | None, /) -> Narrator: ...


class Texts(Generic[Q, A]):
    """The facet `Text`, made of languages by their codes.

    >>> Texts({"en": ...}).narrator(["Ada"], language="pt")
    Traceback (most recent call last):
    ValueError: there are no texts in the language 'pt'. Choose from: en
    """

    def __init__(self, languages: Mapping[str, Language[Q, A]]) -> None:
        self._languages = languages

    @property
    def languages(self) -> Collection[str]:
        """The codes of the languages."""
        return self._languages.keys()

    def violation(self, violation: Violation, reader: Reader, language: str = "en") -> str:
        return self._in(language).violation_text(violation, reader)

    def answer(self, request: Q, answer: A, reader: Reader, language: str = "en") -> str:
        return self._in(language).answer_text(request, answer, reader)

    def narrator(self, names: Sequence[str], seat: Seat | None = None, language: str = "en") -> Narrator:
        return self._in(language).new_narrator(names, seat)

    def _in(self, language: str) -> Language[Q, A]:
        if language not in self._languages:
            known = ", ".join(self._languages)
            raise ValueError(f"there are no texts in the language {language!r}. Choose from: {known}")
        return self._languages[language]
