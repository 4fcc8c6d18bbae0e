"""Text of strangers inside Rich markup: names of players, messages of their programs.

Narrators write markup and do no output, so they cannot ask Rich to escape it for them.
"""

from __future__ import annotations

import re

__all__ = ["escape"]

_BRACKET = re.compile(r"(\\*)\[([a-z#/@][^\[\]]*\])?")
_LAST_BACKSLASHES = re.compile(r"(\\+)$")


def escape(text: str) -> str:
    r"""The markup that shows a text as it is, on one line and without control characters.

    >>> escape("Ada [red]")
    'Ada \\[red]'
    """
    shown = "".join(character if character.isprintable() else " " for character in text)
    # A backslash at the end would escape the tag that happens to come next: let that be one of ours.
    return _LAST_BACKSLASHES.sub(r"\1\1[none][/none]", _BRACKET.sub(_escape_bracket, shown))


def _escape_bracket(found: re.Match[str]) -> str:
    """Backslashes before a tag come in pairs for Rich; those before a lone bracket stand for themselves."""
    backslashes, tag = found.groups()
    return f"{backslashes * 2}\\[{tag}" if tag else f"{backslashes}\\["
