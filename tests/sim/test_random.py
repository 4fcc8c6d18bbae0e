"""The random numbers are Philox's, and depend on what they are for alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wateringhole.sim.kernel import entry
from wateringhole.sim.random import ACTION, CHANCE, below, block, philox, word

ONES = 0xFFFFFFFF
WORDS = st.integers(0, ONES)


@entry
def _philox(c0: int, c1: int, c2: int, c3: int, k0: int, k1: int) -> Any:
    return philox(np.uint32(c0), np.uint32(c1), np.uint32(c2), np.uint32(c3), np.uint32(k0), np.uint32(k1))


@entry
def _block(seed: Any, game: int, purpose: int, counter: int) -> Any:
    return block(seed, game, purpose, counter)


@entry
def _words(seed: Any, game: int, purpose: int, out: Any) -> None:
    for place in range(len(out)):
        out[place] = word(seed, game, purpose, place)


@entry
def _below(random: Any, limit: int) -> Any:
    return below(random, limit)


# The vectors that the authors of Philox publish with their library, for seven rounds.
@pytest.mark.parametrize(
    ("counter", "key", "expected"),
    [
        ((0, 0, 0, 0), (0, 0), (0x5F6FB709, 0x0D893F64, 0x4F121F81, 0x4F730A48)),
        ((ONES, ONES, ONES, ONES), (ONES, ONES), (0x5207DDC2, 0x45165E59, 0x4D8EE751, 0x8C52F662)),
        (
            (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344),
            (0xA4093822, 0x299F31D0),
            (0x4DFCCABA, 0x190A87F0, 0xC47362BA, 0xB6B5242A),
        ),
    ],
    ids=["zeros", "ones", "digits of pi"],
)
def test_the_published_vectors_come_out(
    counter: tuple[int, ...], key: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert _philox(*counter, *key) == expected


def test_seed_game_purpose_and_counter_have_their_places_in_counter_and_key() -> None:
    seed, game = 0x0123456789ABCDEF, 0x00000BADCAFE0123
    expected = _philox(9, ACTION, 0xCAFE0123, 0x00000BAD, 0x89ABCDEF, 0x01234567)
    assert _block(np.uint64(seed), game, ACTION, 9) == expected


@given(seed=st.integers(0, 2**64 - 1), game=st.integers(0, 2**62))
def test_words_one_by_one_are_the_words_of_the_blocks(seed: int, game: int) -> None:
    single = np.zeros(24, np.uint32)
    _words(np.uint64(seed), game, CHANCE, single)
    blocks = [_block(np.uint64(seed), game, CHANCE, counter) for counter in range(6)]
    assert single.tolist() == [word for block in blocks for word in block]


@given(random=WORDS, limit=st.integers(1, 2**31))
def test_a_draw_stays_below_its_limit_and_grows_with_its_word(random: int, limit: int) -> None:
    drawn = _below(np.uint32(random), limit)
    assert drawn == random * limit // 2**32
    assert 0 <= drawn < limit
