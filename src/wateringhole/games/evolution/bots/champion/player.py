"""A player that asks a trained network, which needs NumPy."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from wateringhole.errors import OperationError
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.rules.answers import Declaration, Feeding
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext
from wateringhole.player import SeatAssignment

if TYPE_CHECKING:
    from wateringhole.games.evolution.encoding import SeatEncoder

__all__ = ["Champion"]


class Champion(Greedy):
    """Plays what a network prefers, which learned by self-play; 3 to 8 players.

    It always takes the best legal action, so the same requests get the same answers.  It answers like `Greedy` under
    rules that have no numbers, e.g. with custom traits (see `encoding`).
    """

    def __init__(self) -> None:
        """Load the network.  Raises OperationError if NumPy is not installed."""
        if find_spec("numpy") is None:
            raise OperationError(
                "the champion needs numpy, not installed here; install the extra with: pip install 'wateringhole[sim]'"
            )
        from wateringhole.games.evolution.bots.champion.decider import shipped_decider

        self._network = shipped_decider()
        self._encoder: SeatEncoder | None = None

    def on_seated(self, assignment: SeatAssignment) -> None:
        from wateringhole.games.evolution.encoding import ENCODING, SeatEncoder

        super().on_seated(assignment)
        players = len(assignment.names)
        self._seat = assignment.seat
        refused = ENCODING.refuses(assignment.rules, players)
        self._encoder = None if refused else SeatEncoder(assignment.seat, players)

    def choose(self, request: DeclareCards) -> Declaration:
        if self._encoder:
            answer = self._decide(self._encoder, request)
            if isinstance(answer, Declaration):
                return answer
        return super().choose(request)

    def feed_next(self, request: FeedNext) -> Feeding:
        if self._encoder:
            answer = self._decide(self._encoder, request)
            if answer is not None and not isinstance(answer, Declaration):
                return answer
        return super().feed_next(request)

    def _decide(self, encoder: SeatEncoder, request: DeclareCards | FeedNext) -> Declaration | Feeding | None:
        """Return the answer, or None if the network's steps lead to nothing that it could declare."""
        from wateringhole.games.evolution.compiled import layout

        # Steps that use up the hand leave no card for the watering hole; then that card comes first.
        return self._follow(encoder, request) or self._follow(encoder, request, layout.GIVE_FOOD)

    def _follow(
        self, encoder: SeatEncoder, request: DeclareCards | FeedNext, *opening: int
    ) -> Declaration | Feeding | None:
        """Return the answer that the network's actions lead to after these, or None if they lead to a restart."""
        from wateringhole.games.evolution.compiled import layout

        encoder.ask(request)
        answer = None
        for action in opening:
            answer = encoder.act(action)
        while answer is None:
            decision = encoder.decision_type
            action = self._network.best_action(
                encoder.observe(request.view, self._seat, decision), encoder.mask(), self._seat
            )
            if decision == layout.STEP and action == layout.RESTART:
                return None
            answer = encoder.act(action)
        return answer
