"""How a compiled game supports the options of its rules: each is encoded, has no effect, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from msgspec import UNSET

from wateringhole.errors import UsageError
from wateringhole.options import Rules, value_to_text

__all__ = ["Encoded", "NoEffect", "OptionEntry", "Refused", "encode_options", "refuse_option"]


class Encoded(NamedTuple):
    """An option that a row of the game holds."""

    place: int
    """The word of the row, or the first of several."""
    encode: Callable[[Any], int] | None
    """Return the word for a value.  None if the option takes several words, which the game's `setup` writes."""
    refusals: Mapping[Any, str] = {}
    """Values that are refused, with the reason."""


class NoEffect(NamedTuple):
    """An option that does not change the compiled game, whatever its value."""

    reason: str


class Refused(NamedTuple):
    """An option of which only the default value is supported."""

    reason: str


OptionEntry = Encoded | NoEffect | Refused


def encode_options(entries: Mapping[str, OptionEntry], rules: Rules) -> dict[int, int]:
    """Return the words for the options that take one word each, by their place in a row.

    Raises UsageError for an option or a value that is refused.
    """
    usual = type(rules)()
    words = {}
    for name, entry in entries.items():
        value, default = getattr(rules, name), getattr(usual, name)
        if isinstance(entry, Refused) and default is UNSET and value is not UNSET:
            raise UsageError(f"games with {name} cannot be simulated: {entry.reason}.")
        if isinstance(entry, Refused) and value != default:
            raise refuse_option(name, value, f"{entry.reason}. Choose {name}={value_to_text(default)}")
        if isinstance(entry, Encoded):
            if value in entry.refusals:
                raise refuse_option(name, value, entry.refusals[value])
            if entry.encode:
                words[entry.place] = int(entry.encode(value))
    return words


def refuse_option(name: str, value: object, reason: str) -> UsageError:
    """Return the error for a rule that cannot be simulated."""
    return UsageError(f"rules option {name}={value_to_text(value)} cannot be simulated: {reason}.")
