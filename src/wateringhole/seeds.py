"""Seeds: the numbers and texts from which all chance follows.

A seed that a user gives is an integer.  One that is drawn has 128 bits, so that no player can find it
by trying; it is a text of hexadecimal digits, because JSON readers and stores lose digits of such large
integers.
"""

from __future__ import annotations

import hmac
import re
import secrets
from typing import TypeAlias

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr

__all__ = ["Seed", "check_seed", "derived_seed", "game_seed", "new_seed", "parse_seed"]

Seed: TypeAlias = int | str

SECRET_BYTES = 16
LEAST, MOST = -(2**63), 2**63 - 1
"""The integers that a seed can be: those that records and stores can hold."""


def new_seed() -> str:
    """Return a secret seed of 128 bits from the operating system."""
    return secrets.token_hex(SECRET_BYTES)


def parse_seed(text: str) -> Seed:
    """Read a seed as it is given on a command line.

    Raises UsageError if it is neither an integer nor a seed that was drawn.

    >>> parse_seed("7"), parse_seed("00ff00ff00ff00ff00ff00ff00ff00ff")
    (7, '00ff00ff00ff00ff00ff00ff00ff00ff')
    """
    if re.fullmatch(r"[-+]?[0-9]{1,19}", text) and LEAST <= int(text) <= MOST:
        return int(text)
    return check_seed(text.lower(), f"--seed {short_repr(text)}")


def check_seed(seed: Seed, name: str) -> Seed:
    """Return a seed, or raise UsageError, which starts with `name`, if no game could be dealt from it."""
    is_drawn = isinstance(seed, str) and re.fullmatch(f"[0-9a-f]{{{2 * SECRET_BYTES}}}", seed)
    is_number = isinstance(seed, int) and LEAST <= seed <= MOST
    if not is_drawn and not is_number:
        raise UsageError(
            f"{name}: expected an integer of at most 64 bits, or the {2 * SECRET_BYTES} hexadecimal digits of a seed "
            "that was drawn."
        )
    return seed


def game_seed(seed: Seed, number: int) -> Seed:
    """Return the seed of one of several games in a row, counted from 0.  That of the first one is the seed itself.

    >>> game_seed(7, 0), game_seed(7, 2)
    (7, 9)
    """
    if isinstance(seed, int):
        return seed + number
    return derived_seed(seed, f"game {number}") if number else seed


def derived_seed(secret: Seed, purpose: str) -> str:
    """Return a seed of 128 bits for one purpose.

    It reveals neither the secret nor the seed of any other purpose, unless the secret can be guessed.

    >>> derived_seed(7, "deal 1")
    'b1953661059590e38a3b1856259cf945'
    """
    return hmac.digest(str(secret).encode(), purpose.encode(), "sha256")[:16].hex()
