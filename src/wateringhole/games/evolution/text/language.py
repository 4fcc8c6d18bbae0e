"""What a language of Evolution provides: the texts of the facet `Text`, and those of the page."""

from __future__ import annotations

from typing import Protocol

from wateringhole.facets import Narrator, Reader
from wateringhole.game import Violation
from wateringhole.games.evolution.rules.answers import EvolutionAnswer, Feeding, Step
from wateringhole.games.evolution.rules.attacks import Attack
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.requests import EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import Spot
from wateringhole.texts import Language

__all__ = ["EvolutionLanguage", "Narrator"]


class EvolutionLanguage(Language[EvolutionRequest, EvolutionAnswer], Protocol):
    """The texts of one language; a package implements it.  All results are plain text."""

    def trait_name(self, trait: Trait, /) -> str:
        """Return the name of a trait, with a capital letter."""
        ...

    def trait_text(self, trait: Trait, rules: Rules, /) -> str:
        """Return what a trait does under these rules."""
        ...

    def step_text(self, step: Step, draft: Draft, reader: Reader, /) -> str:
        """Return a step that a draft can take, with the name of its card."""
        ...

    def missing_text(self, violation: Violation, reader: Reader, /) -> str:
        """Return the sentence about what a draft lacks."""
        ...

    def option_text(self, option: Feeding, reader: Reader, /) -> str:
        """Return which species would eat, store or attack."""
        ...

    def effect_text(self, request: FeedNext, option: Feeding, /) -> str:
        """Return what an option would cause, as briefly as possible."""
        ...

    def loss_text(self, before: int, after: int, strikes_back: bool, /) -> str:
        """Return what an attack does to the animals of its target, and whether horns strike back."""
        ...

    def decline_text(self, rules: Rules, /) -> str:
        """Return what declining to feed means."""
        ...

    def protection_text(self, attack: Attack, shield: Trait, victim: Spot, reader: Reader, rules: Rules, /) -> str:
        """Return which trait protects a species, and what it demands of the attacker."""
        ...
