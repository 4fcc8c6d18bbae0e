"""Porrinha's texts: each language is a module that implements `wateringhole.texts.Language`."""

from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
from wateringhole.games.porrinha.rules.requests import PorrinhaRequest
from wateringhole.games.porrinha.text import en
from wateringhole.texts import Texts

__all__ = ["TEXT"]

TEXT: Texts[PorrinhaRequest, PorrinhaAnswer] = Texts({"en": en})
