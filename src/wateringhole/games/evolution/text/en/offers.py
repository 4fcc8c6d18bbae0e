"""What the page says about traits, drafts and feedings."""

from __future__ import annotations

from wateringhole.facets import Reader
from wateringhole.formatting import sentence
from wateringhole.game import Violation
from wateringhole.games.evolution.rules.answers import Feeding
from wateringhole.games.evolution.rules.attacks import Attack
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import NoFoodCard, Spot
from wateringhole.games.evolution.text.en.answers import declining, feeding, why_safe
from wateringhole.games.evolution.text.en.violations import violation_text
from wateringhole.games.evolution.text.en.words import target, word

__all__ = ["decline_text", "loss_text", "missing_text", "option_text", "protection_text", "trait_name", "trait_text"]


def trait_name(trait: Trait) -> str:
    return word(trait).capitalize()


def trait_text(trait: Trait, rules: Rules) -> str:
    return rule_of(trait, rules).text(rules)


def missing_text(violation: Violation, reader: Reader) -> str:
    if isinstance(violation, NoFoodCard):
        return "Put one card into the watering hole first."
    return sentence(violation_text(violation, reader))


def option_text(option: Feeding, reader: Reader) -> str:
    return _capitalized(feeding(option, reader, is_offer=True))


def loss_text(before: int, after: int, strikes_back: bool) -> str:
    return f"{before} → {after}" + (", horns" if strikes_back else "")


def decline_text(rules: Rules) -> str:
    return _capitalized(declining(rules))


def protection_text(attack: Attack, shield: Trait, victim: Spot, reader: Reader, rules: Rules) -> str:
    return f"{trait_name(shield)} protects {target(victim, reader)}. {why_safe(attack, shield, rules)}"


def _capitalized(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
