"""Lines with Rich markup, as plain text."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from rich.text import Text

__all__ = ["plain"]


def plain(lines: Iterable[str]) -> list[str]:
    """Lines with markup as plain text; blank ones are left out."""
    return [text for line in lines if (text := _plain(line))]


# Pages at the same table show the same sentences.
@functools.lru_cache(maxsize=1024)
def _plain(line: str) -> str:
    return Text.from_markup(line, emoji=False).plain.strip()
