"""The hash chain of a tournament: one digest, its head, that covers the settings and all records.

The chain starts with the digest of the settings.  Each game adds a link, in the order of the schedule
and not in that in which games finished::

    start  = SHA-256 of the settings as JSON: keys sorted, no spaces, UTF-8
    link n = SHA-256 of "<link n-1> <series> <game> <digest of the record>\n"

Every digest is written as ``sha256:`` and 64 hexadecimal digits.  That of a record covers all its bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wateringhole.digests import digest

__all__ = ["Chain", "chain_start"]


def chain_start(settings: Mapping[str, Any]) -> str:
    """Return the start of the chain of a tournament, from its settings exactly as they are stored."""
    return digest(msgspec.json.encode(settings, order="sorted"))


class Chain:
    """A chain that grows by one link per game."""

    def __init__(self, start: str) -> None:
        self.head = start
        """The last link."""
        self.games = 0

    def add(self, series: int, game: int, record_digest: str) -> None:
        self.head = digest(f"{self.head} {series} {game} {record_digest}\n".encode())
        self.games += 1
