"""A series: the same player objects through several games, so that they may learn."""

from __future__ import annotations

import contextlib
import functools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from wateringhole.digests import digest
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import AnyKind, Event, Game, Outcome, Seat
from wateringhole.match.commitments import Commitment, commit, dealt_text
from wateringhole.match.loops import play
from wateringhole.match.match import UNTIMED, Match, Observer, RefereeSettings
from wateringhole.match.record import Record, Recorder, read_record
from wateringhole.match.specs import PlayerSpec, table_names
from wateringhole.player import Player, PlayerContext, ignored_notices, player_seed
from wateringhole.seeds import Seed

__all__ = [
    "Counts",
    "Deals",
    "Entrant",
    "EventCounter",
    "PlayedGame",
    "Series",
    "check_number",
    "make_entrants",
    "make_folder",
    "write_record",
]


@dataclass(frozen=True)
class Entrant:
    """A player in a series, and its name."""

    name: str
    player: Player
    version: str | None = None
    """The version of its code (`match.versions`), which is recorded if it is given."""


@dataclass(frozen=True, kw_only=True)
class PlayedGame:
    """A finished game."""

    seed: Seed
    """The seed of its deal."""
    names: tuple[str, ...]
    """By seat, each different."""
    entrants: tuple[int, ...]
    """The number of the entrant at each seat, from 0."""
    outcome: Outcome
    seconds: tuple[float, ...]
    """The time that all answers of each seat took, exactly as in the record if one was kept."""
    repaired_answers: tuple[int, ...]
    """By seat: the number of bad answers that the game replaced instead of throwing the player out."""
    turns: int
    versions: tuple[str | None, ...] | None = None
    """The version of each player by seat, or None if they are not recorded."""
    highlights: int | None = None
    """The number of highlights, or None if the game has none."""
    record_bytes: bytes | None = field(default=None, repr=False)
    """The record as it is written to a file, or None if none was kept."""
    record_digest: str | None = field(default=None, repr=False)
    """The digest of `record_bytes`."""
    commitment: Commitment | None = field(default=None, repr=False)
    """The commitment to its deal, or None if none was published."""
    choices: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The further arguments of `deal` that the game was played with."""

    @classmethod
    def from_match(cls, match: Match, counter: EventCounter, recorder: Recorder | None, **more: Any) -> PlayedGame:
        """Return the game of a finished match, with what its observer and its recorder took down."""
        assert match.outcome is not None, "a match without calls is over"
        counts = counter.take(len(match.names))
        return cls(
            names=match.names,
            outcome=match.outcome,
            seconds=match.seconds,
            turns=counts.turns,
            highlights=counts.highlights,
            repaired_answers=counts.repaired_answers,
            record_bytes=recorder.text() if recorder else None,
            record_digest=recorder.digest() if recorder else None,
            **more,
        )

    @functools.cached_property
    def record(self) -> Record:
        """The parsed record.  Raises OperationError if none was kept."""
        if self.record_bytes is None:
            raise OperationError(f"the game with seed {self.seed} was played without a record.")
        return read_record(self.record_bytes).with_choices(self.choices)

    def number(self, seat: Seat) -> int:
        """Return the number of the entrant at a seat, counted from 1."""
        return self.entrants[seat] + 1


class Counts(NamedTuple):
    """The events of a game, counted."""

    turns: int
    highlights: int | None
    """None if the game has none."""
    repaired_answers: tuple[int, ...]
    """By seat."""


class EventCounter:
    """An observer that counts the turns, the highlights and the repaired answers of games.

    It keeps the events of a game and counts them at the end, by type, which is faster than one by one.
    """

    def __init__(self, kind: AnyKind) -> None:
        self._kind = kind
        self.event_types = kind.counted_events
        self._meanings: dict[type[Event], _Meaning] = {}
        """The meanings of the types seen so far."""
        self._events: list[Event] = []

    def __call__(self, event: Event) -> None:
        self._events.append(event)

    def take(self, players: int) -> Counts:
        """Return the counts since the last call, which are those of a game with this many players."""
        times = Counter(map(type, self._events))
        if not times.keys() <= self._meanings.keys():
            samples = dict(zip(map(type, self._events), self._events, strict=True))
            self._meanings.update({each: self._meaning(sample) for each, sample in samples.items()})
        turns = highlights = 0
        repaired = (0,) * players
        for each, number in times.items():
            opens_turn, is_highlight, reports_incidents = self._meanings[each]
            if opens_turn:
                turns += number
            if is_highlight:
                highlights += number
            if reports_incidents:
                repaired = self._repaired_answers(players)
        self._events.clear()
        return Counts(turns, None if self._kind.highlight is None else highlights, repaired)

    def _meaning(self, event: Event) -> _Meaning:
        highlight = self._kind.highlight
        return _Meaning(
            self._kind.turn_of(event) is not None,
            highlight is not None and highlight.is_one(event),
            type(event).incident is not Event.incident,
        )

    def _repaired_answers(self, players: int) -> tuple[int, ...]:
        incidents = (event.incident for event in self._events)
        repaired = Counter(incident.seat for incident in incidents if incident and incident.is_repaired_answer)
        return tuple(repaired[Seat(seat)] for seat in range(players))


class _Meaning(NamedTuple):
    """The meaning of all events of a type."""

    opens_turn: bool
    is_highlight: bool
    reports_incidents: bool
    """True if they may report an incident."""


class _Seating(NamedTuple):
    """The seats of the entrants in a game; all fields are by seat."""

    entrants: tuple[int, ...]
    names: tuple[str, ...]
    versions: tuple[str | None, ...] | None
    """None if no version is known."""
    players: list[Player]


@dataclass(frozen=True, kw_only=True)
class Deals:
    """The deals of the games of a series.  All chance follows from the seeds, so several series can share them."""

    kind: AnyKind
    players: int
    rules: Any
    seeds: Sequence[Seed]
    choices: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, number: int) -> Any:
        """Return the deal of a game."""
        return self.kind.deal(self.players, self.rules, self.seeds[number], **self.choices)

    @functools.cached_property
    def setups(self) -> list[Any]:
        """The deals of all games."""
        return [self[number] for number in range(len(self.seeds))]

    @functools.cached_property
    def texts(self) -> list[bytes]:
        """The part of each deal that a commitment covers."""
        return [dealt_text(self.kind, setup) for setup in self.setups]


@dataclass(frozen=True, kw_only=True)
class Series:
    """Games in a row by the same player objects.  All chance of the deals follows from the seeds."""

    kind: AnyKind
    entrants: Sequence[Entrant]
    rules: Any
    seeds: Sequence[Seed]
    """The seed of each game's deal."""
    nonces: Sequence[str] = ()
    """A nonce for each game, to commit to all deals before the first game.  Without them, nothing is published."""
    rotate_seats: bool = False
    """All entrants move by one seat after each game."""
    referee: RefereeSettings = UNTIMED
    choices: Mapping[str, Any] = field(default_factory=dict)
    """Further arguments of the game's `deal`."""
    shared_deals: Deals | None = None
    """The deals that follow from the seeds, if another series has them, too."""
    keeps_records: bool = False

    @property
    def games(self) -> int:
        return len(self.seeds)

    def play(self, observers: Callable[[Sequence[str]], Sequence[Observer]] = lambda names: ()) -> Iterator[PlayedGame]:
        """Yield the games, each played when it is requested; `observers(names)` returns the observers of one game."""
        previous: Game[Any, Any, Any] | None = None
        counter = EventCounter(self.kind)
        ignored = ignored_notices([entrant.player for entrant in self.entrants])
        commitments = self._commitments()
        for number, (seating, commitment) in enumerate(zip(self._seatings(), commitments, strict=True)):
            names, versions, players = seating.names, seating.versions, seating.players
            setup = self._setup(number, seating, previous)
            recorder = Recorder(self.kind, setup, names, versions, commitment) if self.keeps_records else None
            match = Match(
                self.kind,
                setup,
                names,
                referee=self.referee,
                recorder=recorder,
                observers=[counter, *observers(names)],
                event_seats=[Seat(seat) for seat, player in enumerate(players) if player.wants_events],
                humans=[Seat(seat) for seat, player in enumerate(players) if player.is_human],
                ignored_notices=ignored,
                commitment=commitment,
            )
            play(match, players)
            previous = match.game
            yield PlayedGame.from_match(
                match,
                counter,
                recorder,
                seed=self.seeds[number],
                versions=versions,
                entrants=seating.entrants,
                commitment=commitment,
                choices=self.choices,
            )

    def replay(self, records: Iterable[bytes]) -> Iterator[PlayedGame]:
        """Yield the games as `play` did, from their records; no player is called.

        Raises OperationError if a record is not valid, or not that of its game.
        """
        previous: Game[Any, Any, Any] | None = None
        counter = EventCounter(self.kind)
        commitments = self._commitments()
        seatings = self._seatings()
        for number, text in enumerate(records):
            seating = seatings[number]
            record = _read_as(self.kind, text, seating.names, self._setup(number, seating, previous))
            if record.commitment != commitments[number]:
                raise OperationError("the record has another commitment than its series.")
            replay = record.replay()
            for event in replay.events():
                counter(event)
            assert replay.game.outcome is not None, "a replay ends with the game"
            previous = replay.game
            counts = counter.take(len(seating.names))
            yield PlayedGame(
                seed=self.seeds[number],
                names=record.header.names,
                versions=record.header.versions or None,
                entrants=seating.entrants,
                outcome=replay.game.outcome,
                seconds=record.seconds(),
                turns=counts.turns,
                highlights=counts.highlights,
                repaired_answers=counts.repaired_answers,
                record_bytes=text,
                record_digest=digest(text),
                commitment=record.commitment,
            )

    def _seatings(self) -> list[_Seating]:
        """Return the seating of each game."""
        if not self.rotate_seats:
            return [self._seating(0)] * self.games
        return [self._seating(number) for number in range(self.games)]

    def _seating(self, shift: int) -> _Seating:
        """Return the seating after all entrants have moved by some seats."""
        size = len(self.entrants)
        numbers = tuple([(seat + shift) % size for seat in range(size)])
        seated = [self.entrants[number] for number in numbers]
        versions = tuple([entrant.version for entrant in seated])
        return _Seating(
            entrants=numbers,
            names=tuple([entrant.name for entrant in seated]),
            versions=None if set(versions) == {None} else versions,
            players=[entrant.player for entrant in seated],
        )

    def _commitments(self) -> Sequence[Commitment | None]:
        """Return the commitments to all deals."""
        if not self.nonces:
            return [None] * self.games
        return commit(self._deals.texts, self.nonces)

    @functools.cached_property
    def _deals(self) -> Deals:
        return self.shared_deals or Deals(
            kind=self.kind, players=len(self.entrants), rules=self.rules, seeds=self.seeds, choices=self.choices
        )

    def _setup(self, number: int, seating: _Seating, previous: Game[Any, Any, Any] | None) -> Any:
        """Return the setup of a game after the `previous` one."""
        dealt = self._deals.setups[number] if self.nonces or self.shared_deals else self._deals[number]
        return self.kind.next_setup(dealt, list(zip(seating.entrants, seating.names, strict=True)), previous)


