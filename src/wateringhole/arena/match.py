"""One game with its referee: who is to be asked or told what now, and what becomes of the answers.

A match does no input or output and calls no player.  A loop carries out its errands and
reports back; `arena.play` has a blocking loop and an asyncio one, both short, because every
decision is made here::

    while match.errands:
        for errand in match.errands:
            match.report(errand, *carry_out(errand))
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from wateringhole.arena.record import Recorder
from wateringhole.game import Answer, Event, Forfeit, Game, Kind, Notice, Outcome, Request, Seat, Violation
from wateringhole.players.player import Place

__all__ = ["PATIENT", "Errand", "Match", "Observer", "Policy"]

Observer = Callable[[Event], None]
"""Sees every event of a game, hidden things included; what it shows to whom is its business."""


class Policy(msgspec.Struct, frozen=True):
    """How patient the referee is."""

    patience_seconds: float | None = None
    """Longest time for one answer; None: as long as it takes."""
    bank_seconds: float = 0.0
    """Time that a seat may overdraw in one game, over all its answers."""
    second_chances: int = 0
    """How many illegal answers to one question are refused before the next one costs the game."""


PATIENT = Policy()
"""Waits as long as it takes, forgives nothing."""


class Errand(msgspec.Struct, frozen=True):
    """Something to be put to the player of a seat."""

    seat: Seat
    method: Literal["take_seat", "answer", "notice", "see", "refused"]
    matter: Place | Request | Notice | Event | Violation
    seconds: float | None = None
    """How long the referee waits for an answer; None: as long as it takes."""

    def put_to(self, player: Any) -> Any:
        """Call the player's method.  What it gives back is to be reported, once it has been waited for."""
        if self.method == "answer":
            return player.answer(self.matter, self.seconds)
        return getattr(player, self.method)(self.matter)


class Match:
    """A game in progress under a referee.

    Notices and events are errands before any question that follows them.  Answers of players
    who are asked at once are gathered and given to the game together.
    """

    def __init__(
        self,
        kind: Kind[Any, Any],
        setup: Any,
        names: Sequence[str] = (),
        *,
        policy: Policy = PATIENT,
        recorder: Recorder | None = None,
        observers: Sequence[Observer] = (),
        spectators: Sequence[Seat] = (),
    ) -> None:
        """`names` go by seat; `spectators` are the seats whose players want to see every event they may see."""
        self.game: Game = kind.new_game(setup)
        self.policy = policy
        self._recorder = recorder
        self._observers = observers
        self._spectators = spectators
        self._bank = dict.fromkeys(map(Seat, range(setup.players)), policy.bank_seconds)
        self._out: set[Seat] = set()
        self._untold: deque[Errand] = deque()
        self._requests: Mapping[Seat, Request] = {}
        self._open: dict[Seat, Errand] = {}
        self._gathered: dict[Seat, tuple[Answer | Forfeit, float]] = {}
        self._refused: dict[Seat, list[float]] = {}
        """The seconds of each illegal answer to the question that is open."""
        self.names = tuple(names) or tuple(f"player {seat + 1}" for seat in range(setup.players))
        for seat in self._bank:
            self._untold.append(Errand(seat, "take_seat", Place(seat, self.names, setup.rules)))
        self._spread(self.game.opening)
        self._ask()

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome

    @property
    def errands(self) -> Sequence[Errand]:
        """What is to be done now: what is to be told one by one, in order, then all open questions."""
        return (self._untold[0],) if self._untold else tuple(self._open.values())

    def report(self, errand: Errand, result: Answer | Forfeit | None, seconds: float = 0.0) -> None:
        """An errand was carried out: an answer came, or nothing was expected, or the player failed."""
        if errand.method == "answer":
            self._take(errand, result, seconds)
            return
        self._untold.popleft()
        if isinstance(result, Forfeit):
            self._fail(errand.seat, result)

    def _take(self, errand: Errand, answer: Answer | Forfeit, seconds: float) -> None:
        seat = errand.seat
        if not isinstance(answer, Forfeit):
            if errand.seconds is not None and (late := self._lateness(errand, seconds)):
                answer = late
            elif violation := errand.matter.check(answer):  # type: ignore[union-attr]
                refused = self._refused.setdefault(seat, [])
                if len(refused) < self.policy.second_chances:
                    refused.append(seconds)
                    self._untold.append(Errand(seat, "refused", violation))
                    return
                answer = Forfeit("illegal", violation.message)
        if self._refused:
            seconds += sum(self._refused.pop(seat, ()))
        self._gathered[seat] = answer, seconds
        del self._open[seat]
        if not self._open:
            self._advance()

    def _lateness(self, errand: Errand, seconds: float) -> Forfeit | None:
        """A forfeit for an answer that came too late; one that was merely slow is paid from the bank."""
        assert errand.seconds is not None
        if seconds > errand.seconds:
            patience = f"the referee's patience is {errand.seconds:g} s"
            return Forfeit("late", f"the answer took {seconds:.2f} s; {patience}")
        self._bank[errand.seat] -= max(0.0, seconds - (self.policy.patience_seconds or 0.0))
        return None

    def _fail(self, seat: Seat, forfeit: Forfeit) -> None:
        """A player failed without being asked.  Whoever is out of the game already cannot lose more."""
        if self.game.outcome is None and seat not in self._out:
            if self._recorder:
                self._recorder.add_forfeit(seat, forfeit)
            self._out.add(seat)
            self._untold = deque(errand for errand in self._untold if errand.seat != seat)
            self._spread(self.game.advance({seat: forfeit}))
            self._ask()

    def _advance(self) -> None:
        answers = {}
        # In the game's order, not in that of arrival: a record must not depend on who was faster.
        for seat, request in self._requests.items():
            answer, seconds = self._gathered[seat]
            answers[seat] = answer
            if self._recorder:
                self._recorder.add(request, answer, seconds)
            if isinstance(answer, Forfeit):
                self._out.add(seat)
        self._spread(self.game.advance(answers))
        self._ask()

    def _ask(self) -> None:
        self._gathered.clear()
        self._requests = self.game.requests
        patience = self.policy.patience_seconds
        self._open = {
            seat: Errand(seat, "answer", request, None if patience is None else patience + self._bank[seat])
            for seat, request in self._requests.items()
        }
        if self._recorder and self.game.outcome:
            self._recorder.finish(self.game.outcome)

    def _spread(self, events: Sequence[Event]) -> None:
        """Hand events to the observers, and to the players whom they concern."""
        for event in events:
            for observe in self._observers:
                observe(event)
            if isinstance(event, Notice):
                self._untold.append(Errand(event.seat, "notice", event))
            else:
                for seat in self._spectators:
                    seen = event.seen_by(seat)
                    if seen is not None:
                        self._untold.append(Errand(seat, "see", seen))
