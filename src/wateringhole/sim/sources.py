"""The source files that compiled functions are made from.

Compiled code contains the constants of the modules that its own modules import, such as the rules' numbers.  So it
is outdated after a change of any module that is imported, directly or not.  Other modules of a game, such as its
texts, do not matter.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["digest", "imported_files"]


def digest(files: Iterable[Path]) -> str:
    """Return a digest of the contents of files."""
    contents = hashlib.sha256()
    for file in sorted(files):
        contents.update(hashlib.sha256(file.read_bytes()).digest())
    return contents.hexdigest()


def imported_files(modules: Iterable[str], folder: Path) -> set[Path]:
    """Return the files of loaded modules, and of all modules that they import, as far as they are in a folder.

    Raises RuntimeError if none of the modules is in the folder, because no change could be detected.
    """
    found: set[Path] = set()
    waiting = [(name, file) for name in modules if (file := _file_of(name)) and file.is_relative_to(folder)]
    if not waiting:
        raise RuntimeError(f"there are no sources of compiled functions in {folder}.")
    while waiting:
        name, file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting += [
                (each, source) for each, source in _imports(name, file).items() if source.is_relative_to(folder)
            ]
    return found


def _file_of(name: str) -> Path | None:
    file = getattr(sys.modules.get(name), "__file__", None)
    return Path(file) if file else None


@functools.cache
def _imports(name: str, file: Path) -> dict[str, Path]:
    """Return the names and files of the modules that a module imports, anywhere in its source."""
    is_package = file.name == "__init__.py"
    root = (file.parent if is_package else file).parents[name.count(".")]
    found = {}
    for imported in _imported_names(file, name if is_package else name.rpartition(".")[0]):
        # `from a import b` imports the module a.b, or a value of the module a.
        for module in (imported, imported.rpartition(".")[0]):
            source = _file_in(root, module)
            if source:
                found[module] = source
                break
    return found


def _imported_names(file: Path, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from (f"{source}.{alias.name}" for alias in node.names)


def _file_in(root: Path, name: str) -> Path | None:
    """Return the file of a module below a folder of packages, or None if there is none."""
    place = root.joinpath(*name.split("."))
    return next((file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()), None)
