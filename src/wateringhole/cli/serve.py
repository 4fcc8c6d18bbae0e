"""`wateringhole serve`: the house, whose page shows games, replays and standings."""

from __future__ import annotations

from typing import Annotated

import typer

from wateringhole.cli.common import check_seconds
from wateringhole.cli.house import AllowedNames, Bans, Proxies, RawPort, check_ports, parse_admission, parse_proxies
from wateringhole.cli.isolation import ReadOnly, Sandbox, Trust, choose_sandbox
from wateringhole.cli.standings import StoreLocation
from wateringhole.errors import UsageError

__all__ = ["serve"]

MOST_KEPT = 2**63 - 1
"""The largest integer of a database."""
SHORTEST_TOKEN = 16
"""Characters of an operator's token."""


def serve(
    bind: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all interfaces.")] = ("127.0.0.1"),
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 for any free port.")] = 8000,
    raw_port: RawPort = None,
    store: StoreLocation = None,
    time_limit: Annotated[
        float, typer.Option(help="Seconds for a human's answer; the page counts down two minutes.")
    ] = 1800.0,
    reconnect_timeout: Annotated[
        float | None,
        typer.Option(
            help="Seconds a human has to reopen the page before forfeiting.",
            show_default="300 while other humans wait, 1800 against bots alone",
        ),
    ] = None,
    keep_games: Annotated[int, typer.Option(help="Number of finished games to keep; the oldest are deleted.")] = 10_000,
    traits: Annotated[
        str | None, typer.Option(metavar="FILE", help="File for the deal option traits, for all tables.")
    ] = None,
    allow_name: AllowedNames = None,
    bans: Bans = None,
    proxy: Proxies = None,
    sandbox: Sandbox = None,
    read_only: ReadOnly = None,
    trust: Trust = False,
    operator_token: Annotated[
        str | None,
        typer.Option(
            envvar="WATERINGHOLE_OPERATOR_TOKEN",
            help="Token that starts tournaments on the page.",
            show_default="a new one, which is printed",
        ),
    ] = None,
    open: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
) -> None:
    """Serve a page to play against bots and friends, and to see games, replays and standings.

    Example: wateringhole serve --open
    """
    check_ports(port, raw_port)
    check_seconds(finite=True, time_limit=time_limit, reconnect_timeout=reconnect_timeout)
    if not 1 <= keep_games <= MOST_KEPT:
        raise UsageError(f"--keep-games {keep_games}: expected a number of games from 1 to {MOST_KEPT}.")
    if operator_token is not None and len(operator_token) < SHORTEST_TOKEN:
        raise UsageError(f"--operator-token: expected at least {SHORTEST_TOKEN} characters, so that it is not guessed.")
    from wateringhole.house.plans import has_untrusted_bots
    from wateringhole.process.limits import isolation_for
    from wateringhole.web import serving

    isolation = isolation_for(
        isolates=not trust,
        sandbox=choose_sandbox(sandbox, read_only, trust=trust, is_needed=has_untrusted_bots()),
        read_only=read_only or (),
    )
    serving.serve(
        bind=bind,
        port=port,
        raw_port=raw_port,
        store=store,
        time_limit=time_limit,
        reconnect_seconds=reconnect_timeout,
        kept_games=keep_games,
        deal={"traits": traits} if traits is not None else {},
        opens=open,
        isolation=isolation,
        proxies=parse_proxies(proxy),
        admission=parse_admission(allow_name, bans),
        operator_token=operator_token,
    )
