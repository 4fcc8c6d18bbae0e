"""One game with its referee: which calls to make on players now, and what follows from the answers.

A match does no input or output and calls no player.  A loop makes its calls and reports the
results; `match.loops` has a blocking loop and an asyncio one, both short, because every
decision is made here::

    while match.pending_calls:
        for call in match.pending_calls:
            match.report(call, *carry_out(call))
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from typing import Any, Literal

import msgspec

from wateringhole import fallbacks
from wateringhole.game import (
    Answer,
    AnyKind,
    Event,
    Forfeit,
    Game,
    Notice,
    Outcome,
    ReportedViolation,
    Request,
    Seat,
    Selection,
    Violation,
    seats_of,
)
from wateringhole.match.commitments import Commitment
from wateringhole.match.record import Recorder
from wateringhole.player import SeatAssignment, forfeit_for

__all__ = ["UNTIMED", "LateFailure", "Match", "Observer", "PlayerCall", "RefereeSettings"]

Observer = Callable[[Event], None]
"""Gets the events of a game, hidden information included, and decides what to show.

An observer may have an attribute `event_types`, a set of types of events, if it needs no others.
"""


class RefereeSettings(msgspec.Struct, frozen=True):
    """Time limits, in seconds, and second chances."""

    time_limit: float | None = None
    """Longest time for one answer of a bot, program or remote player, or None for no limit."""
    human_time_limit: float | None = None
    """The same for humans."""
    time_bank: float = 0.0
    """Spare time that a seat may use in one game, over all its answers."""
    human_time_per_game: float | None = None
    """Longest time of all answers of a human in one game, or None for no limit.  After that, every answer is late."""
    second_chances: int = 0
    """Illegal answers to one request that the referee rejects before the next one costs the game."""


UNTIMED = RefereeSettings()
"""No time limits and no second chances."""


# Nothing that a call holds leads back to it, so Python's collector need not track it.
class PlayerCall(msgspec.Struct, frozen=True, gc=False):
    """A method call that the loop makes on the player of a seat."""

    seat: Seat
    method: Literal["on_seated", "answer", "on_notice", "on_event", "on_violation"]
    argument: SeatAssignment | Request[Any] | Notice | Event | Violation
    seconds: float | None = None
    """The time limit for an answer, or None for no limit."""

    def invoke(self, player: Any) -> Any:
        """Call the player's method and return its result, an awaitable if the player is asynchronous."""
        if self.method == "answer":
            return player.answer(self.argument, self.seconds)
        return getattr(player, self.method)(self.argument)


class LateFailure(Event, frozen=True):
    """A player failed when the failure could no longer cost it anything, e.g. after the end of the game."""

    seat: Seat
    forfeit: Forfeit

    def seen_by(self, seat: Seat | None) -> None:
        """Return None, because this is for observers only.

        A player that fails whenever it gets an event must not get an event about that.
        """


