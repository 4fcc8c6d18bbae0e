"""Anything at all inside a sentence: strangers' values, strangers' messages, numbers of things."""

from __future__ import annotations

import re
import reprlib

__all__ = ["counted", "one_line", "shown"]

LONGEST = 60
LONGEST_LINE = 300

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_short = reprlib.Repr()
_short.maxlevel, _short.maxother, _short.maxstring, _short.maxlong = 3, LONGEST, LONGEST, LONGEST


def shown(value: object) -> str:
    """A value as it may stand in a sentence: short, on one line, the same in every run.

    It never raises, whatever the value's own code does.

    >>> shown([1, "two"]), shown(object())
    ("[1, 'two']", '<object object>')
    """
    try:
        return one_line(_short.repr(value), LONGEST)
    except Exception:  # its author's mistake, or a number with more digits than can be written
        return f"a {type(value).__name__}"


def one_line(text: str, longest: int = LONGEST_LINE) -> str:
    """A text of a stranger: cut to one line of readable characters that every wire can carry."""
    text = _ADDRESS.sub("", text.encode(errors="replace").decode())
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def counted(number: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "card"), counted(2, "card")
    ('1 card', '2 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
