"""`wateringhole serve`: the page on which people play, watch, replay and read standings."""

from __future__ import annotations

import contextlib
import math
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.standings import StorePlace
from wateringhole.errors import Failure, Misuse

if TYPE_CHECKING:
    import socket

    from wateringhole.tournaments.table_store import TableStore
    from wateringhole.web.lobby import Limits

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
            raise Misuse(f"{option} {seconds:g}: give a number of seconds above 0.")
    if not 1 <= keep <= MOST_KEPT:
        raise Misuse(f"--keep {keep}: give a number of games from 1 to {MOST_KEPT}.")
    for name in ("starlette", "uvicorn", "websockets", "sqlalchemy"):
        if find_spec(name) is None:
            raise Failure(
                f"the page needs {name}, not installed here; install the extra with: pip install 'wateringhole[web]'"
            )
    from wateringhole.tournaments.table_store import TableStore
    from wateringhole.web.lobby import Limits

    limits = Limits(patience_seconds=patience, away_seconds=away, kept_games=keep)
    opened = TableStore(store)
    try:
        with _listen(host, port) as listener:
            _run(listener, opened, limits, open)
    finally:
        opened.close()


def _listen(host: str, port: int) -> socket.socket:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = " Something else listens there; --port 0 takes a free port." if port and "in use" in why else ""
        raise Failure(f"cannot listen on {host} port {port}: {why}.{hint}") from None


def _run(listener: socket.socket, store: TableStore, limits: Limits, opens: bool) -> None:
    import asyncio

    import uvicorn

    from wateringhole.web.app import LONGEST_MESSAGE, create_app
    from wateringhole.web.guard import is_loopback
    from wateringhole.web.lobby import Lobby

    address, port = listener.getsockname()[:2]
    private = is_loopback(address)
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}/"
    app = create_app(Lobby(store, limits, _log), answers_any_name=not private)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        ws_max_size=LONGEST_MESSAGE,
        lifespan="on",
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    print(f"Watering Hole is open at {url} (Ctrl-C closes it; tables are kept)", flush=True)
    if not private:
        _log("whoever can reach this machine can open the page, sit down and watch; nothing is encrypted on the way")
    if opens:
        import webbrowser

        webbrowser.open(url)
    # The server ends in its own time, and then tells us again why; that is how it should end.
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listener]))
    print("Closed.", flush=True)


def _log(line: str) -> None:
    print(f"serve: {line}", file=sys.stderr, flush=True)
