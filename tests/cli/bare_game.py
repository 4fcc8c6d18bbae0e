"""A game without any facet: all name a number at the same time, and the largest wins.

It is installed the way other packages install theirs; see `installed`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Self

import msgspec

from wateringhole import options
from wateringhole.game import Event, Forfeit, GameKind, Outcome, Seat, Standing, ThrownOut, Violation

__all__ = ["KIND", "install"]


def install(folder: Path) -> Path:
    """Write what a package manager would have written to a folder, and return it for `sys.path`."""
    (folder / "bare-1.dist-info").mkdir(parents=True)
    (folder / "bare-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: bare\nVersion: 1\n")
    (folder / "bare-1.dist-info" / "entry_points.txt").write_text(
        f"[wateringhole.games]\nbare = {__name__}:KIND\n", encoding="utf-8"
    )
    return folder


class Rules(options.Rules, frozen=True):
    most: Annotated[int, options.text("the largest number", least=1, most=9)] = 3


class Setup(msgspec.Struct, frozen=True):
    players: int
    rules: Rules


class TooLarge(Violation, frozen=True):
    number: int


class NumberNamed(Event, frozen=True):
    seat: Seat
    number: int


class Dropped(Event, frozen=True):
    seat: Seat
    forfeit: Forfeit

    @property
    def thrown_out(self) -> ThrownOut:
        return ThrownOut(self.seat, self.forfeit)


class View(msgspec.Struct, frozen=True):
    players: int


class Name(msgspec.Struct, frozen=True):
    """Asks for a number."""

    seat: Seat
    most: int
    name: ClassVar[str] = "name"

    def accept(self, given: object) -> int | Violation:
        return given if type(given) is int and 0 <= given <= self.most else TooLarge(self.most + 1)

    def ask(self, player: Any) -> object:
        return player.choose(self.most)

    def default_answer(self) -> int:
        return 0


class Game:
    def __init__(self, setup: Setup, /, *, emit: bool = True) -> None:
        self._setup = setup
        self._emit = emit
        self.opening: Sequence[Event] = ()
        self.upcoming: Sequence[Name] = ()
        self.requests: Mapping[Seat, Name] = {
            Seat(seat): Name(Seat(seat), setup.rules.most) for seat in range(setup.players)
        }
        self.outcome: Outcome | None = None
        self._gone: tuple[ThrownOut, ...] = ()

    def advance(self, answers: Mapping[Seat, int | Forfeit]) -> Sequence[Event]:
        events: list[Event] = []
        for seat, answer in answers.items():
            if isinstance(answer, Forfeit):
                self._gone += (ThrownOut(seat, answer),)
                events.append(Dropped(seat, answer))
        named = {seat: answer for seat, answer in answers.items() if isinstance(answer, int)}
        left = {
            seat: request for seat, request in self.requests.items() if seat not in {gone.seat for gone in self._gone}
        }
        if answers and (named or not left):
            events += [NumberNamed(seat, number) for seat, number in named.items()]
            ranking = [
                Standing(seat, 1 + sum(other > number for other in named.values()), number)
                for seat, number in sorted(named.items(), key=lambda entry: -entry[1])
            ]
            self.outcome = Outcome("all have named a number", tuple(ranking), self._gone)
            left = {}
        self.requests = left
        return events if self._emit else ()

    def view(self, seat: Seat | None) -> View:
        return View(self._setup.players)

    def copy(self, *, emit: bool = True) -> Self:
        other = type(self)(self._setup, emit=emit)
        other.requests, other.outcome, other._gone = self.requests, self.outcome, self._gone
        return other


def deal(players: int, rules: Rules, seed: int) -> Setup:
    return Setup(players, rules)


def setup_to_json(setup: Setup) -> dict[str, Any]:
    return _fields(setup)


def setup_from_json(value: Any) -> Setup:
    return msgspec.convert(value, Setup)


def answer_to_json(request: Name, answer: int) -> Any:
    return answer


def answer_from_json(request: Name, value: Any) -> int:
    if type(value) is not int:
        raise ValueError("not a number")
    return value


def event_to_json(event: Any) -> dict[str, Any]:
    return _fields(event)


def event_from_json(value: Any) -> Event:
    return msgspec.convert(value, NumberNamed | Dropped)


def request_to_json(request: Name) -> dict[str, Any]:
    return {"kind": request.name, **_fields(request)}


def request_from_json(value: Any) -> Name:
    return msgspec.convert(value, Name)


def view_to_json(view: View) -> dict[str, Any]:
    return _fields(view)


def view_from_json(value: Any) -> View:
    return msgspec.convert(value, View)


def violation_to_json(violation: Violation) -> dict[str, Any]:
    return _fields(violation)


def violation_from_json(value: Any) -> Violation:
    return msgspec.convert(value, TooLarge)


def _fields(record: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(record)
    return fields


_CODEC: ModuleType = sys.modules[__name__]

KIND: GameKind[Rules, Setup, Any, int, View] = GameKind(
    name="bare",
    title="Bare: name the largest number.",
    seats=range(2, 5),
    rules_version=1,
    profiles={"usual": options.Profile(Rules(), "The only one.")},
    deal=deal,
    new_game=Game,
    codec=_CODEC,
)
