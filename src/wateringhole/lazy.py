"""Names that a package offers and loads when they are first used, so that importing it stays quick."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

__all__ = ["is_installed", "lazy_names"]


def lazy_names(
    package: str, modules: Mapping[str, Iterable[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package; `modules` has the names that each module defines.

    A package states the same names in a block for type checkers, which do not run this::

        if TYPE_CHECKING:
            from package.module import name
        else:
            __getattr__, __dir__ = lazy_names(__name__, {"package.module": ["name"]})
    """
    homes = {name: module for module, names in modules.items() for name in names}

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted({*vars(sys.modules[package]), *homes})


def is_installed(*packages: str) -> bool:
    """Return whether all the given packages can be imported, without importing them."""
    return all(find_spec(package) for package in packages)
