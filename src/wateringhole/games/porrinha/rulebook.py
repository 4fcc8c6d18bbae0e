"""The rulebook of Porrinha."""

from __future__ import annotations

from importlib import resources

__all__ = ["rulebook"]


def rulebook() -> str:
    """Return the rules in Markdown."""
    return (resources.files("wateringhole.games.porrinha") / "rulebook.md").read_text(encoding="utf-8")
