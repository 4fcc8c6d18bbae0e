"""Porrinha's texts: each language is a module that implements `PorrinhaLanguage`."""

from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
from wateringhole.games.porrinha.rules.requests import PorrinhaRequest
from wateringhole.games.porrinha.text import en, pt
from wateringhole.games.porrinha.text.language import PorrinhaLanguage
from wateringhole.texts import Texts

__all__ = ["LANGUAGES", "TEXT"]

LANGUAGES: dict[str, PorrinhaLanguage] = {"en": en, "pt": pt}
"""The languages by their codes."""

TEXT: Texts[PorrinhaRequest, PorrinhaAnswer] = Texts(LANGUAGES)
