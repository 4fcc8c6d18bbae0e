"""Counter-based random numbers: Philox4x32, seven rounds.

The generator has no state.  Block `counter` of game `game` under a seed always has the same four words,
regardless of the caller and the order of calls.  So a game depends on its seed and its number alone,
never on the batch, the thread or the device that plays it.

Philox is by Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011).  Seven rounds are the fewest that pass their tests; ten add a safety margin, which games do
not need.

| Word | Holds |
|---|---|
| key 0, 1 | the seed, low word first |
| counter 0 | the number of the block |
| counter 1 | the purpose of the block: `CHANCE` for shuffling, `ACTION` for random actions, `MORE` for a second draw |
| counter 2, 3 | the number of the game, low word first |
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from wateringhole.sim.kernel import force_inline

__all__ = ["ACTION", "CHANCE", "MORE", "below", "block", "philox", "word"]

CHANCE: Final = 0
ACTION: Final = 1
MORE: Final = 2

_LOW: Final = np.uint64(0xFFFFFFFF)
_HALF: Final = np.uint64(32)
# The multipliers and the steps of the key are the published ones.
_TIMES_0: Final = np.uint64(0xD2511F53)
_TIMES_2: Final = np.uint64(0xCD9E8D57)
_STEP_0: Final = 0x9E3779B9
_STEP_1: Final = 0xBB67AE85


@force_inline
def _mixed(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    """Return the counter after one round."""
    left = _TIMES_0 * np.uint64(c0)
    right = _TIMES_2 * np.uint64(c2)
    return (
        np.uint32(np.uint32(right >> _HALF) ^ c1 ^ k0),
        np.uint32(right),
        np.uint32(np.uint32(left >> _HALF) ^ c3 ^ k1),
        np.uint32(left),
    )


@force_inline
def philox(c0: Any, c1: Any, c2: Any, c3: Any, k0: Any, k1: Any) -> Any:
    """Return four random 32-bit words for a counter of four words and a key of two.

    The rounds are written out, because kernels are compiled without unrolling loops.  The key of each round
    is one step further.
    """
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, k0, k1)
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, np.uint32(k0 + _STEP_0), np.uint32(k1 + _STEP_1))
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, np.uint32(k0 + 2 * _STEP_0), np.uint32(k1 + 2 * _STEP_1))
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, np.uint32(k0 + 3 * _STEP_0), np.uint32(k1 + 3 * _STEP_1))
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, np.uint32(k0 + 4 * _STEP_0), np.uint32(k1 + 4 * _STEP_1))
    c0, c1, c2, c3 = _mixed(c0, c1, c2, c3, np.uint32(k0 + 5 * _STEP_0), np.uint32(k1 + 5 * _STEP_1))
    return _mixed(c0, c1, c2, c3, np.uint32(k0 + 6 * _STEP_0), np.uint32(k1 + 6 * _STEP_1))


@force_inline
def block(seed: Any, game: Any, purpose: Any, counter: Any) -> Any:
    """Return the four random words of one block."""
    return philox(
        np.uint32(counter),
        np.uint32(purpose),
        np.uint32(game),
        np.uint32(np.uint64(game) >> _HALF),
        np.uint32(seed),
        np.uint32(np.uint64(seed) >> _HALF),
    )


@force_inline
def word(seed: Any, game: Any, purpose: Any, place: Any) -> Any:
    """Return the random word at a place of the sequence of all blocks of a game."""
    a, b, c, d = block(seed, game, purpose, place >> 2)
    lane = place & 3
    return (a if lane == 0 else b) if lane < 2 else (c if lane == 2 else d)


@force_inline
def below(word: Any, limit: Any) -> Any:
    """Return a number from 0 to `limit` - 1 for a random word, with a bias below `limit` / 2**32."""
    return np.int64((np.uint64(word) * np.uint64(limit)) >> _HALF)
