"""Search by simulation, for Porrinha.

A player sees everything but the other hands of a round.  They are sampled from the legal hands that are
consistent with the view, according to the player's beliefs.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Seat
from wateringhole.games.porrinha.compiled import entries, layout, sampling
from wateringhole.games.porrinha.compiled.bots.strategy import SCALE
from wateringhole.games.porrinha.compiled.game import GAME
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.view import NO_HAND, NO_SEAT, NOT_PLAYING, PENDING_GUESS, View
from wateringhole.sim.arguments import array_of, as_integer
from wateringhole.sim.rollouts import (
    Known,
    RolloutResult,
    SampledState,
    beliefs_by_seat,
    candidate_list,
    check_seats,
    check_type,
    draw_seed,
    rollout_results,
)

__all__ = ["rollout", "sample_state"]

Beliefs = Mapping[Seat, Sequence[float]]
"""For each seat, the weights of holding 0, 1, … sticks; they need not add up to 1."""

POSSIBLE_HANDS: Final = layout.MOST_STICKS + 1
"""The number of hands: 0, 1, … sticks."""


def sample_state(
    view: View,
    rng: random.Random,
    *,
    seat: Seat | None = None,
    rules: Rules | None = None,
    hands: Beliefs | None = None,
) -> SampledState:
    """Return a state that is consistent with a view: the hidden hands are drawn.

    All legal hands that are consistent with the view are equally likely, unless `hands` gives weights.
    Before hands are hidden, nothing needs to be drawn.  A view does not contain its seat, the rules, or the
    order in which players left.  The defaults are the seat that is asked (the lead if all are asked) and
    the default rules; the players who left share the first place.
    Raises UsageError for a view in which no player is asked, and for rules that are not simulated or
    contradict the view.
    """
    check_type("view", view, View)
    known = _known(view, _asked(view) if seat is None else seat, rules, hands)
    state = np.zeros(layout.STATE, layout.DTYPE)
    entries.deal_unseen(state, known.words, known.seat, draw_seed(rng), 0)
    return SampledState(state, known.seats, known.seat)


def rollout(
    request: HideSticks | GuessTotal,
    *,
    games: int = 1000,
    seed: int = 0,
    me: str = "equilibrium",
    others: str | Mapping[Seat, str] = "equilibrium",
    candidates: Sequence[int] | None = None,
    rules: Rules | None = None,
    hands: Beliefs | None = None,
) -> list[RolloutResult[int]]:
    """Play `games` continuations after each candidate, each from another sampled state, and return the means.

    The default candidates are all legal hands, or all legal guesses.  Compiled players play the
    continuations, `me` in the seat of the request; if hands are to be hidden, they also hide the other
    hands.  The same seed gives the same results, and all candidates start from the same states.
    Raises UsageError for a candidate that is not legal, for players that are not compiled, and for
    what `sample_state` refuses.
    """
    check_type("request", request, HideSticks, GuessTotal)
    known = _known(request.view, request.seat, rules, hands)
    legal = [
        _legal(request, candidate)
        for candidate in candidate_list(request.options if candidates is None else candidates)
    ]
    actions = [[candidate] for candidate in legal]
    return rollout_results(GAME, known, legal, actions, games=games, seed=seed, me=me, others=others)


def _legal(request: HideSticks | GuessTotal, candidate: int) -> int:
    number = as_integer(candidate)
    if number is None or number not in request.options:
        legal = ", ".join(map(str, request.options))
        raise UsageError(f"{short_repr(candidate)} is not a legal {request.name}. Choose from: {legal}.")
    return number


def _asked(view: View) -> Seat:
    """Return the seat that is asked in a view; if several must hide sticks, the lead."""
    for step in range(view.player_count):
        seat = Seat((view.lead + step) % view.player_count)
        if view.guess[seat] == PENDING_GUESS and view.chopsticks[seat]:
            return seat
    raise UsageError("no player is asked in this view, because all have guessed.")


def _known(view: View, seat: Seat, rules: Rules | None, hands: Beliefs | None) -> Known:
    """Return the knowledge of one seat from its view."""
    rules = GAME.rules(rules)
    believed = beliefs_by_seat("hands", hands)
    seats = tuple(map(Seat, range(view.player_count)))
    playing = [other for other in seats if view.chopsticks[other]]
    check_seats("seat", [seat], playing)
    words = np.zeros(sampling.KNOWN, layout.DTYPE)
    words[: layout.STATE] = _row(view, seat, rules)
    if view.own_hand != NO_HAND:
        hidden = [other for other in playing if other != seat]
        check_seats("hands", believed, hidden)
        weights = np.zeros((view.player_count, POSSIBLE_HANDS))
        weights[:, 0] = 1  # seats whose hand is known
        for other in hidden:
            weights[other] = _weights(view, other, believed.get(other))
        words[layout.STATE :] = _chances(weights, _possible_totals(view, rules))
    elif believed:
        raise UsageError("hands: no player has hidden sticks yet in this view.")
    return Known(words, rules, seats, seat)


def _row(view: View, seat: Seat, rules: Rules) -> npt.NDArray[np.int32]:
    """Return the visible part of a view as a row of the game."""
    row = _before(view, rules)
    players, playing = view.player_count, [sticks > 0 for sticks in view.chopsticks]
    spoken = sum(guess != PENDING_GUESS for guess, plays in zip(view.guess, playing, strict=True) if plays)
    guessing = view.own_hand != NO_HAND
    if spoken and not guessing:
        raise UsageError("the view of a spectator has no hand to guess from; give the view of a player.")
    row[layout.DECISION_TYPE] = layout.GUESS if guessing else layout.HIDE
    row[layout.ACTING], row[layout.TURN] = _asked(view), spoken
    row[layout.LEAD], row[layout.ROUND], row[layout.LAST_WINNER] = view.lead, view.round, view.last_winner
    row[layout.TABLE], row[layout.ACTIVE] = view.chopstick_count, sum(playing)
    row[layout.LEFT] = players - sum(playing)
    row[layout.SAID : layout.SAID + layout.MOST_PLAYERS] = NOT_PLAYING
    row[layout.HAND : layout.HAND + layout.MOST_PLAYERS] = NO_HAND
    row[layout.HAND + seat] = view.own_hand
    for place, by_seat in (
        (layout.STICKS, view.chopsticks),
        (layout.SAID, view.guess),
        (layout.OPENED, view.hand),
        (layout.PLACE, [not plays for plays in playing]),
    ):
        row[place : place + players] = by_seat
    return row


def _before(view: View, rules: Rules) -> npt.NDArray[np.int32]:
    """Return a row with the rules of a game.  Raises UsageError if the view contradicts them."""
    row = GAME.setup(rules, view.player_count)
    for seat, (owned, dealt) in enumerate(zip(view.chopsticks, starting_sticks(rules, view.player_count), strict=True)):
        if owned > dealt:
            raise UsageError(
                f"seat {seat} owns {owned} sticks, but starts with {dealt} by these rules; "
                "give the rules of the game as rules=."
            )
    least = int(row[layout.LEAST]) if view.round <= 1 else 0
    if view.lowest_hand != least:
        raise UsageError(
            f"the smallest hand of this view is {view.lowest_hand}, but by these rules it is {least}; "
            "give the rules of the game as rules=."
        )
    return row


def _weights(view: View, seat: Seat, believed: Sequence[float] | None) -> npt.NDArray[np.float64]:
    """Return the weights of 0, 1, … 15 sticks in a hand.  The largest weight is 1, which keeps products in bounds."""
    least, hands = view.lowest_hand, view.chopsticks[seat] + 1
    weights = np.zeros(POSSIBLE_HANDS)
    if believed is None:
        weights[least:hands] = 1
        return weights
    given = array_of(believed)
    if given.shape != (hands,) or given.dtype.kind not in "iuf" or not (np.isfinite(given) & (given >= 0)).all():
        raise UsageError(
            f"hands: seat {seat} needs {hands} weights from 0, one for each hand, not {short_repr(believed)}."
        )
    legal = given[least:]
    if not legal.any():
        raise UsageError(f"hands: seat {seat} has no legal hand with a weight above 0 in {short_repr(believed)}.")
    weights[least:hands] = legal / legal.max()
    return weights


def _possible_totals(view: View, rules: Rules) -> npt.NDArray[np.bool_]:
    """Return which totals of the hidden hands are consistent with the view.

    If `last_winner` changes during the guesses, it reveals whether one of them is the sum.
    """
    said = np.zeros(2 * layout.ACTIONS, np.bool_)
    if rules.last_winner == "live":
        if view.last_winner == NO_SEAT:
            said[[value for value in view.guess if value >= 0]] = True
        else:
            said[:] = True
            said[view.guess[view.last_winner]] = False
    return ~said[view.own_hand : view.own_hand + layout.ACTIONS]


def _chances(weights: npt.NDArray[np.float64], possible: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """Return the chances of hidden hands for `sampling`, from the weights of all hands by seat."""
    chances = np.zeros((layout.MOST_PLAYERS, layout.ACTIONS, POSSIBLE_HANDS))
    together = np.zeros(layout.ACTIONS)  # the weight of each total of the hands from a seat on
    together[0] = 1
    for seat in reversed(range(len(weights))):
        for hand in range(POSSIBLE_HANDS):
            chances[seat, hand:, hand] = weights[seat, hand] * together[: layout.ACTIONS - hand]
        together = chances[seat].sum(axis=1)
    totals = together * possible
    if not totals.any():
        raise UsageError("hands: no hands with a weight above 0 are consistent with the guesses.")
    weighed = chances.sum(axis=2, keepdims=True)
    np.divide(chances, weighed, out=chances, where=weighed > 0)
    return np.round(np.concatenate([totals / totals.sum(), chances.ravel()]) * SCALE).astype(np.int32)
