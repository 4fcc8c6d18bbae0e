"""Search by playing on: what comes of each first choice, on average over imagined tables.

A player sees its own cards and everybody's boards.  The other hands and the deck it can only
imagine; so every continuation is played on another table that looks the same to it.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wateringhole.errors import Misuse
from wateringhole.evolution.answers import AttackSpecies, Declaration, Feeding, Pass, Step, StoreFat
from wateringhole.evolution.requests import DeclareCards, FeedNext
from wateringhole.evolution.view import View
from wateringhole.game import Seat
from wateringhole.sim.evolution import calls, layout
from wateringhole.sim.evolution.game import GAME
from wateringhole.sim.evolution.silly import FEWEST_CARDS
from wateringhole.sim.evolution.translate import (
    State,
    board_to_word,
    feeding_to_choices,
    put_hand,
    seat_place,
    step_to_choices,
)

__all__ = ["ImaginedTable", "Prospect", "imagine_table", "roll_out"]

Candidate = Step | Declaration | Feeding
"""What a player may begin with: a small step, a whole declaration, or a feeding."""


@dataclass(frozen=True)
class ImaginedTable:
    """A whole table that looks to one seat as its view does."""

    state: State
    """As `layout` says, but in turn order: seat 0 is the starting player."""
    seats: tuple[Seat, ...]
    """Who sits in each seat of the state."""
    seat: int
    """The seat of the state whose view it is."""


@dataclass(frozen=True)
class Prospect:
    """What came of one first choice, on average."""

    candidate: Candidate
    games: int
    """Continuations that count."""
    overflowed: int
    """Continuations that met a bound of the engine and do not count."""
    wins: float
    """The share of them with the first place, also where it was shared."""
    place: float
    score: float
    scores: Mapping[Seat, float]
    """Of all, by seat."""


def imagine_table(
    view: View,
    rng: random.Random,
    *,
    feeding: bool = False,
    bags: Mapping[Seat, int] | None = None,
    declined: Collection[Seat] = (),
) -> ImaginedTable:
    """A table that the owner of a view may be sitting at: unseen cards are shuffled and dealt anew.

    The owner is asked for cards, or with `feeding` what it feeds next.  A view does not tell what
    the others have in their bags and who has declined to feed this turn; whoever has counted says
    so, otherwise all bags are like one's own and nobody has declined.  Players who have declared
    already declare anew: what they declared nobody knows.
    Raises Misuse for a view that no player has, and for rules that are not simulated.
    """
    table = _seen(view, feeding, bags or {}, declined)
    calls.deal_unseen(table.state, table.seat, rng.getrandbits(63), 0)
    return table


def roll_out(
    request: DeclareCards | FeedNext,
    *,
    games: int = 1000,
    seed: int = 0,
    me: str = "greedy",
    others: str | Mapping[Seat, str] = "greedy",
    candidates: Sequence[Candidate] | None = None,
    bags: Mapping[Seat, int] | None = None,
    declined: Collection[Seat] = (),
) -> list[Prospect]:
    """Play `games` continuations after each candidate, each on a table imagined anew, and tell the means.

    Candidates, unless they are given: all first steps of a declaration, or all feedings.  Each
    continuation is played by compiled players, `me` in one's own seat.  The same seed gives the
    same results, and all candidates meet the same tables.  Raises Misuse for a candidate that is
    not legal, for players that are not compiled, and for what `imagine_table` refuses.
    """
    view = request.view
    feeding = isinstance(request, FeedNext)
    if games < 1:
        raise Misuse(f"{games} continuations tell nothing; give a number from 1.")
    if not 0 <= seed < 1 << 63:
        raise Misuse(f"seed {seed}: a number from 0 to 2**63 - 1 is one.")
    table = _seen(view, feeding, bags or {}, declined)
    if not isinstance(others, str):
        _refuse_strangers("others", others, table.seats)
    named = {seat: others if isinstance(others, str) else others.get(seat, me) for seat in table.seats}
    policies = GAME.numbers([me if seat == view.seat else named[seat] for seat in table.seats])
    listed = list(_candidates(request) if candidates is None else candidates)
    choices = _padded([_choices(request, candidate, table.seats) for candidate in listed])
    sums = np.zeros((len(listed), 4 + layout.MOST_PLAYERS), np.int64)
    state = np.zeros(layout.STATE, layout.DTYPE)
    calls.roll_out(table.state, state, table.seat, choices, policies, seed, games, sums)
    return [_prospect(candidate, row, table) for candidate, row in zip(listed, sums.tolist(), strict=True)]


def _seen(view: View, feeding: bool, bags: Mapping[Seat, int], declined: Collection[Seat]) -> ImaginedTable:
    """The table of a view, without the cards that it does not show."""
    if view.own is None or view.seat is None:
        raise Misuse("the view of the gallery has no hand to play from; give the view of a player.")
    seats = tuple(player.seat for player in view.players)
    _refuse_strangers("bags", bags, seats)
    _refuse_strangers("declined", declined, seats)
    me = seats.index(view.seat)
    state = np.zeros(layout.STATE, layout.DTYPE)
    state[layout.PLAYERS] = len(seats)
    options = GAME.setup(view.rules, len(seats))[1:]
    state[layout.RULES : layout.RULES + len(options)] = options
    state[layout.HOLE], state[layout.TURN], state[layout.ACTING] = view.hole, view.turn, me
    state[layout.PHASE] = layout.FEEDING if feeding else layout.CHOOSING
    feeds = sum(1 << place for place, seat in enumerate(seats) if seat not in declined or place == me)
    state[layout.FEEDS] = state[layout.AWAKE] = feeds if feeding else 0
    state[layout.END] = view.deck_size
    unseen = layout.CARDS - len(view.hand)
    for place, player in enumerate(view.players):
        base = seat_place(place)
        if len(player.boards) > layout.MOST_BOARDS:
            raise Misuse(
                f"seat {player.seat} has {len(player.boards)} boards, and a row of a simulated game ends at "
                f"{layout.MOST_BOARDS}."
            )
        state[base : base + len(player.boards)] = [board_to_word(board) for board in player.boards]
        state[base + layout.COUNT] = len(player.boards)
        state[base + layout.SHOWN] = player.hand_size
        state[base + layout.BAG] = view.bag if place == me else bags.get(player.seat, view.bag)
        unseen -= sum(len(board.traits) for board in player.boards)
        unseen -= 0 if place == me else player.hand_size
        if not feeding and player.hand_size < FEWEST_CARDS:
            raise Misuse(
                f"seat {player.seat} has {player.hand_size} cards to choose from; at a simulated table everybody has "
                f"{FEWEST_CARDS} or more."
            )
    if unseen < view.deck_size:
        raise Misuse("there are more cards in this view than in the game.")
    put_hand(state, seat_place(me) + layout.HAND, view.hand)
    return ImaginedTable(state, seats, me)


def _refuse_strangers(what: str, named: Collection[Seat], seats: tuple[Seat, ...]) -> None:
    for seat in named:
        if seat not in seats:
            raise Misuse(f"{what}: nobody sits in seat {seat}; there are {', '.join(map(str, sorted(seats)))}.")


def _candidates(request: DeclareCards | FeedNext) -> Sequence[Candidate]:
    if isinstance(request, DeclareCards):
        return request.draft().steps()
    hole = request.view.hole
    feedings: list[Candidate] = [
        StoreFat(option.board, min(option.tokens, hole)) if isinstance(option, StoreFat) else option
        for option in request.options
    ]
    return [*feedings, Pass()]


def _choices(request: DeclareCards | FeedNext, candidate: Candidate, seats: tuple[Seat, ...]) -> list[int]:
    """A candidate as the engine's choices, which have to be legal."""
    hand, row = request.view.hand, request.view.boards
    if isinstance(request, FeedNext):
        violation = request.check(candidate)
        if violation:
            raise Misuse(f"this cannot be fed: {violation.message}.")
        if isinstance(candidate, AttackSpecies):
            candidate = AttackSpecies(candidate.board, Seat(seats.index(candidate.seat)), candidate.target)
        return list(feeding_to_choices(candidate, request.view.hole))  # type: ignore[arg-type]
    if isinstance(candidate, Declaration):
        violation = request.check(candidate)
        steps = [] if violation else candidate.steps(len(row))
    else:
        violation = request.draft().problem(candidate)  # type: ignore[arg-type]
        steps = [] if violation else [candidate]  # type: ignore[list-item]
    if violation:
        raise Misuse(f"this cannot be declared: {violation.message}.")
    choices = [choice for step in steps for choice in step_to_choices(step, hand, row)]
    return [*choices, layout.DONE] if isinstance(candidate, Declaration) else choices


def _padded(rows: Sequence[Sequence[int]]) -> npt.NDArray[np.int32]:
    """All in one array, each followed by a negative number."""
    padded = np.full((len(rows), 1 + max(map(len, rows), default=0)), -1, np.int32)
    for number, row in enumerate(rows):
        padded[number, : len(row)] = row
    return padded


def _prospect(candidate: Candidate, sums: Sequence[int], table: ImaginedTable) -> Prospect:
    games, overflowed, wins, places, *scores = sums
    counted = games or 1
    means = {seat: score / counted for seat, score in zip(table.seats, scores, strict=False)}
    return Prospect(
        candidate,
        games,
        overflowed,
        wins / counted,
        places / counted,
        means[table.seats[table.seat]],
        means,
    )
