"""The compiled game of Evolution: it deals, stops at every decision, applies an action and continues.

Every function works on one row of `layout.STATE` words, on the CPU and on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from wateringhole.games.evolution.compiled.layout import (
    ACTING,
    ACTIONS,
    ATTACK,
    AWAKE,
    BAG,
    CARD,
    CARDS,
    CHEATS,
    CHOOSING,
    COUNT,
    DECISIONS,
    DECLARED,
    DECLINE,
    DONE,
    EAT,
    END,
    FALSE_REPLY,
    FEED,
    FEEDING,
    FEEDS,
    FIRST,
    FOOD_CARD,
    FOOD_DEBTS,
    FRONT,
    GIVE_FOOD,
    HALF,
    HOLE,
    KEPT,
    LATE_FIRST,
    MOST_BOARDS,
    NO_CARD,
    NOTHING,
    OBSERVATION,
    ON_BOARD,
    OVER,
    OVERFLOWED,
    PENDING,
    PER_BOARD,
    PER_SEEN_BOARD,
    PHASE,
    PLAN,
    PLANNED,
    PLAYERS,
    RESTART,
    SCORE,
    SEEN_HAND,
    SEEN_PLAN,
    SEEN_SEAT,
    SEEN_SEATS,
    SHOWN,
    STEP,
    STORE,
    TARGET,
    TRAIT_BITS,
    TURN,
    TWIN_BITS,
)
from wateringhole.games.evolution.compiled.rules.boards import (
    board_at,
    body,
    fat,
    food,
    population,
    seat_after,
    seat_base,
)
from wateringhole.games.evolution.compiled.rules.cards import (
    hand_of,
    holds,
    lowest,
    size,
    trait_bit_of,
    traits_of,
    without_lowest,
)
from wateringhole.games.evolution.compiled.rules.dealing import clear_state, end_turn, shuffle, start_turn
from wateringhole.games.evolution.compiled.rules.declaring import (
    begin_draft,
    forbidden_traits,
    is_finished,
    restart_draft,
    take_step,
)
from wateringhole.games.evolution.compiled.rules.feeding import (
    appetites,
    carry_out,
    count_attacks,
    feed_unasked,
    most_storable,
    prey_of,
    storing,
)
from wateringhole.games.evolution.compiled.rules.state import react_to_food, reveal_plan
from wateringhole.sim.kernel import force_inline, get, ir_inline, jit, put, trailing_zeros

__all__ = [
    "acting_seat",
    "advance",
    "answer",
    "apply",
    "deal",
    "decision_type",
    "decisions",
    "declare",
    "first_completion",
    "hand_size",
    "has_begun",
    "legal",
    "length",
    "make_advance",
    "observe",
    "open_game",
    "overflowed",
    "place",
    "planned_board",
    "ranking_line",
    "score",
    "show_table",
    "start_over",
    "take",
    "winning",
]

_DEEP_DEBT: Final = -1000
"""Less than the sum of all food cards."""
_UNLIMITED: Final = 2**31 - 1
"""More than any number of an observation."""

# ── running to the next decision ──────────────────────────────────────────────────────────


@ir_inline
def _reveal(state: Any) -> None:
    """Play step 4 of a turn up to the feeding rounds."""
    players = get(state, PLAYERS)
    seat = get(state, FIRST)
    hole = get(state, HOLE)
    least = _DEEP_DEBT if get(state, FOOD_DEBTS) else 0
    for _ in range(players):
        hole = max(least, hole + reveal_plan(state, seat_base(seat)))
        seat = seat_after(seat, players)
    put(state, HOLE, max(0, hole))
    react_to_food(state)
    put(state, PHASE, FEEDING)
    put(state, ACTING, seat)
    put(state, FEEDS, (1 << players) - 1)
    put(state, AWAKE, (1 << players) - 1)


def make_advance(declares: Callable[..., Any], feeds: Callable[..., Any]) -> Callable[..., Any]:
    """Return `advance(state, unasked)`, which runs to the next decision, or to the end.

    `unasked` is a set of seats that decide at once.  For such a seat, `declares(state, base)` writes its
    complete declaration to its plan, and `feeds(state, seat)` carries out its next feeding.
    """

    @ir_inline
    def ask_next_to_choose(state: Any, unasked: Any) -> Any:
        """Start the draft of the next player that must choose cards.  Return whether there is one."""
        players = get(state, PLAYERS)
        seat = get(state, ACTING)
        for _ in range(get(state, DECLARED), players):
            if not unasked >> seat & 1:
                put(state, ACTING, seat)
                begin_draft(state, seat)
                return True
            declares(state, seat_base(seat))
            put(state, DECLARED, get(state, DECLARED) + 1)
            seat = seat_after(seat, players)
        return False

    @ir_inline
    def feed_until_asked(state: Any, unasked: Any) -> Any:
        """Return whether a player must be asked.  Otherwise the feeding rounds are over."""
        players = get(state, PLAYERS)
        seat = get(state, ACTING)
        while get(state, HOLE) > 0 and get(state, AWAKE):
            if get(state, AWAKE) >> seat & 1:
                if unasked >> seat & 1:
                    feeds(state, seat)
                elif feed_unasked(state, seat):
                    put(state, ACTING, seat)
                    return True
            seat = seat_after(seat, players)
        return False

    @jit
    def advance(state: Any, unasked: Any) -> None:
        while get(state, PHASE) != OVER:
            if get(state, PHASE) == CHOOSING:
                # A player that buys too many boards ends the game.
                if ask_next_to_choose(state, unasked) or get(state, PHASE) == OVER:
                    return
                _reveal(state)
            if feed_until_asked(state, unasked):
                return
            end_turn(state)
            start_turn(state)

    return advance


@force_inline
def _nothing(state: Any, seat: Any) -> None:
    pass


_advance_asking_everyone: Final = make_advance(_nothing, _nothing)


@force_inline
def advance(state: Any) -> None:
    """Advance to the next decision, or to the end; every seat is asked."""
    _advance_asking_everyone(state, 0)


# ── a game, step by step ──────────────────────────────────────────────────────────────────


@ir_inline
def open_game(state: Any, setup: Any, first: Any) -> None:
    """Start the first turn with the deck in the state; `advance` then runs to the first decision."""
    clear_state(state, setup, first)
    start_turn(state)


@ir_inline
def deal(state: Any, setup: Any, seed: Any, game: Any) -> None:
    """Shuffle the deck of one game of a seed, and run to the first decision."""
    shuffle(state, seed, game)
    open_game(state, setup, 0)
    advance(state)


@force_inline
def acting_seat(state: Any) -> Any:
    """Return the seat that decides, or -1 if the game is over."""
    return -1 if get(state, PHASE) == OVER else get(state, ACTING)


@force_inline
def decision_type(state: Any) -> Any:
    """Return the type of the decision: `STEP`, `CARD`, `FEED` or `TARGET`, or `NOTHING` if the game is over."""
    phase = get(state, PHASE)
    if phase == OVER:
        return NOTHING
    halfway = get(state, PENDING) != 0
    if phase == CHOOSING:
        return CARD if halfway else STEP
    return TARGET if halfway else FEED


@ir_inline
def apply(state: Any, action: Any) -> None:
    """Apply a legal action, and advance to the next decision or the end."""
    if take(state, action):
        advance(state)


@jit
def take(state: Any, action: Any) -> Any:
    """Apply a legal action.  Return whether it completes an answer."""
    seat = get(state, ACTING)
    pending = get(state, PENDING)
    put(state, PENDING, 0)
    if get(state, PHASE) == CHOOSING:
        if action == DONE and not pending:
            declare(state, seat)
            return True
        if pending:
            take_step(state, seat_base(seat), pending, action)
        elif action == RESTART:
            start_over(state, seat)
        else:
            put(state, PENDING, action)
        return False
    if ATTACK <= action < STORE and not pending:
        put(state, PENDING, action)
        return False
    answer(state, seat, pending | action << HALF if pending else action)
    return True


@force_inline
def declare(state: Any, seat: Any) -> None:
    """Declare the draft of a seat."""
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    put(state, DECLARED, get(state, DECLARED) + 1)
    put(state, ACTING, seat_after(seat, get(state, PLAYERS)))


@force_inline
def start_over(state: Any, seat: Any) -> None:
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    restart_draft(state, seat)


@force_inline
def answer(state: Any, seat: Any, feeding: Any) -> None:
    """Carry out a feeding of the seat that was asked, with the target of an attack above the first half."""
    put(state, DECISIONS, get(state, DECISIONS) + 1)
    carry_out(state, seat, feeding)
    put(state, ACTING, seat_after(seat, get(state, PLAYERS)))


# ── legal actions ─────────────────────────────────────────────────────────────────────────


@jit
def legal(state: Any, mask: Any) -> None:
    """Mark the legal actions with 1 and all others with 0; there is none if the game is over."""
    for action in range(ACTIONS):
        put(mask, action, 0)
    what = decision_type(state)
    seat = get(state, ACTING)
    if what == STEP:
        _legal_steps(state, seat_base(seat), mask)
    elif what == CARD:
        _legal_cards(state, seat_base(seat), mask)
    elif what == FEED:
        _legal_feedings(state, seat, mask)
    elif what == TARGET:
        _legal_targets(state, seat, get(state, PENDING) - ATTACK, mask)


@jit
def _legal_steps(state: Any, base: Any, mask: Any) -> None:
    low, high = hand_of(state, base)
    held = traits_of(low, high)
    for step in range(GIVE_FOOD, ON_BOARD + PER_BOARD * get(state, base + PLANNED)):
        if held & ~forbidden_traits(state, base, step):
            put(mask, step, 1)
    if is_finished(state, base):
        put(mask, DONE, 1)
    elif not held:
        put(mask, RESTART, 1)


@jit
def _legal_cards(state: Any, base: Any, mask: Any) -> None:
    low, high = hand_of(state, base)
    forbidden = forbidden_traits(state, base, get(state, PENDING))
    for card in range(CARDS):
        if holds(low, high, card) and not trait_bit_of(card) & forbidden:
            put(mask, card, 1)


@jit
def _legal_feedings(state: Any, seat: Any, mask: Any) -> None:
    base = seat_base(seat)
    eaters, stores, hunters = appetites(state, base)
    put(mask, DECLINE, get(state, FALSE_REPLY) != CHEATS)
    for index in range(get(state, base + COUNT)):
        if eaters >> index & 1:
            put(mask, EAT + index, 1)
        if stores >> index & 1:
            for tokens in range(1, most_storable(state, base, index) + 1):
                put(mask, storing(index, tokens), 1)
        if hunters >> index & 1 and count_attacks(state, seat, 1 << index, 1):
            put(mask, ATTACK + index, 1)


@jit
def _legal_targets(state: Any, seat: Any, hunter: Any, mask: Any) -> None:
    attacker = board_at(state, seat_base(seat), hunter)
    for other in range(get(state, PLAYERS)):
        if other != seat:
            prey = prey_of(state, attacker, seat_base(other))
            while prey:
                put(mask, other * MOST_BOARDS + trailing_zeros(prey), 1)
                prey &= prey - 1


@jit
def first_completion(state: Any) -> Any:
    """Return the first legal card, or target, for the first half of an answer."""
    seat = get(state, ACTING)
    base = seat_base(seat)
    begun = get(state, PENDING)
    if get(state, PHASE) == CHOOSING:
        low, high = hand_of(state, base)
        forbidden = forbidden_traits(state, base, begun)
        while trait_bit_of(lowest(low, high)) & forbidden:
            low, high = without_lowest(low, high)
        return lowest(low, high)
    attacker = board_at(state, base, begun - ATTACK)
    other = seat_after(seat, get(state, PLAYERS))
    while not prey_of(state, attacker, seat_base(other)):
        other = seat_after(other, get(state, PLAYERS))
    return other * MOST_BOARDS + trailing_zeros(prey_of(state, attacker, seat_base(other)))


# ── observations ──────────────────────────────────────────────────────────────────────────


@jit
def observe(state: Any, seat: Any, out: Any) -> None:
    """Write the observation of a seat, `layout.OBSERVATION` numbers."""
    for place in range(OBSERVATION):
        put(out, place, 0)
    show_table(state, seat, out, _UNLIMITED)
    players = get(state, PLAYERS)
    base = seat_base(seat)
    low, high = hand_of(state, base)
    for card in range(CARDS):
        put(out, SEEN_HAND + card, holds(low, high, card))
    if has_begun(state, seat):
        for index in range(get(state, base + PLANNED)):
            _show_board(planned_board(state, base, index), out, SEEN_PLAN + PER_SEEN_BOARD * index)
    for number in range(players):
        _show_seat(state, (seat + number) % players, out, SEEN_SEATS + SEEN_SEAT * number)


@force_inline
def show_table(state: Any, seat: Any, out: Any, most: Any) -> None:
    """Write the first numbers of every observation: those of the table.  Those that may grow are cut to `most`."""
    players = get(state, PLAYERS)
    base = seat_base(seat)
    mine = get(state, ACTING) == seat
    choosing = get(state, PHASE) == CHOOSING
    # The first half of another player's answer is hidden.
    put(out, 0, decision_type(state) if mine or get(state, PHASE) == OVER else (STEP if choosing else FEED))
    put(out, 1, (get(state, ACTING) - seat + players) % players)
    put(out, 2, get(state, PENDING) if mine else 0)
    put(out, 3, players)
    put(out, 4, min(most, get(state, TURN)))
    put(out, 5, min(most, get(state, HOLE)))
    put(out, 6, get(state, END) - get(state, FRONT))
    put(out, 7, (get(state, FIRST) - seat + players) % players)
    put(out, 8, min(most, get(state, base + BAG)))
    put(out, 9, get(state, base + FOOD_CARD) if has_begun(state, seat) else NO_CARD)


@force_inline
def has_begun(state: Any, seat: Any) -> Any:
    """Return whether a seat has a plan, finished or not, that has not been revealed yet."""
    ago = get(state, ACTING) - seat
    ago = ago + get(state, PLAYERS) if ago < 0 else ago
    return get(state, PHASE) == CHOOSING and ago <= get(state, DECLARED)


@force_inline
def _turn_of(state: Any, seat: Any) -> Any:
    """Return the position of a seat in the turn order, from 0."""
    turn = seat - get(state, FIRST)
    return turn + get(state, PLAYERS) if turn < 0 else turn


@force_inline
def planned_board(state: Any, base: Any, index: Any) -> Any:
    return board_at(state, base + PLAN if index >= get(state, base + KEPT) else base, index)


@force_inline
def hand_size(state: Any, seat: Any) -> Any:
    """Return how many cards the others see in the hand of a seat."""
    base = seat_base(seat)
    low, high = hand_of(state, base)
    return get(state, base + SHOWN) if get(state, PHASE) == CHOOSING else size(low, high)


@force_inline
def _show_seat(state: Any, seat: Any, out: Any, place: Any) -> None:
    base = seat_base(seat)
    count = get(state, base + COUNT)
    put(out, place, count)
    put(out, place + 1, hand_size(state, seat))
    put(out, place + 2, get(state, FEEDS) >> seat & 1 if get(state, PHASE) == FEEDING else 0)
    for index in range(count):
        _show_board(board_at(state, base, index), out, place + 3 + PER_SEEN_BOARD * index)


@force_inline
def _show_board(board: Any, out: Any, place: Any) -> None:
    put(out, place, population(board))
    put(out, place + 1, food(board))
    put(out, place + 2, body(board))
    put(out, place + 3, fat(board))
    put(out, place + 4, board & (TRAIT_BITS | TWIN_BITS))


# ── results ───────────────────────────────────────────────────────────────────────────────


@force_inline
def score(state: Any, seat: Any) -> Any:
    return get(state, seat_base(seat) + SCORE)


@force_inline
def place(state: Any, seat: Any) -> Any:
    """Return the place of a seat, from 1; players with equal scores share a place."""
    better = 0
    for other in range(get(state, PLAYERS)):
        better += int(score(state, other) > score(state, seat))
    return 1 + better


@force_inline
def ranking_line(state: Any, seat: Any) -> Any:
    """Return the line of a seat in the final ranking, from 0, with equal scores in turn order or against it."""
    players = get(state, PLAYERS)
    its_turn = _turn_of(state, seat)
    line = 0
    for other in range(players):
        turn = _turn_of(state, other)
        earlier = turn > its_turn if get(state, LATE_FIRST) else turn < its_turn
        theirs, its = score(state, other), score(state, seat)
        line += int(theirs > its or (theirs == its and earlier))
    return line


@force_inline
def length(state: Any) -> Any:
    return get(state, TURN)


@force_inline
def decisions(state: Any) -> Any:
    return get(state, DECISIONS)


@force_inline
def overflowed(state: Any) -> Any:
    return get(state, OVERFLOWED)


@force_inline
def winning(state: Any) -> Any:
    """Return the traits on the boards of the player listed first, as bits."""
    players = get(state, PLAYERS)
    seat = winner = get(state, FIRST)
    for _ in range(players):
        lead = score(state, seat) - score(state, winner)
        if lead > 0 or (lead == 0 and get(state, LATE_FIRST)):
            winner = seat
        seat = seat_after(seat, players)
    base = seat_base(winner)
    traits = 0
    for index in range(get(state, base + COUNT)):
        traits |= board_at(state, base, index)
    return traits & TRAIT_BITS
