"""What a seat, or a spectator, knows of a game of Porrinha, put together from the events it received.

A seat knows its hand before an event shows it, because the hand is its own answer.
"""

from __future__ import annotations

import msgspec

from wateringhole.game import Event, Forfeit, Seat
from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
from wateringhole.games.porrinha.rules.events import (
    BeginGame,
    GameEnded,
    GuessSaid,
    HandsHidden,
    RoundSettled,
    RoundStarted,
)
from wateringhole.games.porrinha.rules.requests import HideSticks, PorrinhaRequest
from wateringhole.games.porrinha.rules.view import NO_HAND, NO_SEAT, NOT_PLAYING, PENDING_GUESS, View

__all__ = ["FoldedView"]

_replace = msgspec.structs.replace


class FoldedView:
    """Rebuilds the view of a seat, or of a spectator (None)."""

    def __init__(self, seat: Seat | None = None) -> None:
        self._seat = seat
        self._repairs_failures = False
        self._view = View(0, 0, 0, (), (), (), NO_SEAT, Seat(0), 0)
        self._settled = self._view
        """The view when the last round was settled, or before the first round."""

    def view(self) -> View:
        return self._view

    def answered(self, request: PorrinhaRequest, answer: PorrinhaAnswer | Forfeit) -> None:
        if request.seat != self._seat or not isinstance(request, HideSticks):
            return
        if isinstance(answer, Forfeit):
            hand = request.view.lowest_hand if self._repairs_failures else 0
        else:
            hand, _ = request.resolve(answer)
        self._view = _replace(self._view, own_hand=hand)

    def see(self, event: Event) -> None:
        match event:
            case BeginGame():
                self._repairs_failures = event.rules.on_failure == "repair"
            case RoundStarted():
                self._start_round(event)
            case HandsHidden():
                self._view = _replace(self._view, last_winner=NO_SEAT)
            case GuessSaid():
                said = list(self._view.guess)
                said[event.seat] = event.guess
                winner = event.seat if event.is_right else self._view.last_winner
                self._view = _replace(self._view, guess=tuple(said), last_winner=winner)
            case RoundSettled():
                self._settled = self._view = _replace(
                    _owning(self._view, event.chopsticks),
                    guess=event.guesses,
                    hand=event.shown_hands or event.hands,
                    last_winner=event.winner,
                    own_hand=NO_HAND,
                )
            case GameEnded():
                # Players can fail after a round has started; the game then ends as the last one left it.
                settled = _owning(self._settled, event.chopsticks)
                self._view = _replace(settled, guess=event.stale_guesses or settled.guess)

    def _start_round(self, event: RoundStarted) -> None:
        sticks = event.chopsticks
        if self._settled.round == 0:
            nothing = (NO_HAND,) * len(sticks)
            pending = (PENDING_GUESS,) * len(sticks)
            self._settled = _replace(
                _owning(self._settled, sticks), guess=pending, hand=nothing, lowest_hand=event.lowest_hand
            )
        self._view = _replace(
            _owning(self._settled, sticks),
            guess=tuple(PENDING_GUESS if own else NOT_PLAYING for own in sticks),
            lead=event.lead,
            round=event.number,
            lowest_hand=event.lowest_hand,
        )


def _owning(view: View, sticks: tuple[int, ...]) -> View:
    """Return a view with other sticks on the table."""
    return _replace(
        view,
        player_count=len(sticks),
        active_player_count=len(sticks) - sticks.count(0),
        chopstick_count=sum(sticks),
        chopsticks=sticks,
    )
