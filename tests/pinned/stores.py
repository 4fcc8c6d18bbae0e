"""Stores as SQL texts.  Nothing here knows the project's code."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

__all__ = ["ABSENT", "dump", "restore"]

ABSENT = "elsewhere - 1 - x"
"""Whose claims a dumped store holds: a process of another machine that nobody can ask."""


def dump(store: Path) -> bytes:
    """All that a store holds.  Open claims are those of `ABSENT`, and have run out."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        for table in ("series", "page_tables"):
            connection.execute(
                f"UPDATE {table} SET claimed_by = ?, claimed_until = 1.0 WHERE claimed_by IS NOT NULL", [ABSENT]
            )
        connection.commit()
        pragmas = [
            f"PRAGMA {name} = {connection.execute(f'PRAGMA {name}').fetchone()[0]};"
            for name in ("user_version", "application_id", "journal_mode")
        ]
        return "".join(f"{line}\n" for line in [*pragmas, *connection.iterdump()]).encode()


def restore(text: bytes, store: Path) -> Path:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.executescript(text.decode())
    return store
