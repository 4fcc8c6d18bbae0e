"""The whole-answer way to write an Evolution player: derive from `Player`, answer two questions."""

from __future__ import annotations

from wateringhole.game import Forfeit, Outcome
from wateringhole.games.evolution.rules.answers import BoardOrder, Declaration, Feeding
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.games.evolution.rules.view import View
from wateringhole.player import InProcess

__all__ = ["Player"]


class Player(InProcess):
    """Decides for a seat.  `choose` and `feed_next` must be written, the rest may be."""

    def start(self, view: View) -> None:
        """A turn starts: boards and cards have been dealt."""

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        """The order in which my boards shall stand; asked only under `reorder_boards`."""
        return BoardOrder(tuple(range(len(request.view.boards))))

    def choose(self, request: DeclareCards) -> Declaration:
        """Which cards to give, trade and lay; `request.draft()` helps to build the answer."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it chooses cards")

    def feed_next(self, request: FeedNext) -> Feeding:
        """What to feed: one of `request.options`, fewer tokens than a StoreFat offers, or `Pass()`."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it feeds next")

    def thrown_out(self, forfeit: Forfeit) -> None:
        """I was thrown out, and this is why."""

    def game_over(self, outcome: Outcome) -> None:
        """The final ranking, with scores by parts."""
