"""The page docs/explanation/framework.md: the names that it gives exist, and its table of types is that of the code."""

from __future__ import annotations

import importlib
import re
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.markdown import tables
from wateringhole.games.evolution import TRAITS, TraitType

TABLES = tables(ROOT / "docs" / "explanation" / "framework.md")
CODE_COLUMNS = ("In the code", "Read by", "Base class for your own")
NAMES = sorted(
    {
        name
        for table in TABLES
        for row in table
        for column in CODE_COLUMNS
        for name in re.findall(r"`([^`]+)`", row.get(column, ""))
    }
)
(TYPES,) = [table for table in TABLES if "Type" in table[0]]


def _resolve(name: str) -> Any:
    """Return what a dotted name of the page stands for."""
    parts = name.split(".") if name.startswith("wateringhole.") else ["wateringhole.games.evolution", *name.split(".")]
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[end:]:
            found = getattr(found, attribute)
        return found
    raise LookupError(name)


@pytest.mark.parametrize("name", NAMES)
def test_name_on_the_page_is_in_the_code(name: str) -> None:
    assert _resolve(name) is not None


def test_every_table_names_code() -> None:
    assert len(TABLES) == 4
    assert all(row["In the code"] for table in TABLES for row in table)


def test_names_that_do_not_exist_are_found() -> None:
    with pytest.raises(AttributeError):
        _resolve("rules.game.Croupier")


@pytest.mark.parametrize(
    "part",
    ["Dealer", "Player", "PlayerAgent", "WateringHole", "SpeciesBoard", "TraitCard", "Trait", "TraitType"],
)
def test_every_part_of_the_framework_is_on_the_page(part: str) -> None:
    assert [row for table in TABLES for row in table if row.get("In the document") == part]


def test_the_types_and_their_traits_are_those_of_the_trait_table() -> None:
    shown = {row["Type"].strip("`"): row["Traits"].split(", ") for row in TYPES}
    assert shown == {name: [trait for trait, row in TRAITS.items() if row.type is name] for name in TraitType}
