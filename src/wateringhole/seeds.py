"""Seeds: the numbers and texts from which all chance follows.

A seed that a user gives is an integer.  One that is drawn has 128 bits, so that nobody can find it by
trying; it is a text of hexadecimal digits, because JSON readers and stores lose digits of such large
integers.
"""

from __future__ import annotations

import hmac
from typing import TypeAlias

__all__ = ["Seed", "derived_seed"]

Seed: TypeAlias = int | str


def derived_seed(secret: Seed, purpose: str) -> str:
    """Return a seed of 128 bits for one purpose.

    It reveals neither the secret nor the seed of any other purpose, unless the secret can be guessed.

    >>> derived_seed(7, "deal 1")
    'b1953661059590e38a3b1856259cf945'
    """
    return hmac.digest(str(secret).encode(), purpose.encode(), "sha256")[:16].hex()
