"""Responses in JSON."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

__all__ = ["json_response"]


def json_response(value: Any, status: int = 200) -> Response:
    """Return a value as JSON that no cache keeps."""
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(value), status, headers=headers, media_type="application/json")
