"""Lines with Rich markup, as plain text."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text

__all__ = ["plain"]


def plain(lines: Iterable[str]) -> list[str]:
    """Lines with markup as plain text; blank ones are left out."""
    texts = (Text.from_markup(line, emoji=False).plain.strip() for line in lines)
    return [text for text in texts if text]
