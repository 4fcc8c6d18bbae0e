"""The core: a game of Porrinha as a state machine.

::

    RoundStarted ──► hands, asked of all at once ──► guesses, in turn ──► RoundSettled
         ▲                                                                     │
         └────────────────────────── EndRound to the players ◄─────────────────┘

A seat is in while it owns sticks.  A player without sticks has left and is safe; the sticks of
a removed player are taken off the table.  Every call on a player that needs no answer is a
notice among the events, in the order of the rulebook, with the view of that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Self

import msgspec

from wateringhole.game import Answer, Emit, Event, Forfeit, Seat, Standing, ThrownOut, emitted_types, seats_of
from wateringhole.games.porrinha.rules.events import (
    EVENT_TYPES,
    AnswerRepaired,
    BeginGame,
    EndGame,
    EndRound,
    GameEnded,
    GuessSaid,
    HandsHidden,
    PlayerForfeited,
    PorrinhaOutcome,
    RoundSettled,
    RoundStarted,
)
from wateringhole.games.porrinha.rules.options import starting_sticks
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.setup import Setup, setup_problem
from wateringhole.games.porrinha.rules.view import (
    INVALID_GUESS,
    NO_HAND,
    NO_SEAT,
    NOT_PLAYING,
    PENDING_GUESS,
    SeriesPlayer,
    View,
)

__all__ = ["Core", "next_setup"]


class Core:
    """A game of Porrinha in progress.

    Hands are asked of all players at once, guesses in turn.  `requests` lists seats in the
    order of the rulebook, for drivers that ask one after the other.
    """

    __slots__ = (
        "_absent",
        "_active",
        "_chopsticks",
        "_emits",
        "_failed",
        "_guesses",
        "_hands",
        "_last_winner",
        "_lead",
        "_left",
        "_live",
        "_lowest_hand",
        "_number",
        "_opened",
        "_order",
        "_repair",
        "_repaired_hands",
        "_seats",
        "_settled",
        "_sum",
        "_table",
        "_thrown_out",
        "_turn",
        "_view",
        "opening",
        "outcome",
        "requests",
        "setup",
    )

    setup: Setup
    opening: Sequence[Event]
    requests: Mapping[Seat, HideSticks | GuessTotal]
    outcome: PorrinhaOutcome | None
    upcoming: ClassVar[Sequence[HideSticks | GuessTotal]] = ()
    """No requests: all players hide at once, and a guess depends on the guesses before it."""

    def __init__(self, setup: Setup, *, emit: Emit = True) -> None:
        """Open a game.  Raises ValueError for a setup that cannot be played."""
        problem = setup_problem(setup)
        if problem is not None:
            raise ValueError(problem)
        players, rules = setup.players, setup.rules
        self.setup = setup
        self.requests = {}
        self.outcome = None
        self._emits = emitted_types(emit, EVENT_TYPES)
        """The types of the events that this game emits."""
        self._repair = rules.on_failure == "repair"
        self._live = rules.last_winner == "live"
        self._seats = seats_of(players)
        self._chopsticks = starting_sticks(rules, players)
        self._table = sum(self._chopsticks)
        self._active = players
        self._lead = self._seats[0]
        self._number = 0
        self._lowest_hand = 1 if rules.opening_zero == "forbidden" else 0
        self._order: tuple[Seat, ...] = self._seats
        """The players of the round, clockwise from the lead."""
        self._turn = NO_TURN
        """The index in the order of the player whose guess is awaited."""
        self._hands: tuple[int, ...] = (NO_HAND,) * players
        """The hands of this round, hidden until it is settled."""
        self._sum = 0
        self._guesses = [PENDING_GUESS] * players
        self._absent: tuple[int, ...] = (NO_HAND,) * players
        """The hands that the next settling shows for seats that sit out, if hands go stale."""
        self._opened = self._hands
        """The hands as players see them."""
        self._last_winner: int = NO_SEAT
        self._repaired_hands: list[AnswerRepaired] = []
        """Repairs of bad hands, kept back until the hands are open."""
        self._failed: dict[Seat, Forfeit] = {}
        """Players who failed in this round and leave when it is settled, in the order of their calls."""
        self._left: list[Seat] = []
        self._thrown_out: list[ThrownOut] = []

        if rules.opening_guesses == "stale":
            self._guesses = list(setup.stale_guesses or (0,) * players)
        self._view = self._settled = self._look()
        """The views when hands were last chosen, and when the last round was settled."""
        events: list[Event] = []
        if BeginGame in self._emits:
            guests = setup.seated()
            events += [BeginGame(seat, self._view, guests, rules) for seat in self._seats]
        self._start_round(events)
        self.opening = tuple(events)

    def view(self, seat: Seat | None) -> View:
        """Return the view of a seat, with its own hand once that is hidden, or of a spectator (None)."""
        if self._turn == NO_TURN:
            return self._view
        return self._look(NO_HAND if seat is None else self._hands[seat])

    def advance(self, answers: Mapping[Seat, Answer | Forfeit]) -> Sequence[Event]:
        """Take the hands of all players, or one guess, or the failures of any seats.

        A seat that fails when asked plays the round to its end with an empty hand and a void
        guess, and is removed at settling.  A seat that fails between rounds is removed at once,
        and the round restarts without it.  Players who are out are safe, whatever they do.
        """
        events: list[Event] = []
        if self._turn != NO_TURN and len(answers) == 1 and (guesser := self._order[self._turn]) in answers:
            self._take_guess(guesser, answers[guesser], events)
        elif self._turn == NO_TURN and answers and answers.keys() == self.requests.keys():
            self._take_hands(answers, events)
        else:
            self._take_failures(answers, events)
        return events if self._emits else ()

    def copy(self, *, emit: bool = True) -> Self:
        new = object.__new__(type(self))
        for name in self.__slots__:
            setattr(new, name, getattr(self, name))
        new._guesses = self._guesses.copy()
        new._repaired_hands = self._repaired_hands.copy()
        new._failed = self._failed.copy()
        new._left = self._left.copy()
        new._thrown_out = self._thrown_out.copy()
        new._emits = self._emits if emit else frozenset()
        return new

    # ── the three phases ──────────────────────────────────────────────────────────────────

    def _start_round(self, events: list[Event]) -> None:
        self._number += 1
        if self._number > 1:
            self._lowest_hand = 0
        sticks = self._chopsticks
        self._order = self._clockwise(self._lead)
        self._guesses = [PENDING_GUESS] * len(sticks)
        if 0 in sticks:
            self._order = tuple([seat for seat in self._order if sticks[seat]])
            self._guesses = [PENDING_GUESS if own else NOT_PLAYING for own in sticks]
        self._turn = NO_TURN
        view = self._view = self._look()
        self.requests = {seat: HideSticks(seat, view) for seat in self._order}
        if RoundStarted in self._emits:
            events.append(RoundStarted(self._number, self._lead, self._table, sticks, view.lowest_hand))

    def _take_hands(self, answers: Mapping[Seat, Answer | Forfeit], events: list[Event]) -> None:
        requests = self.requests
        hands = [NO_HAND] * len(self._seats)
        repaired: list[AnswerRepaired] = []
        failed: dict[Seat, Forfeit] = {}
        total = 0
        for seat in self._order:
            answer = answers[seat]
            if type(answer) is Forfeit:
                failed[seat] = answer
                hand = self._lowest_hand if self._repair else 0
            else:
                hand, fault = requests[seat].resolve(answer)
                if fault is not None:
                    repaired.append(AnswerRepaired(seat, fault, answer, hand))
            hands[seat] = hand
            total += hand
        self._hands = tuple(hands)
        self._repaired_hands = repaired
        self._failed = failed
        self._sum = total
        if self._live:
            self._last_winner = NO_SEAT
            if HandsHidden in self._emits:
                events.append(HandsHidden())
        self._turn = 0
        self._ask_for_guess(events)

    def _ask_for_guess(self, events: list[Event]) -> None:
        """Ask the next guesser; a player that failed is skipped with a void guess."""
        order = self._order
        while self._turn < len(order):
            seat = order[self._turn]
            if not self._failed or self._repair or seat not in self._failed:
                self.requests = {seat: GuessTotal(seat, self._look(self._hands[seat]))}
                return
            self._say(seat, INVALID_GUESS, events)
        self._settle(events)

    def _take_guess(self, seat: Seat, answer: Answer | Forfeit, events: list[Event]) -> None:
        if type(answer) is Forfeit:
            self._fail(seat, answer, events)
            self._say(seat, INVALID_GUESS, events)
        else:
            request = self.requests[seat]
            guess, fault = request.resolve(answer)
            if fault is not None:
                assert type(request) is GuessTotal
                again = request.is_refused(fault, self.setup.rules)
                if AnswerRepaired in self._emits:
                    events.append(AnswerRepaired(seat, fault, answer, None if again else guess))
                if again:
                    self.requests = {seat: GuessTotal(seat, request.view, request.refused + 1)}
                    return
            self._say(seat, guess, events)
        self._ask_for_guess(events)

    def _say(self, seat: Seat, guess: int, events: list[Event]) -> None:
        self._guesses[seat] = guess
        self._turn += 1
        if self._live and guess == self._sum:
            self._last_winner = seat
        if GuessSaid in self._emits:
            events.append(GuessSaid(seat, guess, self._live and guess == self._sum))

    def _settle(self, events: list[Event]) -> None:
        rules, lead = self.setup.rules, self._lead
        winner, left = None, False
        if self._sum in self._guesses:
            # Guesses are unique and sentinels negative, so no other guess equals the sum.
            winner = self._seats[self._guesses.index(self._sum)]
            left = self._chopsticks[winner] == 1 and (self._repair or winner not in self._failed)
            self._own({winner: self._chopsticks[winner] - 1})
            if left:
                self._left.append(winner)
        if self._repaired_hands and AnswerRepaired in self._emits:
            events += self._repaired_hands
        if self._failed:
            self._remove_failed(events)
        self._last_winner = NO_SEAT if winner is None else winner
        if rules.absent_hand == "none":
            self._opened = self._hands
        else:
            self._open_stale_hands()
        self._view = self._settled = self._look()
        # The search from the old lead starts at its neighbour, the one from the winner at the winner.
        self._lead = self._first_in(lead + 1 if winner is None or rules.lead_after_win == "rotate" else winner)
        if RoundSettled in self._emits:
            self._report_settling(lead, left, events)
        if EndRound in self._emits:
            self._call_end_round(lead if rules.end_round_from == "this" else self._lead, events)

        won = left and rules.finish == "first_out_wins"
        if won or self._active <= 1:
            self._finish("finished", won=won, events=events)
        elif rules.max_rounds is not None and self._number >= rules.max_rounds:
            self._finish("max_rounds", won=False, events=events)
        else:
            self._start_round(events)

    def _remove_failed(self, events: list[Event]) -> None:
        """Remove the players that failed in this round, unless the rules repair failures."""
        for seat, forfeit in self._failed.items():
            if not self._repair:
                self._thrown_out.append(ThrownOut(seat, forfeit))
            if PlayerForfeited in self._emits:
                events.append(PlayerForfeited(seat, forfeit, removed=not self._repair))
        if not self._repair:
            self._own(dict.fromkeys(self._failed, 0))
        self._failed = {}

    def _report_settling(self, lead: Seat, left: bool, events: list[Event]) -> None:
        hands = self._hands
        events.append(
            RoundSettled(
                self._number,
                lead,
                self._sum,
                self._last_winner,
                left,
                hands,
                self._view.guess,
                self._chopsticks,
                self._table,
                self._active,
                self._lead,
                () if self._opened == hands else self._opened,
            )
        )

    def _call_end_round(self, first: Seat, events: list[Event]) -> None:
        called = self._not_removed(self._clockwise(first))
        if self.setup.rules.end_round_to == "played":
            called = [seat for seat in called if self._hands[seat] != NO_HAND]
        events += [EndRound(seat, self._view) for seat in called]

    def _open_stale_hands(self) -> None:
        """Show the hands of the round as the original does, which has two buffers of hands.

        Each round writes the hands of its players into the buffer that was not shown last, and shows it.
        """
        shown = [old if hand == NO_HAND else hand for hand, old in zip(self._hands, self._absent, strict=True)]
        self._absent, self._opened = self._opened, tuple(shown)

    def _finish(self, reason: str, *, won: bool, events: list[Event]) -> None:
        """End the game.  `won` means that it stopped because a player was out first."""
        rounds = self._settled.round
        still_in = [seat for seat in self._seats if self._chopsticks[seat]]
        removed = [thrown.seat for thrown in reversed(self._thrown_out)]
        decided = reason == "finished" and not won
        best = [*self._left, *still_in] if decided else self._left
        # Places are counted from the top for those who left and from the bottom for those who were
        # removed, so that players who are still in keep the places between, without being ranked.
        ranking = tuple(Standing(seat, place) for place, seat in enumerate(best, 1)) + tuple(
            Standing(seat, place) for place, seat in enumerate(removed, len(self._seats) - len(removed) + 1)
        )
        self.outcome = PorrinhaOutcome(
            reason,
            ranking,
            tuple(self._thrown_out),
            unranked=() if decided else tuple(still_in),
            loser=ranking[-1].seat if decided else None,
            rounds=rounds,
        )
        self.requests = {}
        self._turn = NO_TURN
        self._view = self._settled
        if EndGame in self._emits:
            rules = self.setup.rules
            events += [EndGame(seat, self._view, rules.closing_call) for seat in self._not_removed(self._seats)]
        if GameEnded in self._emits:
            is_stale = self.setup.rules.opening_guesses == "stale" and not rounds
            events.append(GameEnded(self.outcome, self._chopsticks, self._view.guess if is_stale else ()))

    # ── failures ──────────────────────────────────────────────────────────────────────────

    def _take_failures(self, answers: Mapping[Seat, Answer | Forfeit], events: list[Event]) -> None:
        """Take the failures of any seats, whether asked or not."""
        if self.outcome is not None:
            raise ValueError("the game is over: no seat is asked, and no seat can forfeit any more")
        between_rounds = self._turn == NO_TURN
        first_called = self._lead
        if between_rounds and self.setup.rules.end_round_from == "this":
            first_called = self._settled.lead
        failures = [(seat, answers[seat]) for seat in self._clockwise(first_called) if seat in answers]
        if not failures or len(failures) < len(answers) or not all(isinstance(each, Forfeit) for _, each in failures):
            raise ValueError(
                f"the seats asked are {', '.join(map(str, self.requests))}: "
                "answer for each of them and no other, or hand in forfeits alone"
            )
        if between_rounds:
            self._remove_between_rounds(failures, events)
            return
        asked = self._order[self._turn]
        for seat, forfeit in failures:
            if seat != asked:
                self._fail(seat, forfeit, events)
        if asked in answers:
            self._take_guess(asked, answers[asked], events)

    def _fail(self, seat: Seat, forfeit: Forfeit, events: list[Event]) -> None:
        """Keep a failure within a round, which takes effect at settling."""
        if seat in self._order:
            self._failed.setdefault(seat, forfeit)
        elif PlayerForfeited in self._emits:
            events.append(PlayerForfeited(seat, forfeit, removed=False))

    def _remove_between_rounds(self, failures: Iterable[tuple[Seat, Forfeit]], events: list[Event]) -> None:
        none_left: dict[Seat, int] = {}
        for seat, forfeit in failures:
            removed = not self._repair and self._chopsticks[seat] > 0
            if removed:
                none_left[seat] = 0
                self._thrown_out.append(ThrownOut(seat, forfeit))
            if PlayerForfeited in self._emits:
                events.append(PlayerForfeited(seat, forfeit, removed))
        if not none_left:
            return
        self._own(none_left)
        self._settled = msgspec.structs.replace(
            self._settled,
            chopsticks=self._chopsticks,
            chopstick_count=self._table,
            active_player_count=self._active,
        )
        if self._active <= 1:
            self._finish("finished", won=False, events=events)
            return
        self._lead = self._first_in(self._lead)
        self._number -= 1
        self._start_round(events)

    # ── small helpers ──────────────────────────────────────────────────────────────────────

    def _own(self, changed: Mapping[Seat, int]) -> None:
        """Set the sticks that some seats own."""
        sticks = list(self._chopsticks)
        for seat, number in changed.items():
            sticks[seat] = number
        self._chopsticks = tuple(sticks)
        self._table = sum(sticks)
        self._active = len(sticks) - sticks.count(0)

    def _look(self, own_hand: int = NO_HAND) -> View:
        return View(
            len(self._seats),
            self._active,
            self._table,
            self._chopsticks,
            tuple(self._guesses),
            self._opened,
            self._last_winner,
            self._lead,
            self._number,
            self._lowest_hand,
            own_hand,
        )

    def _first_in(self, start: int) -> Seat:
        """Return the first seat that is in, clockwise from `start`, or `start` itself if no seat is in."""
        first = self._seats[start % len(self._seats)]
        if self._chopsticks[first]:
            return first
        return next((seat for seat in self._clockwise(start) if self._chopsticks[seat]), first)

    def _clockwise(self, start: int) -> tuple[Seat, ...]:
        """Return all seats from `start` on; `start` may be one past the last."""
        seats = self._seats
        return seats[start:] + seats[:start] if start else seats

    def _not_removed(self, seats: Sequence[Seat]) -> Sequence[Seat]:
        """Return the seats without those removed, which get no more calls in this game."""
        if not self._thrown_out:
            return seats
        removed = {thrown.seat for thrown in self._thrown_out}
        return [seat for seat in seats if seat not in removed]


def next_setup(setup: Setup, guests: Sequence[tuple[int, str]], previous: Core | None) -> Setup:
    """Return a setup for the next game of a series.

    `guests` are a number and a name for each seat; the same number means the same player in
    all games.  `previous` is the previous game, whose last guesses `opening_guesses: stale` shows.
    """
    return msgspec.structs.replace(
        setup,
        guests=tuple(SeriesPlayer(number, name) for number, name in guests),
        stale_guesses=() if previous is None else previous.view(None).guess,
    )


NO_TURN = -1
"""Hands are being chosen, or the game is over: no guess is awaited."""
