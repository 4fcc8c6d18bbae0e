"""`wateringhole serve`: the page on which people play, watch, replay and read standings."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from wateringhole.cli.standings import StorePlace
from wateringhole.errors import UsageError

__all__ = ["serve"]

MOST_KEPT = 2**63 - 1
"""What a database can count."""


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on; 0.0.0.0 is every one of this machine.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free one.")] = 8000,
    store: StorePlace = None,
    patience: Annotated[
        float, typer.Option(help="Seconds for one answer of a person; the page shows the last two minutes.")
    ] = 1800.0,
    away: Annotated[
        float | None,
        typer.Option(
            help="Seconds that a person may have the page closed before being out.",
            show_default="300 while other people wait, 1800 against bots alone",
        ),
    ] = None,
    keep: Annotated[
        int, typer.Option(help="How many finished games of the page can be replayed; the oldest make room.")
    ] = 10_000,
    open: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Serve the page: play with bots and friends, watch, replay, read standings.

    Example: wateringhole serve --open
    """
    for option, seconds in (("--patience", patience), ("--away", away)):
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"{option} {seconds:g}: give a number of seconds above 0.")
    if not 1 <= keep <= MOST_KEPT:
        raise UsageError(f"--keep {keep}: give a number of games from 1 to {MOST_KEPT}.")
    from wateringhole.web import serving

    serving.serve(
        bind=host,
        port=port,
        store=store,
        time_limit=patience,
        reconnect_seconds=away,
        kept_games=keep,
        opens=open,
    )
