"""A series: the same player objects through several games, so that they may learn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from wateringhole.game import AnyKind, Game, Outcome, Seat
from wateringhole.match.loops import play
from wateringhole.match.match import PATIENT, Match, Observer, Policy
from wateringhole.match.record import Recorder
from wateringhole.player import Player

__all__ = ["Entrant", "Played", "Series"]


@dataclass(frozen=True)
class Entrant:
    """Somebody who plays in a series, and what it is called."""

    name: str
    player: Player


@dataclass(frozen=True)
class Played:
    """One finished game of a series."""

    seed: int
    entrants: tuple[int, ...]
    """By seat: the number of the entrant who sat there, from 0."""
    outcome: Outcome
    record: bytes | None
    seconds: tuple[float, ...] = ()
    """By seat: the time that all answers took."""

    def number(self, seat: Seat) -> int:
        """What a seat is called outside: its entrant, counted from 1."""
        return self.entrants[seat] + 1


@dataclass(frozen=True, kw_only=True)
class Series:
    """How to play several games in a row.  Everything follows from the seed."""

    kind: AnyKind
    entrants: Sequence[Entrant]
    rules: Any
    seed: int
    games: int = 1
    rotate_seats: bool = False
    """Everybody moves one seat on after each game."""
    same_seed: bool = False
    """Every game is dealt from the seed itself, so that seats can be compared; otherwise it grows by one a game."""
    policy: Policy = PATIENT
    choices: Mapping[str, Any] = field(default_factory=dict)
    """What the game's `deal` takes besides players, rules and seed."""
    keeps_records: bool = False

    def play(self, observers: Callable[[Sequence[str]], Sequence[Observer]] = lambda names: ()) -> Iterator[Played]:
        """The games, each played when it is asked for; `observers(names)` gives those of one game."""
        previous: Game[Any, Any, Any] | None = None
        for number in range(self.games):
            seats = self._seats(number)
            names = [self.entrants[entrant].name for entrant in seats]
            seed = self.seed if self.same_seed else self.seed + number
            setup = self.kind.deal(len(seats), self.rules, seed, **self.choices)
            setup = self.kind.next_setup(setup, list(zip(seats, names, strict=True)), previous)
            recorder = Recorder(self.kind, setup, names) if self.keeps_records else None
            players = [self.entrants[entrant].player for entrant in seats]
            match = Match(
                self.kind,
                setup,
                names,
                policy=self.policy,
                recorder=recorder,
                observers=observers(names),
                spectators=[Seat(seat) for seat, player in enumerate(players) if player.sees_events],
                people=[Seat(seat) for seat, player in enumerate(players) if player.is_person],
            )
            play(match, players)
            assert match.outcome is not None, "a match without errands is over"
            previous = match.game
            record = recorder.text() if recorder else None
            yield Played(seed, seats, match.outcome, record, tuple(match.seconds.values()))

    def _seats(self, number: int) -> tuple[int, ...]:
        entrants = len(self.entrants)
        shift = number if self.rotate_seats else 0
        return tuple((seat + shift) % entrants for seat in range(entrants))
