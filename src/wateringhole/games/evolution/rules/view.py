"""The view of one seat.  It is built from scratch and contains only what the seat may know."""

from __future__ import annotations

import msgspec

from wateringhole.game import Seat
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.species import Row

__all__ = ["FullPlayer", "FullState", "PrivateState", "SeatedPlayer", "View"]


class SeatedPlayer(msgspec.Struct, frozen=True, gc=False):
    """The public state of a player: hand and bag are hidden."""

    seat: Seat
    """Counted from 0."""
    boards: Row
    """The row of boards from left to right."""
    hand_size: int
    """The number of cards in the hand, which is public because every card dealt or spent is seen."""


class PrivateState(msgspec.Struct, frozen=True, gc=False):
    """The boards of a player, and its hand and bag, which only this player knows."""

    boards: Row
    """The row of boards from left to right."""
    hand: tuple[TraitCard, ...]
    """The cards, the newest first."""
    bag: int
    """Food collected in earlier turns."""


class FullPlayer(msgspec.Struct, frozen=True, gc=False):
    """The full state of a player, for the host."""

    seat: Seat
    boards: Row
    hand: tuple[TraitCard, ...]
    bag: int


class FullState(msgspec.Struct, frozen=True, gc=False):
    """The full state of a game, for the host; no player sees it."""

    players: tuple[FullPlayer, ...]
    hole: int
    deck: tuple[TraitCard, ...]


class View(msgspec.Struct, frozen=True, gc=False):
    """The information that one seat or a spectator may know."""

    rules: Rules
    """The rules of this game."""
    seat: Seat | None
    """The seat, or None for a spectator."""
    turn: int
    """Counted from 1."""
    hole: int
    """Tokens at the watering hole."""
    deck_size: int
    """The number of cards in the deck."""
    players: tuple[SeatedPlayer, ...]
    """The players still in the game, in turn order; the first is the starting player."""
    own: PrivateState | None
    """None for a spectator, and for a seat that was thrown out."""
    pile: tuple[TraitCard, ...] = ()
    """The spent cards, if they lie open on a pile."""

    @property
    def hand(self) -> tuple[TraitCard, ...]:
        """The cards of this seat."""
        return self.own.hand if self.own else ()

    @property
    def bag(self) -> int:
        """Food collected in earlier turns."""
        return self.own.bag if self.own else 0

    @property
    def boards(self) -> Row:
        """The row of this seat."""
        return self.own.boards if self.own else ()

    @property
    def opponents(self) -> tuple[SeatedPlayer, ...]:
        """The other players in turn order, starting after this seat."""
        me = self._my_index()
        return self.players[me + 1 :] + self.players[:me]

    @property
    def before(self) -> tuple[SeatedPlayer, ...]:
        """The players before this seat in this turn."""
        return self.players[: self._my_index()]

    @property
    def after(self) -> tuple[SeatedPlayer, ...]:
        """The players after this seat in this turn."""
        return self.players[self._my_index() + 1 :]

    def boards_of(self, seat: Seat | None) -> Row:
        """Return the row of any seat, or an empty row if no player in the game has this seat."""
        for player in self.players:
            if player.seat == seat:
                return player.boards
        return ()

    def _my_index(self) -> int:
        for index, player in enumerate(self.players):
            if player.seat == self.seat:
                return index
        raise LookupError("spectators and thrown-out players are not in the turn order")
