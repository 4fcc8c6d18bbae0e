"""`wateringhole host`: tables for players from anywhere."""

from __future__ import annotations

import math
import random
import re
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import (
    DealWords,
    Deck,
    GameName,
    Json,
    RecordFolder,
    RuleWords,
    Sandbox,
    deal_choices,
    parse_sandbox,
    rules_of,
    split_players,
)
from wateringhole.cli.game_output import print_json, report
from wateringhole.errors import UsageError
from wateringhole.formatting import pluralize

if TYPE_CHECKING:
    from pathlib import Path

    from wateringhole.game import AnyKind
    from wateringhole.match.specs import PlayerSpec
    from wateringhole.net.server import HostedGame, HouseServer, TablePlan
    from wateringhole.process.limits import Isolation

__all__ = ["host"]

MOST_BY_DEFAULT = 8


def host(
    game: GameName,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where to listen; 0 takes a free one and says which.")] = (
        45678
    ),
    address: Annotated[str, typer.Option(help="The interface to listen on; 0.0.0.0 is all of them.")] = "127.0.0.1",
    players: Annotated[
        str | None, typer.Option(metavar="N|N..M", help="How many sit at a table.", show_default="up to 8")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games to play in all.")] = 1,
    tables: Annotated[int, typer.Option(min=1, help="How many at the same time.")] = 1,
    signup_patience: Annotated[
        float,
        typer.Option(help="Seconds to wait for somebody new when enough are there; inf: until the table is full."),
    ] = 10.0,
    patience: Annotated[float, typer.Option(help="Seconds for one answer; a later one costs the game.")] = 10.0,
    human_patience: Annotated[
        float, typer.Option(help="The same for players who say that they are people; 0: no more than for all.")
    ] = 300.0,
    bank: Annotated[float, typer.Option(help="Seconds a player may overdraw in a game, in all.")] = 0.0,
    grace: Annotated[
        float, typer.Option(help="Seconds in which a lost player may come back (our protocol only).")
    ] = 30.0,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER,…",
            help="Who takes seats that stay empty, again from the first; may be given several times. "
            "A program comes last among commas, or in an option of its own.",
            show_default="nobody",
        ),
    ] = None,
    sandbox: Sandbox = None,
    rules: RuleWords = None,
    deal: DealWords = None,
    deck: Deck = None,
    seed: Annotated[int | None, typer.Option(help="Decides all chance; shown and recorded when not given.")] = None,
    record: RecordFolder = None,
    per_address: Annotated[int, typer.Option(min=1, help="Connections from one address at a time.")] = 100,
    signup_rate: Annotated[int, typer.Option(min=1, help="Connections that one address may begin in a second.")] = 100,
    signup_seconds: Annotated[float, typer.Option(help="From a connection to its sign-up.")] = 5.0,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="A web site whose pages may join, e.g. https://club.example; * is any. May be given several times.",
            show_default="pages of this machine",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log only what was refused and why.")] = False,
    json: Json = False,
) -> None:
    """Let players from anywhere sit down, and play.

    Speaks our protocol over TCP and WebSocket, and the foreign ones of the game, on one port.

    Example: wateringhole host {game} --games 2 --bots {bot}
    """
    import asyncio

    from wateringhole import registry
    from wateringhole.match.match import RefereeSettings
    from wateringhole.net.server import HouseLimits, TablePlan
    from wateringhole.process.limits import Isolation

    kind = registry.game_kind(game)
    _check_interface(address)
    for option, seconds in (("--patience", patience), ("--signup-seconds", signup_seconds)):
        if not 0 < seconds < math.inf:
            raise UsageError(
                f"{option} {seconds:g}: give a number of seconds above 0; nobody is waited for without end."
            )
    for option, seconds in (("--human-patience", human_patience), ("--bank", bank), ("--grace", grace)):
        if not 0 <= seconds < math.inf:
            raise UsageError(f"{option} {seconds:g}: give a number of seconds, or 0; nobody is waited for without end.")
    if not signup_patience >= 0:
        raise UsageError(
            f"--signup-patience {signup_patience:g}: give a number of seconds, 0, or inf for full tables only."
        )
    plan = TablePlan(
        kind=kind,
        rules=rules_of(kind, rules),
        seats=_seats(kind, players),
        games=games,
        tables=tables,
        seed=random.SystemRandom().randrange(2**32) if seed is None else seed,
        signup_patience=signup_patience,
        referee=RefereeSettings(time_limit=patience, human_time_limit=human_patience or patience, time_bank=bank),
        bots=_bots(game, bots, Isolation(isolates=True, sandbox=parse_sandbox(sandbox))),
        choices=deal_choices(kind, deal, deck),
        keeps_records=record is not None,
    )
    if record:
        from wateringhole.match.series import make_folder

        make_folder(record)
    limits = HouseLimits(
        connections_per_address=per_address,
        signups_per_second=signup_rate,
        signup_seconds=signup_seconds,
        reconnect_seconds=grace,
        origins=tuple(map(_origin, allow_origin or ())),
    )
    _allow_many_connections()
    asyncio.run(_serve(plan, limits, address, port, _Results(plan, record, json), quiet))


