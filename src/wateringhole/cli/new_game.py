"""`wateringhole new-game`: writes a small complete game as a package, as a starting point."""

from __future__ import annotations

import importlib.util
import keyword
import re
import shlex
import shutil
import sys
import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Annotated

import typer

from wateringhole.errors import OperationError, UsageError

__all__ = ["new_game", "write_game"]

TEMPLATE = "game_template"
SUFFIX = ".in"
"""The suffix of the template's files, which are not modules of this package."""


def new_game(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the game: lower-case letters, digits, _.")],
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write to, new or empty.")],
) -> None:
    """Write a small complete game as an installable package.

    Example: wateringhole new-game pearls pearls
    """
    write_game(name, folder)
    print(
        f"wrote {name} to {folder}; try it with:\n"
        f"  pip install {_as_path(folder)}\n"
        f"  wateringhole play {name} careful careful careful"
    )


def _as_path(folder: Path) -> str:
    """Return a folder as an argument for pip, which would look up a bare name in its index."""
    return shlex.quote(str(folder) if folder.is_absolute() else f"./{folder}")


def write_game(name: str, folder: Path) -> None:
    """Write the package of a new game.  Raises UsageError, or OperationError if the folder cannot be written."""
    from wateringhole import registry

    if not re.fullmatch("[a-z][a-z0-9_]*", name) or keyword.iskeyword(name) or name == "wateringhole":
        raise UsageError(
            f"{name!r} is not a name for a game. Use lower-case letters, digits and _, and start with a letter."
        )
    if name in registry.game_names():
        raise UsageError(f"{name!r} is an installed game. Choose another name.")
    # `find_spec` also finds a subfolder of the current folder, but without an origin.
    found = importlib.util.find_spec(name)
    if name in sys.stdlib_module_names or (found and found.origin):
        raise UsageError(f"{name!r} is a module of Python or of an installed package. Choose another name.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not an empty folder. Choose another one.")
    template = resources.files("wateringhole.cli") / TEMPLATE
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        # Written to a temporary folder first, so that the result is complete.
        with tempfile.TemporaryDirectory(prefix=f".{name}-", dir=folder.resolve().parent) as temporary:
            _render(template, Path(temporary) / name, name)
            folder.mkdir(exist_ok=True)
            for part in (Path(temporary) / name).iterdir():
                shutil.move(part, folder)
    except OSError as error:
        raise OperationError(f"{folder} cannot be written: {error.strerror}.") from None


def _render(template: Traversable, target: Path, name: str) -> None:
    """Write a file or folder of the template with the game's name."""
    if template.is_dir():
        target.mkdir()
        for part in template.iterdir():
            _render(part, target / part.name.removesuffix(SUFFIX).replace("GAME_NAME", name), name)
    else:
        text = template.read_text(encoding="utf-8")
        title = name.replace("_", " ").capitalize()
        target.write_text(text.replace("GAME_NAME", name).replace("GAME_TITLE", title), encoding="utf-8")
