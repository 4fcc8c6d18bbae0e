"""Read the tables of a documentation page."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["tables"]


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
