"""What a seat can know beyond its view: the bags of the others, and who declined to feed this turn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set

from wateringhole.game import Event, Seat
from wateringhole.games.evolution.rules.events import FoodBagged, PlayerPassed, TurnStarted
from wateringhole.games.evolution.rules.folded_view import FoldedView

__all__ = ["Memory"]


class Memory:
    """The public events of a game, as one seat saw them."""

    def __init__(self, seat: Seat) -> None:
        self._view = FoldedView(seat)
        self._bags: Counter[Seat] = Counter()
        self._declined: set[Seat] = set()

    @property
    def bags(self) -> Mapping[Seat, int]:
        """Tokens in the bags by seat: all food was seen on boards before it was bagged."""
        return self._bags

    @property
    def declined(self) -> Set[Seat]:
        """The seats that declined to feed this turn."""
        return self._declined

    def see(self, event: Event) -> None:
        match event:
            case FoodBagged():
                self._bags[event.seat] += sum(board.food for board in self._view.boards_of(event.seat))
            case PlayerPassed():
                self._declined.add(event.seat)
            case TurnStarted():
                self._declined.clear()
        self._view.see(event)
