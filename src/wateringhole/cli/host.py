"""`wateringhole host`: games for remote players."""

from __future__ import annotations

import math
import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import (
    DealWords,
    Deck,
    GameName,
    Json,
    RecordFolder,
    RuleWords,
    SeedText,
    Traits,
    check_seconds,
    chosen_seed,
    deal_choices,
    rules_of,
    split_players,
)
from wateringhole.cli.game_output import JsonGames, report
from wateringhole.cli.house import AllowedNames, Bans, Proxies, RawPort, check_ports, parse_admission, parse_proxies
from wateringhole.cli.isolation import ReadOnly, Sandbox, Trust, choose_sandbox
from wateringhole.errors import UsageError
from wateringhole.formatting import pluralize

if TYPE_CHECKING:
    from pathlib import Path

    from wateringhole.game import AnyKind
    from wateringhole.house.admission import Admission
    from wateringhole.house.host import HostedGame, HouseServer, RecurringPlan
    from wateringhole.house.limits import HouseLimits
    from wateringhole.house.runs import SavedRun
    from wateringhole.house.store import TableStore
    from wateringhole.match.specs import PlayerSpec
    from wateringhole.process.limits import Isolation

__all__ = ["host"]

MOST_BY_DEFAULT = 8


def host(
    game: GameName,
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 for any free port.")] = 45678,
    bind: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all interfaces.")] = "127.0.0.1",
    raw_port: RawPort = None,
    players: Annotated[
        str | None, typer.Option(metavar="N|N..M", help="Number of players per game.", show_default="up to 8")
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Number of games in total.")] = 1,
    tables: Annotated[int, typer.Option(min=1, help="Number of simultaneous games.")] = 1,
    start_delay: Annotated[
        float,
        typer.Option(help="Seconds to wait for more players; inf to wait for a full table."),
    ] = 10.0,
    time_limit: Annotated[float, typer.Option(help="Seconds for one answer; a later answer forfeits.")] = 10.0,
    human_time_limit: Annotated[
        float, typer.Option(help="Seconds for a human's answer; 0 for the normal limit.")
    ] = 300.0,
    time_bank: Annotated[float, typer.Option(help="Spare seconds per game for slow answers.")] = 0.0,
    reconnect_timeout: Annotated[
        float, typer.Option(help="Seconds a disconnected player has to reconnect (JSON protocol only).")
    ] = 30.0,
    bots: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER,…",
            help="Players for empty seats, reused in order, a program last; repeatable.",
            show_default="none",
        ),
    ] = None,
    sandbox: Sandbox = None,
    read_only: ReadOnly = None,
    trust: Trust = False,
    rules: RuleWords = None,
    deal: DealWords = None,
    deck: Deck = None,
    traits: Traits = None,
    seed: SeedText = None,
    record: RecordFolder = None,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|URL",
            help="Store for all games, which continue there after a restart.",
            show_default="none",
        ),
    ] = None,
    connections_per_address: Annotated[
        int, typer.Option(min=1, help="Maximum simultaneous connections from one address.")
    ] = 100,
    signup_rate: Annotated[int, typer.Option(min=1, help="Maximum new connections per second from one address.")] = 100,
    signup_timeout: Annotated[float, typer.Option(help="Seconds from connecting to signing up.")] = 5.0,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Web origin that may join, e.g. https://club.example; * for any; repeatable.",
            show_default="pages on this machine",
        ),
    ] = None,
    code: Annotated[
        str | None, typer.Option(help="Code that players must send: join ADDRESS/CODE (JSON protocol only).")
    ] = None,
    allow_name: AllowedNames = None,
    bans: Bans = None,
    proxy: Proxies = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Log refused connections only.")] = False,
    json: Json = False,
) -> None:
    """Host games for remote players.

    Speaks the JSON protocol over TCP and WebSocket, and the foreign protocols of the game, on one port.

    Example: wateringhole host {game} --games 2 --bots {bot}
    """
    import asyncio
    import contextlib

    from wateringhole import registry
    from wateringhole.house.host import RecurringPlan, open_saved_run
    from wateringhole.house.limits import HouseLimits
    from wateringhole.match.match import RefereeSettings
    from wateringhole.match.specs import is_untrusted
    from wateringhole.process.limits import isolation_for

    kind = registry.game_kind(game)
    _check_interface(bind)
    check_ports(port, raw_port)
    check_seconds(finite=True, time_limit=time_limit, signup_timeout=signup_timeout)
    for option, seconds in (
        ("--human-time-limit", human_time_limit),
        ("--time-bank", time_bank),
        ("--reconnect-timeout", reconnect_timeout),
    ):
        if not 0 <= seconds < math.inf:
            raise UsageError(f"{option} {seconds:g}: expected a finite number of seconds from 0.")
    if not start_delay >= 0:
        raise UsageError(
            f"--start-delay {start_delay:g}: expected a number of seconds from 0, or inf for full tables only."
        )
    with contextlib.closing(_open_store(store)) if store is not None else contextlib.nullcontext() as opened:
        specs = split_players(bots or [])
        is_needed = any(is_untrusted(game, spec) for spec in specs)
        isolation = isolation_for(
            isolates=not trust,
            sandbox=choose_sandbox(sandbox, read_only, trust=trust, is_needed=is_needed),
            read_only=read_only or (),
            hidden=[*([record] if record else []), *(opened.files if opened else [])],
        )
        plan = RecurringPlan(
            kind=kind,
            rules=rules_of(kind, rules),
            seats=_seats(kind, players),
            games=games,
            tables=tables,
            seed=chosen_seed(seed),
            start_delay=start_delay,
            referee=RefereeSettings(
                time_limit=time_limit, human_time_limit=human_time_limit or time_limit, time_bank=time_bank
            ),
            bots=_bots(game, specs, isolation),
            choices=deal_choices(kind, deal, deck=deck, traits=traits),
            keeps_records=record is not None,
        )
        if record:
            from wateringhole.match.series import make_folder

            make_folder(record)
        limits = HouseLimits(
            connections_per_address=connections_per_address,
            signups_per_second=signup_rate,
            signup_timeout=signup_timeout,
            reconnect_seconds=reconnect_timeout,
            origins=tuple(map(_origin, allow_origin or ())),
            proxies=parse_proxies(proxy),
            raw_port=raw_port,
        )
        admission = parse_admission(allow_name, bans, code)
        _allow_many_connections()
        saved = None
        if opened:
            plan, saved = open_saved_run(plan, opened, has_seed=seed is not None)
        asyncio.run(_serve(plan, saved, limits, admission, bind, port, _Results(plan, record, json), quiet))


