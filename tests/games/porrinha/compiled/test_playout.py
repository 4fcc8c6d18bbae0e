"""Complete games of random players, played in registers, are the same as step by step."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from tests.games.porrinha.compiled.agreement import random_setup
from wateringhole.errors import UsageError
from wateringhole.games.porrinha import Rules, deal
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.compiled.bots.players import RANDOM, choose
from wateringhole.games.porrinha.compiled.bots.playout import play
from wateringhole.games.porrinha.compiled.bots.strategy import NO_STRATEGY
from wateringhole.games.porrinha.compiled.options import setup as row_before
from wateringhole.games.porrinha.compiled.rules import engine
from wateringhole.sim.kernel import entry

COMPARED = [
    layout.DECISION_TYPE,
    layout.ACTING,
    layout.ROUND,
    layout.TABLE,
    layout.LEFT,
    layout.DECISIONS,
    layout.STOPPED,
    layout.OVERFLOWED,
    *range(layout.STICKS, layout.STICKS + layout.MOST_PLAYERS),
    *range(layout.PLACE, layout.PLACE + layout.MOST_PLAYERS),
]


@entry
def _play(row: Any, before: Any, policies: Any, strategy: Any, seed: Any, game: int) -> None:
    play(row, before, policies, strategy, seed, game)


@entry
def _step_through(row: Any, before: Any, strategy: Any, seed: Any, game: int) -> None:
    engine.deal(row, before, seed, game)
    while engine.acting_seat(row) >= 0:
        engine.apply(row, choose(row, RANDOM, strategy, seed, game))


@pytest.mark.parametrize("seed", range(4))
def test_complete_games_of_random_players_match_single_steps(seed: int) -> None:
    rng = random.Random(seed)
    for game in range(500):
        setup = random_setup(rng)
        before = row_before(setup.rules, setup.players)
        # Words of another game in the row must not matter.
        whole, stepped = np.full(layout.STATE, 77, layout.DTYPE), np.zeros(layout.STATE, layout.DTYPE)
        whole[[layout.STICKS + seat for seat in range(8)] + [layout.PLACE + seat for seat in range(8)]] = 0
        policies = np.full(setup.players, RANDOM, np.int32)
        _play(whole, before, policies, NO_STRATEGY, np.uint64(seed), game)
        _step_through(stepped, before, NO_STRATEGY, np.uint64(seed), game)
        assert whole[COMPARED].tolist() == stepped[COMPARED].tolist(), setup


def test_endless_game_overflows() -> None:
    # Both hide nothing and guess impossible sums, so neither is ever right.
    before = row_before(Rules(), 2)
    row = np.zeros(layout.STATE, layout.DTYPE)
    _never_right(row, before)
    assert row[layout.OVERFLOWED] == 1
    assert row[layout.STOPPED] == 0
    assert row[layout.ROUND] == layout.MOST_ROUNDS


@entry
def _never_right(row: Any, before: Any) -> None:
    engine.deal(row, before, 0, 0)
    while engine.acting_seat(row) >= 0:
        engine.apply(row, 6 if engine.decision_type(row) == layout.GUESS and row[layout.TURN] == 0 else 0)
        if row[layout.DECISION_TYPE] == layout.GUESS and row[layout.TURN] == 1:
            engine.apply(row, 5)


@pytest.mark.parametrize(
    ("rules", "players"),
    [(Rules(sticks=16), 2), (Rules(sticks=8), 8), (Rules(sticks=(3, 20)), 2)],
    ids=["per seat", "in total", "one of several seats"],
)
def test_too_many_sticks_are_refused(rules: Rules, players: int) -> None:
    deal(players, rules)
    with pytest.raises(UsageError, match="rules option sticks="):
        row_before(rules, players)
