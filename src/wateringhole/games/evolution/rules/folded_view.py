"""A view built from events.

Folding the events that a seat saw gives the seat's view.  Events are therefore all that narrators,
pages and remote players need: they read a folded view and know no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.game import Event, Seat
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.requests import EvolutionRequest
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer, View

__all__ = ["FoldedView"]


class _Seated:
    """The public state of a player."""

    __slots__ = ("boards", "hand_size")

    def __init__(self) -> None:
        self.boards: list[SpeciesBoard] = []
        self.hand_size = 0


class FoldedView:
    """The view of one seat; None is a spectator, or a host that gets unfiltered events.

    Hidden information about other seats is ignored even if an event contains it.
    """

    seat: Seat | None
    rules: Rules
    turn: int
    """Counted from 1; 0 before the first turn."""
    hole: int

    def __init__(self, seat: Seat | None = None) -> None:
        self.seat = seat
        self.rules = Rules()
        self.turn = 0
        self.hole = 0
        self._deck_size = 0
        self._players: dict[Seat, _Seated] = {}
        self._hand: list[TraitCard] = []
        self._bag = 0
        self._pile: list[TraitCard] = []

    def see(self, event: Event) -> None:
        """Apply an event."""
        apply = _APPLY.get(type(event))
        if apply is not None:
            apply(self, event)

    def answered(self, request: EvolutionRequest, answer: object) -> None:
        """Change nothing: events show every answer as soon as it changes the state."""

    def view(self) -> View:
        """Return what the seat knows now."""
        me = None if self.seat is None else self._players.get(self.seat)
        own = PrivateState(tuple(me.boards), tuple(self._hand), self._bag) if me else None
        return View(
            self.rules,
            self.seat,
            self.turn,
            self.hole,
            self._deck_size,
            tuple(SeatedPlayer(seat, tuple(player.boards), player.hand_size) for seat, player in self._players.items()),
            own,
            tuple(self._pile),
        )

    def boards_of(self, seat: Seat) -> Row:
        """Return the row of a seat, or an empty row if no player in the game has this seat."""
        player = self._players.get(seat)
        return tuple(player.boards) if player else ()

    # The effect of each kind of event

    def _start_game(self, event: events.GameStarted) -> None:
        self.rules = event.rules
        self._deck_size = event.deck_size
        self._players = {seat: _Seated() for seat in event.order}

    def _start_turn(self, event: events.TurnStarted) -> None:
        self.turn = event.turn

    def _give_board(self, event: events.BoardGiven) -> None:
        self._players[event.seat].boards.append(event.board)

    def _draw_cards(self, event: events.CardsDrawn) -> None:
        self._deck_size -= event.count
        self._players[event.seat].hand_size += event.count
        if event.seat == self.seat and event.cards is not None:
            front = self.rules.hand_order == "front"
            self._hand = [*event.cards, *self._hand] if front else [*self._hand, *event.cards]

    def _reshuffle(self, event: events.DeckReshuffled) -> None:
        self._deck_size += event.count
        self._pile.clear()

    def _arrange(self, event: events.BoardsArranged) -> None:
        player = self._players[event.seat]
        player.boards = [player.boards[index] for index in event.order]

    def _apply(self, event: events.DeclarationApplied) -> None:
        player = self._players[event.seat]
        player.boards = list(event.boards)
        player.hand_size = event.hand_size
        if event.seat == self.seat and event.hand is not None:
            self._hand = list(event.hand)
        self._pile += event.pile

    def _fill_hole(self, event: events.FoodRevealed | events.FoodCut | events.WateringHoleChanged) -> None:
        self.hole = event.hole

    def _resize(self, event: events.SpeciesGrew | events.SpeciesShrank) -> None:
        self._change(event, lambda board: board.with_population(event.population))

    def _burn(self, event: events.FatBurned) -> None:
        self._change(event, lambda board: board.with_food(event.food).with_fat(event.fat))

    def _feed(self, event: events.SpeciesFed) -> None:
        self._change(event, lambda board: board.with_food(event.food))
        self.hole = event.hole

    def _store(self, event: events.FatStored) -> None:
        self._change(event, lambda board: board.with_fat(event.fat))
        self.hole = event.hole

    def _wound(self, event: events.AnimalLost) -> None:
        self._change(event, lambda board: board.with_population(event.population).with_food(event.food))

    def _alter(self, event: events.SpeciesChanged) -> None:
        self._change(
            event,
            lambda board: board.with_numbers(event.population, event.body, event.food, event.fat),
        )

    def _die(self, event: events.SpeciesDied) -> None:
        del self._players[event.seat].boards[event.board]
        self._pile += event.pile

    def _bag_food(self, event: events.FoodBagged) -> None:
        player = self._players[event.seat]
        player.boards = [board.with_food(0) for board in player.boards]
        if event.seat == self.seat and event.bag is not None:
            self._bag = event.bag

    def _end_turn(self, event: events.TurnEnded) -> None:
        self._players = {seat: self._players[seat] for seat in event.order}

    def _throw_out(self, event: events.PlayerForfeited) -> None:
        del self._players[event.seat]

    def _change(self, event: Any, change: Callable[[SpeciesBoard], SpeciesBoard]) -> None:
        boards = self._players[event.seat].boards
        boards[event.board] = change(boards[event.board])


_APPLY: dict[type, Callable[[FoldedView, Any], None]] = {
    events.GameStarted: FoldedView._start_game,
    events.TurnStarted: FoldedView._start_turn,
    events.BoardGiven: FoldedView._give_board,
    events.CardsDrawn: FoldedView._draw_cards,
    events.DeckReshuffled: FoldedView._reshuffle,
    events.BoardsArranged: FoldedView._arrange,
    events.DeclarationApplied: FoldedView._apply,
    events.FoodRevealed: FoldedView._fill_hole,
    events.FoodCut: FoldedView._fill_hole,
    events.WateringHoleChanged: FoldedView._fill_hole,
    events.SpeciesChanged: FoldedView._alter,
    events.SpeciesGrew: FoldedView._resize,
    events.FatBurned: FoldedView._burn,
    events.SpeciesFed: FoldedView._feed,
    events.FatStored: FoldedView._store,
    events.AnimalLost: FoldedView._wound,
    events.SpeciesDied: FoldedView._die,
    events.SpeciesShrank: FoldedView._resize,
    events.FoodBagged: FoldedView._bag_food,
    events.TurnEnded: FoldedView._end_turn,
    events.PlayerForfeited: FoldedView._throw_out,
}
"""The other events change nothing that a view shows."""
