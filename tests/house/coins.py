"""A tiny game without a foreign protocol: all players hide coins at the same time, and the most coins win."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Self, TypeVar

import msgspec

from wateringhole.game import (
    Event,
    Forfeit,
    GameKind,
    Outcome,
    ReportedViolation,
    Seat,
    Standing,
    ThrownOut,
    Violation,
)
from wateringhole.options import Profile, Rules, option

__all__ = ["KIND"]

T = TypeVar("T")


class CoinsRules(Rules, frozen=True):
    most: Annotated[int, option("The most coins that a player can hide.", least=1)] = 5


class Setup(msgspec.Struct, frozen=True):
    players: int
    rules: CoinsRules


class View(msgspec.Struct, frozen=True):
    rules: CoinsRules
    players: int


class Hide(msgspec.Struct, frozen=True):
    name: ClassVar[str] = "hide"

    seat: Seat
    view: View

    def accept(self, given: object) -> int | Violation:
        if type(given) is int and 0 <= given <= self.view.rules.most:
            return given
        return ReportedViolation("out-of-range", f"{given!r} is not a number from 0 to {self.view.rules.most}")

    def ask(self, player: Any) -> object:
        return player.hide(self)

    def default_answer(self) -> int:
        return 1


class Opened(Event, frozen=True):
    coins: tuple[int | None, ...]


class Left(Event, frozen=True):
    gone: ThrownOut

    @property
    def thrown_out(self) -> ThrownOut:
        return self.gone


class Coins:
    opening: Sequence[Event] = ()
    upcoming: Sequence[Hide] = ()

    def __init__(self, setup: Setup, *, emit: bool = True) -> None:
        self._setup = setup
        self._out: list[ThrownOut] = []
        self.outcome: Outcome | None = None

    @property
    def requests(self) -> Mapping[Seat, Hide]:
        if self.outcome:
            return {}
        out = {thrown.seat for thrown in self._out}
        seats = [Seat(seat) for seat in range(self._setup.players) if seat not in out]
        return {seat: Hide(seat, self.view(seat)) for seat in seats}

    def advance(self, answers: Mapping[Seat, int | Forfeit]) -> Sequence[Event]:
        left = [ThrownOut(seat, answer) for seat, answer in answers.items() if isinstance(answer, Forfeit)]
        self._out += left
        hidden = {seat: answer for seat, answer in answers.items() if isinstance(answer, int)}
        if not hidden and self.requests:
            return [Left(thrown) for thrown in left]
        order = sorted(hidden, key=lambda seat: -hidden[seat])
        places = {seat: 1 + sum(hidden[other] > hidden[seat] for other in hidden) for seat in order}
        ranking = tuple(Standing(seat, places[seat], hidden[seat]) for seat in order)
        self.outcome = Outcome("all hands are open", ranking, tuple(self._out))
        coins = tuple(hidden.get(Seat(seat)) for seat in range(self._setup.players))
        return [*(Left(thrown) for thrown in left), Opened(coins)]

    def view(self, seat: Seat | None) -> View:
        return View(self._setup.rules, self._setup.players)

    def copy(self, *, emit: bool = True) -> Self:
        other = type(self)(self._setup, emit=emit)
        other._out = [*self._out]
        other.outcome = self.outcome
        return other


class _Codec:
    def setup_to_json(self, setup: Setup) -> dict[str, Any]:
        return _to_json(setup)

    def setup_from_json(self, value: Any) -> Setup:
        return _from_json(value, Setup)

    def answer_to_json(self, request: Hide, answer: int) -> int:
        return answer

    def answer_from_json(self, request: Hide, value: Any) -> int:
        return _from_json(value, int)

    def event_to_json(self, event: Event) -> dict[str, Any]:
        return _to_json(event)

    def event_from_json(self, value: Any) -> Event:
        shape: type[Event] = Left if "gone" in value else Opened
        return _from_json(value, shape)

    def request_to_json(self, request: Hide) -> dict[str, Any]:
        return {"kind": request.name, **_to_json(request)}

    def request_from_json(self, value: Any) -> Hide:
        return _from_json(value, Hide)

    def view_to_json(self, view: View) -> dict[str, Any]:
        return _to_json(view)

    def view_from_json(self, value: Any) -> View:
        return _from_json(value, View)

    def violation_to_json(self, violation: Violation) -> dict[str, Any]:
        return _to_json(violation)

    def violation_from_json(self, value: Any) -> Violation:
        return _from_json(value, ReportedViolation)


def _to_json(record: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(record)
    return fields


def _from_json(value: Any, shape: type[T]) -> T:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as wrong:
        raise ValueError(str(wrong)) from None


def deal(players: int, rules: CoinsRules, seed: int) -> Setup:
    return Setup(players, rules)


KIND = GameKind(
    name="coins",
    title="Coins: hide more coins than the others.",
    seats=range(2, 5),
    rules_version=1,
    profiles={"usual": Profile(CoinsRules(), "Five coins at most.")},
    deal=deal,
    new_game=Coins,
    codec=_Codec(),
)
