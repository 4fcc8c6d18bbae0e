"""Digests as they are written in records, commitments, the chain of a tournament and the setups of games."""

from __future__ import annotations

import hashlib

__all__ = ["digest"]


def digest(text: bytes | bytearray) -> str:
    """Return the SHA-256 of a text, as ``sha256:`` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(text).hexdigest()
