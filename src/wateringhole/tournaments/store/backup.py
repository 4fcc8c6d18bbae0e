"""Copies of a store that is a file, also while it is in use."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments.store.locations import display_url, parse_location

__all__ = ["back_up"]


def back_up(location: str | Path | None, copy: Path) -> str:
    """Copy a store to a new file and return the name of the store.

    The copy has everything that was committed before, and nothing of later transactions.  Other
    processes can write meanwhile.
    Raises UsageError for a store on a server or an existing file, and OperationError if the copy fails.
    """
    url = parse_location(location, makes_file=False)
    if url.get_backend_name() != "sqlite":
        server = display_url(url.set(drivername="postgresql"))
        raise UsageError(f"the store {server} is on a PostgreSQL server. Copy it with pg_dump.")
    store = Path(url.database or "")
    if os.path.lexists(copy):
        raise UsageError(f"{copy} exists already. Choose the name of a new file.")
    # SQLite keeps its own files beside this one, under its name.
    part = copy.with_name(f".{copy.name}.{os.getpid()}.part")
    try:
        _copy(store, part)
        # Unlike a rename, a link never replaces a file that was created meanwhile.
        os.link(part, copy)
    except sqlite3.Error as error:
        raise OperationError(f"the store {store} cannot be copied: {error}.") from error
    except OSError as error:
        raise OperationError(f"{copy} cannot be written: {error.strerror}.") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return str(store)


def _copy(store: Path, copy: Path) -> None:
    copy.touch(mode=0o600, exist_ok=False)  # records contain what was hidden during a game
    with closing(sqlite3.connect(store)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
        # One file without a write-ahead log can be moved and archived alone.
        target.execute("PRAGMA journal_mode = DELETE")
        ((found,),) = target.execute("PRAGMA quick_check(1)")
    if found != "ok":
        raise sqlite3.DatabaseError(f"it is damaged ({found})")
