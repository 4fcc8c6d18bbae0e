"""The source files that compiled functions are made from."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from wateringhole.sim.game import CompiledGame, compiled_game
from wateringhole.sim.sources import digest, imported_files

ENGINE = """
import shapes.areas
from shapes import sizes
from shapes.colours import RED
from ..lines import LENGTH

def later():
    from shapes.late import LATE
"""


@pytest.fixture
def shapes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose module `shapes.compiled.engine` imports others in every way."""
    folder = tmp_path / "shapes"
    (folder / "compiled").mkdir(parents=True)
    for name in ("__init__", "compiled/__init__", "areas", "sizes", "lines", "late", "deep", "text"):
        (folder / f"{name}.py").write_text("")
    (folder / "lines.py").write_text("from shapes.deep import LENGTH")
    (folder / "deep.py").write_text("import shapes.compiled.engine\nLENGTH = 1")
    (folder / "colours").mkdir()
    (folder / "colours" / "__init__.py").write_text("import json\nRED = 1")
    (folder / "compiled" / "engine.py").write_text(ENGINE)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("shapes.compiled.engine")
    yield folder
    for name in [name for name in sys.modules if name.partition(".")[0] == "shapes"]:
        del sys.modules[name]


def test_imports_are_followed_within_the_folder(shapes: Path) -> None:
    files = imported_files(["shapes.compiled.engine", "json"], shapes)
    names = {str(file.relative_to(shapes)) for file in files}
    assert names == {
        "compiled/engine.py",
        "areas.py",
        "sizes.py",
        "lines.py",
        "deep.py",
        "late.py",
        "colours/__init__.py",
    }


def test_digest_changes_with_any_file(shapes: Path) -> None:
    files = imported_files(["shapes.compiled.engine"], shapes)
    before = digest(files)
    assert digest(files) == before
    for file in files:
        content = file.read_text()
        file.write_text(content + "# more\n")
        assert digest(files) != before, file
        file.write_text(content)
    assert digest(files) == before


def test_modules_outside_the_folder_raise(shapes: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no sources of compiled functions"):
        imported_files(["json"], shapes)


@pytest.mark.parametrize("name", ["evolution", "porrinha"])
def test_every_compiled_function_of_a_game_is_made_from_the_found_files(name: str) -> None:
    game = compiled_game(name)
    modules = {value.__module__ for value in vars(game).values() if callable(value)}
    files = {str(file) for file in imported_files(modules, game.sources)}
    used = {code.co_filename for code in _compiled_code(game)}
    inside = {file for file in used if Path(file).is_relative_to(game.sources)}
    assert len(inside) >= 5
    assert inside <= files
    assert not [file for file in files if {"text", "page", "champion", "search"} & set(Path(file).parts)]


def _compiled_code(game: CompiledGame) -> Iterator[Any]:
    """Yield the code of all functions that the compiled functions of a game use, directly or not."""
    waiting: list[Any] = [*vars(game).values(), *(game.compact or ())]
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        function = getattr(value, "py_func", value)
        if not isinstance(function, FunctionType) or id(function) in seen:
            continue
        seen.add(id(function))
        yield function.__code__
        names = function.__code__.co_names
        waiting += [function.__globals__[each] for each in names if each in function.__globals__]
        waiting += [cell.cell_contents for cell in function.__closure__ or ()]
        for module in [each for each in waiting if isinstance(each, ModuleType)]:
            waiting += [vars(module)[each] for each in names if each in vars(module)]
        waiting = [each for each in waiting if not isinstance(each, ModuleType)]
