"""Sums over games that overflowed."""

from __future__ import annotations

import importlib

import numpy as np
import pytest

from wateringhole.sim.game import compiled_game
from wateringhole.sim.sums import OVERFLOWED, SUMS, adding


@pytest.mark.parametrize("name", ["evolution", "porrinha"])
def test_overflowed_game_is_counted_nowhere_else(name: str) -> None:
    game = compiled_game(name)
    layout = importlib.import_module(f"wateringhole.games.{name}.compiled.layout")
    state = np.zeros(game.state, game.dtype)
    state[layout.OVERFLOWED] = 1
    sums = np.zeros(SUMS, np.int64)
    adding(game)(sums, state, game.seats[0], 0)
    expected = np.zeros(SUMS, np.int64)
    expected[OVERFLOWED] = 1
    assert np.array_equal(sums, expected)
