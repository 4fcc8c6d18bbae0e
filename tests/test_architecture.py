"""`docs/explanation/architecture.md` describes the existing packages and the checked contracts."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import wateringhole
from wateringhole.game import GameKind

PACKAGE = Path(wateringhole.__file__).parent
ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
TREE, FOLDER, LAYERS = re.findall(r"```\n(.*?)```", PAGE, re.DOTALL)


def _entries(block: str) -> list[str]:
    return [line.split()[0] for line in block.splitlines() if line.strip()]


def test_the_tree_lists_every_module_and_package() -> None:
    here = {f"{path.name}/" for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    here |= {path.name for path in PACKAGE.glob("*.py")}
    # Running the package as a program needs no description.
    assert set(_entries(TREE)) == here - {"__main__.py"}


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_a_games_folder_has_the_parts_on_the_page(game: str) -> None:
    folder = PACKAGE / "games" / game
    assert [entry for entry in _entries(FOLDER) if not (folder / entry).exists()] == []


def test_the_rules_of_both_games_have_the_modules_on_the_page() -> None:
    (line,) = [line for line in FOLDER.splitlines() if line.startswith("rules/")]
    modules = line.removeprefix("rules/").partition(";")[0].replace(",", " ").split()
    for game in ("evolution", "porrinha"):
        folder = PACKAGE / "games" / game / "rules"
        assert [name for name in modules if not (folder / f"{name}.py").exists()] == []


def test_the_layers_match_the_import_contracts() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["name"] == "Each layer imports only from lower layers")
    assert LAYERS.split("\n")[:-1] == [layer.strip("()") for layer in layers]


def test_every_field_of_a_kind_is_described() -> None:
    named = set(re.findall(r"`(\w+)`", PAGE))
    fields = set(GameKind.__dataclass_fields__) - {"usual_seats", "turn_name", "turn_of", "deal_options", "next_setup"}
    assert fields - named == set()
