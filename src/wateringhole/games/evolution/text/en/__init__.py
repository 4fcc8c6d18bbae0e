"""The English texts of Evolution."""

from wateringhole.games.evolution.text.en.answers import answer_text
from wateringhole.games.evolution.text.en.answers import describe_step as step_text
from wateringhole.games.evolution.text.en.answers import effect as effect_text
from wateringhole.games.evolution.text.en.narrator import Narrator as new_narrator
from wateringhole.games.evolution.text.en.offers import (
    decline_text,
    loss_text,
    missing_text,
    option_text,
    protection_text,
    trait_name,
    trait_text,
)
from wateringhole.games.evolution.text.en.violations import violation_text

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