def _open_store(store: str) -> TableStore:
    from wateringhole.tournaments.results import require_store

    require_store()
    from wateringhole.house.store import TableStore

    return TableStore(store)


async def _serve(
    plan: RecurringPlan,
    saved: SavedRun | None,
    limits: HouseLimits,
    admission: Admission,
    address: str,
    port: int,
    results: _Results,
    quiet: bool,
) -> None:
    from wateringhole.house.host import NO_MORE_GAMES, HouseServer

    log = _log_refusals if quiet else _log
    host: HouseServer = HouseServer(plan, limits, log, admission, saved)
    farewell = "the host was stopped"
    try:
        address, port = await host.open(address, port)
        _log(f"{plan.kind.name} on {address} port {port}, seed {plan.seed}")
        log(_invitation(plan, address, port, is_raw=limits.raw_port is None, has_code=admission.code is not None))
        async for game in host.games():
            results.add(game)
        farewell = NO_MORE_GAMES
    finally:
        # Also after Ctrl-C: finished games are shown.
        results.close()
        await host.close(farewell)
        if saved and farewell != NO_MORE_GAMES:
            _log(f"the games are saved in {saved.store.name}; continue them with the same command")


def _invitation(plan: RecurringPlan, address: str, port: int, *, is_raw: bool = True, has_code: bool = False) -> str:
    """Return how to join a port, which accepts only WebSockets unless it `is_raw`, and perhaps needs the code."""
    import ipaddress
    import socket

    least, most = 1 if plan.bots else plan.seats[0], plan.seats[-1]
    players = pluralize(most, "player") if least == most else f"{least} to {most} players"
    ip = ipaddress.ip_address(address)
    name = socket.gethostname() if ip.is_unspecified else f"[{ip}]" if ip.version == 6 else address
    where = f"{'' if is_raw else 'ws://'}{name}:{port}{'/CODE' if has_code else ''}"
    return f"waiting for {players}; join with: wateringhole join {where} PLAYER"


