"""Values and errors with which a player in the referee's process can try to cheat.

Each player imitates silly until it misbehaves.  The game always ends, its record verifies, and the
referee judges by the original request.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from wateringhole import registry
from wateringhole.game import Event, Forfeit, Outcome, Seat
from wateringhole.games.evolution import (
    CARDS,
    AttackSpecies,
    Declaration,
    DeclareCards,
    Feeding,
    FeedNext,
    FeedPlants,
    Growth,
    Pass,
    SeatedPlayer,
    SpeciesBoard,
    StoreFat,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.view import PrivateState
from wateringhole.match.loops import play
from wateringhole.match.match import LateFailure, Match
from wateringhole.match.record import Recorder, read_record

EVOLUTION = registry.game_kind("evolution")


class Chooser(Silly):
    """A player that answers `choose` with a given function."""

    def __init__(self, choose: Callable[[DeclareCards], Any]) -> None:
        self._choose = choose

    def choose(self, request: DeclareCards) -> Declaration:
        answer: Declaration = self._choose(request)
        return answer


class Feeder(Silly):
    """A player that answers `feed_next` with a given function."""

    def __init__(self, feed: Callable[[FeedNext], Any]) -> None:
        self._feed = feed

    def feed_next(self, request: FeedNext) -> Feeding:
        feeding: Feeding = self._feed(request)
        return feeding


def played(cheat: Silly) -> tuple[Outcome, list[Event]]:
    setup = EVOLUTION.deal(3, EVOLUTION.profiles["course"].rules, 3)
    recorder = Recorder(EVOLUTION, setup, ["cheat", "silly", "silly"])
    events: list[Event] = []
    match = Match(EVOLUTION, setup, recorder=recorder, observers=[events.append])
    play(match, [cheat, Silly(), Silly()])
    list(read_record(recorder.text()).replay().events())
    assert match.outcome is not None
    return match.outcome, events


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no words for it")


class Exiting:
    """Ends the program when its repr is read."""

    def __repr__(self) -> str:
        raise SystemExit(3)


class _Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise RuntimeError("no name")


class Nameless(Unprintable, metaclass=_Nameless):
    """Has a class that fails when its name is read."""


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words for it")


class OtherSteps(Declaration, frozen=True):
    def steps(self, owned: int) -> Any:
        raise KeyError("surprise")


class Anything(FeedPlants, frozen=True):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class Incomparable:
    """Fails when it is compared."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("beyond compare")

    __hash__ = None  # type: ignore[assignment]


class Liar:
    """Claims to be of another class."""

    def __init__(self, claimed: type) -> None:
        self._claimed = claimed

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return self._claimed


class Shifty(list[Any]):
    """A list that fails when it is read."""

    def __len__(self) -> int:
        raise RuntimeError("no length")

    def __iter__(self) -> Any:
        raise RuntimeError("no items")


class MorePass(Pass, frozen=True):
    pass


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def endless() -> list[Any]:
    nested: list[Any] = []
    nested.append(nested)
    return nested


def raising(error: BaseException) -> Callable[[Any], Any]:
    def misbehave(request: Any) -> Any:
        raise error

    return misbehave


def set_attribute(name: str, value: Any) -> Callable[[Any], Any]:
    return lambda request: setattr(request, name, value)


CHOICES: dict[str, tuple[Callable[[DeclareCards], Any], str]] = {
    "a value without a repr": (lambda request: Unprintable(), "illegal"),
    "a value whose repr exits": (lambda request: Exiting(), "illegal"),
    "a value of a class without a name": (lambda request: Nameless(), "illegal"),
    "a very deep list": (lambda request: deep(), "illegal"),
    "a number with too many digits": (lambda request: Declaration(10**5000), "illegal"),
    "a subclass that overrides steps": (lambda request: OtherSteps(0), "illegal"),
    "a generator instead of a tuple": (
        lambda request: Declaration(0, (Growth(0, card) for card in (1, 2))),  # type: ignore[arg-type]
        "illegal",
    ),
    "a list instead of a tuple": (lambda request: Declaration(0, [Growth(0, 1)]), "illegal"),  # type: ignore[arg-type]
    "a value that fails when it is compared": (lambda request: Incomparable(), "illegal"),
    "such a value in a growth": (lambda request: [0, [[Incomparable(), 0, 1]], [], [], []], "illegal"),
    "such a value as a side": (lambda request: [0, [], [], [[1, Incomparable()]], []], "illegal"),
    "a value that claims to be a list": (lambda request: Liar(list), "illegal"),
    "a value that claims to be a number": (lambda request: [Liar(int), [], [], [], []], "illegal"),
    "a value that claims to be a declaration": (lambda request: Liar(Declaration), "illegal"),
    "a list that fails when it is read": (lambda request: Shifty([0, [], [], [], []]), "illegal"),
    "a list that contains itself": (lambda request: endless(), "illegal"),
    "a huge number": (lambda request: [-(10**5000), [], [], [], []], "illegal"),
    "half a character": (lambda request: ["\ud800", [], [], [], []], "illegal"),
    "a forfeit": (lambda request: Forfeit("left", "\ud800"), "illegal"),
    "an invalid forfeit": (lambda request: Forfeit("nonsense", 123), "illegal"),  # type: ignore[arg-type]
    "an exception without a str": (raising(UnprintableError()), "exception"),
    "an exception with half a character": (raising(ValueError("\ud800")), "exception"),
    "a very long exception": (raising(ValueError("x" * 10_000_000)), "exception"),
    "a GeneratorExit": (raising(GeneratorExit()), "exception"),
    "a changed view": (set_attribute("view", None), "exception"),
    "a changed seat": (set_attribute("seat", Seat(1)), "exception"),
    "a changed card": (lambda request: setattr(request.view.hand[0], "points", 50), "exception"),
    "a changed hand": (
        lambda request: setattr(request.view, "own", PrivateState((), CARDS, 0)),
        "exception",
    ),
}

