"""A trained policy as a player under the referee."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.game import Request
from wateringhole.learn.encoded_game import encoding_of
from wateringhole.player import SeatAssignment

__all__ = ["MOST_ACTIONS", "Policy", "policy_player"]

MOST_ACTIONS: Final = 1000
"""The most actions for one answer, many times what an answer takes.

Some actions undo others, e.g. where an answer that cannot be completed restarts.  A policy that always takes the same
actions would never get out of that.
"""

Policy = Callable[[npt.NDArray[Any], npt.NDArray[np.bool_]], int]
"""`policy(observation, mask)` returns a legal action."""


def policy_player(game: str, policy: Policy) -> type[Any]:
    """Return a class of players that decide by a policy.

    The player plays everywhere a bot does: in `wateringhole.play`, on a command line, in tournaments.

    >>> import wateringhole as wh
    >>> from wateringhole.learn import policy_player
    >>> Lowest = policy_player("porrinha", lambda observation, mask: int(mask.argmax()))
    >>> wh.play("porrinha", [Lowest, "random"], seed=1).outcome.thrown_out
    ()
    """
    kind = registry.game_kind(game)
    encoding = encoding_of(kind)
    base: Any = fallbacks.player_base(kind)

    class PolicyPlayer(base):  # type: ignore[misc]  # the class depends on the game
        """A player that decides by a trained policy."""

        def on_seated(self, assignment: SeatAssignment) -> None:
            super().on_seated(assignment)
            why_not = encoding.refuses(assignment.rules, len(assignment.names))
            if why_not:
                raise UsageError(f"a policy cannot play by these rules: {why_not}.")
            self._seat = assignment.seat
            self._encoder = encoding.encoder(assignment.seat, len(assignment.names))

        def answer(self, request: Request[Any], seconds: float | None = None) -> object:
            encoder = self._encoder
            encoder.ask(request)
            for _ in range(MOST_ACTIONS):
                mask = encoder.mask()
                view = request.view  # type: ignore[attr-defined]
                action = int(policy(encoder.observe(view, self._seat, encoder.decision_type), mask))
                if not 0 <= action < len(mask) or not mask[action]:
                    raise UsageError(f"the policy returned action {action}, which is not legal.")
                answer = encoder.act(action)
                if answer is not None:
                    return answer
            raise UsageError(f"the policy took {MOST_ACTIONS} actions and has not completed its answer.")

    return PolicyPlayer
