"""The rules of Porrinha over one row of integers, equivalent to the referee's `Core`.

The core asks for all hands at once; here players hide in turn, from the lead on, which makes no difference
to them.  An answer that is not legal is repaired as in the core: a bad hand becomes the smallest legal one,
a bad guess is void, or refused if the rules say so.
"""

from __future__ import annotations

from typing import Any

from wateringhole.games.porrinha.compiled.layout import (
    ABSENT,
    ACTING,
    ACTIONS,
    ACTIVE,
    AGAIN,
    DECISION_TYPE,
    DECISIONS,
    FIRST_OUT,
    GUESS,
    HAND,
    HIDE,
    LAST_WINNER,
    LEAD,
    LEAST,
    LEFT,
    LIVE,
    MAX_ROUNDS,
    MOST_PLAYERS,
    MOST_ROUNDS,
    OPENED,
    OVER,
    OVERFLOWED,
    PLACE,
    PLAYERS,
    REFUSED,
    ROTATE,
    ROUND,
    SAID,
    STALE,
    STATE,
    STICKS,
    STOPPED,
    SUM,
    TABLE,
    TURN,
)
from wateringhole.games.porrinha.rules.options import MOST_REFUSALS
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT, NOT_PLAYING, PENDING_GUESS
from wateringhole.sim.kernel import force_inline, get, jit, put

__all__ = [
    "acting_seat",
    "apply",
    "deal",
    "decision_type",
    "decisions",
    "finish",
    "least_hand",
    "legal",
    "length",
    "observe",
    "observe_compactly",
    "overflowed",
    "place",
    "said_before",
    "score",
    "stopped",
]


@force_inline
def deal(state: Any, setup: Any, seed: Any, game: Any) -> None:
    """Start a game.  `setup` is a row before its first round; no chance is involved."""
    for word in range(STATE):
        put(state, word, setup[word])
    start_round(state)


@force_inline
def acting_seat(state: Any) -> Any:
    """Return the seat that decides, or -1 if the game is over."""
    return get(state, ACTING)


@force_inline
def decision_type(state: Any) -> Any:
    """Return the type of the decision."""
    return get(state, DECISION_TYPE)


@force_inline
def least_hand(state: Any) -> Any:
    """Return the smallest legal hand of this round."""
    return get(state, LEAST) if get(state, ROUND) <= 1 else 0


@force_inline
def said_before(state: Any, value: Any) -> Any:
    """Return whether a value was guessed in this round."""
    found = False
    for seat in range(get(state, PLAYERS)):
        found |= get(state, SAID + seat) == value
    return found


@force_inline
def legal(state: Any, mask: Any) -> None:
    """Set the legal actions to 1 and all others to 0."""
    now = get(state, DECISION_TYPE)
    first, last = 0, -1
    if now == HIDE:
        first, last = least_hand(state), get(state, STICKS + get(state, ACTING))
    elif now == GUESS:
        last = get(state, TABLE)
    for action in range(ACTIONS):
        put(mask, action, first <= action <= last)
    if now == GUESS:
        for seat in range(get(state, PLAYERS)):
            value = get(state, SAID + seat)
            if value >= 0:
                put(mask, value, 0)


@force_inline
def apply(state: Any, action: Any) -> None:
    """Apply an action of the seat that decides, and advance to the next decision or the end."""
    if get(state, DECISION_TYPE) == HIDE:
        hide(state, action)
    elif get(state, DECISION_TYPE) == GUESS:
        guess(state, action)


@force_inline
def hide(state: Any, hand: Any) -> None:
    seat = get(state, ACTING)
    least = least_hand(state)
    if hand < least or hand > get(state, STICKS + seat):
        hand = least
    put(state, HAND + seat, hand)
    put(state, SUM, get(state, SUM) + hand)
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    turn = get(state, TURN) + 1
    if turn < get(state, ACTIVE):
        put(state, TURN, turn)
        put(state, ACTING, first_in(state, seat + 1))
        return
    put(state, TURN, 0)
    put(state, DECISION_TYPE, GUESS)
    put(state, ACTING, get(state, LEAD))
    if get(state, LIVE):
        put(state, LAST_WINNER, NO_SEAT)


@force_inline
def guess(state: Any, value: Any) -> None:
    seat = get(state, ACTING)
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    if value < 0 or value > get(state, TABLE):
        value = INVALID_GUESS
    elif said_before(state, value):
        if get(state, AGAIN) and get(state, REFUSED) < MOST_REFUSALS:
            put(state, REFUSED, get(state, REFUSED) + 1)
            return
        value = INVALID_GUESS
    put(state, REFUSED, 0)
    put(state, SAID + seat, value)
    if get(state, LIVE) and value == get(state, SUM):
        put(state, LAST_WINNER, seat)
    turn = get(state, TURN) + 1
    if turn < get(state, ACTIVE):
        put(state, TURN, turn)
        put(state, ACTING, first_in(state, seat + 1))
    else:
        settle(state)


