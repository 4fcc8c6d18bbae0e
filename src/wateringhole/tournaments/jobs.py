"""What a worker does: it plays planned series and hands the games back.  It knows no store.

Everything here is called with plain values, so that a worker may be this process, another one or
another machine.
"""

from __future__ import annotations

import contextlib
import functools
import time
from collections import Counter
from collections.abc import Sequence

import msgspec

from wateringhole import registry
from wateringhole.errors import Failure, Misuse, WateringHoleError
from wateringhole.game import AnyKind, Event, Forfeit
from wateringhole.match.match import Policy
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import NamedPlayer, name_players, runs_strange_code
from wateringhole.player import InProcess, Place, Player, PlayerFailed, is_interruption, player_seed, seating
from wateringhole.process.player import Housing, Limits
from wateringhole.tournaments.results import PlayedGame, result_of
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings

__all__ = ["Piece", "check_players", "needs_processes", "play_piece", "player_seed"]


class Piece(msgspec.Struct, frozen=True):
    """Series that were played in one go."""

    games: list[PlayedGame]
    seconds: float
    """How long all of it took."""


def play_piece(settings: bytes, series: Sequence[PlannedSeries]) -> Piece:
    """Play series one after the other; `settings` are `Settings` as JSON.

    Raises Failure for players that are not to be found any more: nobody has misused anything since they were.
    """
    started = time.perf_counter()
    try:
        table = _table(settings)
    except Misuse as error:
        raise Failure(str(error)) from None
    games = [game for planned in series for game in table.play(planned)]
    return Piece(games, time.perf_counter() - started)


def check_players(settings: Settings) -> None:
    """Make every player once, so that one that cannot play is found before the first game.

    Raises Misuse with what is wrong.
    """
    table = _Table(settings)
    with seating(settings.table_size), contextlib.ExitStack() as guests:
        for named in table.players:
            player = named.make(0)
            guests.callback(_dismiss, player)
            if player.is_person:
                raise Misuse(f"player {named.spec!r}: people cannot play in a tournament; try: wateringhole play.")


def needs_processes(settings: Settings) -> bool:
    """Whether there is somebody among the players who could end the process in which it plays."""
    housing = _housing(settings)
    return any(runs_strange_code(settings.game, spec, housing) for spec in settings.players)


@functools.lru_cache(maxsize=1)
def _table(settings: bytes) -> _Table:
    """Kept from piece to piece: to find out what is installed takes longer than a game of Porrinha."""
    return _Table(msgspec.json.decode(settings, type=Settings))


class _Table:
    """Where the series of one tournament are played."""

    def __init__(self, settings: Settings) -> None:
        """Raises Misuse for players that cannot be found."""
        self._kind: AnyKind = registry.game_kind(settings.game)
        if settings.rules_version != self._kind.rules_version:
            raise Failure(
                f"the tournament was begun under version {settings.rules_version} of the rules of {settings.game}; "
                f"this program has version {self._kind.rules_version}."
            )
        self._rules = msgspec.convert(settings.rules, self._kind.rules)
        self._policy = Policy(patience_seconds=settings.patience_seconds)
        self.players = name_players(settings.game, settings.players, _housing(settings))
        self._samples: dict[type[Event], Event] = {}

    def play(self, planned: PlannedSeries) -> list[PlayedGame]:
        with contextlib.ExitStack() as guests:
            entrants = []
            with seating(len(planned.entrants)):
                for seat, entrant in enumerate(planned.entrants):
                    named = self.players[entrant]
                    player = _make(named, player_seed(planned.seed, seat))
                    guests.callback(_dismiss, player)
                    entrants.append(Entrant(named.label, player))
            series = Series(
                kind=self._kind,
                entrants=entrants,
                rules=self._rules,
                seed=planned.seed,
                games=planned.games,
                rotate_seats=True,
                same_seed=True,
                policy=self._policy,
                keeps_records=True,
            )
            sights = _Sights(self._kind, self._samples)
            games = []
            for number, played in enumerate(series.play(lambda names: [sights.see])):
                assert played.record is not None
                games.append(PlayedGame.pack(result_of(planned, number, played, *sights.take()), played.record))
        return games


def _housing(settings: Settings) -> Housing:
    """A program that dies gets a new process for its next game: it must not lose a whole series by one mistake."""
    limits = Limits()
    if settings.patience_seconds is not None:
        limits = msgspec.structs.replace(limits, answer_seconds=settings.patience_seconds)
    if settings.memory_bytes is not None:
        limits = msgspec.structs.replace(limits, memory_bytes=settings.memory_bytes)
    return Housing(isolates=settings.isolates, limits=limits, sandbox=settings.sandbox, restarts=True)


class _Sights:
    """An observer that counts the turns of a game, and what makes it worth watching.

    It sees every event of every game, so it keeps them and counts at the end, by type.
    """

    def __init__(self, kind: AnyKind, samples: dict[type[Event], Event]) -> None:
        """`samples` has an event of every type seen so far: to look for them in every game would take its time."""
        self._kind = kind
        self._samples = samples
        self._events: list[Event] = []
        self.see = self._events.append

    def take(self) -> tuple[int, int | None]:
        """Those since the last time."""
        times = Counter(map(type, self._events))
        if times.keys() - self._samples.keys():
            self._samples.update(zip(map(type, self._events), self._events, strict=True))
        self._events.clear()
        highlight = self._kind.highlight
        return (
            sum(number for each, number in times.items() if self._kind.turn_of(self._samples[each]) is not None),
            None
            if highlight is None
            else sum(number for each, number in times.items() if highlight.is_one(self._samples[each])),
        )


def _make(named: NamedPlayer, seed: int) -> Player:
    """A player; one that cannot be made now, though it could when the tournament began, forfeits its games."""
    try:
        return named.make(seed)
    except WateringHoleError as error:
        return _Absent(str(error))


class _Absent(InProcess):
    """Stands in for somebody who did not come."""

    def __init__(self, why: str) -> None:
        self._why = why

    def take_seat(self, place: Place) -> None:
        raise PlayerFailed(Forfeit("disconnected", self._why))


def _dismiss(player: Player) -> None:
    # The games are played: whatever a player does wrong now changes nothing.
    try:
        player.close()
    except BaseException as error:
        if is_interruption(error):
            raise
