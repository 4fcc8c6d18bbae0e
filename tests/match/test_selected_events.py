"""A match emits only the events that something reads, and plays the same game."""

from __future__ import annotations

from typing import Any

import pytest

from wateringhole import registry
from wateringhole.game import AnyKind, Event, Notice, Seat, Selection
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.events import ResultAnnounced, YouAreOut, YourTurnStarts
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.rules.events import EndRound
from wateringhole.match.loops import play
from wateringhole.match.match import Match, Observer
from wateringhole.match.record import Recorder
from wateringhole.match.series import Entrant, EventCounter, Series
from wateringhole.match.specs import parse_specs
from wateringhole.player import ignored_notices

KINDS = {name: registry.game_kind(name) for name in ("evolution", "porrinha")}


def played(kind: AnyKind, *observers: Observer, readers: bool = False) -> tuple[Match, bytes]:
    """Play a game on a stopped clock.  Return the match and its record."""
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
    counted = alone.take(3)
    assert counted == beside.take(3)
    assert counted.turns > 3


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
    game = kind.new_game_emitting(kind.deal(3, kind.default_rules, 5), Selection())
    copy = game.copy()
    player = next(spec.make(1) for spec in parse_specs(kind.name, ["random"]))
    while game.outcome is None:
        answers = {seat: request.ask(player) for seat, request in game.requests.items()}
        assert list(copy.advance(answers)) == list(game.advance(answers))


class Listener(Random):
    """Counts the rounds that end."""

    rounds = 0

    def end_round(self) -> None:
        self.rounds += 1


class Taker(Random):
    """Takes every notice itself."""

    def on_notice(self, notice: Notice) -> None:
        notice.deliver(self)


class Forwarder:
    """Passes everything on to another player, and counts notices."""

    def __init__(self, player: Random) -> None:
        self._player = player
        self.notices = 0

    def on_notice(self, notice: Notice) -> None:
        self.notices += isinstance(notice, EndRound)
        self._player.on_notice(notice)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)


def test_a_notice_that_every_player_ignores_is_ignored() -> None:
    assert ignored_notices([Random(1), Random(2)]) == {EndRound}
    assert ignored_notices([Silly(), Silly()]) == {ResultAnnounced, YouAreOut, YourTurnStarts}


@pytest.mark.parametrize("player", [Listener(1), Taker(1), Forwarder(Random(1))], ids=["method", "hook", "wrapper"])
def test_one_player_that_reads_a_notice_is_enough(player: Any) -> None:
    assert ignored_notices([player, Random(2)]) == set()


def test_a_method_of_one_object_reads_a_notice_too() -> None:
    player = Random(1)
    player.end_round = lambda: None  # type: ignore[method-assign]
    assert ignored_notices([player]) == set()


def test_every_round_ends_for_a_listener_among_players_that_ignore_it() -> None:
    kind = KINDS["porrinha"]
    listener, forwarder = Listener(1), Forwarder(Random(2))
    entrants = [Entrant("a", listener), Entrant("b", Random(3)), Entrant("c", forwarder)]
    (game,) = Series(kind=kind, entrants=entrants, rules=kind.default_rules, seeds=[1]).play()
    assert listener.rounds == forwarder.notices == game.turns


def test_the_record_does_not_depend_on_ignored_notices() -> None:
    for kind in KINDS.values():
        records = []
        for ignored in (frozenset(), ignored_notices([Random(1)]) | ignored_notices([Silly()])):
            players = [spec.make(seat) for seat, spec in enumerate(parse_specs(kind.name, ["random"] * 3))]
            setup = kind.deal(3, kind.default_rules, 5)
            recorder = Recorder(kind, setup, ["a", "b", "c"])
            play(Match(kind, setup, recorder=recorder, ignored_notices=ignored), players, lambda: 0.0)
            records.append(recorder.text())
        assert records[0] == records[1]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_ignoring_notices_leaves_the_other_events(kind: AnyKind) -> None:
    assert kind.new_game_emitting is not None
    setup = kind.deal(3, kind.default_rules, 5)
    ignored = ignored_notices([Random(1)]) | ignored_notices([Silly()])
    game = kind.new_game(setup)
    types = {type(event) for event in game.opening if not event.is_notice}
    player = next(spec.make(1) for spec in parse_specs(kind.name, ["random"]))
    moves = []
    while game.outcome is None:
        answers = {seat: request.ask(player) for seat, request in game.requests.items()}
        moves.append((answers, game.advance(answers)))
        types |= {type(event) for event in moves[-1][1] if not event.is_notice}
    selected = kind.new_game_emitting(setup, Selection(frozenset(types), ignored))
    for answers, events in moves:
        assert list(selected.advance(answers)) == [event for event in events if type(event) not in ignored]
