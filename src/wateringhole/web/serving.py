"""Running of the page's server until it is interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sys
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from wateringhole.errors import OperationError, UsageError
from wateringhole.process.limits import ISOLATED, Isolation

if TYPE_CHECKING:
    from wateringhole.house.admission import Admission
    from wateringhole.house.lobby import Lobby

__all__ = ["open_house", "serve"]


def serve(
    *,
    bind: str,
    port: int,
    raw_port: int | None = None,
    store: str | None,
    time_limit: float,
    reconnect_seconds: float | None,
    kept_games: int,
    opens: bool,
    deal: Mapping[str, str] | None = None,
    isolation: Isolation = ISOLATED,
    proxies: Sequence[str] = (),
    admission: Admission | None = None,
    operator_token: str | None = None,
) -> None:
    """Serve the page at an address until Ctrl-C; `opens` opens it in a browser.

    `raw_port` is a port of its own for JSON lines and foreign protocols.
    `deal` has options of deals as they are typed, for all tables of the games that have them.  `isolation` holds for
    bots from other packages.  `proxies` are addresses and networks of proxies, which report the addresses of clients.
    `admission` states which players may sign up.  `operator_token` starts tournaments; without one, a new one is
    printed.
    Raises OperationError if a package is missing, or if the address or the store cannot be used.
    """
    for name in ("starlette", "uvicorn", "websockets", "sqlalchemy"):
        if find_spec(name) is None:
            raise OperationError(
                f"the page needs {name}, which is not installed. Install it with: pip install 'wateringhole[web]'"
            )
    from wateringhole.house.limits import HouseLimits
    from wateringhole.house.lobby import Lobby
    from wateringhole.house.store import TableStore

    choices = _choices(deal or {})
    limits = HouseLimits(
        human_time_limit=time_limit,
        reconnect_seconds=reconnect_seconds,
        kept_games=kept_games,
        proxies=tuple(proxies),
        raw_port=raw_port,
    )
    opened = TableStore(store)
    new_token = None if operator_token else secrets.token_urlsafe(12)
    try:
        lobby = Lobby(opened, limits, _log, choices, isolation, admission, operator_token or new_token)
        asyncio.run(_run(lobby, bind, port, opens, new_token))
    finally:
        opened.close()


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


@contextlib.asynccontextmanager
async def open_house(lobby: Lobby, bind: str, port: int, log: Callable[[str], None]) -> AsyncIterator[tuple[str, int]]:
    """Open a house with its page, and yield the address and port in use.  Close it at the end, with its tables saved.

    Raises OperationError if the address or the store cannot be used.
    """
    from wateringhole.house.door import LobbyDoor
    from wateringhole.house.transports.http import Http
    from wateringhole.house.transports.origins import is_loopback
    from wateringhole.house.transports.port import Port
    from wateringhole.web.app import create_app

    listener = Port(LobbyDoor(lobby, lobby.limits, log), lobby.limits, log)
    # A proxy passes on the name that the house has outside.
    accepts_any_host = not is_loopback(bind) or bool(lobby.limits.proxies)
    app = create_app(lobby, listener, accepts_any_host=accepts_any_host)
    listener.http = Http(app, listener, compresses=True)
    await lobby.open()
    try:
        yield await listener.open(bind, port)
    finally:
        listener.stop_listening()
        # The games stop first, so that no player forfeits because the house closes its connection.
        await lobby.stop()
        await listener.close()
        await lobby.close()


async def _run(lobby: Lobby, bind: str, port: int, opens: bool, new_token: str | None) -> None:
    async with open_house(lobby, bind, port, _log) as (address, port):
        await _wait_for_signal(address, port, opens, new_token)
    print("Stopped.", flush=True)


async def _wait_for_signal(address: str, port: int, opens: bool, new_token: str | None) -> None:
    import signal

    from wateringhole.house.transports.origins import is_loopback

    is_stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, is_stopped.set)
    url = f"http://{f'[{address}]' if ':' in address else address}:{port}/"
    print(f"Watering Hole is open at {url} (press Ctrl-C to stop; tables are saved)", flush=True)
    if new_token is not None:
        print(f"The operator's token, which starts tournaments on the page: {new_token}", flush=True)
    if not is_loopback(address):
        _log("anyone who can reach this machine can open the page, play and watch; connections are not encrypted")
    if opens:
        import webbrowser

        webbrowser.open(url)
    await is_stopped.wait()


def _log(line: str) -> None:
    print(f"serve: {line}", file=sys.stderr, flush=True)
