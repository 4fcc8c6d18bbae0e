"""Options that `host` and `serve` share."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from wateringhole.house.admission import Admission

__all__ = ["AllowedNames", "Bans", "Proxies", "RawPort", "check_ports", "parse_admission", "parse_proxies"]

AllowedNames = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-name",
        metavar="NAME",
        help="Name that may sign up, once at a time; repeatable.",
        show_default="all",
    ),
]
Bans = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File of banned names and addresses, read again when it changes."),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help="Address of a proxy that reports the clients' addresses; repeatable.",
        show_default="none",
    ),
]
MOST_PORT = 65535

RawPort = Annotated[
    int | None,
    typer.Option(
        "--raw-port",
        metavar="PORT",
        help="Separate port for JSON lines and foreign protocols; 0 for any.",
        show_default="same port",
    ),
]


def parse_admission(names: Sequence[str] | None, bans: Path | None, code: str | None = None) -> Admission:
    """Return the requirements of a sign-up.  Raises UsageError, and OperationError for an unreadable file of bans."""
    from wateringhole.house.admission import Admission, BanList
    from wateringhole.house.names import clean_name

    if code == "":
        raise UsageError("--code is empty: expected a word that players send.")
    return Admission(
        code=code,
        names=tuple(clean_name(name, "") for name in names or ()),
        bans=None if bans is None else BanList(bans),
    )


def check_ports(port: int, raw_port: int | None) -> None:
    """Raise UsageError for a port that does not exist, and if both ports are the same."""
    for option, number in (("--port", port), ("--raw-port", raw_port)):
        if number is not None and not 0 <= number <= MOST_PORT:
            raise UsageError(f"{option} {number}: expected a port from 1 to {MOST_PORT}, or 0 for any free one.")
    if port and port == raw_port:
        raise UsageError(f"--raw-port {raw_port} is also the --port: expected another port, or 0 for any free one.")


def parse_proxies(proxies: Sequence[str] | None) -> tuple[str, ...]:
    """Return the addresses and networks of proxies.  Raises UsageError for anything else."""
    for proxy in proxies or ():
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise UsageError(f"--proxy {proxy}: expected an IP address or a network, e.g. 127.0.0.1.") from None
    return tuple(proxies or ())
