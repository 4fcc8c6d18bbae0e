"""The setup of a game of Evolution: the turn order and the order of the deck."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Literal

import msgspec

from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.evolution.rules.cards import TraitCard, full_deck
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, MOST_PLAYERS, Rules
from wateringhole.seeds import Seed, derived_seed

__all__ = ["Setup", "deal"]


class Setup(msgspec.Struct, frozen=True, dict=True):
    """The setup of a game, chance included."""

    players: int
    rules: Rules
    order: tuple[Seat, ...]
    """The turn order of the first turn."""
    deck: tuple[TraitCard, ...]
    """Dealt from the front."""
    seed: Seed
    """Determines later shuffles (`spent_cards=reshuffled`)."""

    @property
    def hooks(self) -> Hooks | None:
        """The code of custom traits, if this process has it.  It is no field: no record contains it."""
        return self.__dict__.get("hooks")

    def with_hooks(self, hooks: Hooks) -> Setup:
        """Return the same setup with the code of its custom traits."""
        setup = Setup(self.players, self.rules, self.order, self.deck, self.seed)
        setup.__dict__["hooks"] = hooks
        return setup


def deal(
    players: int,
    rules: Rules,
    seed: Seed,
    deck: Literal["ascending", "shuffled"] | Sequence[TraitCard] = "shuffled",
    traits: Hooks | None = None,
) -> Setup:
    """Return the turn order and the deck that follow from the rules and the seed.

    The declarations of custom `traits` become a part of the rules, and their cards a part of the deck.
    """
    if not LEAST_PLAYERS <= players <= MOST_PLAYERS:
        raise UsageError(f"Evolution is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {players}.")
    if traits is not None:
        rules = msgspec.structs.replace(rules, custom_traits=traits.custom)
    cards = full_deck(rules.custom_traits)
    # A separate generator for each decision: another deck does not change the seating.
    order = _order(players, rules, f"{seed} seating")
    # Records contain the setup, and other games may follow from a secret seed.
    later = seed if isinstance(seed, int) else derived_seed(seed, "later shuffles")
    setup = Setup(players, rules, order, _deck(deck, cards, f"{seed} deck"), later)
    return setup if traits is None else setup.with_hooks(traits)


def _deck(deck: str | Sequence[TraitCard], cards: tuple[TraitCard, ...], seed: str) -> tuple[TraitCard, ...]:
    if deck == "ascending":
        return cards
    if deck == "shuffled":
        shuffled = list(cards)
        random.Random(seed).shuffle(shuffled)
        return tuple(shuffled)
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
