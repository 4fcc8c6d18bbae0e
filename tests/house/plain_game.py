"""Tally, a game without facets, to test how the page shows such a game.

Each player holds a secret number.  In turn they add 1 to 3 to a total; when it reaches the target, all bet at once
on the sum of the secrets, and the nearest bet wins.
"""

from __future__ import annotations

import dataclasses
import random
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec

from wateringhole import options
from wateringhole.errors import UsageError
from wateringhole.game import Event, Forfeit, GameKind, Outcome, Seat, Standing, ThrownOut, Violation
from wateringhole.options import Profile

__all__ = ["FOLDED", "KIND", "install"]


class Rules(options.Rules, frozen=True):
    target: Annotated[int, options.option("the total at which all bet", least=1, most=99)] = 6


class Setup(msgspec.Struct, frozen=True):
    players: int
    rules: Rules
    secrets: tuple[int, ...]


class View(msgspec.Struct, frozen=True):
    total: int
    target: int
    secret: int | None
    adds: tuple[tuple[Seat, int], ...] = ()


class NotOffered(Violation, frozen=True):
    number: int | None


class Add(msgspec.Struct, frozen=True):
    """A request for one of the listed numbers."""

    name: ClassVar[str] = "add"
    seat: Seat
    view: View
    options: tuple[int, ...] = (1, 2, 3)

    def accept(self, given: object) -> int | Violation:
        return given if type(given) is int and given in (1, 2, 3) else NotOffered(None)

    def ask(self, player: Any) -> object:
        return player.add(self)

    def default_answer(self) -> int | None:
        return 1


class Bet(msgspec.Struct, frozen=True):
    """A request for a number that is not listed and cannot be skipped."""

    name: ClassVar[str] = "bet"
    seat: Seat
    view: View
    most: int = 36

    def accept(self, given: object) -> int | Violation:
        if type(given) is not int or not 0 <= given <= self.most:
            return NotOffered(given if type(given) is int else None)
        return given

    def ask(self, player: Any) -> object:
        return player.bet(self)

    def default_answer(self) -> int | None:
        return 10 if self.seat else None


class SecretDealt(Event, frozen=True):
    seat: Seat
    secret: int

    def seen_by(self, seat: Seat | None) -> Event | None:
        return self if seat == self.seat else None


class Added(Event, frozen=True):
    seat: Seat
    count: int


class BetsOpened(Event, frozen=True):
    bets: tuple[int, ...]
    secrets: tuple[int, ...]


class PlayerForfeited(Event, frozen=True):
    seat: Seat
    forfeit: Forfeit

    @property
    def thrown_out(self) -> ThrownOut:
        return ThrownOut(self.seat, self.forfeit)


class Tally:
    upcoming: Sequence[Add | Bet] = ()

    def __init__(self, setup: Setup, *, emit: bool = True) -> None:
        self._setup = setup
        self._seats = [Seat(seat) for seat in range(setup.players)]
        self._adds: list[tuple[Seat, int]] = []
        self._thrown_out: list[ThrownOut] = []
        self.outcome: Outcome | None = None
        dealt = [SecretDealt(seat, setup.secrets[seat]) for seat in self._seats]
        self.opening: Sequence[Event] = dealt if emit else ()

    @property
    def _total(self) -> int:
        return sum(count for _, count in self._adds)

    @property
    def requests(self) -> Mapping[Seat, Add | Bet]:
        if self.outcome:
            return {}
        if self._total < self._setup.rules.target:
            return {self._seats[0]: Add(self._seats[0], self.view(self._seats[0]))}
        return {seat: Bet(seat, self.view(seat)) for seat in sorted(self._seats)}

    def view(self, seat: Seat | None) -> View:
        secret = None if seat is None else self._setup.secrets[seat]
        return View(self._total, self._setup.rules.target, secret, tuple(self._adds))

    def advance(self, answers: Mapping[Seat, int | Forfeit]) -> Sequence[Event]:
        forfeits = {seat: answer for seat, answer in answers.items() if isinstance(answer, Forfeit)}
        if forfeits:
            self._seats = [seat for seat in self._seats if seat not in forfeits]
            self._thrown_out += [ThrownOut(seat, forfeit) for seat, forfeit in forfeits.items()]
            if len(self._seats) < 2:
                self._end("too few players are left", dict.fromkeys(self._seats, 0))
            return [PlayerForfeited(seat, forfeit) for seat, forfeit in forfeits.items()]
        numbers = {seat: answer for seat, answer in answers.items() if isinstance(answer, int)}
        if self._total < self._setup.rules.target:
            ((seat, count),) = numbers.items()
            self._adds.append((seat, count))
            self._seats = [*self._seats[1:], self._seats[0]]
            return [Added(seat, count)]
        secrets = self._setup.secrets
        self._end("the bets are open", {seat: abs(bet - sum(secrets)) for seat, bet in numbers.items()})
        return [BetsOpened(tuple(numbers.values()), secrets)]

    def _end(self, reason: str, misses: Mapping[Seat, int]) -> None:
        ranked = sorted(misses, key=lambda seat: misses[seat])
        ranking = [Standing(seat, 1 + sum(misses[other] < misses[seat] for other in ranked)) for seat in ranked]
        self.outcome = Outcome(reason, tuple(ranking), tuple(self._thrown_out))

    def copy(self, *, emit: bool = True) -> Self:
        other = type(self)(self._setup, emit=False)
        other._seats, other._adds = self._seats.copy(), self._adds.copy()
        other._thrown_out, other.outcome = self._thrown_out.copy(), self.outcome
        return other