def _read_as(kind: AnyKind, text: bytes, names: tuple[str, ...], setup: Any) -> Record:
    """Read the record of a game that had these names and this setup."""
    record = read_record(text, kind=kind)
    if record.header.game != kind.name:
        raise OperationError(f"the record is of {record.header.game}, not of {kind.name}.")
    if record.header.names != names:
        recorded, expected = (", ".join(each) for each in (record.header.names, names))
        raise OperationError(f"the record names the players {recorded}, not {expected}.")
    if kind.codec.setup_to_json(record.setup) != kind.codec.setup_to_json(setup):
        raise OperationError("the record starts from another deal than its series.")
    return record


def make_entrants(
    kind: AnyKind,
    named: Sequence[PlayerSpec],
    seed: Seed,
    cleanup: contextlib.ExitStack,
    let_go: Callable[[Player], object],
) -> list[Entrant]:
    """Make the players of a series, each with its seed; `cleanup` calls `let_go` for each at the end.

    Raises UsageError if the game is not for that number of players.
    """
    # Counted here, because a program may play several seats.
    check_number(kind, len(named))
    players = []
    with PlayerContext(len(named)):
        for seat, each in enumerate(named):
            players.append(each.make(player_seed(seed, seat)))
            cleanup.callback(let_go, players[-1])
    return [Entrant(*each) for each in zip(table_names(named, players), players, strict=True)]


def check_number(kind: AnyKind, players: int) -> None:
    """Raise UsageError if a game is not for that number of players."""
    if players not in kind.seats:
        raise UsageError(f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players; {players} were named.")


def make_folder(folder: Path) -> None:
    """Create a folder for records, with its parents.  Raises OperationError if that fails."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperationError(f"the folder {folder} cannot be created: {error.strerror}.") from None


def write_record(folder: Path, kind: AnyKind, played: PlayedGame) -> Path:
    """Write a record atomically under an unused name."""
    assert played.record_bytes is not None, "records are kept when a folder is given"
    stem = f"{kind.name}-{played.seed}"
    path = folder / f"{stem}.jsonl"
    copies = 1
    while path.exists():
        copies += 1
        path = folder / f"{stem}-{copies}.jsonl"
    unfinished = path.with_suffix(".part")
    try:
        unfinished.write_bytes(played.record_bytes)
        unfinished.rename(path)
    except OSError as error:
        raise OperationError(f"the record {path} cannot be written: {error.strerror}.") from None
    return path
