"""Porrinha as a compiled game."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.compiled.bots.players import POLICIES, act, choose
from wateringhole.games.porrinha.compiled.bots.playout import play
from wateringhole.games.porrinha.compiled.bots.strategy import NO_STRATEGY, equilibrium_strategy
from wateringhole.games.porrinha.compiled.options import OPTIONS, setup
from wateringhole.games.porrinha.compiled.rules import engine
from wateringhole.games.porrinha.compiled.sampling import play_out
from wateringhole.games.porrinha.compiled.validation import is_valid
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.sim.game import CompactObservation, CompiledGame

__all__ = ["GAME"]


def strategy(rules: Rules, players: int, names: Collection[str]) -> npt.NDArray[np.uint32]:
    return equilibrium_strategy(rules, players) if "equilibrium" in names else NO_STRATEGY


def with_policies(names: frozenset[str]) -> CompiledGame:
    """Return the same game: leaving players out did not make it faster."""
    return GAME


GAME = CompiledGame(
    name="porrinha",
    seats=range(2, layout.MOST_PLAYERS + 1),
    dtype=layout.DTYPE,
    state=layout.STATE,
    actions=layout.ACTIONS,
    observation=layout.OBSERVATION,
    compact=CompactObservation(layout.OBSERVATION, np.int8, engine.observe_compactly),
    decision_types=layout.DECISION_TYPES,
    policies=POLICIES,
    sources=Path(__file__).parents[1],
    options=OPTIONS,
    setup=setup,
    strategy=strategy,
    with_policies=with_policies,
    deal=engine.deal,
    acting_seat=engine.acting_seat,
    decision_type=engine.decision_type,
    legal=engine.legal,
    apply=engine.apply,
    choose=choose,
    act=act,
    play=play,
    play_out=play_out,
    observe=engine.observe,
    place=engine.place,
    score=engine.score,
    length=engine.length,
    decisions=engine.decisions,
    stopped=engine.stopped,
    overflowed=engine.overflowed,
    is_valid=is_valid,
)
