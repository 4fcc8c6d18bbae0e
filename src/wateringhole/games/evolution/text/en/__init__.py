"""The English texts of Evolution."""

from wateringhole.games.evolution.text.en.answers import answer_text
from wateringhole.games.evolution.text.en.narrator import Narrator as new_narrator
from wateringhole.games.evolution.text.en.violations import violation_text

__all__ = ["answer_text", "new_narrator", "violation_text"]
