"""The rulebook for readers."""

from __future__ import annotations

from importlib import resources

__all__ = ["rulebook"]


def rulebook() -> str:
    """The rules in Markdown."""
    return (resources.files("wateringhole.games.porrinha") / "rulebook.md").read_text(encoding="utf-8")
