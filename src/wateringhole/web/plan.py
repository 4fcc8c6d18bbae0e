"""What a table is decided by: the game, its rules, and who may sit on which chair.

It is kept in the store, so it holds no secret that could be used: of tokens and invitations there
are digests only.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
import secrets
from collections.abc import Collection
from typing import Any, Literal

import msgspec

from wateringhole.formatting import one_line

__all__ = ["Chair", "Plan", "Secret", "clean_name", "distinct"]

LONGEST_NAME = 30


class Secret(msgspec.Struct, frozen=True):
    """What is kept of a token or an invitation: enough to know it again, too little to use it."""

    digest: str

    @classmethod
    def new(cls) -> tuple[str, Secret]:
        """A secret as it is given away, and as it is kept."""
        word = secrets.token_urlsafe(24)
        return word, cls(_digest(word))

    def fits(self, word: str | None) -> bool:
        return word is not None and hmac.compare_digest(self.digest, _digest(word))


def _digest(word: str) -> str:
    return hashlib.sha256(word.encode(errors="replace")).hexdigest()


class Chair(msgspec.Struct):
    """A place at a table."""

    kind: Literal["person", "bot"]
    name: str
    """Of a chair that nobody has taken: empty."""
    player: str | None = None
    """The installed player that a bot is."""
    token: Secret | None = None
    """Held by the person who sits here; None: nobody does yet."""
    invitation: Secret | None = None

    @property
    def is_taken(self) -> bool:
        return self.kind == "bot" or self.token is not None


class Plan(msgspec.Struct, kw_only=True):
    """All that a table is decided by."""

    game: str
    profile: str
    rules: dict[str, Any]
    seed: int
    public: bool
    chairs: list[Chair]


def clean_name(name: str, seat: int) -> str:
    """What somebody wants to be called, on one short line."""
    return " ".join(one_line(name, LONGEST_NAME).split()) or f"Player {seat + 1}"


def distinct(name: str, taken: Collection[str]) -> str:
    """A name that nobody at the table has yet.

    >>> distinct("Ada", ["Bea", "Ada"])
    'Ada 2'
    """
    numbers = itertools.count(2)
    free = name
    while free in taken:
        free = f"{name} {next(numbers)}"
    return free