@jit
def settle(state: Any) -> None:
    """Open the hands, take a stick from the player who was right, and continue."""
    winner = NO_SEAT
    for seat in range(get(state, PLAYERS)):
        if get(state, SAID + seat) == get(state, SUM):
            winner = seat
    left = False
    if winner != NO_SEAT:
        sticks = get(state, STICKS + winner) - 1
        put(state, STICKS + winner, sticks)
        put(state, TABLE, get(state, TABLE) - 1)
        if sticks == 0:
            left = True
            put(state, ACTIVE, get(state, ACTIVE) - 1)
            put(state, LEFT, get(state, LEFT) + 1)
            put(state, PLACE + winner, get(state, LEFT))
    put(state, LAST_WINNER, winner)
    open_hands(state)
    limit = get(state, MAX_ROUNDS)
    if (left and get(state, FIRST_OUT)) or get(state, ACTIVE) <= 1:
        finish(state)
    elif limit and get(state, ROUND) >= limit:
        put(state, STOPPED, 1)
        finish(state)
    elif get(state, ROUND) >= MOST_ROUNDS:
        put(state, OVERFLOWED, 1)
        finish(state)
    else:
        after_lead = winner == NO_SEAT or get(state, ROTATE)
        put(state, LEAD, first_in(state, get(state, LEAD) + 1 if after_lead else winner))
        start_round(state)


@force_inline
def open_hands(state: Any) -> None:
    for seat in range(get(state, PLAYERS)):
        hand = get(state, HAND + seat)
        if get(state, STALE):
            shown = get(state, ABSENT + seat) if hand == NO_HAND else hand
            put(state, ABSENT + seat, get(state, OPENED + seat))
            put(state, OPENED + seat, shown)
        else:
            put(state, OPENED + seat, hand)


@force_inline
def start_round(state: Any) -> None:
    put(state, ROUND, get(state, ROUND) + 1)
    put(state, TURN, 0)
    put(state, SUM, 0)
    put(state, DECISION_TYPE, HIDE)
    put(state, ACTING, get(state, LEAD))
    for seat in range(MOST_PLAYERS):
        put(state, HAND + seat, NO_HAND)
        put(state, SAID + seat, PENDING_GUESS if get(state, STICKS + seat) else NOT_PLAYING)


@force_inline
def finish(state: Any) -> None:
    """End the game; the players still in share the first free place."""
    put(state, DECISION_TYPE, OVER)
    put(state, ACTING, NO_SEAT)
    put(state, TURN, 0)
    for seat in range(get(state, PLAYERS)):
        if get(state, STICKS + seat):
            put(state, PLACE + seat, get(state, LEFT) + 1)


@force_inline
def first_in(state: Any, start: Any) -> Any:
    """Return the first seat that is in, clockwise from `start`; there must be one."""
    players = get(state, PLAYERS)
    seat = start if start < players else 0
    while get(state, STICKS + seat) == 0:
        seat = seat + 1 if seat + 1 < players else 0
    return seat


@force_inline
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of a seat, as `layout` describes it."""
    players = get(state, PLAYERS)
    put(out, 0, get(state, DECISION_TYPE))
    put(out, 1, players)
    put(out, 2, get(state, ACTIVE))
    put(out, 3, get(state, TABLE))
    put(out, 4, get(state, ROUND))
    put(out, 5, least_hand(state))
    put(out, 6, get(state, HAND + seat) if get(state, DECISION_TYPE) == GUESS else NO_HAND)
    put(out, 7, from_seat(get(state, LEAD), seat, players))
    winner = get(state, LAST_WINNER)
    put(out, 8, winner if winner == NO_SEAT else from_seat(winner, seat, players))
    for step in range(MOST_PLAYERS):
        other = seat + step if seat + step < players else seat + step - players
        taken = step < players
        put(out, 9 + step, get(state, STICKS + other) if taken else 0)
        put(out, 9 + MOST_PLAYERS + step, get(state, SAID + other) if taken else NOT_PLAYING)
        put(out, 9 + 2 * MOST_PLAYERS + step, get(state, OPENED + other) if taken else NO_HAND)


@force_inline
def observe_compactly(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of a seat in bytes."""
    observe(state, seat, out)
    put(out, 4, min(127, get(state, ROUND)))


@force_inline
def from_seat(seat: Any, viewer: Any, players: Any) -> Any:
    return seat - viewer if seat >= viewer else seat - viewer + players


# ── results ───────────────────────────────────────────────────────────────────────────


@force_inline
def place(state: Any, seat: Any) -> Any:
    """Return the final place of a seat, from 1; players who were not ranked share one."""
    return get(state, PLACE + seat)


@force_inline
def score(state: Any, seat: Any) -> Any:
    """Return how many players have a worse place.  With two players, the first one out scores 1."""
    worse = 0
    for other in range(get(state, PLAYERS)):
        worse += get(state, PLACE + other) > get(state, PLACE + seat)
    return worse


@force_inline
def length(state: Any) -> Any:
    """Return the number of rounds settled."""
    return get(state, ROUND)


@force_inline
def decisions(state: Any) -> Any:
    return get(state, DECISIONS)


@force_inline
def stopped(state: Any) -> Any:
    return get(state, STOPPED)


@force_inline
def overflowed(state: Any) -> Any:
    return get(state, OVERFLOWED)
