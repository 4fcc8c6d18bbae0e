"""The web pages that may send requests to a house, which is decided by the `Host` and `Origin` of a request."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, urlsplit

import msgspec

from wateringhole.formatting import short_repr

__all__ = ["Origins", "is_loopback"]


class Origins(msgspec.Struct, frozen=True, kw_only=True):
    """The web pages that may send requests to a house.

    A page can make a browser connect to any server that its reader's machine can reach, also on that
    machine itself; its `Origin` reveals it.  Programs other than browsers send no origin.  The owner
    of a host name can point it to any address, so a name proves nothing on a loopback address.
    """

    allowed: tuple[str, ...] = ()
    """Origins that are allowed in any case, e.g. https://club.example; `*` for all."""
    has_page: bool
    """Whether the house has pages of its own, whose origin is the `Host` of their requests.

    Otherwise pages of the local address may connect, on any port.
    """
    accepts_any_host: bool = True
    """False on a loopback address: the house with pages answers only to the names of this machine."""

    def problem(self, headers: Mapping[str, str], address: str, *, changes: bool = True) -> str | None:
        """Return why a request at a local address is refused, or None.  Requests that change nothing need no origin."""
        host = headers.get("host", "")
        if not self.accepts_any_host and not is_loopback(_split(f"//{host}").hostname or ""):
            return "This server accepts only the names of this machine."
        origin = headers.get("origin")
        if not changes or origin is None or "*" in self.allowed or origin in self.allowed:
            return None
        if self.has_page:
            return None if _split(origin).netloc == host else "This was sent by a page of another site."
        if _is_own(origin, address):
            return None
        return f"a page from {short_repr(origin)} may not connect; --allow-origin would allow it"


def _is_own(origin: str, address: str) -> bool:
    """Return whether an origin is a page of the local address itself, on any port."""
    name = _split(origin).hostname
    local = address.partition("%")[0]
    return name == local or (name == "localhost" and ipaddress.ip_address(local).is_loopback)


def _split(url: str) -> SplitResult:
    """Return the parts of an address, all empty if it is not valid."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def is_loopback(host: str) -> bool:
    """Return whether a name or address can only mean this machine.

    >>> is_loopback("localhost"), is_loopback("127.0.0.1"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
