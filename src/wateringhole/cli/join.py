"""`wateringhole join`: a local player in a game on a remote host."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from wateringhole.net.client import ConnectOptions, JoinOptions

__all__ = ["join"]


def join(
    host: Annotated[str, typer.Argument(metavar="HOST:PORT", help="Address of the host; the port is optional.")],
    player: Annotated[str, typer.Argument(metavar="PLAYER", help="Player: {bot}, human, bots/mine.py:Mine, …")],
    name: Annotated[str | None, typer.Option(help="Name of the player in the game.")] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="json|NAME",
            help="Protocol to speak; --dialect - lists those that games add.",
            show_default="json, otherwise the host's protocol",
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="DIALECT", help="Dialect of a game's protocol; - to list all."),
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Number of connection attempts, two seconds apart.")] = 4,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Join a game on a host.

    Example: wateringhole join localhost:45678 {bot} --name Ada
    """
    from wateringhole.net import client

    if dialect == "-":
        _list_dialects()
        return
    if protocol == "ours":
        raise UsageError(f"--protocol {protocol} is called --protocol json now.")
    if protocol == client.JSON_PROTOCOL and dialect:
        raise UsageError("--dialect is for the protocols that games add. Omit it with --protocol json.")
    joined = client.JoinOptions(spec=player, name=name, protocol=protocol, dialect=dialect)
    if protocol != client.JSON_PROTOCOL and (protocol or dialect):
        joined.foreign_protocols()
    _check(joined)
    client.join(_dial(host, attempts), joined, _discard if quiet else _log)


def _list_dialects() -> None:
    from wateringhole.net.foreign import foreign_protocols

    for name, protocol, kind in foreign_protocols():
        print(f"--protocol {name}: {protocol.title}, for {kind.name}")
        for dialect, text in protocol.dialects.items():
            print(f"{dialect:10} {text}")


def _check(joined: JoinOptions) -> None:
    """Raise UsageError for a player that no game has, before connecting."""
    from wateringhole.registry import game_names

    errors = []
    games = game_names()
    for game in games:
        try:
            joined.player(game)
        except UsageError as error:
            errors.append(error)
    if len(errors) == len(games):
        raise errors[0]


def _dial(host: str, attempts: int) -> ConnectOptions:
    from urllib.parse import urlsplit

    from wateringhole.net.client import DEFAULT_PORT, ConnectOptions

    examples = f"localhost:{DEFAULT_PORT} or [::1]:{DEFAULT_PORT}"
    invalid = UsageError(f"{host!r} is not an address. Expected HOST:PORT, e.g. {examples}.")
    try:
        parts = urlsplit(f"//{host}")
        where, port = parts.hostname or "", parts.port
        where.encode("idna")
    except ValueError:
        raise invalid from None
    if not re.fullmatch(r"(\[[^\[\]\s]+\]|[^\[\]:@/?#\s]+)(:\d+)?", host) or port == 0:
        raise invalid
    return ConnectOptions(host=where, port=DEFAULT_PORT if port is None else port, attempts=attempts)


def _log(line: str) -> None:
    from wateringhole.terminal.keyboard import keyboard

    with keyboard().suspend_prompt():
        print(f"join: {line}", file=sys.stderr, flush=True)


def _discard(line: str) -> None:
    """Ignore a line."""
