"""The headers of every response, and the check of hosts and origins."""

from __future__ import annotations

import ipaddress
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["CONTENT_POLICY", "SecurityHeaders", "is_loopback"]

CONTENT_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)

_HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class SecurityHeaders:
    """Middleware that adds the headers and refuses requests that other sites make a browser send.

    A page of another site can open a socket or post a form to this server; its `Origin` reveals it.
    A site can also point its own name to this address.  Therefore the server accepts only the names
    of this machine on a loopback address.
    """

    def __init__(self, app: ASGIApp, *, accepts_any_host: bool) -> None:
        self._app = app
        self._accepts_any_host = accepts_any_host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refusal_reason = self._refusal_reason(scope)
        if refusal_reason is None:
            await self._app(scope, receive, self._with_headers(send))
        elif scope["type"] == "websocket":
            # Before the socket is accepted, closing it sends status 403.
            await send({"type": "websocket.close", "code": 1008, "reason": refusal_reason})
        else:
            refusal = JSONResponse({"problem": refusal_reason}, status_code=403)
            await refusal(scope, receive, self._with_headers(send))

    def _refusal_reason(self, scope: Scope) -> str | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._accepts_any_host and not is_loopback(_split(f"//{host}").hostname or ""):
            return "This server accepts only the names of this machine."
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        origin = headers.get("origin")
        if changes and origin is not None and _split(origin).netloc != host:
            return "This was sent by a page of another site."
        return None

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        return send_with_headers


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
