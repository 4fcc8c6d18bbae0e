"""Read the tables of a documentation page, and check the tests that it names."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from tests.conftest import ROOT

__all__ = ["check_tests", "tables"]


def tables(page: Path) -> list[list[dict[str, str]]]:
    """Return the tables of a page, each as a list of rows, which are cells by column name."""
    found = re.findall(r"(?:^\|.*\|\n)+", page.read_text(encoding="utf-8"), re.MULTILINE)
    return [_rows(table.splitlines()) for table in found]


def _rows(lines: list[str]) -> list[dict[str, str]]:
    header, _, *rows = [_cells(line) for line in lines]
    return [dict(zip(header, row, strict=True)) for row in rows]


def _cells(line: str) -> list[str]:
    """Return the cells of a line; a bar in a cell is written with a backslash."""
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def check_tests(cell: str) -> None:
    """Fail unless a cell is a list of tests that exist, at least one, each as `path::name` in code quotes."""
    tests = re.findall(r"`([^`]+)::(test_\w+)`", cell)
    assert cell == ", ".join(f"`{path}::{name}`" for path, name in tests)
    assert tests
    assert [name for path, name in tests if name not in _tests_in(path)] == []


@functools.cache
def _tests_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
