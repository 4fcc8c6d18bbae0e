"""Rules as frozen records of named options, and how users write them.

A game's rules are a subclass of `Rules` whose fields carry their explanation::

    class Rules(options.Rules, frozen=True):
        food_clamp: Annotated[Literal["per-card", "total"], option("when the hole is cut at 0")] = "per-card"

The same record drives the code, the printed rulebook, `--rules` and the page.
"""

from __future__ import annotations

import contextlib
import functools
import json
import types
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from, did_you_mean, short_repr

__all__ = [
    "Option",
    "Profile",
    "Rules",
    "RulesChoice",
    "as_rules",
    "check_rules",
    "describe",
    "option",
    "parse_rules",
    "parse_value",
    "read_value",
    "value_to_text",
]


class Rules(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of every game's rules; equal rules are equal records."""


R = TypeVar("R", bound=Rules)


class Profile(NamedTuple, Generic[R]):
    """A named set of rules."""

    rules: R
    text: str
    """Its origin, in one line."""


RulesChoice = str | Iterable[str] | Rules
"""Rules as the commands take them: a profile, options as ``name=value``, or several of both; or a record of rules."""


class Option(msgspec.Struct, frozen=True):
    """One row of a table of options."""

    name: str
    text: str
    values: str
    """Its values, described or listed."""
    profiles: dict[str, str]
    """Its value in each profile, as a user types it."""
    choices: tuple[str, ...] | None = None
    """All its values, as a user types them, or None if there are too many to list."""


def option(
    sentence: str, *, values: str | None = None, least: int | None = None, most: int | None = None
) -> msgspec.Meta:
    """Describe an option; `values` names its values if its type does not list them."""
    return msgspec.Meta(description=sentence, extra={"values": values} if values else None, ge=least, le=most)


def parse_rules(words: Iterable[str], profiles: Mapping[str, Profile[R]]) -> R:
    """Return the rules that ``profile`` and ``option=value`` words name; later words override earlier ones.

    The first profile is the default.  Raises UsageError with the valid words.
    """
    chosen = next(iter(profiles.values())).rules
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            if name not in profiles:
                raise UsageError(
                    f"rules {word!r}: there is no such profile. {choose_from(word, profiles)} "
                    "An option is given as name=value."
                )
            chosen = profiles[name].rules
        else:
            chosen = msgspec.structs.replace(chosen, **{name: _read_value(type(chosen), name, value)})
    return chosen


def as_rules(chosen: RulesChoice, profiles: Mapping[str, Profile[R]], game: str) -> R:
    """Return the rules of a game that a caller has chosen.  Raises UsageError for rules that do not exist."""
    if isinstance(chosen, Rules):
        if not isinstance(chosen, type(next(iter(profiles.values())).rules)):
            raise UsageError(f"{short_repr(chosen)} are not rules of {game}.")
        check_rules(chosen)
        return chosen
    given: object = [chosen] if isinstance(chosen, str) else chosen
    words: list[Any] = list(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else [given]
    if not all(isinstance(each, str) for each in words):
        raise UsageError(f"rules={short_repr(chosen)}: expected profiles and options, e.g. ['name=value'].")
    return parse_rules(words, profiles)


def check_rules(rules: Rules) -> None:
    """Raise UsageError for rules made in Python whose options have other values than allowed."""
    for name, hint in _hints(type(rules)).items():
        value = getattr(rules, name)
        # msgspec accepts a list for a tuple, but a list is not hashable.
        with contextlib.suppress(msgspec.ValidationError):
            if msgspec.convert(value, hint) == value:
                continue
        raise _refusal(name, short_repr(value), hint)


def describe(profiles: Mapping[str, Profile[R]]) -> list[Option]:
    """Return every option of a game, with its description and its value in each profile."""
    chosen = {name: profile.rules for name, profile in profiles.items()}
    rules = type(next(iter(chosen.values())))
    return [
        Option(
            name=name,
            text=_meta(hint).description or "",
            values=_values(hint),
            profiles={profile: value_to_text(getattr(rules, name)) for profile, rules in chosen.items()},
            choices=_choices(hint),
        )
        for name, hint in _hints(rules).items()
    ]


def value_to_text(value: object) -> str:
    """Return a value as a user types it after ``name=``."""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case tuple() | list():
            return ",".join(map(value_to_text, value))
    return str(value)


def _read_value(rules: type[Rules], name: str, word: str) -> Any:
    hints = _hints(rules)
    if name not in hints:
        raise UsageError(f"rules option {name!r} does not exist. {choose_from(name, hints)}")
    try:
        return read_value(rules, name, word)
    except ValueError:
        raise _refusal(name, word, hints[name]) from None


def read_value(rules: type[Rules], name: str, word: str) -> Any:
    """Return the value of an option that a typed word stands for.  Raises ValueError with the values it takes."""
    hint = _hints(rules)[name]
    # `none` may be one of the words of an option, or stand for None.
    for value in (parse_value(word), word):
        with contextlib.suppress(msgspec.ValidationError):
            return msgspec.convert(value, hint)
    raise ValueError(f"the values are {_values(hint)}.")


def _refusal(name: str, value: str, hint: Any) -> UsageError:
    similar = did_you_mean(value, _choices(hint) or ())
    return UsageError(f"rules option {name}={value}: the values of {name} are {_values(hint)}.{similar}")


def parse_value(word: str) -> Any:
    """Return the value that a typed word stands for: None, true, 7, a list such as 3,2,4, or the word itself."""
    if word == "none":
        return None
    try:
        return json.loads(f"[{word}]" if "," in word else word)
    except ValueError:
        return word


@functools.cache
def _hints(rules: type[Rules]) -> dict[str, Any]:
    """Return the types of the options.  A field that can be unset is no option: the game's deal sets it."""
    hints = get_type_hints(rules, include_extras=True)
    return {name: hint for name, hint in hints.items() if msgspec.UnsetType not in get_args(hint)}


def _meta(hint: Any) -> msgspec.Meta:
    return next((part for part in get_args(hint) if isinstance(part, msgspec.Meta)), msgspec.Meta())


def _values(hint: Any) -> str:
    named = (_meta(hint).extra or {}).get("values")
    if named:
        return str(named)
    bare = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    return ", ".join(_listed(bare))


def _choices(hint: Any) -> tuple[str, ...] | None:
    listed = _listed(get_args(hint)[0] if get_origin(hint) is Annotated else hint)
    return None if _NUMBER in listed else tuple(listed)


_NUMBER = "a whole number"


def _listed(bare: Any) -> list[str]:
    if get_origin(bare) is Literal:
        return [value_to_text(value) for value in get_args(bare)]
    if get_origin(bare) in (Union, types.UnionType):
        return [word for part in get_args(bare) for word in _listed(part)]
    if bare is bool:
        return ["true", "false"]
    return ["none" if bare is type(None) else _NUMBER]
