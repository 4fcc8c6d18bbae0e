"""`wateringhole backup`: a copy of a store."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wateringhole.cli.standings import StoreLocation

__all__ = ["backup"]


def backup(
    file: Annotated[Path, typer.Argument(help="New file for the copy.", metavar="FILE", show_default=False)],
    store: StoreLocation = None,
) -> None:
    """Copy a store to a new file, also while tournaments or a server use it.

    To restore it, give the copy as --store.

    Example: wateringhole backup monday.sqlite
    """
    from wateringhole.tournaments.results import require_store

    require_store()
    from wateringhole.tournaments.store.backup import back_up

    name = back_up(store, file)
    print(f"Copied the store {name} to {file} ({file.stat().st_size / 1e6:.1f} MB).")
