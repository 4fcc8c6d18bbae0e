"""Validation of rows from callers: on a valid row, the rules terminate and stay within it."""

from __future__ import annotations

from typing import Any

from wateringhole.games.porrinha.compiled.layout import (
    ACTING,
    ACTIVE,
    DECISION_TYPE,
    GUESS,
    HAND,
    LAST_WINNER,
    LEAD,
    LEAST,
    LEFT,
    LIVE,
    MOST_PLAYERS,
    MOST_ROUNDS,
    OVER,
    PLACE,
    PLAYERS,
    REFUSED,
    ROUND,
    SAID,
    STICKS,
    SUM,
    TABLE,
    TURN,
)
from wateringhole.games.porrinha.rules.options import MOST_REFUSALS
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT
from wateringhole.sim.kernel import force_inline, get, jit

__all__ = ["is_valid"]


@jit
def is_valid(state: Any, setup: Any) -> Any:
    """Return whether a row can be a game with this number of players and these rules."""
    players = get(setup, PLAYERS)
    valid = get(state, PLAYERS) == players
    for word in range(LEAST, LIVE + 1):
        valid &= get(state, word) == get(setup, word)
    return valid and _are_valid_seats(state, setup) and _is_valid_round(state, players)


@force_inline
def _are_valid_seats(state: Any, setup: Any) -> Any:
    players = get(setup, PLAYERS)
    valid = True
    table, active, hidden = 0, 0, 0
    # A finished game keeps its last round, but the winner of the round has one stick less.
    extra = int(get(state, DECISION_TYPE) == OVER)
    for seat in range(MOST_PLAYERS):
        sticks, hand = get(state, STICKS + seat), get(state, HAND + seat)
        # Empty seats start without sticks.
        valid &= 0 <= sticks <= get(setup, STICKS + seat) and NO_HAND <= hand <= sticks + extra
        # Players who are out do not guess, so that those still in find a free value.
        most = get(state, TABLE) + extra if sticks + extra else NO_SEAT
        valid &= INVALID_GUESS <= get(state, SAID + seat) <= most
        valid &= hand >= 0 or get(state, DECISION_TYPE) != GUESS or sticks == 0
        valid &= 0 <= get(state, PLACE + seat) <= players
        table += sticks
        active += int(sticks > 0)
        hidden += max(hand, 0)
    valid &= table == get(state, TABLE) and active == get(state, ACTIVE) and players - active == get(state, LEFT)
    return valid and hidden == get(state, SUM)


@force_inline
def _is_valid_round(state: Any, players: Any) -> Any:
    valid = 1 <= get(state, ROUND) <= MOST_ROUNDS and 0 <= get(state, REFUSED) <= MOST_REFUSALS
    valid &= NO_SEAT <= get(state, LAST_WINNER) < players
    acting, lead = get(state, ACTING), get(state, LEAD)
    if get(state, DECISION_TYPE) == OVER:
        return valid and acting == NO_SEAT and 0 <= lead < players
    valid &= OVER < get(state, DECISION_TYPE) <= GUESS and 0 <= acting < players and 0 <= lead < players
    valid &= 0 <= get(state, TURN) < get(state, ACTIVE) and get(state, ACTIVE) > 1
    return valid and get(state, STICKS + acting) > 0 and get(state, STICKS + lead) > 0
