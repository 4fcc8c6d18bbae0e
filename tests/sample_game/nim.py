"""Nim, a game in one file: the parts that every game needs, and no facet.

Players take sticks from heaps in turn.  The player that takes the last stick wins, or loses under `misere`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, TypeVar

import msgspec

from wateringhole import options
from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Event, Forfeit, GameKind, JsonObject, Outcome, Seat, Standing, ThrownOut, Violation
from wateringhole.options import Profile

__all__ = ["KIND", "Nim", "Take", "Taking"]

T = TypeVar("T")


class Rules(options.Rules, frozen=True):
    """The options of Nim."""

    heaps: Annotated[int, options.option("how many heaps there are", least=1, most=9)] = 3
    most: Annotated[int, options.option("the most sticks taken at once", least=1, most=99)] = 3
    misere: Annotated[bool, options.option("whether the player that takes the last stick loses")] = False


class Setup(msgspec.Struct, frozen=True):
    """Everything fixed before the first request."""

    players: int
    rules: Rules
    heaps: tuple[int, ...]


def deal(players: int, rules: Rules, seed: int | str) -> Setup:
    """Return a setup; the seed decides the size of the heaps."""
    if players not in KIND.seats:
        raise UsageError(f"{players} players: nim is for {KIND.seats[0]} to {KIND.seats[-1]}.")
    options.check_rules(rules)
    chance = random.Random(seed)
    return Setup(players, rules, tuple(chance.randint(2, 9) for _ in range(rules.heaps)))


class View(msgspec.Struct, frozen=True):
    """The whole state: nothing is hidden."""

    heaps: tuple[int, ...]
    order: tuple[Seat, ...]
    """The players still in the game; the first one is next."""
    most: int


# Answers and violations


class Taking(msgspec.Struct, frozen=True):
    """An answer: `count` sticks from the heap with this index."""

    heap: int
    count: int


class NotATaking(Violation, frozen=True):
    given: str


class NoSuchHeap(Violation, frozen=True):
    heap: int
    heaps: int


class WrongCount(Violation, frozen=True):
    heap: int
    count: int
    most: int


class Take(msgspec.Struct, frozen=True):
    """A request to take sticks from a heap."""

    name: ClassVar[str] = "take"

    seat: Seat
    view: View

    @property
    def options(self) -> tuple[Taking, ...]:
        """The legal answers."""
        return tuple(
            Taking(heap, count)
            for heap, sticks in enumerate(self.view.heaps)
            for count in range(1, min(sticks, self.view.most) + 1)
        )

    def accept(self, given: object) -> Taking | Violation:
        if type(given) is not Taking or type(given.heap) is not int or type(given.count) is not int:
            return NotATaking(short_repr(given))
        heaps = self.view.heaps
        if not 0 <= given.heap < len(heaps):
            return NoSuchHeap(given.heap, len(heaps))
        most = min(heaps[given.heap], self.view.most)
        return given if 1 <= given.count <= most else WrongCount(given.heap, given.count, most)

    def ask(self, player: Any) -> object:
        return player.take(self)

    def default_answer(self) -> Taking:
        return self.options[0]


# Events


class GameStarted(Event, frozen=True):
    players: int
    heaps: tuple[int, ...]


class SticksTaken(Event, frozen=True):
    seat: Seat
    heap: int
    count: int


class PlayerForfeited(Event, frozen=True):
    seat: Seat
    forfeit: Forfeit

    @property
    def thrown_out(self) -> ThrownOut:
        return ThrownOut(self.seat, self.forfeit)


class GameEnded(Event, frozen=True):
    outcome: Outcome


# The game


class Nim:
    """A game of Nim (see `wateringhole.game.Game`)."""

    def __init__(self, setup: Setup, *, emit: bool = True) -> None:
        self._setup = setup
        self._heaps = list(setup.heaps)
        self._order = [Seat(seat) for seat in range(setup.players)]
        self._thrown_out: list[ThrownOut] = []
        self._emits = emit
        self.outcome: Outcome | None = None
        self.opening: Sequence[Event] = (GameStarted(setup.players, setup.heaps),) if emit else ()

    @property
    def requests(self) -> Mapping[Seat, Take]:
        seat = self._order[0] if self.outcome is None else None
        return {} if seat is None else {seat: Take(seat, self.view(seat))}

    @property
    def upcoming(self) -> Sequence[Take]:
        return ()

    def view(self, seat: Seat | None) -> View:
        return View(tuple(self._heaps), tuple(self._order), self._setup.rules.most)

    def advance(self, answers: Mapping[Seat, Taking | Forfeit]) -> Sequence[Event]:
        forfeits = {seat: answer for seat, answer in answers.items() if isinstance(answer, Forfeit)}
        if forfeits:
            if len(forfeits) < len(answers) or not forfeits.keys() <= set(self._order) or self.outcome:
                raise ValueError("forfeits come alone, from seats that are in the game")
            events = self._throw_out(forfeits)
        elif answers:
            ((seat, taking),) = answers.items()
            request = self.requests.get(seat)
            if request is None or not isinstance(accepted := request.accept(taking), Taking):
                raise ValueError(f"seat {seat} was not asked for {short_repr(taking)}")
            events = self._take(seat, accepted)
        else:
            return ()
        if self.outcome:
            events.append(GameEnded(self.outcome))
        return events if self._emits else ()

    def copy(self, *, emit: bool = True) -> Self:
        other = type(self)(self._setup, emit=self._emits and emit)
        other._heaps = self._heaps.copy()
        other._order = self._order.copy()
        other._thrown_out = self._thrown_out.copy()
        other.outcome = self.outcome
        return other

    def _take(self, seat: Seat, taking: Taking) -> list[Event]:
        self._heaps[taking.heap] -= taking.count
        if not any(self._heaps):
            losers = [seat] if self._setup.rules.misere else [other for other in self._order if other != seat]
            self._end("the last stick is taken", [other for other in self._order if other not in losers], losers)
        self._order = self._order[1:] + self._order[:1]
        return [SticksTaken(seat, taking.heap, taking.count)]

    def _throw_out(self, forfeits: Mapping[Seat, Forfeit]) -> list[Event]:
        self._thrown_out += [ThrownOut(seat, forfeit) for seat, forfeit in forfeits.items()]
        self._order = [seat for seat in self._order if seat not in forfeits]
        if len(self._order) < 2:
            self._end("too few players are left", self._order, [])
        return [PlayerForfeited(seat, forfeit) for seat, forfeit in forfeits.items()]

    def _end(self, reason: str, winners: Sequence[Seat], losers: Sequence[Seat]) -> None:
        ranking = [Standing(seat, 1) for seat in winners] + [Standing(seat, len(winners) + 1) for seat in losers]
        self.outcome = Outcome(reason, tuple(ranking), tuple(self._thrown_out))


# JSON


class Codec:
    """Nim's values as plain JSON values and back."""

    @staticmethod
    def setup_to_json(setup: Setup) -> JsonObject:
        return _to_json(setup)

    @staticmethod
    def setup_from_json(value: Any) -> Setup:
        return _from_json(value, Setup)

    @staticmethod
    def answer_to_json(request: Take, answer: Taking) -> Any:
        return [answer.heap, answer.count]

    @staticmethod
    def answer_from_json(request: Take, value: Any) -> Taking:
        heap, count = _from_json(value, tuple[int, int])
        return Taking(heap, count)

    @staticmethod
    def event_to_json(event: Event) -> JsonObject:
        return _to_json(event)

    @staticmethod
    def event_from_json(value: Any) -> Event:
        event: Event = _from_json(value, GameStarted | SticksTaken | PlayerForfeited | GameEnded)  # type: ignore[arg-type]
        return event

    @staticmethod
    def request_to_json(request: Take) -> JsonObject:
        return {"kind": request.name, **_to_json(request)}

    @staticmethod
    def request_from_json(value: Any) -> Take:
        return _from_json(value, Take)

    @staticmethod
    def view_to_json(view: View) -> JsonObject:
        return _to_json(view)

    @staticmethod
    def view_from_json(value: Any) -> View:
        return _from_json(value, View)

    @staticmethod
    def violation_to_json(violation: Violation) -> JsonObject:
        return _to_json(violation)

    @staticmethod
    def violation_from_json(value: Any) -> Violation:
        violation: Violation = _from_json(value, NotATaking | NoSuchHeap | WrongCount)  # type: ignore[arg-type]
        return violation


def _to_json(value: Any) -> JsonObject:
    fields: JsonObject = msgspec.json.decode(msgspec.json.encode(value))
    return fields


def _from_json(value: Any, shape: Callable[..., T]) -> T:
    try:
        found: T = msgspec.convert(value, shape)
    except msgspec.ValidationError as error:
        raise ValueError(f"{short_repr(value)} cannot be read: {error}") from None
    return found


KIND = GameKind(
    name="nim",
    title="Nim: take sticks from heaps; the last one wins.",
    seats=range(2, 6),
    rules_version=1,
    profiles={
        "standard": Profile(Rules(), "Three heaps; the player that takes the last stick wins."),
        "misere": Profile(Rules(heaps=2, misere=True), "Two heaps; the player that takes the last stick loses."),
    },
    deal=deal,
    new_game=Nim,
    codec=Codec(),
)
