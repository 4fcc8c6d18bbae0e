"""Warnings about methods of a Python player that look like misspelled hooks.

A hook is a public method of the base class that a player derives from, such as `guess`.  A method with a
similar name, such as `gues`, is never called, and the default of the hook plays instead.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from wateringhole.formatting import most_similar
from wateringhole.player import InProcess, Player, is_authors_module

__all__ = ["author_warnings", "misspelled_hooks"]

CUTOFF = 0.8
"""The least similarity, from 0 to 1, of a misspelled name and a hook.

It covers a wrong letter in seven and a missing letter in three, but not `choose_food` for `choose`."""


def author_warnings(player: Player) -> tuple[str, ...]:
    """Return what the author of a player should know before its first game, one sentence each."""
    # The process of an isolated player, which imports this module, has no use for it.
    from wateringhole.process.player import ProgramPlayer

    return player.warnings if isinstance(player, ProgramPlayer) else misspelled_hooks(player)


def misspelled_hooks(player: object) -> tuple[str, ...]:
    """Return a sentence for each public method that is never called and has a name similar to a hook.

    Only the author's own classes are searched, without mixins that are not players.  A method that another
    method of these classes mentions is a helper, and so is one whose name is not similar to a hook.
    """
    classes = [each for each in type(player).__mro__ if issubclass(each, InProcess)]
    own = [each for each in classes if is_authors_module(each.__module__)]
    bases = [each for each in classes if each not in own]
    hooks = [name for base in reversed(bases) for name in _methods(base)]
    methods = {name: (each, method) for each in reversed(own) for name, method in _methods(each).items()}
    warnings = []
    for name, (owner, method) in methods.items():
        others = (code for each in own for other in _functions(each) if other is not method for code in _codes(other))
        if any(hasattr(base, name) for base in bases) or any(name in code.co_names for code in others):
            continue
        if similar := most_similar(name, hooks, CUTOFF):
            where = f"{Path(method.__code__.co_filename).name}, line {method.__code__.co_firstlineno}"
            warnings.append(f"{owner.__name__}.{name} ({where}) is never called. Did you mean {similar}?")
    return tuple(warnings)


def _methods(owner: type[Any]) -> dict[str, FunctionType]:
    """Return the public methods that a class itself defines, by name, without properties."""
    found = {name: _function(value) for name, value in vars(owner).items() if name[0] != "_"}
    return {name: function for name, function in found.items() if function}


def _functions(owner: type[Any]) -> Iterator[FunctionType]:
    """Yield all functions that a class itself defines, private ones and those of properties included."""
    for value in vars(owner).values():
        parts = (value.fget, value.fset) if isinstance(value, property) else (value,)
        yield from filter(None, map(_function, parts))


def _function(value: object) -> FunctionType | None:
    """Return the function that an author wrote, without decorators, or None if a value is no method."""
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    return inspect.unwrap(value) if isinstance(value, FunctionType) else None


def _codes(function: FunctionType) -> Iterator[CodeType]:
    """Yield the code of a function and of the functions inside it."""
    waiting = [function.__code__]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
