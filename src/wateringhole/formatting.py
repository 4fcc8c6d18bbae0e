"""Anything at all inside a sentence: strangers' values, strangers' messages, numbers of things."""

from __future__ import annotations

import re
import reprlib

__all__ = ["escape", "pluralize", "sentence", "short_repr", "single_line"]

LONGEST = 60
LONGEST_LINE = 300

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_short = reprlib.Repr()
_short.maxlevel, _short.maxother, _short.maxstring, _short.maxlong = 3, LONGEST, LONGEST, LONGEST


def short_repr(value: object) -> str:
    """A value as it may stand in a sentence: short, on one line, the same in every run.

    It never raises, whatever the value's own code does.

    >>> short_repr([1, "two"]), short_repr(object())
    ("[1, 'two']", '<object object>')
    """
    try:
        return single_line(_short.repr(value), LONGEST)
    except Exception:  # its author's mistake, or a number with more digits than can be written
        return f"a {type(value).__name__}"


def single_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A text of a stranger: cut to one line of readable characters that every wire can carry."""
    text = _ADDRESS.sub("", text.encode(errors="replace").decode())
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def pluralize(number: int, noun: str) -> str:
    """So many of something.

    >>> pluralize(1, "card"), pluralize(2, "card")
    ('1 card', '2 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# Rich markup: narrators write it and do no output, so they cannot ask Rich to escape names and messages.

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


def sentence(text: str) -> str:
    """A text with a capital letter and a full stop.

    >>> sentence("no card is given")
    'No card is given.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
