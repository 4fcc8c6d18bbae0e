"""Commitments: digests of deals, published before a game and checked after it.

The digest of a game covers what chance has decided in its setup, a random nonce, and the digest of the
next game of its series::

    digest = SHA-256 of "<nonce>\n<digest of the next game, or nothing>\n<the dealt part of the setup as JSON>"

The JSON has sorted keys and no spaces.  The nonce hides the deal until it is revealed at the end of the
game.  The first digest of a series covers all its deals, and no game reveals the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from wateringhole.digests import digest
from wateringhole.game import AnyKind

__all__ = ["Commitment", "commit", "dealt_text", "is_kept"]


class Commitment(msgspec.Struct, frozen=True):
    """A commitment to the deal of a game."""

    digest: str
    """Published before the game."""
    nonce: str
    """Revealed after it, like the next one."""
    next: str = ""
    """The digest of the next game of the series, or nothing after the last one."""


def dealt_text(kind: AnyKind, setup: Any) -> bytes:
    """Return the part of a setup that commitments cover, or nothing if chance decides nothing in it."""
    dealt = kind.dealt_part(setup)
    return msgspec.json.encode(dealt, order="sorted") if dealt else b""


def commit(texts: Sequence[bytes], nonces: Sequence[str]) -> list[Commitment | None]:
    """Return the commitments to the dealt texts of all games of a series, or None for each that is empty."""
    commitments: list[Commitment | None] = []
    following = ""
    for dealt, nonce in zip(reversed(texts), reversed(nonces), strict=True):
        made = Commitment(_digest(nonce, following, dealt), nonce, following) if dealt else None
        following = made.digest if made else ""
        commitments.append(made)
    return commitments[::-1]


def is_kept(kind: AnyKind, setup: Any, commitment: Commitment) -> bool:
    """Return whether a game was dealt as it was committed to."""
    return commitment.digest == _digest(commitment.nonce, commitment.next, dealt_text(kind, setup))


def _digest(nonce: str, following: str, dealt: bytes) -> str:
    return digest(f"{nonce}\n{following}\n".encode() + dealt)
