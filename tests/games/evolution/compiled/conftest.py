"""Compilation of the engine before all tests that use it; the cache makes the next run quick."""

from __future__ import annotations

import random

import pytest

from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import SideBySide, random_setup
from wateringhole.games.evolution.compiled import layout


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    game = SideBySide(random_setup(random.Random(0)))
    calls.choose(game.state, layout.SILLY, 0, 0)
