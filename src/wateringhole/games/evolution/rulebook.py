"""The rulebook for players: a text, and the trait table that the rules use."""

from __future__ import annotations

from importlib import resources

from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.traits import TRAITS

__all__ = ["rulebook"]


def rulebook() -> str:
    """Return the rules in Markdown."""
    text = (resources.files("wateringhole.games.evolution") / "rulebook.md").read_text(encoding="utf-8")
    rows = "\n".join(f"| `{trait}` | `{rule.type}` | {rule.text(Rules())} |" for trait, rule in TRAITS.items())
    return f"{text}\n| trait | type | effect |\n|---|---|---|\n{rows}\n"
