"""Porrinha for learners: answers and views as the numbers that `compiled.layout` describes."""

from __future__ import annotations

from copy import copy
from typing import Final

import numpy as np
import numpy.typing as npt

from wateringhole.facets import Encoding
from wateringhole.game import Seat
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.requests import HideSticks, PorrinhaRequest
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT, NOT_PLAYING, View

__all__ = ["ENCODING", "SeatEncoder"]

HIGHEST: Final = 127
"""Rounds above it are cut."""


def _refuses(rules: Rules, players: int) -> str | None:
    """Return why such a game cannot be encoded, or None if it can."""
    if players > layout.MOST_PLAYERS:
        return f"an observation has room for {layout.MOST_PLAYERS} players"
    try:
        sticks = starting_sticks(rules, players)
    except ValueError as wrong:
        return str(wrong)
    if max(sticks) > layout.MOST_STICKS or sum(sticks) > layout.MOST_TABLE:
        return f"a seat holds up to {layout.MOST_STICKS} sticks and a table up to {layout.MOST_TABLE}"
    return None


class SeatEncoder:
    """The decisions of one seat: each request is one action."""

    def __init__(self, seat: Seat, players: int) -> None:
        self._seat = seat
        self._players = players
        self._request: PorrinhaRequest
        # Clockwise from the observer.
        self._order = [(seat + step) % players for step in range(players)]

    @property
    def decision_type(self) -> int:
        return layout.HIDE if isinstance(self._request, HideSticks) else layout.GUESS

    def ask(self, request: PorrinhaRequest) -> None:
        self._request = request

    def mask(self) -> npt.NDArray[np.bool_]:
        legal = np.zeros(layout.ACTIONS, np.bool_)
        legal[list(self._request.options)] = True
        return legal

    def act(self, action: int) -> int:
        return action

    def copy(self) -> SeatEncoder:
        return copy(self)

    def observe(self, view: View, acting: Seat | None, decision_type: int) -> npt.NDArray[np.int8]:
        empty = layout.MOST_PLAYERS - self._players
        winner = view.last_winner
        numbers = [
            decision_type,
            view.player_count,
            view.active_player_count,
            view.chopstick_count,
            min(HIGHEST, view.round),
            view.lowest_hand,
            view.own_hand if decision_type == layout.GUESS else NO_HAND,
            (view.lead - self._seat) % self._players,
            winner if winner == NO_SEAT else (winner - self._seat) % self._players,
        ]
        for by_seat, nothing in ((view.chopsticks, 0), (view.guess, NOT_PLAYING), (view.hand, NO_HAND)):
            numbers += [by_seat[other] for other in self._order]
            numbers += [nothing] * empty
        return np.array(numbers, np.int8)


ENCODING: Final = Encoding(
    actions=layout.ACTIONS,
    decision_types=layout.DECISION_TYPES,
    observation=layout.OBSERVATION,
    dtype=np.int8,
    low=INVALID_GUESS,
    high=HIGHEST,
    encoder=SeatEncoder,
    refuses=_refuses,
    most_actions=lambda rules, players: 2 * players * (rules.max_rounds or layout.MOST_ROUNDS),
)
