"""Rules about imports that the contracts in pyproject.toml cannot express."""

from __future__ import annotations

import sys
from pathlib import Path

import grimp
import pytest

import wateringhole

PACKAGE = Path(wateringhole.__file__).parent
SOLVER = "wateringhole.games.porrinha.solver"


@pytest.fixture(scope="module")
def imports() -> grimp.ImportGraph:
    return grimp.build_graph("wateringhole", include_external_packages=True, cache_dir=None)


def test_the_solver_imports_only_numeric_packages_and_errors(imports: grimp.ImportGraph) -> None:
    allowed = {"msgspec", "numpy", "scipy", "wateringhole.errors", "wateringhole.folders", *sys.stdlib_module_names}
    imported = {
        imported
        for module in imports.modules
        if _is_in(module, SOLVER)
        for imported in imports.find_modules_directly_imported_by(module)
    }
    assert {module for module in imported - allowed if not _is_in(module, SOLVER)} == set()


def test_every_folder_of_modules_is_a_package() -> None:
    # Neither these tests nor the contracts see a module in a folder without __init__.py.
    folders = {module.parent for module in PACKAGE.rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def _is_in(module: str, package: str) -> bool:
    return f"{module}.".startswith(f"{package}.")
