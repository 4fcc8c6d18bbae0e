"""Names of players, which are untrusted: short, on one line, and no imitation of another player at the table."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterable

from wateringhole.formatting import single_line

__all__ = ["LONGEST_NAME", "clean_name", "distinct", "distinct_names", "skeleton"]

LONGEST_NAME = 30
"""Characters in a name; a longer one is cut."""
_NUMBERED = re.compile(r"(.*\S)\s+\d+")
_STACKED_MARKS = re.compile(r"([\u0300-\u036f\u0483-\u0489\u1dc0-\u1dff\u20d0-\u20ff]{2})[\u0300-\u20ff]*")
"""More than two combining marks on one letter, which would cover the lines around it."""
# Cyrillic, Greek and other characters that look like a Latin letter; i, l and 1 look alike, too.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕкмнтвһԁԛԝɡɑıαβεηικνορτυχϲ01i",
    "aeopcyxljskmhtbhdqwgalabenlkvoptuxcoll",
)


def clean_name(name: str, default: str) -> str:
    """Return a name on one short line of printable characters, or the default if nothing is left.

    >>> clean_name(" A\\u3000d\\na ", "Player 1"), clean_name("\\u202e", "Player 1")
    ('A d a', 'Player 1')
    """
    text = unicodedata.normalize("NFKC", name.encode(errors="replace").decode())
    text = _STACKED_MARKS.sub(r"\1", text)
    return " ".join(single_line(text, LONGEST_NAME).split()) or default


def skeleton(name: str) -> str:
    """Return a name as a hasty reader sees it: without case, accents, blanks and punctuation.

    >>> skeleton("Ada") == skeleton("\\uff21 d\\u0430.")
    True
    """
    text = unicodedata.normalize("NFKD", name).casefold()
    plain = "".join(character for character in text if unicodedata.category(character)[0] in "LN")
    return (plain or "".join(text.split())).translate(_LOOKALIKES)


def distinct(name: str, taken: Collection[str]) -> str:
    """Return the name, with a number if it could be mistaken for a taken one.

    A number at the end belongs to the house: if the name before it is taken, it is replaced.

    >>> distinct("Ada", ["Bea", "Ada"]), distinct("ada", ["Ada"]), distinct("Ada 7", ["Ada"])
    ('Ada 2', 'ada 2', 'Ada 2')
    """
    seen = {skeleton(each) for each in taken}
    numbered = _NUMBERED.fullmatch(name)
    base = numbered[1] if numbered and skeleton(numbered[1]) in seen else name
    if base == name and skeleton(name) not in seen:
        return name
    candidates = (f"{base} {number}" for number in itertools.count(2))
    return next(each for each in candidates if skeleton(each) not in seen)


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of all players at a table, each `distinct` from those before.

    >>> distinct_names(["Ada", "Ada 1", "Ada", "Bob"])
    ('Ada', 'Ada 2', 'Ada 3', 'Bob')
    """
    given: list[str] = []
    for name in names:
        given.append(distinct(name, given))
    return tuple(given)
