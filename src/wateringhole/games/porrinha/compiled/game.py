"""Porrinha as a compiled game."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.compiled.bots.players import POLICIES, choose
from wateringhole.games.porrinha.compiled.bots.playout import play
from wateringhole.games.porrinha.compiled.bots.strategy import NO_STRATEGY, equilibrium_strategy
from wateringhole.games.porrinha.compiled.rules import engine
from wateringhole.games.porrinha.compiled.sampling import play_out
from wateringhole.games.porrinha.compiled.validation import is_valid
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.setup import deal
from wateringhole.games.porrinha.rules.view import NO_HAND, NOBODY
from wateringhole.sim.game import CompiledGame, refuse_option

__all__ = ["GAME", "setup"]


def setup(rules: Rules, players: int) -> npt.NDArray[np.int32]:
    """A row before its first round.

    What the rules say about calls and failures of players does not matter here: nobody is
    called, and nobody fails.
    """
    deal(players, rules)
    sticks = starting_sticks(rules, players)
    if max(sticks) > layout.MOST_STICKS or sum(sticks) > layout.MOST_TABLE:
        raise refuse_option(
            "sticks",
            rules.sticks,
            f"a seat holds up to {layout.MOST_STICKS} sticks and a table up to {layout.MOST_TABLE}",
        )
    row = np.zeros(layout.STATE, layout.DTYPE)
    row[layout.PLAYERS] = row[layout.ACTIVE] = players
    row[layout.STICKS : layout.STICKS + players] = sticks
    row[layout.TABLE] = sum(sticks)
    row[layout.LAST_WINNER] = NOBODY
    row[layout.OPENED : layout.OPENED + layout.MOST_PLAYERS] = NO_HAND
    row[layout.ABSENT : layout.ABSENT + layout.MOST_PLAYERS] = NO_HAND
    row[layout.LEAST] = rules.opening_zero == "forbidden"
    row[layout.ROTATE] = rules.lead_after_win == "rotate"
    row[layout.FIRST_OUT] = rules.finish == "first_out_wins"
    row[layout.AGAIN] = rules.taken_guess == "again"
    row[layout.STALE] = rules.absent_hand == "stale"
    row[layout.LIVE] = rules.last_winner == "live"
    # A limit beyond our own is none.
    limit = rules.max_rounds or 0
    row[layout.MAX_ROUNDS] = limit if limit <= layout.MOST_ROUNDS else 0
    return row


def strategy(rules: Rules, players: int, names: Collection[str]) -> npt.NDArray[np.uint32]:
    return equilibrium_strategy(rules, players) if "equilibrium" in names else NO_STRATEGY


def with_policies(names: frozenset[str]) -> CompiledGame:
    """The same game for any players: leaving some out was tried, and gained nothing."""
    return GAME


GAME = CompiledGame(
    name="porrinha",
    seats=range(2, layout.MOST_PLAYERS + 1),
    dtype=layout.DTYPE,
    state=layout.STATE,
    actions=layout.ACTIONS,
    observation=layout.OBSERVATION,
    decision_types=layout.DECISION_TYPES,
    policies=POLICIES,
    sources=Path(__file__).parents[1],
    setup=setup,
    strategy=strategy,
    with_policies=with_policies,
    deal=engine.deal,
    acting_seat=engine.acting_seat,
    decision_type=engine.decision_type,
    legal=engine.legal,
    apply=engine.apply,
    choose=choose,
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
