"""What is decided before a game of Evolution starts: who sits where, and the order of the deck."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import msgspec

from wateringhole.errors import Misuse
from wateringhole.evolution.cards import CARDS, TraitCard
from wateringhole.evolution.rules import LEAST_PLAYERS, MOST_PLAYERS, Rules
from wateringhole.game import Seat

__all__ = ["Setup", "deal"]


class Setup(msgspec.Struct, frozen=True):
    """The start of a game, all chance decided."""

    players: int
    rules: Rules
    order: tuple[Seat, ...]
    """The turn order of the first turn."""
    deck: tuple[TraitCard, ...]
    """Dealt from the front."""
    seed: int
    """Decides what is still shuffled later (`spent_cards=reshuffled`)."""


def deal(
    players: int,
    rules: Rules,
    seed: int,
    deck: Literal["ascending", "shuffled"] | Sequence[TraitCard] = "shuffled",
) -> Setup:
    """Seat the players and order the deck as the rules and the seed say."""
    if not LEAST_PLAYERS <= players <= MOST_PLAYERS:
        raise Misuse(f"Evolution is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {players}.")
    if isinstance(deck, str) and deck not in ("ascending", "shuffled"):
        raise Misuse(f"the deck is ascending or shuffled or a list of cards, not {deck!r}.")
    cards = list(CARDS) if isinstance(deck, str) else list(deck)
    if len(set(cards)) < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise Misuse(f"the deck has the card {twice} twice; every card exists once.")
    # One generator for each decision: changing the deck leaves the seating as it was.
    if deck == "shuffled":
        random.Random(f"{seed} deck").shuffle(cards)
    return Setup(players, rules, _order(players, rules, random.Random(f"{seed} seating")), tuple(cards), seed)


def _order(players: int, rules: Rules, rng: random.Random) -> tuple[Seat, ...]:
    seats = [Seat(seat) for seat in range(players)]
    match rules.seating:
        case "random_starter":
            first = rng.randrange(players)
            seats = seats[first:] + seats[:first]
        case "shuffled":
            rng.shuffle(seats)
        case "reversed":
            seats.reverse()
        case "given":
            pass
    return tuple(seats)
