"""The setup of a game of Evolution: the turn order and the order of the deck."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import msgspec

from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.evolution.rules.cards import CARDS, TraitCard
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, MOST_PLAYERS, Rules

__all__ = ["Setup", "deal"]


class Setup(msgspec.Struct, frozen=True):
    """The setup of a game, chance included."""

    players: int
    rules: Rules
    order: tuple[Seat, ...]
    """The turn order of the first turn."""
    deck: tuple[TraitCard, ...]
    """Dealt from the front."""
    seed: int
    """Determines later shuffles (`spent_cards=reshuffled`)."""


def deal(
    players: int,
    rules: Rules,
    seed: int,
    deck: Literal["ascending", "shuffled"] | Sequence[TraitCard] = "shuffled",
) -> Setup:
    """Return the turn order and the deck that follow from the rules and the seed."""
    if not LEAST_PLAYERS <= players <= MOST_PLAYERS:
        raise UsageError(f"Evolution is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {players}.")
    # A separate generator for each decision: another deck does not change the seating.
    return Setup(players, rules, _order(players, rules, f"{seed} seating"), _deck(deck, f"{seed} deck"), seed)


def _deck(deck: str | Sequence[TraitCard], seed: str) -> tuple[TraitCard, ...]:
    if deck == "ascending":
        return CARDS
    if deck == "shuffled":
        cards = list(CARDS)
        random.Random(seed).shuffle(cards)
        return tuple(cards)
    if isinstance(deck, str):
        raise UsageError(f"{deck!r} is not a deck. Choose from: ascending, shuffled, a list of cards.")
    if len(set(deck)) < len(deck):
        twice = next(card for card in deck if deck.count(card) > 1)
        raise UsageError(f"The deck contains the card {twice} twice, but every card exists only once.")
    return tuple(deck)


def _order(players: int, rules: Rules, seed: str) -> tuple[Seat, ...]:
    seats = [Seat(seat) for seat in range(players)]
    match rules.seating:
        case "random_starter":
            first = random.Random(seed).randrange(players)
            seats = seats[first:] + seats[:first]
        case "shuffled":
            random.Random(seed).shuffle(seats)
        case "reversed":
            seats.reverse()
        case "given":
            pass
    return tuple(seats)
