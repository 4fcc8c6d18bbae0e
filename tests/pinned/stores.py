"""Stores as SQL texts.  Nothing here knows the project's code."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

__all__ = ["ABSENT", "dump", "restore"]

ABSENT = "elsewhere - 1 - x"
"""The holder of the claims in a dumped store: a process of an unreachable machine."""


def dump(store: Path) -> bytes:
    """Return a store as SQL.  `ABSENT` holds its open claims, which have expired."""
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
