"""The texts of Evolution: each language is a folder that implements `EvolutionLanguage`."""

from wateringhole.games.evolution.rules.answers import EvolutionAnswer
from wateringhole.games.evolution.rules.requests import EvolutionRequest
from wateringhole.games.evolution.text import en, pt
from wateringhole.games.evolution.text.language import EvolutionLanguage
from wateringhole.texts import Texts

__all__ = ["LANGUAGES", "TEXT"]

LANGUAGES: dict[str, EvolutionLanguage] = {"en": en, "pt": pt}
"""The languages by their codes."""

TEXT: Texts[EvolutionRequest, EvolutionAnswer] = Texts(LANGUAGES)
