"""Options that `host` and `serve` share."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from wateringhole.errors import UsageError

__all__ = ["Bans", "Proxies", "parse_proxies"]

Bans = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="File of banned names and addresses, read again when it changes."),
]
Proxies = Annotated[
    list[str] | None,
    typer.Option(
        "--proxy",
        metavar="ADDRESS",
        help="Address of a proxy whose X-Forwarded-For is true; repeatable.",
        show_default="none",
    ),
]


def parse_proxies(proxies: Sequence[str] | None) -> tuple[str, ...]:
    """Return the addresses and networks of proxies.  Raises UsageError for anything else."""
    for proxy in proxies or ():
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise UsageError(f"--proxy {proxy}: expected an IP address or a network, e.g. 127.0.0.1.") from None
    return tuple(proxies or ())
