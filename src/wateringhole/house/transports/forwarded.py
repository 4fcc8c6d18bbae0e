"""The addresses of clients behind a proxy, which are in `X-Forwarded-For` or in the standard `Forwarded` (RFC 7239)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.websockets import WebSocket
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["ForwardedHeaders", "forwarded_for", "with_client_addresses"]

_PAIR = re.compile(r'\s*+(?:([^\s"=,;]++)=("(?:[^"\\]|\\.)*+"|[^\s",;]*+))?\s*+(;|,|$)')
"""A parameter with its value, perhaps empty, and what ends it.  It never backtracks, so a long header costs little."""


def forwarded_for(header: str) -> list[str]:
    """Return the address in each element of a `Forwarded` header, from the client to the last proxy.

    An element without an address counts as `unknown`.  Raises ValueError if the header is not valid: a client that
    leaves a quote open could otherwise hide the address that the proxy has added.

    >>> forwarded_for('for=192.0.2.60;proto=http, For="[2001:db8::1]:4711", by=203.0.113.43')
    ['192.0.2.60', '2001:db8::1', 'unknown']
    """
    addresses = ["unknown"]
    position, end = 0, ","
    while position < len(header) or end != "":
        pair = _PAIR.match(header, position)
        if pair is None:
            raise ValueError(f"the header Forwarded is not valid at character {position + 1}")
        name, value, end = pair.groups()
        if name is not None and name.lower() == "for":
            addresses[-1] = _without_port(value.strip('"')) or "unknown"
        if end == ",":
            addresses.append("unknown")
        position = pair.end()
    return addresses


def _without_port(node: str) -> str:
    if node.startswith("["):
        return node[1:].partition("]")[0]
    return node.partition(":")[0] if node.count(":") == 1 else node


def with_client_addresses(app: ASGIApp, proxies: tuple[str, ...], is_proxy: Callable[[str], bool]) -> ASGIApp:
    """Return an application whose `client` is the one that a named proxy reports."""
    reading = ProxyHeadersMiddleware(cast(Any, app), trusted_hosts=[*proxies])
    return ForwardedHeaders(cast("ASGIApp", reading), is_proxy)


class ForwardedHeaders:
    """Middleware that passes the addresses in `Forwarded` on as `X-Forwarded-For`, which uvicorn reads.

    A proxy that sets `X-Forwarded-For` may let the client's own `Forwarded` pass, so that one is ignored.
    """

    def __init__(self, app: ASGIApp, is_proxy: Callable[[str], bool]) -> None:
        self._app = app
        self._is_proxy = is_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        peer = scope.get("client")
        if "forwarded" in headers and "x-forwarded-for" not in headers and peer and self._is_proxy(peer[0]):
            try:
                addresses = forwarded_for(", ".join(headers.getlist("forwarded")))
            except ValueError as error:
                await _refuse(f"{error}\n", scope, receive, send)
                return
            added = (b"x-forwarded-for", ", ".join(addresses).encode("latin-1"))
            scope = {**scope, "headers": [*scope["headers"], added]}
        await self._app(scope, receive, send)


async def _refuse(why: str, scope: Scope, receive: Receive, send: Send) -> None:
    response = PlainTextResponse(why, 400)
    if scope["type"] == "websocket":
        await WebSocket(scope, receive, send).send_denial_response(response)
    else:
        await response(scope, receive, send)