class Fold:
    """A view that is rebuilt from events."""

    def __init__(self, seat: Seat | None) -> None:
        self._secret: int | None = None
        self._adds: list[tuple[Seat, int]] = []

    def see(self, event: Event) -> None:
        if isinstance(event, SecretDealt):
            self._secret = event.secret
        elif isinstance(event, Added):
            self._adds.append((event.seat, event.count))

    def answered(self, request: Any, answer: Any) -> None: ...

    def view(self) -> View:
        return View(sum(count for _, count in self._adds), Rules().target, self._secret, tuple(self._adds))


class Codec:
    setup_to_json = event_to_json = view_to_json = violation_to_json = staticmethod(msgspec.to_builtins)

    @staticmethod
    def setup_from_json(value: Any) -> Setup:
        return msgspec.convert(value, Setup)

    @staticmethod
    def answer_to_json(request: Add | Bet, answer: int) -> Any:
        return {"number": answer}

    @staticmethod
    def answer_from_json(request: Add | Bet, value: Any) -> int:
        if not isinstance(value, dict) or type(value.get("number")) is not int:
            raise ValueError("an answer is an object with a number")
        number: int = value["number"]
        return number

    @staticmethod
    def event_from_json(value: Any) -> Event:
        shapes: Any = SecretDealt | Added | BetsOpened | PlayerForfeited
        event: Event = msgspec.convert(value, shapes)
        return event

    @staticmethod
    def request_to_json(request: Add | Bet) -> dict[str, Any]:
        return {"kind": request.name, **msgspec.to_builtins(request)}

    @staticmethod
    def request_from_json(value: Any) -> Add | Bet:
        fields = {name: field for name, field in value.items() if name != "kind"}
        return msgspec.convert(fields, Add) if value["kind"] == "add" else msgspec.convert(fields, Bet)

    @staticmethod
    def view_from_json(value: Any) -> View:
        return msgspec.convert(value, View)

    @staticmethod
    def violation_from_json(value: Any) -> Violation:
        return msgspec.convert(value, NotOffered)


def deal(players: int, rules: Rules, seed: int) -> Setup:
    if not 2 <= players <= 4:
        raise UsageError(f"{players} players: tally is for 2 to 4.")
    return Setup(players, rules, tuple(random.Random(seed).choices(range(1, 10), k=players)))


KIND = GameKind(
    name="tally",
    title="Tally: add up to a total, and bet on the sum of all secrets.",
    seats=range(2, 5),
    rules_version=1,
    profiles={"standard": Profile(Rules(), "Bets are open at 6.")},
    deal=deal,
    new_game=Tally,
    codec=Codec(),
)

FOLDED = dataclasses.replace(KIND, name="folded-tally", title="Folded Tally: the same with a fold.", fold=Fold)


def install(folder: Path) -> Path:
    """Write a package with these games, and return its folder for the module path."""
    found = folder / "packages"
    (found / "tally-1.dist-info").mkdir(parents=True)
    (found / "tally-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: tally\nVersion: 1\n")
    (found / "tally-1.dist-info" / "entry_points.txt").write_text(
        textwrap.dedent("""\
            [wateringhole.games]
            tally = tally_game:KIND
            folded-tally = tally_game:FOLDED
        """)
    )
    (found / "tally_game.py").write_text(Path(__file__).read_text())
    return found
