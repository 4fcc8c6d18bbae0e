"""Running of the page's server until it is interrupted."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wateringhole.errors import OperationError, UsageError
from wateringhole.process.limits import ISOLATED, Isolation

if TYPE_CHECKING:
    import socket

    from wateringhole.house.lobby import HouseLimits
    from wateringhole.house.store import TableStore

__all__ = ["serve"]


def serve(
    *,
    bind: str,
    port: int,
    store: str | None,
    time_limit: float,
    reconnect_seconds: float | None,
    kept_games: int,
    opens: bool,
    deal: Mapping[str, str] | None = None,
    isolation: Isolation = ISOLATED,
) -> None:
    """Serve the page at an address until Ctrl-C; `opens` opens it in a browser.

    `deal` has options of deals as they are typed, for all tables of the games that have them.  `isolation` holds for
    bots from other packages.
    Raises OperationError if a package is missing, or if the address or the store cannot be used.
    """
    for name in ("starlette", "uvicorn", "websockets", "sqlalchemy"):
        if find_spec(name) is None:
            raise OperationError(
                f"the page needs {name}, which is not installed. Install it with: pip install 'wateringhole[web]'"
            )
    from wateringhole.house.lobby import HouseLimits
    from wateringhole.house.store import TableStore

    choices = _choices(deal or {})
    limits = HouseLimits(human_time_limit=time_limit, reconnect_seconds=reconnect_seconds, kept_games=kept_games)
    opened = TableStore(store)
    try:
        with _listen(bind, port) as listener:
            _run(listener, opened, limits, opens, choices, isolation)
    finally:
        opened.close()


def _listen(host: str, port: int) -> socket.socket:
    import socket

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=1024)
    except (OSError, UnicodeError) as error:
        why = getattr(error, "strerror", None) or str(error)
        hint = " Another program listens there; --port 0 selects a free port." if port and "in use" in why else ""
        raise OperationError(f"cannot listen on {host} port {port}: {why}.{hint}") from None


def _choices(deal: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return the arguments of deals, by game.  Raises UsageError for an option that no game has."""
    from wateringhole import registry

    choices: dict[str, dict[str, Any]] = {}
    for name, value in deal.items():
        options = [(kind.name, each) for kind in registry.kinds() for each in kind.deal_options if each.name == name]
        if not options:
            raise UsageError(f"--{name} {value}: no game has this option.")
        for game, option in options:
            choices.setdefault(game, {})[name] = option.parse(value)
    return choices


def _run(
    listener: socket.socket,
    store: TableStore,
    limits: HouseLimits,
    opens: bool,
    choices: Mapping[str, Mapping[str, Any]],
    isolation: Isolation,
) -> None:
    import asyncio

    import uvicorn

    from wateringhole.house.lobby import Lobby
    from wateringhole.house.transports.origins import is_loopback
    from wateringhole.web.app import LONGEST_MESSAGE, create_app

    address, port = listener.getsockname()[:2]
    private = is_loopback(address)
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}/"
    app = create_app(Lobby(store, limits, _log, choices, isolation), accepts_any_host=not private)
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
    print(f"Watering Hole is open at {url} (press Ctrl-C to stop; tables are saved)", flush=True)
    if not private:
        _log("anyone who can reach this machine can open the page, play and watch; connections are not encrypted")
    if opens:
        import webbrowser

        webbrowser.open(url)
    # The server shuts down properly and then raises KeyboardInterrupt again.
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(server.serve(sockets=[listener]))
    print("Stopped.", flush=True)


def _log(line: str) -> None:
    print(f"serve: {line}", file=sys.stderr, flush=True)