async def _serve(plan: TablePlan, limits: Any, address: str, port: int, results: _Results, quiet: bool) -> None:
    from wateringhole.net.server import NO_MORE_GAMES, HouseServer

    log = _log_refusals if quiet else _log
    host: HouseServer = HouseServer(plan, limits, log)
    farewell = "the host was stopped"
    try:
        address, port = await host.open(address, port)
        _log(f"{plan.kind.name} on {address} port {port}, seed {plan.seed}")
        log(_invitation(plan, address, port))
        async for game in host.games():
            results.add(game)
        farewell = NO_MORE_GAMES
    finally:
        # Also after Ctrl-C: finished games are not lost.
        results.close()
        await host.close(farewell)


def _invitation(plan: TablePlan, address: str, port: int) -> str:
    import ipaddress
    import socket

    least, most = 1 if plan.bots else plan.seats[0], plan.seats[-1]
    party = pluralize(most, "player") if least == most else f"{least} to {most} players"
    ip = ipaddress.ip_address(address)
    name = socket.gethostname() if ip.is_unspecified else f"[{ip}]" if ip.version == 6 else address
    return f"waiting for {party}; one joins with: wateringhole join {name}:{port} PLAYER"


class _Results:
    """Shows every game that ends."""

    def __init__(self, plan: TablePlan, folder: Path | None, as_json: bool) -> None:
        self._plan = plan
        self._folder = folder
        self._reports: list[dict[str, Any]] | None = [] if as_json else None

    def add(self, game: HostedGame) -> None:
        kind = self._plan.kind
        if self._folder:
            from wateringhole.match.series import write_record

            write_record(self._folder, kind, game.played)
        if self._reports is not None:
            self._reports.append(report(kind, game.names, game.played, game.summary))
            return
        if self._plan.games > 1:
            print(f"game {game.number + 1}, seed {game.played.seed}")
        for line in _ranking(game):
            print(line, flush=True)

    def close(self) -> None:
        if self._reports is not None:
            print_json(self._reports if self._plan.games > 1 else self._reports[0] if self._reports else None)


def _ranking(game: HostedGame) -> list[str]:
    """The final ranking; with scores it is the course's, whose ranks are simply counted."""
    return [
        f"{standing.place} player: {game.names[standing.seat]}"
        if standing.score is None
        else f"{rank} player id: {game.names[standing.seat]} score: {standing.score}"
        for rank, standing in enumerate(game.played.outcome.ranking, 1)
    ]


def _seats(kind: AnyKind, words: str | None) -> range:
    least, most = kind.seats[0], kind.seats[-1]
    if words is None:
        return range(least, min(most, MOST_BY_DEFAULT) + 1)
    numbers = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", words)
    if not numbers:
        raise UsageError(f"--players {words}: say 4 or 3..8.")
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    if not least <= first <= last <= most:
        raise UsageError(f"--players {words}: {kind.name} is for {least} to {most} players.")
    return range(first, last + 1)


def _bots(game: str, words: list[str] | None, isolation: Isolation) -> list[PlayerSpec]:
    """The bots of the house; one that cannot be made is found out at once."""
    from wateringhole.match.specs import parse_specs

    named = parse_specs(game, split_players(words or []), isolation)
    for bot in named:
        bot.make().close()
    return named


def _check_interface(address: str) -> None:
    if not address:
        # The system would take it for all of them, which nobody should get by leaving something out.
        raise UsageError("--address is empty: give the address of an interface; 0.0.0.0 is all of them.")
    try:
        address.encode("idna")
    except UnicodeError:
        raise UsageError(f"--address {address}: this is the address of no interface.") from None


def _origin(text: str) -> str:
    """An origin as browsers write it: scheme, host and port, nothing behind."""
    if text not in ("*", "null") and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+", text):
        raise UsageError(f"--allow-origin {text}: an origin is written as https://club.example, nothing behind it.")
    return text


def _allow_many_connections() -> None:
    """As many open files as the system lets us have."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _log(line: str) -> None:
    print(f"host: {line}", file=sys.stderr, flush=True)


def _log_refusals(line: str) -> None:
    if line.startswith("refused"):
        _log(line)
