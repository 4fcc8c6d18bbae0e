"""A match makes only the events that something reads, and plays the same game."""

from __future__ import annotations

import pytest

from wateringhole import registry
from wateringhole.game import AnyKind, Event, Seat
from wateringhole.match.loops import play
from wateringhole.match.match import Match, Observer
from wateringhole.match.record import Recorder
from wateringhole.match.series import EventCounter
from wateringhole.match.specs import parse_specs

KINDS = {name: registry.game_kind(name) for name in ("evolution", "porrinha")}


def played(kind: AnyKind, *observers: Observer, readers: bool = False) -> tuple[Match, bytes]:
    """Play a game on a clock that stands still.  Return the match and its record."""
    players = [spec.make(seat) for seat, spec in enumerate(parse_specs(kind.name, ["random"] * 3))]
    setup = kind.deal(3, kind.default_rules, 5)
    recorder = Recorder(kind, setup, ["a", "b", "c"])
    seats = [Seat(seat) for seat in range(3)] if readers else []
    match = Match(kind, setup, recorder=recorder, observers=observers, event_seats=seats)
    play(match, players, lambda: 0.0)
    return match, recorder.text()


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_the_record_does_not_depend_on_who_reads_events(kind: AnyKind) -> None:
    _, record = played(kind)
    assert played(kind, lambda event: None)[1] == record
    assert played(kind, readers=True)[1] == record
    assert played(kind, EventCounter(kind))[1] == record


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_counter_counts_the_same_among_selected_and_among_all_events(kind: AnyKind) -> None:
    alone, beside = EventCounter(kind), EventCounter(kind)
    played(kind, alone)
    played(kind, beside, lambda event: None)
    counted = alone.take()
    assert counted == beside.take()
    assert counted[0] > 3


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_events_are_selected_only_if_no_observer_needs_all(kind: AnyKind) -> None:
    everything: list[Event] = []
    counted: list[Event] = []

    class Some:
        event_types = kind.counted_events

        def __call__(self, event: Event) -> None:
            counted.append(event)

    played(kind, everything.append)
    played(kind, Some())
    types = kind.counted_events or frozenset()
    assert counted == [event for event in everything if event.is_notice or type(event) in types]
    assert len(counted) < len(everything)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_copy_selects_the_same_events(kind: AnyKind) -> None:
    assert kind.new_game_emitting is not None
    game = kind.new_game_emitting(kind.deal(3, kind.default_rules, 5), frozenset())
    copy = game.copy()
    player = next(spec.make(1) for spec in parse_specs(kind.name, ["random"]))
    while game.outcome is None:
        answers = {seat: request.ask(player) for seat, request in game.requests.items()}
        assert list(copy.advance(answers)) == list(game.advance(answers))
