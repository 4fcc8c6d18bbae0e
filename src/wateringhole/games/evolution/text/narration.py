"""The frame of a narration: which events have lines, and what the narrator knows.  Each language has the lines."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from wateringhole.formatting import escape
from wateringhole.game import Event, Seat
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.folded_view import FoldedView

__all__ = ["EventNarrator"]

_METHODS: dict[type[Event], str] = {
    events.TurnStarted: "_turn",
    events.BoardGiven: "_board",
    events.CardsDrawn: "_cards",
    events.DeckReshuffled: "_reshuffle",
    events.BoardsArranged: "_arrange",
    events.DeclarationApplied: "_declaration",
    events.FoodRevealed: "_food_card",
    events.FoodCut: "_cut",
    events.SpeciesGrew: "_growth",
    events.FatBurned: "_burning",
    events.SpeciesFed: "_feeding",
    events.FatStored: "_storing",
    events.PlayerPassed: "_passing",
    events.SpeciesAttacked: "_attack",
    events.AnimalLost: "_loss",
    events.SpeciesDied: "_death",
    events.SpeciesChanged: "_change",
    events.WateringHoleChanged: "_new_hole",
    events.FeedingEnded: "_end_of_feeding",
    events.SpeciesShrank: "_shrinking",
    events.FoodBagged: "_bagging",
    events.PlayerForfeited: "_forfeit",
    events.GameEnded: "_end",
}
"""The method for each event.  The other events need no line, or one of the listed events includes them."""


class EventNarrator(ABC):
    """The narrator of one game.  With a seat, it uses only what that seat may see."""

    def __init__(self, names: Sequence[str], seat: Seat | None = None) -> None:
        self._names = [escape(name) for name in names]
        self._seat = seat
        self._view = FoldedView(seat)
        self._phase = ""
        self._emptied: dict[Seat, list[int]] | None = None
        """At the end of a turn, by seat: the positions of the boards that have died out since the feeding ended."""

    def narrate(self, event: Event) -> list[str]:
        """Return the lines for an event, with Rich markup."""
        seen = event if self._seat is None else event.seen_by(self._seat)
        if seen is None:
            return []
        method = _METHODS.get(type(seen))
        lines: list[str] = getattr(self, method)(seen) if method else []
        self._keep_positions(seen)
        self._view.see(seen)
        return lines

    def _keep_positions(self, event: Event) -> None:
        match event:
            case events.FeedingEnded():
                self._emptied = {}
            case events.SpeciesDied(seat=seat, board=board) if self._emptied is not None:
                self._emptied[seat] = sorted([*self._emptied.get(seat, ()), self._position(seat, board)])
            case events.TurnStarted():
                self._emptied = None

    def _position(self, seat: Seat, board: int) -> int:
        """Return the position that names a board.

        At the end of a turn, a species keeps its position when one to its left dies out, because the reader
        compares it with the lines above.
        """
        position = board
        for emptied in (self._emptied or {}).get(seat, ()):
            position += emptied <= position
        return position

    def incidents(self, event: Event) -> list[str]:
        """Return no lines: in Evolution every mistake leads to a forfeit, which `narrate` reports."""
        return []

    def _open(self, phase: str) -> list[str]:
        """Return the heading of a phase, or nothing if it has already begun."""
        if phase == self._phase:
            return []
        self._phase = phase
        return [f" [bold cyan]{phase}[/bold cyan]"]

    @abstractmethod
    def _turn(self, event: events.TurnStarted) -> list[str]: ...

    @abstractmethod
    def _board(self, event: events.BoardGiven) -> list[str]: ...

    @abstractmethod
    def _cards(self, event: events.CardsDrawn) -> list[str]: ...

    @abstractmethod
    def _reshuffle(self, event: events.DeckReshuffled) -> list[str]: ...

    @abstractmethod
    def _arrange(self, event: events.BoardsArranged) -> list[str]: ...

    @abstractmethod
    def _declaration(self, event: events.DeclarationApplied) -> list[str]: ...

    @abstractmethod
    def _food_card(self, event: events.FoodRevealed) -> list[str]: ...

    @abstractmethod
    def _cut(self, event: events.FoodCut) -> list[str]: ...

    @abstractmethod
    def _growth(self, event: events.SpeciesGrew) -> list[str]: ...

    @abstractmethod
    def _burning(self, event: events.FatBurned) -> list[str]: ...

    @abstractmethod
    def _feeding(self, event: events.SpeciesFed) -> list[str]: ...

    @abstractmethod
    def _storing(self, event: events.FatStored) -> list[str]: ...

    @abstractmethod
    def _passing(self, event: events.PlayerPassed) -> list[str]: ...

    @abstractmethod
    def _attack(self, event: events.SpeciesAttacked) -> list[str]: ...

    @abstractmethod
    def _loss(self, event: events.AnimalLost) -> list[str]: ...

    @abstractmethod
    def _death(self, event: events.SpeciesDied) -> list[str]: ...

    @abstractmethod
    def _change(self, event: events.SpeciesChanged) -> list[str]: ...

    @abstractmethod
    def _new_hole(self, event: events.WateringHoleChanged) -> list[str]: ...

    @abstractmethod
    def _end_of_feeding(self, event: events.FeedingEnded) -> list[str]: ...

    @abstractmethod
    def _shrinking(self, event: events.SpeciesShrank) -> list[str]: ...

    @abstractmethod
    def _bagging(self, event: events.FoodBagged) -> list[str]: ...

    @abstractmethod
    def _forfeit(self, event: events.PlayerForfeited) -> list[str]: ...

    @abstractmethod
    def _end(self, event: events.GameEnded) -> list[str]: ...
