"""Search by simulation, for Evolution.

A player sees its own cards and all boards; the other hands and the deck are sampled.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from wateringhole.errors import UsageError
from wateringhole.facets import PROGRAM
from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution.compiled import entries, layout
from wateringhole.games.evolution.compiled.bots.silly import FEWEST_CARDS
from wateringhole.games.evolution.compiled.game import GAME
from wateringhole.games.evolution.compiled.translate import (
    board_to_word,
    feeding_to_actions,
    put_hand,
    seat_place,
    step_to_actions,
)
from wateringhole.games.evolution.rules.answers import AttackSpecies, Declaration, Feeding, Pass, Step, StoreFat
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.evolution.text import TEXT
from wateringhole.sim.arguments import whole_number
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

__all__ = ["Candidate", "answer_to_actions", "deal_states", "known_state", "rollout", "sample_state"]

Candidate = Step | Declaration | Feeding
"""A first answer: a step of a declaration, a complete declaration, or a feeding."""

MOST_IN_A_BAG = 0xFFFF
"""Far more than a player can eat in a game."""


def sample_state(
    view: View,
    rng: random.Random,
    *,
    feeding: bool = False,
    bags: Mapping[Seat, int] | None = None,
    declined: Collection[Seat] = (),
) -> SampledState:
    """Return a state that is consistent with a view: the cards that it does not show are shuffled and dealt.

    The seats of the state are in turn order: seat 0 is the starting player.
    The owner of the view is asked for cards, or with `feeding` for its next feeding.  A view does not show
    the bags of the other players, nor who has declined to feed this turn.  Without `bags` and `declined`,
    all bags are like the owner's and no player has declined.  Players who have declared already declare
    again, because a view does not show what they declared.
    Raises UsageError for the view of a spectator, and for rules that are not simulated.
    """
    check_type("view", view, View)
    known = known_state(view, feeding, bags, declined)
    (state,) = deal_states(known, draw_seed(rng), 1)
    return SampledState(state, known.seats, known.seat)


def rollout(
    request: DeclareCards | FeedNext,
    *,
    games: int = 1000,
    seed: int = 0,
    me: str = "greedy",
    others: str | Mapping[Seat, str] = "greedy",
    candidates: Sequence[Candidate] | None = None,
    bags: Mapping[Seat, int] | None = None,
    declined: Collection[Seat] = (),
) -> list[RolloutResult[Candidate]]:
    """Play `games` continuations after each candidate, each from another sampled state, and return the means.

    The default candidates are all first steps of a declaration, or all feedings.  Compiled players play
    the continuations, `me` in the seat of the request.  The same seed gives the same results, and all
    candidates start from the same states.  Raises UsageError for a candidate that is not legal, for players
    that are not compiled, and for what `sample_state` refuses.
    """
    check_type("request", request, DeclareCards, FeedNext)
    known = known_state(request.view, isinstance(request, FeedNext), bags, declined)
    first = candidate_list(_candidates(request) if candidates is None else candidates)
    actions = [answer_to_actions(request, candidate, known.seats) for candidate in first]
    return rollout_results(GAME, known, first, actions, games=games, seed=seed, me=me, others=others)


def deal_states(known: Known, seed: int, count: int) -> npt.NDArray[np.uint32]:
    """Return rows that are consistent with what a seat knows, each with another deal of the unseen cards."""
    states = np.repeat(known.words[None], count, axis=0)
    for number, state in enumerate(states):
        entries.deal_unseen(state, known.seat, seed, number)
    return states


def known_state(view: View, feeding: bool, bags: Mapping[Seat, int] | None, declined: Collection[Seat]) -> Known:
    """Return the state of a view, without the cards that it does not show.

    Raises UsageError for the view of a spectator, and for what a row cannot hold.
    """
    if view.own is None or view.seat is None:
        raise UsageError("the view of a spectator has no hand to play from; give the view of a player.")
    seats = tuple(player.seat for player in view.players)
    counted = beliefs_by_seat("bags", bags)
    check_seats("bags", counted, seats)
    check_seats("declined", declined, seats)
    me = seats.index(view.seat)
    state = np.zeros(layout.STATE, layout.DTYPE)
    state[layout.PLAYERS] = len(seats)
    options = GAME.setup(GAME.rules(view.rules), len(seats))[1:]
    state[layout.RULES : layout.RULES + len(options)] = options
    state[layout.HOLE], state[layout.TURN], state[layout.ACTING] = view.hole, view.turn, me
    state[layout.PHASE] = layout.FEEDING if feeding else layout.CHOOSING
    feeds = sum(1 << place for place, seat in enumerate(seats) if seat not in declined or place == me)
    state[layout.FEEDS] = state[layout.AWAKE] = feeds if feeding else 0
    state[layout.END] = view.deck_size
    unseen = layout.CARDS - len(view.hand)
    fewest = FEWEST_CARDS if view.rules.game_end_counts_free_board else 1
    for place, player in enumerate(view.players):
        base = seat_place(place)
        if len(player.boards) > layout.MOST_BOARDS:
            raise UsageError(
                f"seat {player.seat} has {len(player.boards)} boards; a simulated game holds up to "
                f"{layout.MOST_BOARDS}."
            )
        state[base : base + len(player.boards)] = [board_to_word(board) for board in player.boards]
        state[base + layout.COUNT] = len(player.boards)
        state[base + layout.SHOWN] = player.hand_size
        state[base + layout.FOOD_CARD] = layout.NO_CARD
        bag = view.bag if place == me else counted.get(player.seat, view.bag)
        state[base + layout.BAG] = whole_number(f"the bag of seat {player.seat}", bag, 0, MOST_IN_A_BAG)
        unseen -= sum(len(board.traits) for board in player.boards)
        unseen -= 0 if place == me else player.hand_size
        if not feeding and player.hand_size < fewest:
            raise UsageError(
                f"seat {player.seat} has {player.hand_size} cards to choose from; in a simulated game every player has "
                f"{fewest} or more."
            )
    if unseen < view.deck_size:
        raise UsageError("there are more cards in this view than in the game.")
    put_hand(state, seat_place(me) + layout.HAND, view.hand)
    return Known(state, view.rules, seats, me)


def _candidates(request: DeclareCards | FeedNext) -> Sequence[Candidate]:
    if isinstance(request, DeclareCards):
        return request.draft().steps()
    hole = request.view.hole
    feedings: list[Candidate] = [
        StoreFat(option.board, min(option.tokens, hole)) if isinstance(option, StoreFat) else option
        for option in request.options
    ]
    return [*feedings, Pass()]


def answer_to_actions(request: DeclareCards | FeedNext, candidate: Candidate, seats: tuple[Seat, ...]) -> list[int]:
    """Return a candidate as actions of the engine.  Raises UsageError if it is not legal."""
    hand, row = request.view.hand, request.view.boards
    if isinstance(request, FeedNext):
        violation = violation_of(request, candidate)
        if violation:
            raise UsageError(f"this cannot be fed: {TEXT.violation(violation, PROGRAM)}.")
        if isinstance(candidate, AttackSpecies):
            candidate = AttackSpecies(candidate.board, Seat(seats.index(candidate.seat)), candidate.target)
        return list(feeding_to_actions(candidate, request.view.hole))  # type: ignore[arg-type]
    if isinstance(candidate, Declaration):
        violation = violation_of(request, candidate)
        steps = [] if violation else candidate.steps(len(row))
    else:
        violation = request.draft().check_step(candidate)  # type: ignore[arg-type]
        steps = [] if violation else [candidate]  # type: ignore[list-item]
    if violation:
        raise UsageError(f"this cannot be declared: {TEXT.violation(violation, PROGRAM)}.")
    actions = [action for step in steps for action in step_to_actions(step, hand, row)]
    return [*actions, layout.DONE] if isinstance(candidate, Declaration) else actions
