"""The texts of Evolution: each language is a folder that implements `wateringhole.texts.Language`."""

from wateringhole.games.evolution.rules.answers import EvolutionAnswer
from wateringhole.games.evolution.rules.requests import EvolutionRequest
from wateringhole.games.evolution.text import en
from wateringhole.texts import Texts

__all__ = ["TEXT"]

TEXT: Texts[EvolutionRequest, EvolutionAnswer] = Texts({"en": en})
