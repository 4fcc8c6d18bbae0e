"""Digests as they are written in records, commitments, the chain of a tournament and the setups of games."""

from __future__ import annotations

import hashlib

__all__ = ["GrowingDigest", "digest"]


def digest(text: bytes | bytearray) -> str:
    """Return the SHA-256 of a text, as ``sha256:`` and 64 hexadecimal digits."""
    return "sha256:" + hashlib.sha256(text).hexdigest()


class GrowingDigest:
    """The digest of a text to which more is added."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, text: bytes) -> None:
        self._hash.update(text)

    def __str__(self) -> str:
        """Return the digest of the text so far."""
        return "sha256:" + self._hash.hexdigest()
