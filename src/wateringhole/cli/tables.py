"""Tables that stay readable in a narrow terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

__all__ = ["fitted"]

UNLIMITED = 10**6
"""A width that every table fits."""


def fitted(console: Console, table: Table) -> RenderableType:
    """Return a table, or a list of its cells if the console is too narrow for a word in it."""
    options = console.options.update(width=UNLIMITED)
    for column in table.columns:
        if column.no_wrap:
            # Rich counts only the longest word of such a column, and takes the rest of its width from the others.
            cells = (column.header, *column.cells)
            column.min_width = max(console.measure(cell, options=options).maximum for cell in cells)
    needed = console.measure(table, options=options).minimum
    return as_list(table) if needed > console.width or _cuts_words(console, table) else table


def _cuts_words(console: Console, table: Table) -> bool:
    """Return whether words are cut off.  A table narrows its widest columns first, also if others have more space."""
    shown = sum(segment.text.count("…") for line in console.render_lines(table) for segment in line)
    return shown > as_list(table).plain.count("…")


def as_list(table: Table) -> Text:
    """Return the cells of a table, one per line, with the names of their columns.  Empty cells are left out."""
    from rich.text import Text

    lines = [Text(str(table.title), style="bold")] if table.title else []
    headers = [_text(column.header) for column in table.columns]
    for row in zip(*(column.cells for column in table.columns), strict=True):
        cells = zip(headers, map(_text, row), strict=True)
        shown = [Text.assemble(f"{header}: " if header else "", cell) for header, cell in cells if cell]
        lines += [*shown, Text()]
    if table.caption:
        lines.append(_text(table.caption))
    return Text("\n").join(lines)


def _text(cell: object) -> Text:
    from rich.text import Text

    text = cell.copy() if isinstance(cell, Text) else Text.from_markup(str(cell), emoji=False)
    return Text(" ").join(text.split("\n"))
