"""Evolution as a compiled game."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from types import FunctionType

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.compiled import layout, sampling
from wateringhole.games.evolution.compiled.bots.players import ALL_PLAYERS, make_players
from wateringhole.games.evolution.compiled.options import OPTIONS, setup
from wateringhole.games.evolution.compiled.rules import engine
from wateringhole.games.evolution.compiled.rules.compact import observe_compactly
from wateringhole.games.evolution.compiled.validation import is_valid
from wateringhole.games.evolution.rules.cards import CARDS
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, Rules
from wateringhole.games.evolution.rules.traits import TRAITS, Trait, TraitRule
from wateringhole.sim.game import CompactObservation, CompiledGame, Features

__all__ = ["GAME"]


def strategy(rules: Rules, players: int, names: Collection[str]) -> npt.NDArray[np.uint32]:
    """Return an empty table: no compiled player of Evolution looks anything up."""
    return np.zeros(1, np.uint32)


@functools.cache
def with_policies(names: frozenset[str]) -> CompiledGame:
    """Return Evolution with only these compiled players.

    A thread of a GPU reserves as much memory as its largest player needs.
    """
    policies = {name: number for name, number in layout.POLICIES.items() if name in names}
    players = make_players(frozenset(policies.values()))
    return replace(GAME, policies=policies, choose=players.choose, act=players.act, play=players.play)


def _table() -> str:
    """Return the cards and the rows of the traits as they are in memory."""
    names = [field.name for field in fields(TraitRule)]
    rows = [(str(trait), [_plain(getattr(row, name)) for name in names]) for trait, row in TRAITS.items()]
    return repr(([(card.points, str(card.trait)) for card in CARDS], [str(trait) for trait in Trait], rows))


def _plain(value: object) -> object:
    """Return a field of a row in a form that is the same in every process."""
    if isinstance(value, FunctionType):
        code = value.__code__
        return code.co_code, code.co_names, code.co_consts
    return sorted(map(str, value)) if isinstance(value, frozenset) else str(value)


GAME = CompiledGame(
    name="evolution",
    seats=range(LEAST_PLAYERS, layout.MOST_PLAYERS + 1),
    dtype=layout.DTYPE,
    state=layout.STATE,
    actions=layout.ACTIONS,
    observation=layout.OBSERVATION,
    compact=CompactObservation(layout.COMPACT, np.uint8, observe_compactly),
    decision_types=layout.DECISION_TYPES,
    policies=layout.POLICIES,
    sources=Path(__file__).parents[1],
    features=Features("traits", tuple(Trait), "on the winner's boards"),
    table=_table(),
    options=OPTIONS,
    setup=setup,
    strategy=strategy,
    with_policies=with_policies,
    deal=engine.deal,
    acting_seat=engine.acting_seat,
    decision_type=engine.decision_type,
    legal=engine.legal,
    apply=engine.apply,
    choose=ALL_PLAYERS.choose,
    act=ALL_PLAYERS.act,
    play=ALL_PLAYERS.play,
    play_out=sampling.play_out,
    observe=engine.observe,
    place=engine.place,
    score=engine.score,
    length=engine.length,
    decisions=engine.decisions,
    overflowed=engine.overflowed,
    winning=engine.winning,
    is_valid=is_valid,
)