FEEDINGS: dict[str, tuple[Callable[[FeedNext], Any], str]] = {
    "an answer that equals everything": (lambda request: Anything(0), "illegal"),
    "a subclass of Pass": (lambda request: MorePass(), "illegal"),
    "a value whose repr exits": (lambda request: Exiting(), "illegal"),
    "a value of a class without a name": (lambda request: Nameless(), "illegal"),
    "a value that fails when it is compared": (lambda request: Incomparable(), "illegal"),
    "such values in a list": (lambda request: [Incomparable(), Incomparable(), Incomparable()], "illegal"),
    "a value that claims to be a board": (lambda request: Liar(SpeciesBoard), "illegal"),
    "a value that claims to be a player": (lambda request: [0, Liar(SeatedPlayer), 0], "illegal"),
    "a value that claims to be a forfeit": (lambda request: Liar(Forfeit), "illegal"),
    "a list that fails when it is read": (lambda request: Shifty([0]), "illegal"),
    "a list that contains itself": (lambda request: endless(), "illegal"),
    "a very deep list": (lambda request: [deep()], "illegal"),
    "an index with too many digits": (lambda request: 10**5000, "illegal"),
    "tokens with too many digits": (lambda request: [0, 10**5000], "illegal"),
    "a seat with too many digits": (lambda request: [0, 10**5000, 0], "illegal"),
    "a forfeit": (lambda request: Forfeit("left", "\ud800"), "illegal"),
    "an added option": (
        lambda request: request.options.append(AttackSpecies(0, Seat(1), 0)),  # type: ignore[attr-defined]
        "exception",
    ),
    "changed options": (set_attribute("options", (StoreFat(0, 7),)), "exception"),
    "a number with too many digits": (lambda request: FeedPlants(10**5000), "illegal"),
    "True for 1": (lambda request: FeedPlants(True), "illegal"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_bad_declaration_throws_out_only_its_player(name: str) -> None:
    choose, reason = CHOICES[name]
    outcome, _ = played(Chooser(choose))
    assert [(thrown.seat, thrown.forfeit.reason) for thrown in outcome.thrown_out] == [(0, reason)]
    assert len(outcome.thrown_out[0].forfeit.message) <= 300
    assert len(outcome.ranking) == 2


@pytest.mark.parametrize("name", FEEDINGS)
def test_a_bad_feeding_throws_out_only_its_player(name: str) -> None:
    feed, reason = FEEDINGS[name]
    outcome, _ = played(Feeder(feed))
    assert [(thrown.seat, thrown.forfeit.reason) for thrown in outcome.thrown_out] == [(0, reason)]
    assert len(outcome.thrown_out[0].forfeit.message) <= 300
    assert len(outcome.ranking) == 2


def test_an_announced_result_cannot_be_changed() -> None:
    class Tampering(Silly):
        def game_over(self, outcome: Outcome) -> None:
            outcome.ranking[0].parts[0] = ("bag", 99_999)  # type: ignore[index]

    outcome, events = played(Tampering())
    assert all(points < 99_999 for standing in outcome.ranking for _, points in standing.parts)
    (failure,) = [event for event in events if isinstance(event, LateFailure)]
    assert (failure.seat, failure.forfeit.reason) == (0, "exception")


def test_cards_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="a card cannot be changed"):
        CARDS[0].points = 8
    with pytest.raises(AttributeError):
        del CARDS[0].points
