"""What one seat may know of a table, built up from nothing."""

from __future__ import annotations

import msgspec

from wateringhole.game import Seat
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.species import Row

__all__ = ["FullPlayer", "FullState", "PrivateState", "SeatedPlayer", "View"]


class SeatedPlayer(msgspec.Struct, frozen=True):
    """A player as all others see it: hands and bags are hidden."""

    seat: Seat
    boards: Row
    hand_size: int
    """How many cards it holds; everybody can count them as they are dealt and spent."""


class PrivateState(msgspec.Struct, frozen=True):
    """What a player has in front of it; hand and bag are known to nobody else."""

    boards: Row
    hand: tuple[TraitCard, ...]
    bag: int


class FullPlayer(msgspec.Struct, frozen=True):
    """A player with all it has."""

    seat: Seat
    boards: Row
    hand: tuple[TraitCard, ...]
    bag: int


class FullState(msgspec.Struct, frozen=True):
    """Everything on a table, for whoever runs the game; no player sees it."""

    players: tuple[FullPlayer, ...]
    hole: int
    deck: tuple[TraitCard, ...]


class View(msgspec.Struct, frozen=True):
    """A table through the eyes of one seat, or of the gallery."""

    rules: Rules
    seat: Seat | None
    """Whose eyes these are; None: the public gallery."""
    turn: int
    """From 1."""
    hole: int
    """Tokens at the watering hole."""
    deck_size: int
    players: tuple[SeatedPlayer, ...]
    """Everybody still in the game, in turn order; the first is the starting player."""
    own: PrivateState | None
    """None for the gallery, and for a seat that was thrown out."""
    pile: tuple[TraitCard, ...] = ()
    """The spent cards, where they lie open on a pile."""

    @property
    def hand(self) -> tuple[TraitCard, ...]:
        """My cards."""
        return self.own.hand if self.own else ()

    @property
    def bag(self) -> int:
        """Food collected in earlier turns."""
        return self.own.bag if self.own else 0

    @property
    def boards(self) -> Row:
        """My row."""
        return self.own.boards if self.own else ()

    @property
    def opponents(self) -> tuple[SeatedPlayer, ...]:
        """The other players in turn order, starting after me."""
        me = self._my_place()
        return self.players[me + 1 :] + self.players[:me]

    @property
    def before(self) -> tuple[SeatedPlayer, ...]:
        """The players before me in this turn."""
        return self.players[: self._my_place()]

    @property
    def after(self) -> tuple[SeatedPlayer, ...]:
        """The players after me in this turn."""
        return self.players[self._my_place() + 1 :]

    def boards_of(self, seat: Seat | None) -> Row:
        """The row of any seat; empty if nobody sits there (any more)."""
        for player in self.players:
            if player.seat == seat:
                return player.boards
        return ()

    def _my_place(self) -> int:
        for place, player in enumerate(self.players):
            if player.seat == self.seat:
                return place
        raise LookupError("the gallery and players who were thrown out have no place in the turn order")
