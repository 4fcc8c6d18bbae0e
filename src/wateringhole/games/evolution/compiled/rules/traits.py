"""The table of traits for kernels: bit masks and small functions, made from the rows at import.

The number of a trait's bit is its position in the enumeration.  Compiled functions can use plain numbers as
constants, but not dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wateringhole.games.evolution.rules import traits
from wateringhole.games.evolution.rules.options import MOST_TRAITS
from wateringhole.games.evolution.rules.traits import REVEAL_ORDER, TRAITS, Effect, Trait, TraitRule
from wateringhole.sim.kernel import force_inline

__all__ = [
    "ARMOURED",
    "BITES_MORE",
    "BURNS_FAT",
    "CALLS",
    "EATS_AFTER_ATTACK",
    "FEEDS_AT_REVEAL",
    "FEEDS_RIGHT",
    "GROWS",
    "HUNTS",
    "MOST_BITES",
    "PACKS",
    "REVEAL_FEEDINGS",
    "SHIELDS",
    "WOUNDS",
    "armour",
    "bit_of",
    "cancelled",
    "extra_bites",
    "own_shields",
    "size_of_herd",
    "size_of_hunter",
    "wounds",
]


def bit_of(trait: Trait) -> int:
    return 1 << list(Trait).index(trait)


def mask(matches: Callable[[TraitRule], object]) -> int:
    """Return the bits of all traits whose row matches."""
    return sum(bit_of(trait) for trait, row in TRAITS.items() if matches(row))


HUNTS: Final = mask(lambda row: row.hunts)
PACKS: Final = mask(lambda row: row.hunts_in_packs)
ARMOURED: Final = mask(lambda row: row.armour)
SHIELDS: Final = mask(lambda row: row.shields)
"""The traits that may protect their own board."""
CALLS: Final = mask(lambda row: row.shields_neighbours)
"""The traits that protect the boards beside theirs."""
WOUNDS: Final = mask(lambda row: row.wounds_attacker)
BITES_MORE: Final = mask(lambda row: row.extra_bites)
FEEDS_RIGHT: Final = mask(lambda row: row.feeds_right_neighbour)
EATS_AFTER_ATTACK: Final = mask(lambda row: row.eats_after_attack)
GROWS: Final = mask(lambda row: row.at_reveal is Effect.GROW)
FEEDS_AT_REVEAL: Final = mask(lambda row: row.at_reveal is Effect.FEED)
BURNS_FAT: Final = mask(lambda row: row.at_reveal is Effect.BURN_FAT)
REVEAL_FEEDINGS: Final = tuple(bit_of(trait) for trait in REVEAL_ORDER if TRAITS[trait].at_reveal is Effect.FEED)
"""The traits that feed their board at the reveal, in order: all boards with the first before those with the next."""

MOST_BITES: Final = 1 + sum(sorted(row.extra_bites for row in TRAITS.values())[-MOST_TRAITS:])
"""The most tokens that a board takes at one feeding."""

size_of_herd: Final = force_inline(traits.size_of_herd)
size_of_hunter: Final = force_inline(traits.size_of_hunter)


# ── folds: nested functions over some traits, without a loop ──────────────────────────────


@force_inline
def _none(board: Any) -> Any:
    return 0


def _adding(values: dict[Trait, int]) -> Callable[..., Any]:
    """Return a function that adds up the values of the traits on a board."""
    total: Callable[..., Any] = _none
    for trait, value in values.items():
        total = _add(bit_of(trait), value, total)
    return total


def _add(bit: int, value: int, others: Callable[..., Any]) -> Callable[..., Any]:
    @force_inline
    def total(board: Any) -> Any:
        return others(board) + (value if board & bit else 0)

    return total


extra_bites: Final = _adding({trait: row.extra_bites for trait, row in TRAITS.items() if row.extra_bites})
wounds: Final = _adding({trait: row.wounds_attacker for trait, row in TRAITS.items() if row.wounds_attacker})
armour: Final = _adding({trait: row.armour for trait, row in TRAITS.items() if row.armour})


def _uniting(masks: dict[Trait, int]) -> Callable[..., Any]:
    """Return a function that unites the masks of the traits on a board."""
    union: Callable[..., Any] = _none
    for trait, bits in masks.items():
        union = _unite(bit_of(trait), bits, union)
    return union


def _unite(bit: int, bits: int, others: Callable[..., Any]) -> Callable[..., Any]:
    @force_inline
    def union(board: Any) -> Any:
        return others(board) | (bits if board & bit else 0)

    return union


cancelled: Final = _uniting({trait: sum(map(bit_of, row.cancels)) for trait, row in TRAITS.items() if row.cancels})
"""The protections that do not work against an attacker, by its traits."""


@force_inline
def _no_shield(size: Any, herd: Any, body: Any, own_herd: Any, hungry: Any, right_body: Any, gap: Any) -> Any:
    return 0


def _own_shields() -> Callable[..., Any]:
    """Return a function with the parameters of `Shield` that returns the traits that protect their board."""
    shields: Callable[..., Any] = _no_shield
    for trait, row in TRAITS.items():
        if row.shields:
            shields = _shield(bit_of(trait), force_inline(row.shields), shields)
    return shields


def _shield(bit: int, holds: Callable[..., Any], others: Callable[..., Any]) -> Callable[..., Any]:
    @force_inline
    def shields(size: Any, herd: Any, body: Any, own_herd: Any, hungry: Any, right_body: Any, gap: Any) -> Any:
        own = bit if holds(size, herd, body, own_herd, hungry, right_body, gap) else 0
        return others(size, herd, body, own_herd, hungry, right_body, gap) | own

    return shields


own_shields: Final = _own_shields()
