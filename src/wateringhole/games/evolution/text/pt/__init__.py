"""The Brazilian Portuguese texts of Evolution."""

from wateringhole.games.evolution.text.pt.answers import answer_text, effect_text, step_text
from wateringhole.games.evolution.text.pt.narrator import Narrator as new_narrator
from wateringhole.games.evolution.text.pt.offers import (
    decline_text,
    loss_text,
    missing_text,
    option_text,
    protection_text,
    trait_name,
    trait_text,
)
from wateringhole.games.evolution.text.pt.violations import violation_text

__all__ = [
    "answer_text",
    "decline_text",
    "effect_text",
    "loss_text",
    "missing_text",
    "new_narrator",
    "option_text",
    "protection_text",
    "step_text",
    "trait_name",
    "trait_text",
    "violation_text",
]
