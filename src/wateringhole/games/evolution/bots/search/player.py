"""A player that tries answers on sampled states before it gives one, which needs Numba."""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, TypeVar

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Answer, Event, Request
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.evolution.bots.search.memory import Memory
from wateringhole.games.evolution.rules.answers import Declaration, Feeding
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext
from wateringhole.player import SeatAssignment

if TYPE_CHECKING:
    from wateringhole.sim.rollouts import Known

__all__ = ["Search"]

A = TypeVar("A", Declaration, Feeding)

SIMULATIONS: Final = 512
"""About a second for a declaration, on one core."""
CANDIDATES: Final = 16
SHARE_OF_LIMIT: Final = 0.5
"""The share of the referee's time limit that a search may use.  It stops within a step, some hundredths of a second."""


class Search(Champion):
    """Tries the champion's likely answers on sampled states, and plays the best; 3 to 8 players.

    A candidate is a complete answer, drawn with the probabilities of the champion's network.  A simulation plays it in
    a state that is consistent with everything that the seat saw, and continues to the end of the turn.  Everybody plays
    like the champion there.  Then the network values the position, or the game is over.  All candidates play the same
    states (see `Race`).  A candidate replaces the champion's answer only if it is better beyond noise.

    Under rules that the compiled engine refuses, and in positions that it cannot hold, it answers like the champion.
    """

    wants_events = True

    def __init__(
        self,
        simulations: int | None = None,
        seconds: float | None = None,
        candidates: int = CANDIDATES,
        seed: int | str | None = None,
    ) -> None:
        """Load the network, and compile the engine.

        A search ends after this number of simulations, or seconds, or both.  If no time limit ends it, the same
        requests and the same seed get the same answers.  Raises UsageError for numbers that are no budget, and
        OperationError if NumPy or Numba is not installed.
        """
        super().__init__()
        if find_spec("numba") is None:
            raise OperationError(
                "the search player needs numba, not installed here; "
                "install the extra with: pip install 'wateringhole[sim]'"
            )
        from wateringhole.games.evolution.bots.search.continuations import prepare_engine
        from wateringhole.sim.arguments import LARGEST, whole_number

        if simulations is None:
            simulations = SIMULATIONS if seconds is None else LARGEST
        self._simulations = whole_number("simulations", simulations, 1, LARGEST)
        self._candidates = whole_number("candidates", candidates, 2, 1000)
        if seconds is not None and not 0 < seconds < math.inf:
            raise UsageError(f"seconds must be a positive, finite number, not {short_repr(seconds)}.")
        self._seconds = math.inf if seconds is None else seconds
        self._latest = math.inf
        """When the referee's time limit ends the search."""
        self._random = random.Random(seed)
        prepare_engine()

    def on_seated(self, assignment: SeatAssignment) -> None:
        super().on_seated(assignment)
        self._memory = Memory(assignment.seat)

    def on_event(self, event: Event) -> None:
        self._memory.see(event)

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._latest = math.inf if seconds is None else time.monotonic() + SHARE_OF_LIMIT * seconds
        return super().answer(request, seconds)

    def choose(self, request: DeclareCards) -> Declaration:
        return self._improved(request, super().choose(request))

    def feed_next(self, request: FeedNext) -> Feeding:
        return self._improved(request, super().feed_next(request))

    def _improved(self, request: DeclareCards | FeedNext, answer: A) -> A:
        """Return the answer that the search prefers to the champion's, or the champion's."""
        known = self._known(request)
        if known is None:
            return answer
        from wateringhole.games.evolution.bots.champion.network import shipped_network
        from wateringhole.games.evolution.bots.search.continuations import Continuations, OutOfTime, one_thread
        from wateringhole.games.evolution.bots.search.race import Race
        from wateringhole.games.evolution.compiled.rollouts import answer_to_actions

        deadline = min(self._latest, time.monotonic() + self._seconds)
        continuations = Continuations(shipped_network(), known, lambda: time.monotonic() > deadline)
        scripts = [answer_to_actions(request, answer, known.seats)]
        race = Race(1, 0)
        with one_thread(), contextlib.suppress(OutOfTime):
            scripts = continuations.candidates(scripts[0], self._candidates, self._next_seed())
            race = Race(len(scripts), self._simulations)
            for left in race.rounds():
                chosen = [scripts[number] for number in left]
                race.add(continuations.values(chosen, race.states_per_round, self._next_seed()))
        winner = race.winner()
        return self._answer_of(request, known, scripts[winner]) if winner else answer

    def _next_seed(self) -> int:
        return self._random.getrandbits(63)

    def _known(self, request: DeclareCards | FeedNext) -> Known | None:
        """Return what the seat knows, or None if the engine has no row for it."""
        if self._encoder is None:
            return None
        from wateringhole.games.evolution.compiled.rollouts import known_state

        view, memory, feeding = request.view, self._memory, isinstance(request, FeedNext)
        seats = {player.seat for player in view.opponents}
        # A player that joined a game in progress has not seen all food.
        bags = {seat: memory.bags[seat] for seat in seats} if memory.bags[request.seat] == view.bag else None
        try:
            return known_state(view, feeding, bags, memory.declined & seats if feeding else ())
        except UsageError:
            return None

    def _answer_of(self, request: DeclareCards | FeedNext, known: Known, script: Sequence[int]) -> Any:
        """Return a script of the engine as an answer to the request."""
        from wateringhole.games.evolution.compiled import layout

        encoder = self._encoder
        assert encoder is not None
        encoder.ask(request)
        answer = None
        for action in script:
            if encoder.decision_type == layout.TARGET:
                seat, board = divmod(action, layout.MOST_BOARDS)
                action = layout.MOST_BOARDS * known.seats[seat] + board
            answer = encoder.act(action)
        return answer
