"""The page docs/explanation/seeds.md: every row is complete and names existing tests, and all documents are covered."""

from __future__ import annotations

import re

import pytest

from tests.conftest import ROOT
from tests.markdown import check_tests, tables
from wateringhole import registry
from wateringhole.options import parse_rules

LENGTHS = {"000": 35, "001": 21, "002": 225, "003": 180, "004": 377}
"""The number of lines of each document."""
QUESTIONS = {"003": (143, 13), "004": (345, 10)}
"""The line of the first question in a document's list, and the number of questions there."""

MOST_HEADING_LINES = 6
"""The most lines between two requirements: a heading, its underline and blank lines."""

ROWS = [row for table in tables(ROOT / "docs" / "explanation" / "seeds.md") for row in table if "Where" in row]


def _name(row: dict[str, str]) -> str:
    return f"{row['Where']} {row['Requirement'][:30]}"


def _lines(row: dict[str, str]) -> list[tuple[int, int]]:
    """Return the first and the last line of each range of a row."""
    ranges = [part.partition("-") for part in row["Where"].partition(":")[2].split(", ")]
    return [(int(first), int(last or first)) for first, _, last in ranges]


@pytest.mark.parametrize("row", ROWS, ids=_name)
def test_row_is_complete_and_names_existing_tests(row: dict[str, str]) -> None:
    assert all(row.values())
    document = row["Where"].partition(":")[0]
    assert all(1 <= first <= last <= LENGTHS[document] for first, last in _lines(row))
    check_tests(row["Test"])


@pytest.mark.parametrize("row", [row for row in ROWS if row["Option"] != "—"], ids=_name)
def test_options_of_a_row_exist(row: dict[str, str]) -> None:
    kind = registry.game_kind("porrinha" if row["Where"].startswith("002") else "evolution")
    options = re.findall(r"`([^`]+)`", row["Option"])
    assert options
    assert parse_rules(options, kind.profiles) is not None


@pytest.mark.parametrize("document", LENGTHS)
def test_rows_of_a_document_are_in_order_and_reach_its_end(document: str) -> None:
    ranges = [_lines(row) for row in ROWS if row["Where"].startswith(f"{document}:")]
    firsts = [lines[0][0] for lines in ranges]
    assert firsts == sorted(firsts)
    assert max(last for lines in ranges for _, last in lines) >= LENGTHS[document] - 2


@pytest.mark.parametrize("document", LENGTHS)
def test_no_part_of_a_document_is_left_out(document: str) -> None:
    """Between the lines of two rows are only blank lines and headings."""
    ranges = sorted(lines for row in ROWS if row["Where"].startswith(f"{document}:") for lines in _lines(row))
    reached = ranges[0][0]
    for first, last in ranges:
        assert first - reached <= MOST_HEADING_LINES + 1, f"lines {reached + 1} to {first - 1} have no row"
        reached = max(reached, last)


@pytest.mark.parametrize("document", QUESTIONS)
def test_every_question_that_a_document_lists_has_a_ruling(document: str) -> None:
    first, number = QUESTIONS[document]
    rulings = [row for row in ROWS if row["Where"].startswith(f"{document}:") and _lines(row)[0][0] >= first]
    assert len(rulings) == number
    assert all(row["Requirement"].startswith("*Question*") for row in rulings)
