"""The arrows between modules that the import contracts in pyproject.toml cannot draw."""

from __future__ import annotations

import sys
from pathlib import Path

import grimp
import pytest

import wateringhole

PACKAGE = Path(wateringhole.__file__).parent
GAMES = ("wateringhole.evolution", "wateringhole.porrinha")


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("wateringhole", include_external_packages=True, cache_dir=None)


def test_only_the_catalogue_names_both_games(imports: grimp.ImportGraph) -> None:
    evolution, porrinha = (_importers(imports, game) for game in GAMES)
    assert evolution & porrinha <= {"wateringhole.catalogue"}


def test_the_arena_knows_games_from_the_catalogue_alone(imports: grimp.ImportGraph) -> None:
    importers = set().union(*(_importers(imports, game) for game in GAMES))
    assert {module for module in importers if _is_in(module, "wateringhole.arena")} == set()


def test_only_players_the_simulator_and_the_command_line_ask_for_exact_solutions(imports: grimp.ImportGraph) -> None:
    entitled = ("wateringhole.solve", "wateringhole.players", "wateringhole.sim", "wateringhole.cli")
    importers = _importers(imports, "wateringhole.solve")
    assert {module for module in importers if not any(_is_in(module, package) for package in entitled)} == set()


def test_exact_solutions_stand_on_numbers_and_errors_alone(imports: grimp.ImportGraph) -> None:
    allowed = {"msgspec", "numpy", "scipy", "wateringhole.errors", *sys.stdlib_module_names}
    imported = {
        imported
        for module in imports.modules
        if _is_in(module, "wateringhole.solve")
        for imported in imports.find_modules_directly_imported_by(module)
    }
    assert {module for module in imported - allowed if not _is_in(module, "wateringhole.solve")} == set()


def test_every_folder_of_modules_is_a_package() -> None:
    # Neither these tests nor the contracts see a module in a folder without __init__.py.
    folders = {module.parent for module in PACKAGE.rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def _importers(imports: grimp.ImportGraph, package: str) -> set[str]:
    """The modules that import something of a package directly."""
    return {
        module
        for module in imports.modules
        if any(_is_in(imported, package) for imported in imports.find_modules_directly_imported_by(module))
    }


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")
