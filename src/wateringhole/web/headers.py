"""The headers of every response, and the check of hosts and origins."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wateringhole.house.transports.origins import Origins

__all__ = ["CONTENT_POLICY", "SecurityHeaders"]

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
    """Middleware that adds the headers and refuses requests that other sites make a browser send (`Origins`)."""

    def __init__(self, app: ASGIApp, *, accepts_any_host: bool) -> None:
        self._app = app
        self._origins = Origins(has_page=True, accepts_any_host=accepts_any_host)

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
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        return self._origins.problem(Headers(scope=scope), scope["server"][0], changes=changes)

    def _with_headers(self, send: Send) -> Send:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        return send_with_headers
