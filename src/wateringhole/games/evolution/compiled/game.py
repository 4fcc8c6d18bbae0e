"""Evolution as a compiled game."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import fields, replace
from pathlib import Path
from types import FunctionType
from typing import Final

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.compiled import layout, sampling
from wateringhole.games.evolution.compiled.bots.players import ANYBODY, players_of
from wateringhole.games.evolution.compiled.rules import engine
from wateringhole.games.evolution.compiled.rules.traits import ARMOURED, PACKS
from wateringhole.games.evolution.compiled.validation import fits
from wateringhole.games.evolution.rules.cards import CARDS
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, MOST_BODY, Rules
from wateringhole.games.evolution.rules.traits import TRAITS, Trait, TraitRule
from wateringhole.options import value_to_text
from wateringhole.sim.game import CompiledGame, Features, refuse_option

__all__ = ["GAME", "setup"]

_FOLLOWED: Final = frozenset(
    {
        "hard_shell_arms_attacker",
        "hard_shell_gap",
        "herding_counts_pack",
        "most_turns",
        "new_board_body_limit",
        "scoring",
        "symbiosis",
        "tie_listing",
    }
)
"""Options that a row of a game holds."""

_WITHOUT_EFFECT: Final = frozenset(
    {
        "announce_result",  # nobody is told
        "choose_lists_self",  # nothing goes over a wire
        "fat_over_request",  # nobody asks for more than there is
        "hand_order",  # hands are sets
        "minimum_to_continue",  # nobody is thrown out
        "silly_caps_fat_request",  # what is asked for beyond the watering hole is cut
    }
)
"""Options that make no difference here."""


def setup(rules: Rules, seats: int) -> npt.NDArray[np.uint32]:
    """The number of players and the options that a row holds.  Raises UsageError for any other option."""
    usual = Rules()
    for name in rules.__struct_fields__:
        value = getattr(rules, name)
        if name not in _FOLLOWED | _WITHOUT_EFFECT and value != getattr(usual, name):
            why = f"the compiled engine knows only {name}={value_to_text(getattr(usual, name))}"
            raise refuse_option(name, value, why)
    if rules.new_board_body_limit == 0:
        # The silly player would be thrown out, and here nobody is.
        raise refuse_option("new_board_body_limit", 0, "a new body must be able to grow")
    row = np.zeros(layout.SETUP, layout.DTYPE)
    row[0] = seats
    for place, value in (
        (layout.HARD_SHELL_GAP, min(rules.hard_shell_gap, _MOST_GAP)),
        (layout.NEW_BODY_LIMIT, rules.new_board_body_limit),
        (layout.SYMBIOSIS_COUNTS, MOST_BODY if rules.symbiosis else 0),
        (layout.ARMOUR_COUNTS, ARMOURED if rules.hard_shell_arms_attacker else 0),
        (layout.PACKS_IN_HERDS, PACKS if rules.herding_counts_pack else 0),
        (layout.MOST_TURNS, min(rules.most_turns, _MOST_TURNS)),
        (layout.SCORES_BOARDS, rules.scoring == "boards"),
        (layout.LATE_FIRST, rules.tie_listing == "late-first"),
    ):
        row[1 + place - layout.RULES] = value
    return row


# Beyond these, larger numbers make no difference: no attacker is so large, no deck so big.
_MOST_GAP: Final = 100
_MOST_TURNS: Final = 1000


def advice(rules: Rules, players: int, names: Collection[str]) -> npt.NDArray[np.uint32]:
    """Nobody needs any."""
    return np.zeros(1, np.uint32)


@functools.cache
def among(names: frozenset[str]) -> CompiledGame:
    """Evolution whose compiled players are these alone.

    A thread of a GPU has as much room as the largest player needs that might sit at its table.
    """
    policies = {name: number for name, number in layout.POLICIES.items() if name in names}
    players = players_of(frozenset(policies.values()))
    return replace(GAME, policies=policies, choose=players.choose, play=players.play)


def _table() -> str:
    """Return the cards and the rows of the traits as they are in memory."""
    names = [field.name for field in fields(TraitRule)]
    rows = [(str(trait), [_plain(getattr(rule, name)) for name in names]) for trait, rule in TRAITS.items()]
    return repr(([(card.points, str(card.trait)) for card in CARDS], [str(trait) for trait in Trait], rows))


def _plain(value: object) -> object:
    """Return a field of a row in a form that reads the same in every process."""
    if isinstance(value, FunctionType):
        code = value.__code__
        return code.co_code, code.co_names, code.co_consts
    return sorted(map(str, value)) if isinstance(value, frozenset) else str(value)


GAME = CompiledGame(
    name="evolution",
    seats=range(LEAST_PLAYERS, layout.MOST_PLAYERS + 1),
    dtype=layout.DTYPE,
    state=layout.STATE,
    choices=layout.CHOICES,
    observation=layout.OBSERVATION,
    kinds=layout.KINDS,
    policies=layout.POLICIES,
    sources=Path(__file__).parents[1],
    features=Features("traits", tuple(Trait), "on the winner's boards"),
    table=_table(),
    setup=setup,
    advice=advice,
    among=among,
    deal=engine.deal,
    acting=engine.acting,
    kind=engine.kind,
    legal=engine.legal,
    apply=engine.apply,
    choose=ANYBODY.choose,
    play=ANYBODY.play,
    play_out=sampling.play_out,
    observe=engine.observe,
    place=engine.place,
    score=engine.score,
    length=engine.length,
    decisions=engine.decisions,
    overflowed=engine.overflowed,
    winning=engine.winning,
    fits=fits,
)
