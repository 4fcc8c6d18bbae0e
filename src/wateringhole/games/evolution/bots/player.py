"""The base class of Evolution players that give complete answers to two requests."""

from __future__ import annotations

from wateringhole.game import Forfeit, Notice, Outcome
from wateringhole.games.evolution.rules.answers import BoardOrder
from wateringhole.games.evolution.rules.events import ResultAnnounced, YouAreOut, YourTurnStarts
from wateringhole.games.evolution.rules.plain_answers import DeclarationForm, FeedingForm
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.games.evolution.rules.view import View
from wateringhole.player import InProcess, inherited_notices

__all__ = ["Player"]


class Player(InProcess):
    """A player for a seat.  Subclasses must define `choose` and `feed_next`, and may define the rest."""

    @property
    def ignored_notices(self) -> frozenset[type[Notice]]:
        return inherited_notices(self, Player, YourTurnStarts, YouAreOut, ResultAnnounced)

    def start(self, view: View) -> None:
        """Note that a turn starts; boards and cards have been dealt."""

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        """Return the new order of the boards; called only under `reorder_boards`."""
        return BoardOrder(tuple(range(len(request.view.boards))))

    def choose(self, request: DeclareCards) -> DeclarationForm:
        """Return the cards to give, trade and lay; `request.draft()` helps to build the answer.

        The course's Action4 is an answer too: `[0, [], [], [[1, 2]], []]`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not choose cards: define choose(request)")

    def feed_next(self, request: FeedNext) -> FeedingForm:
        """Return what to feed: one of `request.options`, fewer tokens than a StoreFat offers, or `Pass()`.

        Plain values are answers too: `False`, a species, `[species]`, `[species, number]` or
        `[species, player, species]`.  A species is an index or a board, a player is a seat or a player
        of `request.view`.
        """
        raise NotImplementedError(f"{type(self).__name__} does not feed its species: define feed_next(request)")

    def thrown_out(self, forfeit: Forfeit) -> None:
        """Note why the player was thrown out."""

    def game_over(self, outcome: Outcome) -> None:
        """Note the final ranking, with scores by parts."""