class _Results:
    """Shows and records finished games."""

    def __init__(self, plan: RecurringPlan, folder: Path | None, as_json: bool) -> None:
        self._plan = plan
        self._folder = folder
        self._json = JsonGames(is_list=plan.games > 1) if as_json else None

    def add(self, game: HostedGame) -> None:
        kind = self._plan.kind
        if self._folder:
            from wateringhole.match.series import write_record

            write_record(self._folder, kind, game.played)
        if self._json:
            self._json.add(report(kind, game.names, game.played, game.summary))
            return
        if self._plan.games > 1:
            print(f"game {game.number + 1}, seed {game.played.seed}")
        for line in _ranking(game):
            print(line, flush=True)

    def close(self) -> None:
        if self._json:
            self._json.close()


def _ranking(game: HostedGame) -> list[str]:
    """Return the final ranking; with scores it is the course's, which counts ranks without ties.

    Players whom the game could not rank follow, because it was stopped.
    """
    outcome = game.played.outcome
    ranked = [
        f"{standing.place} player: {game.names[standing.seat]}"
        if standing.score is None
        else f"{rank} player id: {game.names[standing.seat]} score: {standing.score}"
        for rank, standing in enumerate(outcome.ranking, 1)
    ]
    return ranked + [f"not ranked ({outcome.reason}) player: {game.names[seat]}" for seat in outcome.unranked]


def _seats(kind: AnyKind, words: str | None) -> range:
    least, most = kind.seats[0], kind.seats[-1]
    if words is None:
        return range(least, min(most, MOST_BY_DEFAULT) + 1)
    numbers = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", words)
    if not numbers:
        raise UsageError(f"--players {words}: expected a number or a range, e.g. 4 or 3..8.")
    first, last = int(numbers[1]), int(numbers[2] or numbers[1])
    if not least <= first <= last <= most:
        raise UsageError(f"--players {words}: {kind.name} is for {least} to {most} players.")
    return range(first, last + 1)


def _bots(game: str, specs: list[str], isolation: Isolation) -> list[PlayerSpec]:
    """Return the bots of the host.  Raises an error for one that cannot be created."""
    from wateringhole.match.specs import parse_specs

    named = parse_specs(game, specs, isolation)
    for bot in named:
        bot.make().close()
    return named


def _check_interface(address: str) -> None:
    if not address:
        # The system would take it for all interfaces, which must be an explicit choice.
        raise UsageError("--bind is empty: expected the address of an interface, or 0.0.0.0 for all.")
    try:
        address.encode("idna")
    except UnicodeError:
        raise UsageError(f"--bind {address}: not a valid address.") from None


def _origin(text: str) -> str:
    """Return an origin as browsers write it: scheme, host and port.  Raises UsageError for anything else."""
    if text not in ("*", "null") and not re.fullmatch(r"[a-z][a-z0-9+.-]*://[^/\s]+", text):
        raise UsageError(f"--allow-origin {text}: expected an origin without a path, e.g. https://club.example.")
    return text


def _allow_many_connections() -> None:
    """Raise the limit of open files to the maximum of the system."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _log(line: str) -> None:
    print(f"host: {line}", file=sys.stderr, flush=True)


def _log_refusals(line: str) -> None:
    if line.startswith("refused"):
        _log(line)
