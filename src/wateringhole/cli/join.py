"""`wateringhole join`: a local player in a game on a remote host."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.completion import complete_any_players
from wateringhole.errors import UsageError
from wateringhole.formatting import is_encodable

if TYPE_CHECKING:
    from wateringhole.join.players import JoinOptions

__all__ = ["join"]


def join(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS[/CODE]", help="HOST:PORT or a URL, with the code of a reserved seat.")
    ],
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="Player: {bot}, human, bots/mine.py:Mine, …",
            autocompletion=complete_any_players,
        ),
    ],
    name: Annotated[str | None, typer.Option(help="Name of the player in the game.")] = None,
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="json|NAME",
            help="Protocol to speak; --dialect - lists those that games add.",
            show_default="detected",
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="DIALECT", help="Dialect of a game's protocol; - to list all.", show_default="detected"),
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all messages to this file, as JSON lines.")
    ] = None,
    attempts: Annotated[int, typer.Option(min=1, help="Number of connection attempts, two seconds apart.")] = 4,
    connect_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Longest wait for a connection and for the first reply.")
    ] = 10,
    idle_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Longest wait for the host's next message.")
    ] = 3600,
    reconnect_timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0, help="How long to try to reconnect.")
    ] = 60,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    """Join a game on a host.

    Example: wateringhole join localhost:45678 {bot} --name Ada
    """
    from wateringhole.join import session
    from wateringhole.join.address import parse_address
    from wateringhole.join.connection import TimeLimits
    from wateringhole.join.plan import JoinPlan
    from wateringhole.join.players import JSON_PROTOCOL, JoinOptions
    from wateringhole.join.transcript import Transcript

    if dialect == "-":
        _list_dialects()
        return
    if protocol == "ours":
        raise UsageError(f"--protocol {protocol} is called --protocol json now.")
    if name is not None and not is_encodable(name):
        raise UsageError(f"--name {name!r}: expected a text in UTF-8.")
    where = parse_address(address)
    is_json = protocol == JSON_PROTOCOL or where.is_websocket or where.code
    if protocol == JSON_PROTOCOL and dialect:
        raise UsageError("--dialect is for the protocols that games add. Omit it with --protocol json.")
    if is_json and (dialect or protocol not in (None, JSON_PROTOCOL)):
        raise UsageError(f"{address}: URLs and codes use the JSON protocol. Omit --protocol and --dialect.")
    options = JoinOptions(spec=player, name=name, protocol=protocol, dialect=dialect)
    if not is_json and (protocol or dialect):
        options.foreign_protocols()
    _check(options)
    transcript = Transcript(record)
    try:
        session.join(
            JoinPlan(
                address=where,
                options=options,
                limits=TimeLimits(
                    attempts=attempts, connect=connect_timeout, idle=idle_timeout, reconnect=reconnect_timeout
                ),
                report=_discard if quiet else _log,
                transcript=transcript,
            )
        )
    finally:
        transcript.close()


def _list_dialects() -> None:
    from wateringhole.protocol.foreign import foreign_protocols

    for name, protocol, kind in foreign_protocols():
        print(f"--protocol {name}: {protocol.title}, for {kind.name}")
        for dialect, text in protocol.dialects.items():
            print(f"{dialect:10} {text}")


def _check(options: JoinOptions) -> None:
    """Raise UsageError for a player that no game has, before connecting."""
    from wateringhole.registry import game_names

    errors = []
    games = game_names()
    for game in games:
        try:
            options.player(game)
        except UsageError as error:
            errors.append(error)
    if len(errors) == len(games):
        raise errors[0]


def _log(line: str) -> None:
    from wateringhole.terminal.keyboard import keyboard

    with keyboard().suspend_prompt():
        print(f"join: {line}", file=sys.stderr, flush=True)


def _discard(line: str) -> None:
    """Ignore a line."""
