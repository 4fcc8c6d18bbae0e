"""What is beside a player's Python file, and which of it the file could take from another player's folder.

A player may import what lies in its folder, as if its file had been started as a program.  Python
knows one module of a name in a process, so players from two folders must not need the same names.
"""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Collection, Iterator
from importlib.machinery import PathFinder
from pathlib import Path

__all__ = ["PREFIX", "clash", "module_name", "python_files"]

PREFIX = "wateringhole_player_"
"""How the names of the modules of players' files begin."""


def module_name(path: Path) -> str:
    """The module of a player's file; no file elsewhere has the same."""
    return PREFIX + path.resolve().as_posix()


def python_files(folder: Path) -> Iterator[Path]:
    """What a file in this folder can import from beside it.  Links to folders may lead in circles."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif not path.is_symlink() and (path / "__init__.py").is_file():
            yield from python_files(path)


def clash(folder: Path) -> str | None:
    """How a player from this folder would share code with one from another that is in this process already."""
    others = {Path(name.removeprefix(PREFIX)).parent for name in list(sys.modules) if name.startswith(PREFIX)}
    for other in sorted(others - {folder}):
        for here, there in ((folder, other), (other, folder)):
            names = _modules(there)
            for path in python_files(here):
                for name in sorted(names & _imports(path, names)) if not path.is_relative_to(there) else ():
                    if not _is_everybodys(name, {folder, *others}):
                        return f"{path} imports {name!r}, which could as well be that of {there}"
    return None


def _modules(folder: Path) -> set[str]:
    """The names that can be imported from a folder, packages without an __init__.py among them."""
    try:
        paths = list(folder.iterdir())
    except OSError:
        return set()  # it is gone
    return {path.name if path.is_dir() else inspect.getmodulename(path.name) or "" for path in paths} - {""}


def _is_everybodys(name: str, folders: Collection[Path]) -> bool:
    """Whether all players get the same module by this name whatever is in their folders, which are searched last."""
    if name in sys.stdlib_module_names:
        return True
    return PathFinder.find_spec(name, [place for place in sys.path if Path(place).resolve() not in folders]) is not None


def _imports(path: Path, names: Collection[str]) -> frozenset[str]:
    """What a Python file imports anywhere, if one of the names is in it at all; most files need not be parsed."""
    try:
        content = path.read_bytes()
    except OSError:
        return frozenset()  # whoever imports it will be told
    return _imported(content) if any(name.encode() in content for name in names) else frozenset()


@functools.lru_cache(maxsize=1000)
def _imported(content: bytes) -> frozenset[str]:
    """The modules and packages that Python code imports, without what is in the packages."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return frozenset()
    found: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                found += [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append(module)
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                found.append(module)
    return frozenset(name.partition(".")[0] for name in found)
