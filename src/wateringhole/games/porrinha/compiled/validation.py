"""Whether a row that somebody brings along can be a game: the rules must come to an end on it, and stay within it."""

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
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NOBODY
from wateringhole.sim.kernel import force_inline, get, jit

__all__ = ["is_valid"]


@jit
def is_valid(state: Any, setup: Any) -> Any:
    """Whether a row can be a game of so many players by such rules."""
    players = get(setup, PLAYERS)
    fitting = get(state, PLAYERS) == players
    for word in range(LEAST, LIVE + 1):
        fitting &= get(state, word) == get(setup, word)
    return fitting and _seats_fit(state, setup) and _is_valid_round(state, players)


@force_inline
def _seats_fit(state: Any, setup: Any) -> Any:
    players = get(setup, PLAYERS)
    fitting = True
    table, active, hidden = 0, 0, 0
    # The last round of a game stays as it was, and whoever was right has a stick less since.
    gone = int(get(state, DECISION_TYPE) == OVER)
    for seat in range(MOST_PLAYERS):
        sticks, hand = get(state, STICKS + seat), get(state, HAND + seat)
        # Seats that nobody took begin without sticks.
        fitting &= 0 <= sticks <= get(setup, STICKS + seat) and NO_HAND <= hand <= sticks + gone
        # Who is out says nothing, so that those still in find a value that is free.
        most = get(state, TABLE) + gone if sticks + gone else NOBODY
        fitting &= INVALID_GUESS <= get(state, SAID + seat) <= most
        fitting &= hand >= 0 or get(state, DECISION_TYPE) != GUESS or sticks == 0
        fitting &= 0 <= get(state, PLACE + seat) <= players
        table += sticks
        active += int(sticks > 0)
        hidden += max(hand, 0)
    fitting &= table == get(state, TABLE) and active == get(state, ACTIVE) and players - active == get(state, LEFT)
    return fitting and hidden == get(state, SUM)


@force_inline
def _is_valid_round(state: Any, players: Any) -> Any:
    fitting = 1 <= get(state, ROUND) <= MOST_ROUNDS and 0 <= get(state, REFUSED) <= MOST_REFUSALS
    fitting &= NOBODY <= get(state, LAST_WINNER) < players
    acting, lead = get(state, ACTING), get(state, LEAD)
    if get(state, DECISION_TYPE) == OVER:
        return fitting and acting == NOBODY and 0 <= lead < players
    fitting &= OVER < get(state, DECISION_TYPE) <= GUESS and 0 <= acting < players and 0 <= lead < players
    fitting &= 0 <= get(state, TURN) < get(state, ACTIVE) and get(state, ACTIVE) > 1
    return fitting and get(state, STICKS + acting) > 0 and get(state, STICKS + lead) > 0
