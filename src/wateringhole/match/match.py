"""One game with its referee: who is to be asked or told what now, and what becomes of the answers.

A match does no input or output and calls no player.  A loop carries out its calls and
reports back; `match.loops` has a blocking loop and an asyncio one, both short, because every
decision is made here::

    while match.pending_calls:
        for call in match.pending_calls:
            match.report(call, *carry_out(call))
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
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
    Violation,
)
from wateringhole.match.record import Recorder
from wateringhole.player import SeatAssignment, forfeit_for

__all__ = ["UNTIMED", "Match", "Mishap", "Observer", "PlayerCall", "RefereeSettings"]

Observer = Callable[[Event], None]
"""Sees every event of a game, hidden things included; what it shows to whom is its business."""


class RefereeSettings(msgspec.Struct, frozen=True):
    """Time limits, in seconds, and second chances."""

    time_limit: float | None = None
    """Longest time for one answer of a bot, program or remote player, or None for no limit."""
    human_time_limit: float | None = None
    """The same for humans."""
    time_bank: float = 0.0
    """Spare time that a seat may use in one game, over all its answers."""
    second_chances: int = 0
    """How many illegal answers to one request the referee rejects before the next one costs the game."""


UNTIMED = RefereeSettings()
"""No time limits and no second chances."""


class PlayerCall(msgspec.Struct, frozen=True):
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


class Mishap(Event, frozen=True):
    """A player failed where it could no longer cost it anything, after the end for instance."""

    seat: Seat
    forfeit: Forfeit

    def seen_by(self, seat: Seat | None) -> None:
        """For observers alone: whoever fails whenever it is told something must not be told that it failed."""


class Match:
    """A game in progress under a referee.

    Notices and events are calls before any question that follows them.  Answers of players
    who are asked at once are gathered and given to the game together.
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
        spectators: Sequence[Seat] = (),
        people: Collection[Seat] = (),
    ) -> None:
        """`names` go by seat; `spectators` are the seats whose players want to see every event they may see,
        `people` those where somebody thinks and types."""
        self.game: Game[Any, Any, Any] = kind.new_game(setup)
        self._kind = kind
        self.names = tuple(names) or tuple(f"player {seat + 1}" for seat in range(setup.players))
        seats = [Seat(seat) for seat in range(setup.players)]
        self.seconds = dict.fromkeys(seats, 0.0)
        """By seat: the time that all answers took."""
        self._chances = referee.second_chances
        self._patience = {seat: referee.human_time_limit if seat in people else referee.time_limit for seat in seats}
        self._allowed = {
            seat: None if patience is None else patience + referee.time_bank
            for seat, patience in self._patience.items()
        }
        """By seat: the longest time for an answer, what is left in the bank included."""
        self._recorder = recorder
        self._observers = observers
        self._spectators = spectators
        self._news: deque[Event] = deque(self.game.opening)
        """What happened and nobody has been told."""
        self._untold = deque(
            PlayerCall(seat, "on_seated", SeatAssignment(seat, self.names, setup.rules)) for seat in seats
        )
        self._requests: Mapping[Seat, Request[Any]] = {}
        self._open: dict[Seat, PlayerCall]
        self._gathered: dict[Seat, tuple[Answer | Forfeit, float]] = {}
        self._refused: dict[Seat, list[float]] = {}
        """The seconds of each illegal answer to the question that is open."""
        self._ask()

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome

    @property
    def pending_calls(self) -> Sequence[PlayerCall]:
        """The calls to make now: first notices and events, in order, then all open requests."""
        return tuple(self._untold or self._open.values())

    @property
    def upcoming(self) -> Sequence[PlayerCall]:
        """The requests that are certain to follow the open ones unless a player is thrown out first."""
        return tuple(PlayerCall(each.seat, "answer", each, self._allowed[each.seat]) for each in self.game.upcoming)

    def report(self, call: PlayerCall, result: Answer | Forfeit | None, seconds: float = 0.0) -> None:
        """A call was carried out: an answer came, or nothing was expected, or the player failed."""
        if call.method == "answer":
            self._take(call, result, seconds)
            return
        self._untold.popleft()
        if type(result) is Forfeit:
            self._fail(call.seat, result)
        if self._news and not self._untold:
            self._tell_news()

    def _take(self, call: PlayerCall, answer: Answer | Forfeit, seconds: float) -> None:
        seat = call.seat
        self.seconds[seat] += seconds
        if type(answer) is not Forfeit:
            if call.seconds is not None and (late := self._lateness(call, seconds)):
                answer = late
            # A legal answer is usually accepted as it is, and `isinstance` is slow for these classes.
            elif (accepted := self._accept(call, answer)) is not answer and isinstance(accepted, Violation):
                refused = self._refused.setdefault(seat, [])
                if len(refused) < self._chances:
                    refused.append(seconds)
                    self._untold.append(PlayerCall(seat, "on_violation", accepted))
                    return
                answer = Forfeit("illegal", fallbacks.sentence_for(self._kind, accepted))
            else:
                answer = accepted
        if self._refused:
            seconds += sum(self._refused.pop(seat, ()))
        self._gathered[seat] = answer, seconds
        del self._open[seat]
        if not self._open:
            self._advance()

    def _lateness(self, call: PlayerCall, seconds: float) -> Forfeit | None:
        """A forfeit for an answer that came too late; one that was merely slow is paid from the bank."""
        assert call.seconds is not None
        if seconds > call.seconds:
            limit = f"the referee's patience is {call.seconds:g} s"
            return Forfeit("late", f"the answer took {seconds:.2f} s; {limit}")
        patience = self._patience[call.seat] or 0.0
        self._allowed[call.seat] = call.seconds - max(0.0, seconds - patience)
        return None

    def _accept(self, call: PlayerCall, given: object) -> Answer | Violation:
        """Have the request examine an answer.  An untrusted object may fail even then."""
        try:
            return call.argument.accept(given)  # type: ignore[union-attr]
        except Exception as error:
            return ReportedViolation("unexaminable", f"the answer cannot be examined: {forfeit_for(error).message}")

    def _fail(self, seat: Seat, forfeit: Forfeit) -> None:
        """A player failed without being asked.  Where that can cost it nothing any more, it is told all the same."""
        if self.game.outcome is None:
            try:
                events = self.game.advance({seat: forfeit})
            except ValueError:
                pass  # it was thrown out before
            else:
                if self._recorder:
                    self._recorder.add_forfeit(seat, forfeit)
                self._gathered.clear()
                self._news.extend(events)
                self._ask()
                return
        self._news.append(Mishap(seat, forfeit))

    def _advance(self) -> None:
        answers = {}
        # In the game's order, not in that of arrival: a record must not depend on who was faster.
        for seat, request in self._requests.items():
            answer, seconds = self._gathered[seat]
            answers[seat] = answer
            if self._recorder:
                self._recorder.add(request, answer, seconds)
        self._gathered.clear()
        self._news.extend(self.game.advance(answers))
        self._ask()

    def _ask(self) -> None:
        self._requests = self.game.requests
        self._open = open_questions = {}
        for seat, request in self._requests.items():
            open_questions[seat] = PlayerCall(seat, "answer", request, self._allowed[seat])
        if self._recorder and not open_questions and self.game.outcome:
            self._recorder.finish(self.game.outcome)
        if self._news and not self._untold:
            self._tell_news()

    def _tell_news(self) -> None:
        """Go on telling what happened until a player has to be told something.

        In order: whoever watches learns of a new round only when the players know how the last
        one ended, and what they then printed or did wrong has been seen.
        """
        news, untold = self._news, self._untold
        while news and (not untold or news[0].is_notice):
            event = news.popleft()
            for observe in self._observers:
                observe(event)
            if event.is_notice:
                untold.append(PlayerCall(event.seat, "on_notice", event))  # type: ignore[attr-defined]
            else:
                for seat in self._spectators:
                    seen = event.seen_by(seat)
                    if seen is not None:
                        untold.append(PlayerCall(seat, "on_event", seen))
