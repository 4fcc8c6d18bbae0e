"""The referee's figures of `wateringhole bench`: games, decisions and copies per second on one core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from wateringhole import fallbacks
from wateringhole.cli.figures import Figure, Measurement, best_rate
from wateringhole.game import AnyKind, Seat, seats_of
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.match.record import Recorder
from wateringhole.match.specs import parse_specs
from wateringhole.player import Player, PlayerContext, ignored_notices

__all__ = ["measurements"]

COPIES = 100
"""Copies between two readings of the clock, because one reading takes as long as one copy."""


class _Lineup(NamedTuple):
    """A game and its players."""

    kind: AnyKind
    players: list[Player]
    choices: Mapping[str, Any]

    def deal(self) -> Any:
        return self.kind.deal(len(self.players), self.kind.default_rules, 1, **self.choices)


def measurements(kinds: Sequence[AnyKind], seconds: float) -> list[Measurement]:
    """Return the measurements, each of about `seconds`."""
    works: list[tuple[str, str, Callable[[], int]]] = []
    for kind in kinds:
        measured = fallbacks.benchmarks(kind)
        for seats in measured.seats:
            with PlayerContext(seats):
                players = [named.make() for named in parse_specs(kind.name, [measured.player] * seats)]
            lineup = _Lineup(kind, players, measured.choices)
            who = f"{kind.name}, {seats} {measured.player.partition('?')[0]} players"
            works += [
                (f"{who}, referee with events and record", "games/s", partial(_refereed, lineup)),
                (f"{who}, referee with events and record", "decisions/s", partial(_decisions, lineup)),
                (f"{who}, referee with events", "games/s", partial(_unrecorded, lineup)),
                (f"{who}, referee with record and every player reading all events", "games/s", partial(_read, lineup)),
                (f"{who}, bare game", "games/s", partial(_bare, lineup)),
                (f"{who}, copy() of a game", "copies/s", _copies(lineup)),
            ]
    return [Measurement(what, partial(_rate, what, unit, work, seconds)) for what, unit, work in works]


def _rate(what: str, unit: str, work: Callable[[], int], seconds: float) -> list[Figure]:
    return [Figure(what, best_rate(work, seconds), unit)]


def _refereed(lineup: _Lineup) -> int:
    _record(lineup)
    return 1


def _decisions(lineup: _Lineup) -> int:
    # The header and the result are lines of the record too.
    return _record(lineup).count(b"\n") - 2


def _read(lineup: _Lineup) -> int:
    _record(lineup, event_seats=seats_of(len(lineup.players)))
    return 1


def _record(lineup: _Lineup, event_seats: Sequence[Seat] = ()) -> bytes:
    """Return the record of one game played by the real referee."""
    setup = lineup.deal()
    recorder = Recorder(lineup.kind, setup, [f"player {seat}" for seat in range(len(lineup.players))])
    ignored = ignored_notices(lineup.players)
    match = Match(lineup.kind, setup, recorder=recorder, event_seats=event_seats, ignored_notices=ignored)
    play(match, lineup.players)
    return recorder.text()


def _unrecorded(lineup: _Lineup) -> int:
    play(Match(lineup.kind, lineup.deal(), ignored_notices=ignored_notices(lineup.players)), lineup.players)
    return 1


def _bare(lineup: _Lineup) -> int:
    """Play one game without events, referee and record, as a search would do."""
    game = lineup.kind.new_game(lineup.deal(), emit=False)
    while game.outcome is None:
        game.advance({seat: request.ask(lineup.players[seat]) for seat, request in game.requests.items()})
    return 1


def _copies(lineup: _Lineup) -> Callable[[], int]:
    game = lineup.kind.new_game(lineup.deal(), emit=False)

    def copy() -> int:
        for _ in range(COPIES):
            game.copy(emit=False)
        return COPIES

    return copy
