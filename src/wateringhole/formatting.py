"""Formatting of untrusted values and texts for messages, and Rich markup."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Iterable

__all__ = [
    "choose_from",
    "did_you_mean",
    "escape",
    "is_encodable",
    "most_similar",
    "pluralize",
    "printable_lines",
    "sentence",
    "short_repr",
    "single_line",
]

LONGEST = 60
LONGEST_LINE = 300
MOST_LINES = 100

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")

_short = reprlib.Repr()
_short.maxlevel, _short.maxother, _short.maxstring, _short.maxlong = 3, LONGEST, LONGEST, LONGEST


def short_repr(value: object) -> str:
    """Return a short representation of a value on one line, the same in every run.

    It never raises, whatever the value's own code does, except for Ctrl-C.

    >>> short_repr([1, "two"]), short_repr(object())
    ("[1, 'two']", '<object object>')
    """
    try:
        return single_line(_short.repr(value), LONGEST)
    except KeyboardInterrupt:
        raise
    except BaseException:  # its author's mistake, or a number with more digits than can be written
        # Its metaclass can replace the name of the type, but not this descriptor.
        return f"a {type.__dict__['__name__'].__get__(type(value))}"


def single_line(text: str, longest: int = LONGEST_LINE) -> str:
    """Return an untrusted text on one line of printable characters, cut to a length."""
    text = _ADDRESS.sub("", text.encode(errors="replace").decode())
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"


def is_encodable(text: str) -> bool:
    """Return whether a text can be written in UTF-8.  Bytes of a command line that are not UTF-8 cannot.

    >>> is_encodable("Zé"), is_encodable("\\udcff")
    (True, False)
    """
    return not any("\ud800" <= character <= "\udfff" for character in text)


def printable_lines(text: str, most: int = MOST_LINES) -> str:
    """Return an untrusted text as lines of printable characters; of many lines, the middle ones are omitted.

    >>> printable_lines("1\\n2\\n3\\n4\\n5\\n6", most=4)
    '1\\n2\\n(2 more lines)\\n5\\n6\\n'
    """
    lines = text.splitlines()
    if len(lines) > most:
        head = most // 2
        lines = [*lines[:head], f"({len(lines) - most} more lines)", *lines[head - most :]]
    return "".join(f"{single_line(line)}\n" for line in lines)


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> pluralize(1, "card"), pluralize(2, "card")
    ('1 card', '2 cards')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# Names that a user mistyped


def most_similar(name: str, known: Iterable[str], cutoff: float = 0.75) -> str | None:
    """Return the known name that is most similar to a mistyped one, or None if none is.

    Case, hyphens and underscores do not matter.  The `cutoff` is the least similarity, from 0 to 1.

    >>> most_similar("endRound", ["start_round", "end_round"])
    'end_round'
    """
    # Slow to import and seldom needed.
    import difflib

    names = {_normalized(each): each for each in known}
    return next((names[each] for each in difflib.get_close_matches(_normalized(name), names, 1, cutoff)), None)


def _normalized(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question with the known name that is most similar to a mistyped one, or an empty text.

    The question begins with a space, so that it can follow other text.

    >>> did_you_mean("gredy", ["greedy", "random"]), did_you_mean("chess", ["greedy", "random"])
    (' Did you mean greedy?', '')
    """
    similar = most_similar(name, known) if isinstance(name, str) else None
    return "" if similar is None else f" Did you mean {similar}?"


def choose_from(name: object, known: Iterable[str]) -> str:
    """Return what to do about a name that is not known: the similar one if there is one, and all known names.

    >>> choose_from("gredy", ["greedy", "random"])
    'Did you mean greedy? Choose from: greedy, random.'
    """
    names = list(known)
    return f"{did_you_mean(name, names)} Choose from: {', '.join(names)}.".lstrip()


# Rich markup.  Narrators write markup without importing Rich, so names and messages are escaped here.

_BRACKET = re.compile(r"(\\*)\[([a-z#/@][^\[\]]*\])?")
_LAST_BACKSLASHES = re.compile(r"(\\+)$")


def escape(text: str) -> str:
    r"""Return the markup that shows a text literally, on one line and without control characters.

    >>> escape("Ada [red]")
    'Ada \\[red]'
    """
    shown = "".join(character if character.isprintable() else " " for character in text)
    # A backslash at the end would escape the next tag: add an empty tag for it to escape.
    return _LAST_BACKSLASHES.sub(r"\1\1[none][/none]", _BRACKET.sub(_escape_bracket, shown))


def _escape_bracket(found: re.Match[str]) -> str:
    """Escape a bracket.  Rich reads backslashes before a tag in pairs, and before a lone bracket literally."""
    backslashes, tag = found.groups()
    return f"{backslashes * 2}\\[{tag}" if tag else f"{backslashes}\\["


def sentence(text: str) -> str:
    """Return a text with a capital letter and a full stop.

    >>> sentence("no card is given")
    'No card is given.'
    """
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
