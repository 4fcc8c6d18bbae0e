"""What a player in our own process can try at the border, and what becomes of it.

Each of these plays silly until it misbehaves.  Whatever it does, the game ends, the record
verifies, and the referee judges by what was really asked.
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
    StoreFat,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.view import PrivateState
from wateringhole.match.loops import play
from wateringhole.match.match import LateFailure, Match
from wateringhole.match.record import Recorder, read_record

EVOLUTION = registry.game_kind("evolution")


class Chooser(Silly):
    """Answers `choose` as it was told to."""

    def __init__(self, choose: Callable[[DeclareCards], Any]) -> None:
        self._choose = choose

    def choose(self, request: DeclareCards) -> Declaration:
        answer: Declaration = self._choose(request)
        return answer


class Feeder(Silly):
    """Answers `feed_next` as it was told to."""

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


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("no words for it")


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words for it")


class OtherSteps(Declaration, frozen=True):
    def steps(self, owned: int) -> Any:
        raise KeyError("surprise")


class Anything(FeedPlants, frozen=True):
    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class MorePass(Pass, frozen=True):
    pass


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


def raising(error: BaseException) -> Callable[[Any], Any]:
    def misbehave(request: Any) -> Any:
        raise error

    return misbehave


def set_attribute(name: str, value: Any) -> Callable[[Any], Any]:
    return lambda request: setattr(request, name, value)


CHOICES: dict[str, tuple[Callable[[DeclareCards], Any], str]] = {
    "a value that cannot be shown": (lambda request: Unspeakable(), "illegal"),
    "a list without bottom": (lambda request: deep(), "illegal"),
    "a number with too many digits": (lambda request: Declaration(10**5000), "illegal"),
    "a subclass with steps of its own": (lambda request: OtherSteps(0), "illegal"),
    "a generator instead of a tuple": (
        lambda request: Declaration(0, (Growth(0, card) for card in (1, 2))),  # type: ignore[arg-type]
        "illegal",
    ),
    "a list instead of a tuple": (lambda request: Declaration(0, [Growth(0, 1)]), "illegal"),  # type: ignore[arg-type]
    "a forfeit of its own making": (lambda request: Forfeit("left", "\ud800"), "illegal"),
    "a forfeit that makes no sense": (lambda request: Forfeit("nonsense", 123), "illegal"),  # type: ignore[arg-type]
    "an exception without words": (raising(UnspeakableError()), "exception"),
    "an exception with half a character": (raising(ValueError("\ud800")), "exception"),
    "a very long exception": (raising(ValueError("x" * 10_000_000)), "exception"),
    "an exit of the interpreter's own": (raising(GeneratorExit()), "exception"),
    "another view": (set_attribute("view", None), "exception"),
    "another seat": (set_attribute("seat", Seat(1)), "exception"),
    "other cards": (lambda request: setattr(request.view.hand[0], "points", 50), "exception"),
    "another hand": (
        lambda request: setattr(request.view, "own", PrivateState((), CARDS, 0)),
        "exception",
    ),
}

FEEDINGS: dict[str, tuple[Callable[[FeedNext], Any], str]] = {
    "an answer that equals everything": (lambda request: Anything(0), "illegal"),
    "a subclass of declining": (lambda request: MorePass(), "illegal"),
    "an option of its own": (
        lambda request: request.options.append(AttackSpecies(0, Seat(1), 0)),  # type: ignore[attr-defined]
        "exception",
    ),
    "other options": (set_attribute("options", (StoreFat(0, 7),)), "exception"),
    "a number with too many digits": (lambda request: FeedPlants(10**5000), "illegal"),
    "true for one": (lambda request: FeedPlants(True), "illegal"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_a_strange_choice_costs_its_player_the_game_and_nobody_anything_else(name: str) -> None:
    choose, reason = CHOICES[name]
    outcome, _ = played(Chooser(choose))
    assert [(thrown.seat, thrown.forfeit.reason) for thrown in outcome.thrown_out] == [(0, reason)]
    assert len(outcome.thrown_out[0].forfeit.message) <= 300
    assert len(outcome.ranking) == 2


@pytest.mark.parametrize("name", FEEDINGS)
def test_a_strange_feeding_costs_its_player_the_game_and_nobody_anything_else(name: str) -> None:
    feed, reason = FEEDINGS[name]
    outcome, _ = played(Feeder(feed))
    assert [(thrown.seat, thrown.forfeit.reason) for thrown in outcome.thrown_out] == [(0, reason)]
    assert len(outcome.ranking) == 2


def test_an_announced_result_cannot_be_changed() -> None:
    class Proud(Silly):
        def game_over(self, outcome: Outcome) -> None:
            outcome.ranking[0].parts[0] = ("bag", 99_999)  # type: ignore[index]

    outcome, events = played(Proud())
    assert all(points < 99_999 for standing in outcome.ranking for _, points in standing.parts)
    (failure,) = [event for event in events if isinstance(event, LateFailure)]
    assert (failure.seat, failure.forfeit.reason) == (0, "exception")


def test_cards_are_the_same_at_every_table_and_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="a card cannot be changed"):
        CARDS[0].points = 8
    with pytest.raises(AttributeError):
        del CARDS[0].points
