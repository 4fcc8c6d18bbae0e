"""Encodings agree with the compiled games: masks and observations of all seats, decision by decision."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("numba", reason="Numba is not installed: it comes with the extra sim")

from tests.games.evolution.compiled.agreement import SideBySide
from tests.games.evolution.compiled.agreement import random_setup as evolution_setup
from tests.games.porrinha.compiled.agreement import random_setup as porrinha_setup
from wateringhole.game import Seat
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.rules.compact import observe_compactly
from wateringhole.learn.encoded_game import EncodedGame
from wateringhole.sim import Batch
from wateringhole.sim.kernel import entry


@entry
def compact_observation(state: Any, seat: int, out: Any) -> None:
    observe_compactly(state, seat, out)


@pytest.mark.parametrize("seed", range(12))
def test_evolution_is_encoded_as_it_is_compiled(seed: int) -> None:
    rng = random.Random(seed)
    setup = evolution_setup(rng)
    compiled = SideBySide(setup)
    encoded = EncodedGame(evolution.KIND, setup)
    out = np.zeros(layout.COMPACT, np.uint8)
    while not compiled.is_over:
        assert np.flatnonzero(encoded.mask).tolist() == compiled.legal
        for seat in range(setup.players):
            compact_observation(compiled.state, seat, out)
            assert encoded.observe(Seat(seat)).tolist() == out.tolist()
        action = rng.choice(compiled.legal)
        compiled.take(action)
        encoded.step(action)
    for seat in range(setup.players):
        compact_observation(compiled.state, seat, out)
        out[1] = 0  # no seat acts
        assert encoded.observe(Seat(seat)).tolist() == out.tolist()


@pytest.mark.parametrize("seed", range(30))
def test_porrinha_is_encoded_as_it_is_compiled(seed: int) -> None:
    rng = random.Random(seed)
    setup = porrinha_setup(rng)
    batch = Batch("porrinha", setup.players, games=1, rules=setup.rules, compact=True)
    encoded = EncodedGame(porrinha.KIND, setup)
    while True:
        for seat in range(setup.players):
            assert encoded.observe(Seat(seat)).tolist() == batch.observe(seat)[0].tolist()
        assert encoded.mask.tolist() == batch.action_masks[0].tolist()
        assert encoded.acting == (None if batch.done[0] else batch.acting_seats[0])
        if encoded.acting is None:
            break
        action = rng.choice(np.flatnonzero(encoded.mask).tolist())
        batch.step(np.array([action]))
        encoded.step(action)
