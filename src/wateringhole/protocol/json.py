"""Parsing of exactly one JSON value, with readable errors."""

from __future__ import annotations

from typing import Any

import msgspec

__all__ = ["parse"]


def parse(text: bytes | str) -> Any:
    """Return the one JSON value in a text.  Raises ValueError with a readable reason for anything else."""
    try:
        return msgspec.json.decode(text)
    except UnicodeError:
        raise ValueError("this is not JSON: it is not encoded as UTF-8") from None
    except RecursionError:
        raise ValueError("this JSON cannot be read: its lists are nested too deeply") from None
    except msgspec.DecodeError as wrong:
        raise ValueError(f"this is not one JSON value: {wrong}") from None
