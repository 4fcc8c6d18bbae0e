"""The events of Evolution, in the order in which they happen in a game.

Each event carries the numbers *after* the event, so that a spectator needs no rules:
folding the events that a seat saw gives its view (`folded_view`).  A board is named by
seat and by its index in the row at that moment.
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
    "EVENT_TYPES",
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
    "SpeciesChanged",
    "SpeciesDied",
    "SpeciesFed",
    "SpeciesGrew",
    "SpeciesShrank",
    "TurnEnded",
    "TurnStarted",
    "WateringHoleChanged",
    "YouAreOut",
    "YourTurnStarts",
]


class GameStarted(Event, frozen=True):
    """The seats and the deck are fixed; no player has boards or cards yet."""

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
    """A player draws cards from the deck."""

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
    """A player rearranged its row."""

    seat: Seat
    order: tuple[int, ...]


class CardsDeclared(Event, frozen=True):
    """A player has chosen its cards; the choice is still hidden."""

    seat: Seat


class ReplacedTrait(msgspec.Struct, frozen=True):
    """A changed slot of a board; a free slot that was filled has no old trait."""

    board: int
    slot: int
    old: Trait | None
    new: Trait


class DeclarationApplied(Event, frozen=True):
    """The card choices of a player take effect.  Indexes are those of the new row."""

    seat: Seat
    boards: Row
    """The new row."""
    bought: tuple[int, ...]
    replaced: tuple[ReplacedTrait, ...]
    population: tuple[int, ...]
    """One entry for each animal added."""
    body: tuple[int, ...]
    """One entry for each step of growth."""
    hand_size: int
    hand: tuple[TraitCard, ...] | None
    """The remaining hand, known to its owner only."""
    pile: tuple[TraitCard, ...]
    """The cards that went to the open pile, if the rules have one."""

    def seen_by(self, seat: Seat | None) -> DeclarationApplied:
        return self if seat == self.seat else msgspec.structs.replace(self, hand=None)


class FoodRevealed(Event, frozen=True):
    """A food card is turned over."""

    seat: Seat
    card: TraitCard
    hole: int


class FoodCut(Event, frozen=True):
    """The food cards added up to less than 0 (`food_clamp=total`)."""

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
    """A species stores tokens from the watering hole."""

    seat: Seat
    board: int
    tokens: int
    fat: int
    hole: int


class SpeciesAttacked(Event, frozen=True):
    """A carnivore attacks; the consequences follow as further events."""

    seat: Seat
    board: int
    attacker: SpeciesBoard
    target_seat: Seat
    target: int
    defender: SpeciesBoard


class AnimalLost(Event, frozen=True):
    """An attack or horns kill an animal; food that its species can no longer hold is lost."""

    seat: Seat
    board: int
    cause: Literal["attack", "horns"]
    population: int
    food: int


class SpeciesDied(Event, frozen=True):
    """A species dies out: its board is removed, and the boards to its right move up."""

    seat: Seat
    board: int
    cause: Literal["attack", "horns", "starvation", "never grown", "trait"]
    species: SpeciesBoard
    """The species before its last animal died."""
    pile: tuple[TraitCard, ...]
    """Its trait cards, if spent cards lie on an open pile."""


class SpeciesChanged(Event, frozen=True):
    """A custom trait alters a species."""

    seat: Seat
    board: int
    trait: Trait
    population: int
    body: int
    food: int
    fat: int


class WateringHoleChanged(Event, frozen=True):
    """A custom trait alters the number of tokens at the watering hole."""

    trait: Trait
    hole: int


class PlayerPassed(Event, frozen=True):
    """A player declines to feed."""

    seat: Seat


class FeedingEnded(Event, frozen=True):
    """The feeding rounds are over; the remaining food stays at the watering hole."""

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
    """The full state, hidden information included; only the host sees it."""

    def seen_by(self, seat: Seat | None) -> TurnEnded:
        return TurnEnded(self.turn, self.order, None)


class PlayerForfeited(Event, frozen=True):
    """A player is thrown out and loses its boards, its hand and its bag."""

    seat: Seat
    forfeit: Forfeit

    @property
    def thrown_out(self) -> ThrownOut:
        return ThrownOut(self.seat, self.forfeit)


class GameEnded(Event, frozen=True):
    """The game is over."""

    outcome: Outcome


# Notices: calls to one player.


class YourTurnStarts(Notice, frozen=True):
    """Boards and cards have been dealt: `start`."""

    method: ClassVar[str] = "start"

    view: View

    def deliver(self, player: Any) -> None:
        player.start(self.view)


class YouAreOut(Notice, frozen=True):
    """The player has been thrown out: `thrown_out`."""

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


EVENT_TYPES: frozenset[type[Event]] = frozenset(
    each for each in list(globals().values()) if isinstance(each, type) and issubclass(each, Event)
) - {Event, Notice}
"""All types of events."""
