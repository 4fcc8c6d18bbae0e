"""The page docs/explanation/trust.md: its attacks are the catalogue's, and every protection names existing tests."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.hostile.catalogue import ATTACKS
from tests.markdown import check_tests, tables

PAGE = ROOT / "docs" / "explanation" / "trust.md"
TABLES = tables(PAGE)
CLAIMS = [row for table in TABLES for row in table if "test" in row]


@pytest.mark.parametrize("row", CLAIMS, ids=lambda row: next(iter(row.values())))
def test_a_protection_names_existing_tests(row: dict[str, str]) -> None:
    assert all(row.values())
    check_tests(row["test"])


def test_every_other_test_on_the_page_exists() -> None:
    outside = re.sub(r"^\|.*\n", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    check_tests(", ".join(re.findall(r"`[^`]+::test_\w+`", outside)))


def test_the_page_states_the_results_of_the_catalogue() -> None:
    (stated,) = [table for table in TABLES if "attack" in table[0]]
    assert stated == [
        {
            "attack": attack.name + ("¹" if attack.needs else ""),
            "in process": attack.in_process.value,
            "isolated": attack.isolated.value,
            "sandboxed": attack.sandboxed.value,
        }
        for attack in ATTACKS
    ]
