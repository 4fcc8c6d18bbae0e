"""Search by playing on, for Porrinha.

A player sees everything but the other hands of a round, and those only once they are hidden.  It
imagines them by what is legal, by what its view tells about their sum, and by what it believes.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Seat
from wateringhole.games.porrinha.compiled import layout, sampling
from wateringhole.games.porrinha.compiled.bots.strategy import SCALE
from wateringhole.games.porrinha.compiled.game import GAME
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.view import NO_HAND, NOBODY, NOT_PLAYING, PENDING_GUESS, View
from wateringhole.sim.arguments import array_of, whole
from wateringhole.sim.kernel import entry
from wateringhole.sim.rollouts import (
    Known,
    RolloutResult,
    SampledState,
    beliefs_by_seat,
    check_seats,
    check_type,
    draw_seed,
    listed,
    rollout_results,
)

__all__ = ["rollout", "sample_state"]

Beliefs = Mapping[Seat, Sequence[float]]
"""By seat, how likely it holds 0, 1, … sticks; the weights need not add up to anything."""

POSSIBLE_HANDS: Final = layout.MOST_STICKS + 1
"""0, 1, … sticks."""


def sample_state(
    view: View,
    rng: random.Random,
    *,
    seat: Seat | None = None,
    rules: Rules | None = None,
    hands: Beliefs | None = None,
) -> SampledState:
    """A table that the owner of a view may be sitting at: hidden hands are drawn.

    All legal hands of the others that fit the view are equally likely, or as likely as `hands` says;
    before hands are hidden there is nothing to imagine.  A view does not tell whose it is (whoever
    is asked, or the lead where all are), nor the rules (the usual ones), unless they are given; nor
    in which order players left: those share the first place.
    Raises UsageError for a view in which nobody is asked, and for rules that are not simulated or
    do not fit the view.
    """
    check_type("view", view, View)
    known = _known(view, _asked(view) if seat is None else seat, rules, hands)
    state = np.zeros(layout.STATE, layout.DTYPE)
    _deal_unseen(state, known.words, known.seat, draw_seed(rng), 0)
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
    """Play `games` continuations after each candidate, each on a table imagined anew, and tell the means.

    Candidates, unless they are given: all legal hands, or all legal guesses.  Each continuation is
    played by compiled players, `me` in one's own seat; where hands are to be hidden, the others hide
    theirs like that.  The same seed gives the same results, and all candidates meet the same tables.
    Raises UsageError for a candidate that is not legal, for players that are not compiled, and for
    what `sample_state` refuses.
    """
    check_type("request", request, HideSticks, GuessTotal)
    known = _known(request.view, request.seat, rules, hands)
    legal = [_legal(request, candidate) for candidate in listed(request.options if candidates is None else candidates)]
    actions = [[candidate] for candidate in legal]
    return rollout_results(GAME, known, legal, actions, games=games, seed=seed, me=me, others=others)


def _legal(request: HideSticks | GuessTotal, candidate: int) -> int:
    number = whole(candidate)
    if number is None or number not in request.options:
        legal = ", ".join(map(str, request.options))
        raise UsageError(f"{short_repr(candidate)} is no legal {request.name}; there are {legal}.")
    return number


@partial(entry, name=GAME.name)
def _deal_unseen(state: Any, known: Any, seat: int, seed: int, game: int) -> None:
    sampling.deal_unseen(state, known, seat, seed, game)


def _asked(view: View) -> Seat:
    """Whose answer a view awaits; of many who are to hide sticks, the lead."""
    for step in range(view.player_count):
        seat = Seat((view.lead + step) % view.player_count)
        if view.guess[seat] == PENDING_GUESS and view.chopsticks[seat]:
            return seat
    raise UsageError("nobody is asked in this view: all guesses have been said.")


def _known(view: View, seat: Seat, rules: Rules | None, hands: Beliefs | None) -> Known:
    """The table of a view as one seat knows it."""
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
        weights[:, 0] = 1  # those who hide nothing from the seat
        for other in hidden:
            weights[other] = _weights(view, other, believed.get(other))
        words[layout.STATE :] = _chances(weights, _possible_totals(view, rules))
    elif believed:
        raise UsageError("hands: nobody has hidden any sticks yet in this view.")
    return Known(words, rules, seats, seat)


def _row(view: View, seat: Seat, rules: Rules) -> npt.NDArray[np.int32]:
    """What is seen, as a row of the game."""
    row = _before(view, rules)
    players, playing = view.player_count, [sticks > 0 for sticks in view.chopsticks]
    spoken = sum(guess != PENDING_GUESS for guess, plays in zip(view.guess, playing, strict=True) if plays)
    guessing = view.own_hand != NO_HAND
    if spoken and not guessing:
        raise UsageError("the view of the gallery has no hand to guess from; give the view of a player.")
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
    """A row with the rules of a table.  Raises UsageError where a view cannot come from such a table."""
    row = GAME.setup(rules, view.player_count)
    for seat, (owned, dealt) in enumerate(zip(view.chopsticks, starting_sticks(rules, view.player_count), strict=True)):
        if owned > dealt:
            raise UsageError(
                f"seat {seat} owns {owned} sticks, and begins with {dealt} by these rules; "
                "give the rules of the table as rules=."
            )
    least = int(row[layout.LEAST]) if view.round <= 1 else 0
    if view.lowest_hand != least:
        raise UsageError(
            f"the smallest hand of this view is {view.lowest_hand}, and by these rules it is {least}; "
            "give the rules of the table as rules=."
        )
    return row


def _weights(view: View, seat: Seat, believed: Sequence[float] | None) -> npt.NDArray[np.float64]:
    """How likely a seat holds 0, 1, … 15 sticks; the likeliest hand weighs 1, so that products stay within bounds."""
    least, hands = view.lowest_hand, view.chopsticks[seat] + 1
    weights = np.zeros(POSSIBLE_HANDS)
    if believed is None:
        weights[least:hands] = 1
        return weights
    given = array_of(believed)
    if given.shape != (hands,) or given.dtype.kind not in "iuf" or not (np.isfinite(given) & (given >= 0)).all():
        raise UsageError(
            f"hands: seat {seat} has {hands} weights from 0, one for each hand, not {short_repr(believed)}."
        )
    legal = given[least:]
    if not legal.any():
        raise UsageError(f"hands: seat {seat} has no legal hand with a weight above 0 in {short_repr(believed)}.")
    weights[least:hands] = legal / legal.max()
    return weights


def _possible_totals(view: View, rules: Rules) -> npt.NDArray[np.bool_]:
    """What the hidden hands can hold together, as far as the view tells.

    Where `last_winner` changes as guesses are said, it tells whether the sum is among them.
    """
    said = np.zeros(2 * layout.ACTIONS, np.bool_)
    if rules.last_winner == "live":
        if view.last_winner == NOBODY:
            said[[value for value in view.guess if value >= 0]] = True
        else:
            said[:] = True
            said[view.guess[view.last_winner]] = False
    return ~said[view.own_hand : view.own_hand + layout.ACTIONS]


def _chances(weights: npt.NDArray[np.float64], possible: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """The chances of hidden hands as `imagining` reads them, from the weights of all hands by seat."""
    chances = np.zeros((layout.MOST_PLAYERS, layout.ACTIONS, POSSIBLE_HANDS))
    together = np.zeros(layout.ACTIONS)  # the weight of each total of the hands from a seat on
    together[0] = 1
    for seat in reversed(range(len(weights))):
        for hand in range(POSSIBLE_HANDS):
            chances[seat, hand:, hand] = weights[seat, hand] * together[: layout.ACTIONS - hand]
        together = chances[seat].sum(axis=1)
    totals = together * possible
    if not totals.any():
        raise UsageError("hands: no hands that are believed in fit what was said.")
    weighed = chances.sum(axis=2, keepdims=True)
    np.divide(chances, weighed, out=chances, where=weighed > 0)
    return np.round(np.concatenate([totals / totals.sum(), chances.ravel()]) * SCALE).astype(np.int32)
