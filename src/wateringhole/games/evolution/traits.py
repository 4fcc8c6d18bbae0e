"""Traits of your own: the base classes to derive from, and the option `--traits FILE` that loads them.

::

    from wateringhole.games.evolution.traits import WasAttacked


    class Thorns(WasAttacked):
        trait_id = "thorns"
        text = "An attacker loses one animal."
        food_points = (-1, 0, 1)

        def was_attacked(self, attacker, attacked, owner):
            if owner is attacked:
                attacker = attacker.replace(population=attacker.population - 1)
            return attacker, attacked, owner

A trait file is the operator's own code.  It is trusted, and it runs in the referee's process.
"""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
from msgspec import UNSET

from wateringhole.digests import digest
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr, single_line
from wateringhole.game import DealOption
from wateringhole.games.evolution.rules.custom_traits import (
    MOST_POINTS,
    TRAIT_BASES,
    CustomTrait,
    CustomTraits,
    FoodEaten,
    FoodRevealed,
    NoReaction,
    PreventsAttack,
    Species,
    TraitBase,
    WasAttacked,
)
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.setup import Setup
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.player import author_line

__all__ = [
    "TRAITS_OPTION",
    "FoodEaten",
    "FoodRevealed",
    "NoReaction",
    "PreventsAttack",
    "Species",
    "WasAttacked",
    "load_traits",
]

_BASES = tuple(TRAIT_BASES.values())
_HOOKS = tuple(base.hook for base in _BASES if base.hook)
_FIELDS = get_type_hints(CustomTrait, include_extras=True)
_EXPECTED = {
    "trait_id": (
        "name",
        "a name of lower-case letters, digits and hyphens, a letter first, at most 30 characters",
    ),
    "text": ("text", "a text for the players on one line, at most 300 characters"),
    "food_points": ("points", f"different whole numbers from {-MOST_POINTS} to {MOST_POINTS}, one for each card"),
}
"""The attributes of a trait, with their fields in a declaration and their values."""


def load_traits(path: str | Path) -> Hooks:
    """Return the traits of a file: every class in it that derives from one of the five base classes.

    Raises OperationError if the file cannot be read or run, and UsageError for a trait that cannot be used
    or a text that is not a path.
    """
    file = str(path)
    source = _read(file)
    classes = [each for each in _run(file, source) if issubclass(each, _BASES) and each not in _BASES]
    if not classes:
        raise UsageError(
            f"{file} has no traits. A trait is a class that derives from {', '.join(base.__name__ for base in _BASES)}."
        )
    declared: dict[str, tuple[CustomTrait, TraitBase]] = {}
    for each in classes:
        trait = _declaration(file, each)
        if trait.name in declared:
            raise _refusal(file, each, f"its trait_id {trait.name!r} is also that of another class")
        declared[trait.name] = trait, _instance(file, each)
    custom = CustomTraits(digest(source), tuple(trait for trait, _ in declared.values()))
    return Hooks(custom, file, {name: code for name, (_, code) in declared.items()})


def _read(file: str) -> bytes:
    try:
        if not file:
            raise ValueError("an empty path")
        return Path(file).read_bytes()
    except OSError as error:
        raise OperationError(f"{file} cannot be read: {error.strerror}.") from None
    except ValueError:  # also for a path with a NUL
        raise UsageError(f"the trait file {file!r} is not a path: expected that of a Python file.") from None


def _run(file: str, source: bytes) -> list[type]:
    """Run a file and return the classes that it defines, in their order.  Those with a leading underscore are help."""
    module = types.ModuleType("trait_file")
    module.__file__ = file
    # Dataclasses look up their module while they are defined.
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        exec(compile(source, file, "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        line = author_line(error)
        where = f"{file}, line {line.number}" if line else file
        raise OperationError(f"{where}: {type(error).__name__}: {single_line(str(error))}.") from None
    finally:
        sys.modules.pop(module.__name__)
        if before:
            sys.modules[module.__name__] = before
    named = [each for name, each in vars(module).items() if isinstance(each, type) and not name.startswith("_")]
    # A class can have a second name.
    return [each for each in dict.fromkeys(named) if each.__module__ == module.__name__]


def _declaration(file: str, definition: type[TraitBase]) -> CustomTrait:
    """Return what a class declares.  Raises UsageError if it cannot be a trait."""
    bases = [base for base in _BASES if issubclass(definition, base)]
    if len(bases) > 1:
        raise _refusal(file, definition, f"it derives from {' and '.join(base.__name__ for base in bases)}; choose one")
    (base,) = bases
    for hook in _HOOKS:
        if hook != base.hook and hasattr(definition, hook):
            raise _refusal(file, definition, f"it defines {hook}, which is never called for {base.__name__}")
    if base.hook and getattr(definition, base.hook) is getattr(base, base.hook):
        raise _refusal(file, definition, f"it must define {base.hook}{_parameters(base, base.hook)}")
    given: dict[str, Any] = {name: getattr(definition, name, None) for name in _EXPECTED}
    if given["trait_id"] in tuple(Trait):
        raise _refusal(file, definition, f"{given['trait_id']!r} is a built-in trait; choose another trait_id")
    declared: dict[str, Any] = {"type": base.type}
    for name, (field, expected) in _EXPECTED.items():
        try:
            # A range and other iterables are as good as a list.
            value = given[name] if isinstance(given[name], str) else list(given[name])
            declared[field] = msgspec.convert(value, _FIELDS[field])
            is_valid = name != "food_points" or 0 < len(value) == len(set(value))
        except (TypeError, msgspec.ValidationError):
            is_valid = False
        if not is_valid:
            raise _refusal(file, definition, f"{name} = {short_repr(given[name])}; expected {expected}")
    return CustomTrait(**declared)


def _parameters(base: type[TraitBase], hook: str) -> str:
    import inspect

    return f"({', '.join(inspect.signature(getattr(base, hook)).parameters)})"


def _instance(file: str, definition: type[TraitBase]) -> TraitBase:
    try:
        return definition()
    except (Exception, SystemExit) as error:
        raise _refusal(file, definition, f"{definition.__name__}() raises {type(error).__name__}: {error}") from None


def _refusal(file: str, definition: type[Any], why: str) -> UsageError:
    return UsageError(f"{file}: the class {definition.__name__} is not a trait: {single_line(why)}.")


def _attach(setup: Setup, hooks: Hooks) -> Setup:
    """Return a setup that was read, with the code of its custom traits.  Raises OperationError for other traits."""
    custom = setup.rules.custom_traits
    if custom is UNSET:
        return setup
    if custom != hooks.custom:
        raise OperationError(
            f"the game was played with another trait file: its digest is {custom.digest}, "
            f"and that of {hooks.file} is {hooks.custom.digest}."
        )
    return setup.with_hooks(hooks)


TRAITS_OPTION = DealOption("traits", "further traits and their cards", "a Python file", load_traits, _attach)