class Match:
    """A game in progress under a referee.

    Calls that deliver notices and events precede the requests that follow them.  Answers to
    requests that are open at the same time are gathered and passed to the game together.
    """

    def __init__(
        self,
        kind: AnyKind,
        setup: Any,
        names: Sequence[str] = (),
        *,
        referee: RefereeSettings = UNTIMED,
        recorder: Recorder | None = None,
        observers: Sequence[Observer] = (),
        event_seats: Sequence[Seat] = (),
        humans: Collection[Seat] = (),
        ignored_notices: frozenset[type[Event]] = frozenset(),
        commitment: Commitment | None = None,
    ) -> None:
        """`names` are by seat.  `event_seats` are the seats whose players want all events that they may see.

        `humans` are the seats with the time limit for humans.  No player reads `ignored_notices`.  All players get
        the digest of the `commitment` to the deal.
        """
        event_types = None if event_seats else _event_types(observers)
        self.game: Game[Any, Any, Any] = (
            kind.new_game(setup)
            if event_types is None or kind.new_game_emitting is None
            else kind.new_game_emitting(setup, Selection(event_types, ignored_notices))
        )
        self._kind = kind
        seats = seats_of(setup.players)
        self.names = tuple(names) if names else tuple([f"player {seat + 1}" for seat in seats])
        self._microseconds = dict.fromkeys(seats, 0.0)
        """The time of all answers by seat, as whole numbers so that the sums are those of the record."""
        self._chances = referee.second_chances
        self._time_limits: dict[Seat, float | None] = dict.fromkeys(seats, referee.time_limit)
        for seat in humans:
            self._time_limits[seat] = referee.human_time_limit
        self._banks = dict.fromkeys(seats, referee.time_bank)
        self._game_times: dict[Seat, float] = {}
        """The time that is left for all answers, of seats where it is limited."""
        if referee.human_time_per_game is not None:
            self._game_times = dict.fromkeys(humans, referee.human_time_per_game)
        self._allowed = {seat: self._time_for(seat) for seat in seats}
        """The longest time for the next answer of each seat, including what is left in the time bank."""
        self._recorder = recorder
        self._observers = observers
        self._event_seats = event_seats
        self._events: deque[Event] = deque(self.game.opening)
        """Events that observers and players have not received yet."""
        published = None if commitment is None else commitment.digest
        self._deliveries = deque(
            [PlayerCall(seat, "on_seated", SeatAssignment(seat, self.names, setup.rules, published)) for seat in seats]
        )
        self._asking: Sequence[PlayerCall]
        """The calls for all requests of the game, in its order."""
        self._answers: dict[Seat, tuple[Answer | Forfeit, float]] = {}
        """The answers so far to the open requests, and the seconds that they took."""
        self._rejected: dict[Seat, list[float]] = {}
        """The seconds of each illegal answer to the open request of a seat."""
        self._ask()

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome

    @property
    def seconds(self) -> tuple[float, ...]:
        """The time that all answers of each seat took, exactly as `Record.seconds` returns it."""
        return tuple([each / 1e6 for each in self._microseconds.values()])

    @property
    def pending_calls(self) -> Sequence[PlayerCall]:
        """The calls to make now: first notices and events, in order, then all open requests."""
        if self._deliveries:
            return tuple(self._deliveries)
        if not self._answers:
            return self._asking
        return [call for call in self._asking if call.seat not in self._answers]

    @property
    def upcoming(self) -> Sequence[PlayerCall]:
        """The requests that are certain to follow the open ones unless a player is thrown out first."""
        return tuple(PlayerCall(each.seat, "answer", each, self._allowed[each.seat]) for each in self.game.upcoming)

    def report(self, call: PlayerCall, result: Answer | Forfeit | None, seconds: float = 0.0) -> None:
        """Take the result of a call: an answer, nothing if none was expected, or the forfeit of a failed player."""
        if call.method != "answer":
            self._deliveries.popleft()
            if type(result) is Forfeit:
                self._fail(call.seat, result)
            if self._events and not self._deliveries:
                self._deliver()
            return
        seat = call.seat
        if self._game_times:
            self._spend(seat, seconds)
        if type(result) is not Forfeit:
            if call.seconds is not None and (late := self._lateness(call, seconds)):
                result = late
            else:
                try:
                    accepted = call.argument.accept(result)  # type: ignore[union-attr]
                except Exception as error:  # an untrusted object can fail when it is examined
                    accepted = _unexaminable(error)
                # A legal answer is usually accepted as it is, and `isinstance` is slow for these classes.
                if accepted is not result and isinstance(accepted, Violation):
                    rejected = self._rejected.setdefault(seat, [])
                    if len(rejected) < self._chances:
                        rejected.append(seconds)
                        self._deliveries.append(PlayerCall(seat, "on_violation", accepted))
                        return
                    accepted = Forfeit("illegal", fallbacks.sentence_for(self._kind, accepted))
                result = accepted
        if self._rejected:
            seconds += sum(self._rejected.pop(seat, ()))
        if len(self._asking) == 1:  # most requests: `_advance` without gathering, which takes longer
            microseconds = seconds * 1e6 // 1
            self._microseconds[seat] += microseconds
            if self._recorder:
                self._recorder.add(call.argument, result, microseconds)  # type: ignore[arg-type]
            self._events.extend(self.game.advance({seat: result}))
            self._ask()
            return
        self._answers[seat] = result, seconds
        if len(self._answers) == len(self._asking):
            self._advance()

    def _lateness(self, call: PlayerCall, seconds: float) -> Forfeit | None:
        """Return a forfeit for an answer that came too late, or take a slow one's extra time from the bank."""
        assert call.seconds is not None
        if seconds > call.seconds:
            return Forfeit("late", f"the answer took {seconds:.2f} s; the referee's patience is {call.seconds:g} s")
        limit = self._time_limits[call.seat]
        if limit is not None and seconds > limit:
            self._banks[call.seat] -= seconds - limit
            self._allowed[call.seat] = self._time_for(call.seat)
        return None

    def _spend(self, seat: Seat, seconds: float) -> None:
        """Take the time of an answer from what the seat has for the whole game."""
        if seat in self._game_times:
            self._game_times[seat] = max(0.0, self._game_times[seat] - seconds)
            self._allowed[seat] = self._time_for(seat)

    def _time_for(self, seat: Seat) -> float | None:
        """Return the longest time for the next answer of a seat, or None for no limit."""
        limit = self._time_limits[seat]
        with_bank = None if limit is None else limit + self._banks[seat]
        left = self._game_times.get(seat)
        return with_bank if left is None else left if with_bank is None else min(left, with_bank)

    def _fail(self, seat: Seat, forfeit: Forfeit) -> None:
        """Take the failure of a player that was not asked.  If it costs nothing any more, only report it."""
        if self.game.outcome is None:
            try:
                events = self.game.advance({seat: forfeit})
            except ValueError:
                pass  # it was thrown out before
            else:
                if self._recorder:
                    self._recorder.add_forfeit(seat, forfeit)
                self._answers = {}
                self._events.extend(events)
                self._ask()
                return
        self._events.append(LateFailure(seat, forfeit))

    def _advance(self) -> None:
        """Pass all answers on together."""
        given, recorder, answers = self._answers, self._recorder, {}
        # In the game's order, not in that of arrival: a record must not depend on who was faster.
        for call in self._asking:
            seat = call.seat
            answer, seconds = given[seat]
            answers[seat] = answer
            microseconds = seconds * 1e6 // 1
            self._microseconds[seat] += microseconds
            if recorder:
                recorder.add(call.argument, answer, microseconds)  # type: ignore[arg-type]
        self._answers = {}
        self._events.extend(self.game.advance(answers))
        self._ask()

    def _ask(self) -> None:
        allowed = self._allowed
        self._asking = calls = []
        for seat, request in self.game.requests.items():
            calls.append(PlayerCall(seat, "answer", request, allowed[seat]))
        if not calls and self._recorder and self.game.outcome:
            self._recorder.finish(self.game.outcome)
        if self._events and not self._deliveries:
            self._deliver()

    def _deliver(self) -> None:
        """Pass events to observers until an event has to be delivered to a player first.

        The order matters: observers get the start of a round only after the players got the end
        of the last one, and after everything that the players then printed or did wrong.
        """
        events, deliveries = self._events, self._deliveries
        while events and (not deliveries or events[0].is_notice):
            event = events.popleft()
            for observe in self._observers:
                observe(event)
            if event.is_notice:
                deliveries.append(PlayerCall(event.seat, "on_notice", event))  # type: ignore[attr-defined]
            else:
                for seat in self._event_seats:
                    seen = event.seen_by(seat)
                    if seen is not None:
                        deliveries.append(PlayerCall(seat, "on_event", seen))


def _event_types(observers: Sequence[Observer]) -> frozenset[type[Event]] | None:
    """Return the types of the events that observers read, or None if they read all."""
    read: frozenset[type[Event]] = frozenset()
    for observe in observers:
        types: frozenset[type[Event]] | None = getattr(observe, "event_types", None)
        if types is None:
            return None
        read |= types
    return read


def _unexaminable(error: Exception) -> Violation:
    return ReportedViolation("unexaminable", f"the answer cannot be examined: {forfeit_for(error).message}")
