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

from wateringhole.game import AnyKind
from wateringhole.match.digests import digest

__all__ = ["Commitment", "commit", "is_kept"]


class Commitment(msgspec.Struct, frozen=True):
    """A commitment to the deal of a game."""

    digest: str
    """Published before the game."""
    nonce: str
    """Revealed after it, like the next one."""
    next: str = ""
    """The digest of the next game of the series, or nothing after the last one."""


def commit(kind: AnyKind, setups: Sequence[Any], nonces: Sequence[str]) -> list[Commitment | None]:
    """Return the commitments to all games of a series, or None for each if chance decides nothing in them."""
    commitments: list[Commitment | None] = []
    following = ""
    for setup, nonce in zip(reversed(setups), reversed(nonces), strict=True):
        dealt = kind.dealt_part(setup)
        made = Commitment(_digest(nonce, following, dealt), nonce, following) if dealt else None
        following = made.digest if made else ""
        commitments.append(made)
    return commitments[::-1]


def is_kept(kind: AnyKind, setup: Any, commitment: Commitment) -> bool:
    """Return whether a game was dealt as it was committed to."""
    return commitment.digest == _digest(commitment.nonce, commitment.next, kind.dealt_part(setup))


def _digest(nonce: str, following: str, dealt: Any) -> str:
    return digest(f"{nonce}\n{following}\n".encode() + msgspec.json.encode(dealt, order="sorted"))
