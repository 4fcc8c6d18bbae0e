"""Games of bots, and the positions in them at which a player is asked."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wateringhole import fallbacks, registry
from wateringhole.game import Answer, AnyKind, Forfeit, Game, Request, Seat
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.match.record import Record, Recorder, read_record
from wateringhole.testing.games import make_bot

__all__ = ["MOST_POSITIONS", "Position", "positions", "sample_records"]

MOST_POSITIONS = 45
"""Positions that one printable character can choose from, each in two styles."""
POSITIONS_PER_REQUEST = 4
"""Positions in one game with the same request, at most."""


class Position(NamedTuple):
    """A request, the game that makes it, and the answers of all seats that are asked at the same time."""

    kind: AnyKind
    game: Game[Any, Any, Any]
    request: Request[Any]
    answers: Mapping[Seat, Answer | Forfeit]


@functools.cache
def sample_records() -> Sequence[bytes]:
    """Return the record of a game of every profile of every game."""
    return [_record(kind, profile) for kind in registry.kinds() for profile in kind.profiles]


@functools.cache
def positions() -> Sequence[Position]:
    """Return positions with every request of every game."""
    found: list[Position] = []
    for text in sample_records():
        seen: dict[str, int] = {}
        for position in _positions(read_record(text)):
            name = position.request.name
            seen[name] = seen.get(name, 0) + 1
            if seen[name] <= POSITIONS_PER_REQUEST:
                found.append(position)
    return found[:: -(-len(found) // MOST_POSITIONS)]


def _record(kind: AnyKind, profile: str) -> bytes:
    setup = kind.deal(fallbacks.usual_seats(kind), kind.profiles[profile].rules, 1)
    assert kind.bots is not None
    bots = kind.bots()
    names = [bots.usual[seat % len(bots.usual)] for seat in range(setup.players)]
    players = [make_bot(bots.players[name].load(), seed) for seed, name in enumerate(names)]
    recorder = Recorder(kind, setup, names)
    play(Match(kind, setup, names, recorder=recorder), players, clock=lambda: 0.0)
    return recorder.text()


def _positions(record: Record) -> Iterator[Position]:
    replay = record.replay()
    before = replay.game.copy(emit=False)
    for step in replay.advances():
        answers = {seat: answer for seat, (_, answer) in step.answered.items()}
        for request, _ in step.answered.values():
            if request is not None:
                yield Position(record.kind, before, request, answers)
        before = replay.game.copy(emit=False)
