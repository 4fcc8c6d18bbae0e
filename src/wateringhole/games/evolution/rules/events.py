"""Everything that can happen at an Evolution table, in the order in which it happens.

Each event carries the numbers as they are *afterwards*, so that a spectator can follow
without knowing the rules: applying what a seat saw to an empty table gives its view.
Boards are named by seat and by index in the row at that moment.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from wateringhole.game import Event, Forfeit, Notice, Outcome, Seat, ThrownOut
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.view import FullState, View

__all__ = [
    "AnimalLost",
    "BoardGiven",
    "BoardsArranged",
    "CardsDeclared",
    "CardsDrawn",
    "DeckReshuffled",
    "DeclarationApplied",
    "FatBurned",
    "FatStored",
    "FeedingEnded",
    "FoodBagged",
    "FoodCut",
    "FoodRevealed",
    "GameEnded",
    "GameStarted",
    "PlayerForfeited",
    "PlayerPassed",
    "ReplacedTrait",
    "ResultAnnounced",
    "SpeciesAttacked",
    "SpeciesDied",
    "SpeciesFed",
    "SpeciesGrew",
    "SpeciesShrank",
    "TurnEnded",
    "TurnStarted",
    "YouAreOut",
    "YourTurnStarts",
]


class GameStarted(Event, frozen=True):
    """Everybody sits, the deck is there; nobody has anything yet."""

    rules: Rules
    order: tuple[Seat, ...]
    deck_size: int


class TurnStarted(Event, frozen=True):
    """A new turn; the first seat in `order` is the starting player."""

    turn: int
    order: tuple[Seat, ...]


class BoardGiven(Event, frozen=True):
    """A player without boards gets one for free."""

    seat: Seat
    board: SpeciesBoard


class CardsDrawn(Event, frozen=True):
    """Cards go from the deck to a hand."""

    seat: Seat
    reason: Literal["turn", "extinction"]
    count: int
    cards: tuple[TraitCard, ...] | None
    """Known to their owner only."""

    def seen_by(self, seat: Seat | None) -> CardsDrawn:
        return self if seat == self.seat else CardsDrawn(self.seat, self.reason, self.count, None)


class DeckReshuffled(Event, frozen=True):
    """The pile of spent cards was shuffled and put under the deck."""

    count: int


class BoardsArranged(Event, frozen=True):
    """A player put its row in another order."""

    seat: Seat
    order: tuple[int, ...]


class CardsDeclared(Event, frozen=True):
    """A player has chosen its cards; nobody else knows how."""

    seat: Seat


class ReplacedTrait(msgspec.Struct, frozen=True):
    """A slot of a board that changed; a free slot that was filled had no old trait."""

    board: int
    slot: int
    old: Trait | None
    new: Trait


class DeclarationApplied(Event, frozen=True):
    """The card choices of a player take effect.  Indexes are those of the new row."""

    seat: Seat
    boards: Row
    """The whole row, now."""
    bought: tuple[int, ...]
    replaced: tuple[ReplacedTrait, ...]
    population: tuple[int, ...]
    """One entry for each animal added."""
    body: tuple[int, ...]
    """One entry for each step of growth."""
    hand_size: int
    hand: tuple[TraitCard, ...] | None
    """What is left in the hand, known to its owner only."""
    pile: tuple[TraitCard, ...]
    """Cards that went to the open pile, where there is one."""

    def seen_by(self, seat: Seat | None) -> DeclarationApplied:
        return self if seat == self.seat else msgspec.structs.replace(self, hand=None)


class FoodRevealed(Event, frozen=True):
    """A food card is turned over."""

    seat: Seat
    card: TraitCard
    hole: int


class FoodCut(Event, frozen=True):
    """All food cards together were worth less than nothing (`food_clamp=total`)."""

    hole: int


class SpeciesGrew(Event, frozen=True):
    """A fertile species gains an animal."""

    seat: Seat
    board: int
    population: int


class FatBurned(Event, frozen=True):
    """Stored tokens turn into food."""

    seat: Seat
    board: int
    tokens: int
    food: int
    fat: int


class SpeciesFed(Event, frozen=True):
    """A species takes tokens from the watering hole."""

    seat: Seat
    board: int
    cause: Literal["plants", "meat", "long-neck", "cooperation", "scavenger"]
    tokens: int
    food: int
    hole: int


class FatStored(Event, frozen=True):
    """Tokens go from the watering hole into a store."""

    seat: Seat
    board: int
    tokens: int
    fat: int
    hole: int


class SpeciesAttacked(Event, frozen=True):
    """A carnivore attacks; what comes of it follows."""

    seat: Seat
    board: int
    attacker: SpeciesBoard
    target_seat: Seat
    target: int
    defender: SpeciesBoard


class AnimalLost(Event, frozen=True):
    """An attack or horns kill an animal; food its species can no longer hold is gone."""

    seat: Seat
    board: int
    cause: Literal["attack", "horns"]
    population: int
    food: int


class SpeciesDied(Event, frozen=True):
    """A species dies out: its board is removed, those to its right move up."""

    seat: Seat
    board: int
    cause: Literal["attack", "horns", "starvation", "never grown"]
    species: SpeciesBoard
    """As it stood before its last animal died."""
    pile: tuple[TraitCard, ...]
    """Its trait cards, where spent cards lie on an open pile."""


class PlayerPassed(Event, frozen=True):
    """A player declines to feed."""

    seat: Seat


class FeedingEnded(Event, frozen=True):
    """The feeding rounds are over; what is left stays at the watering hole."""

    hole: int


class SpeciesShrank(Event, frozen=True):
    """Animals without food die at the end of the turn."""

    seat: Seat
    board: int
    population: int


class FoodBagged(Event, frozen=True):
    """A player moves all food from its boards to its bag."""

    seat: Seat
    bag: int | None
    """Known to its owner only."""

    def seen_by(self, seat: Seat | None) -> FoodBagged:
        return self if seat == self.seat else FoodBagged(self.seat, None)


class TurnEnded(Event, frozen=True):
    """The first player has moved to the back of the turn order."""

    turn: int
    order: tuple[Seat, ...]
    table: FullState | None
    """How things stand, hidden things included, for whoever runs the game."""

    def seen_by(self, seat: Seat | None) -> TurnEnded:
        return TurnEnded(self.turn, self.order, None)


class PlayerForfeited(Event, frozen=True):
    """A player is thrown out, with its boards, its hand and its bag."""

    seat: Seat
    forfeit: Forfeit

    @property
    def thrown_out(self) -> ThrownOut:
        return ThrownOut(self.seat, self.forfeit)


class GameEnded(Event, frozen=True):
    """The game is over."""

    outcome: Outcome


# Notices: calls upon one player.


class YourTurnStarts(Notice, frozen=True):
    """Boards and cards are dealt: `start`."""

    method: ClassVar[str] = "start"

    view: View

    def deliver(self, player: Any) -> None:
        player.start(self.view)


class YouAreOut(Notice, frozen=True):
    """You have been thrown out: `thrown_out`."""

    method: ClassVar[str] = "thrown_out"

    forfeit: Forfeit

    def deliver(self, player: Any) -> None:
        player.thrown_out(self.forfeit)


class ResultAnnounced(Notice, frozen=True):
    """The final ranking: `game_over`."""

    method: ClassVar[str] = "game_over"

    outcome: Outcome

    def deliver(self, player: Any) -> None:
        player.game_over(self.outcome)
