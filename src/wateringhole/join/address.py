"""Addresses of hosts, as on the command line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from

__all__ = ["DEFAULT_PORT", "Address", "parse_address"]

DEFAULT_PORT = 45678
PATH = "/join"
"""The path at which a house accepts the JSON protocol over WebSocket."""

_ADDRESS = re.compile(
    r"(?:(?P<scheme>[a-z]+)://)?"
    r"(?P<host>\[[^\[\]\s]+\]|[^\[\]:@/?#\s]+)(?::(?P<port>\d+))?"
    r"(?P<path>(?:/[^/?#\s]+)*)/?"
)
_SCHEMES = {
    "tcp": ("tcp", DEFAULT_PORT),
    "http": ("ws", 80),
    "ws": ("ws", 80),
    "https": ("wss", 443),
    "wss": ("wss", 443),
}
"""For each scheme of an address, the one that is used and its port."""


@dataclass(frozen=True)
class Address:
    """The place where a host listens, how to reach it, and the code of the seat there."""

    host: str
    port: int = DEFAULT_PORT
    scheme: str = "tcp"
    """tcp, ws or wss."""
    path: str = PATH
    """The path of a WebSocket."""
    code: str | None = None
    """The secret code of a reserved seat."""

    def __str__(self) -> str:
        return f"{self.host} port {self.port}"

    @property
    def is_websocket(self) -> bool:
        return self.scheme != "tcp"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path if self.is_websocket else ''}"


def parse_address(text: str) -> Address:
    """Return the address that a user wrote.  Raises UsageError.

    >>> parse_address("https://club.example/s3cret")
    Address(host='club.example', port=443, scheme='wss', path='/join', code='s3cret')
    """
    examples = f"localhost:{DEFAULT_PORT} or [::1]:{DEFAULT_PORT}"
    invalid = UsageError(f"{text!r} is not an address. Expected HOST:PORT, e.g. {examples}, or a URL.")
    parts = _ADDRESS.fullmatch(text)
    if parts is None:
        raise invalid
    if parts["scheme"] not in (None, *_SCHEMES):
        raise UsageError(f"{text!r}: unknown scheme {parts['scheme']!r}. {choose_from(parts['scheme'], _SCHEMES)}")
    scheme, default_port = _SCHEMES[parts["scheme"] or "tcp"]
    try:
        split = urlsplit(f"//{parts['host']}:{parts['port'] or default_port}")
        host, port = split.hostname or "", split.port
        host.encode("idna")
    except ValueError:
        raise invalid from None
    if not port:
        raise invalid
    *prefix, code = parts["path"].split("/")
    if scheme == "tcp" and len(prefix) > 1:
        raise UsageError(f"{text!r} is not an address: a code has no slash. Expected HOST:PORT/CODE.")
    return Address(host, port, scheme, "/".join(prefix) + PATH, code if code != PATH[1:] and code else None)
