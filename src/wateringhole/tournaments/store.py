"""The store of tournaments: an SQLite file, or a PostgreSQL server by URL.  Both have the same schema.

A tournament is planned as series.  A process claims series, plays them and commits all games of
a series with their records in one transaction; only then do they count.  So a process that is killed
leaves only complete series behind, and leases that others take over:

=========  ===========================================================================
planned    no process plays it
claimed    a process holds a lease and renews it every few seconds; the lease ends
           if the process has exited or has not renewed it for `LEASE_SECONDS`
finished   its games are stored; the same games played by another process do not count
=========  ===========================================================================

Leases only save work.  The first commit of a series counts, and no other.
"""

from __future__ import annotations

import itertools
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from wateringhole.errors import OperationError, UsageError
from wateringhole.match.digests import digest
from wateringhole.tournaments import table_schema
from wateringhole.tournaments.chain import Chain, chain_start
from wateringhole.tournaments.interrupts import defer_signals
from wateringhole.tournaments.leases import has_exited, new_holder_id
from wateringhole.tournaments.results import GameResult, PackedGame, is_complete, unpacked
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.withdrawals import ForfeitStreaks, absent_from

__all__ = [
    "LEASE_SECONDS",
    "VERSION",
    "Planned",
    "Progress",
    "Store",
    "StoreLost",
    "StoreUnavailable",
    "StoredGame",
    "StoredSeries",
    "StoredTournament",
    "default_store",
    "without_password",
]

VERSION = 7
"""The version of the schema, which grows with each change of a table below."""


def _add_highlights(connection: sql.Connection) -> None:
    """Add the column for highlights, which were not counted in earlier games."""
    connection.exec_driver_sql("ALTER TABLE games ADD COLUMN highlights INTEGER")


def _add_repaired_answers(connection: sql.Connection) -> None:
    """Add the column for repaired answers, which were not counted in earlier games."""
    connection.exec_driver_sql("ALTER TABLE games ADD COLUMN repaired_answers JSON")


def _add_chain(connection: sql.Connection) -> None:
    """Add the columns for the chain of records, which earlier tournaments do not have."""
    connection.exec_driver_sql("ALTER TABLE games ADD COLUMN digest TEXT")
    connection.exec_driver_sql("ALTER TABLE tournaments ADD COLUMN head TEXT")


def _add_failing_players(connection: sql.Connection) -> None:
    """Add the table of failing players.  Tournaments from before withdraw no player."""
    _failing_players.create(connection)


def _add_versions(connection: sql.Connection) -> None:
    """Add the column for the versions of players, which earlier tournaments do not have."""
    connection.exec_driver_sql("ALTER TABLE tournaments ADD COLUMN versions JSON")


MIGRATIONS: dict[int, Callable[[sql.Connection], None]] = {
    1: _add_highlights,
    2: table_schema.metadata.create_all,
    3: _add_repaired_answers,
    4: _add_chain,
    5: _add_failing_players,
    6: _add_versions,
}
"""By version: the step from it to the next one.  A new store starts with the newest version."""

LEASE_SECONDS = 60.0
"""The time after which a lease ends unless it is renewed."""

BUSY_SECONDS = 60.0
"""The time that SQLite waits for another process that is writing."""

ROWS_AT_A_TIME = 10_000
"""The rows of a plan that are inserted together, which limits the memory."""

_LOCK = 0x3A7E21
"""The number of the PostgreSQL lock for creating and upgrading the schema."""

_metadata = sql.MetaData()
_version = sql.Table(
    "wateringhole_schema",
    _metadata,
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
)
_tournaments = sql.Table(
    "tournaments",
    _metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("created", sql.Double, nullable=False),
    sql.Column("finished", sql.Double),
    sql.Column("settings", sql.JSON, nullable=False),
    sql.Column("head", sql.Text),
    sql.Column("versions", sql.JSON),
)
_series = sql.Table(
    "series",
    _metadata,
    sql.Column("tournament", sql.ForeignKey("tournaments.id"), primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("entrants", sql.JSON, nullable=False),
    sql.Column("games", sql.Integer, nullable=False),
    # Its name is that of earlier versions, in which the deals of a series followed from a number alone.
    sql.Column("seed", sql.BigInteger, nullable=False, key="deals"),
    sql.Column("claimed_by", sql.Text),
    sql.Column("claimed_until", sql.Double),
    sql.Column("finished", sql.Double),
)
_is_open = _series.c.finished.is_(None)
sql.Index("open_series", _series.c.tournament, _series.c.number, sqlite_where=_is_open, postgresql_where=_is_open)
_games = sql.Table(
    "games",
    _metadata,
    sql.Column("tournament", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("series", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("game", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("entrants", sql.JSON, nullable=False),
    sql.Column("places", sql.JSON, nullable=False),
    sql.Column("scores", sql.JSON, nullable=False),
    sql.Column("thrown_out", sql.JSON, nullable=False),
    sql.Column("seconds", sql.JSON, nullable=False),
    sql.Column("turns", sql.Integer, nullable=False),
    sql.Column("highlights", sql.Integer),
    sql.Column("repaired_answers", sql.JSON(none_as_null=True)),
    sql.Column("digest", sql.Text),
    sql.Column("record", sql.LargeBinary, nullable=False),
    sql.ForeignKeyConstraint(["tournament", "series"], ["series.tournament", "series.number"]),
)
_record_without_digest = sql.case((_games.c.digest.is_(None), _games.c.record))
"""The record of a game of an earlier version, whose digest was not stored."""
_failing_players = sql.Table(
    "failing_players",
    _metadata,
    sql.Column("tournament", sql.ForeignKey("tournaments.id"), primary_key=True),
    sql.Column("player", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("first_forfeit", sql.Integer, nullable=False),
    sql.Column("withdrawn_from", sql.Integer),
)
"""The players that have forfeited a game, the series of their first forfeit, and the first series that they miss
because they were withdrawn."""
_result_columns = [_games.c[name] for name in GameResult.__struct_fields__]
_PLAN = [name for name in PlannedSeries.__struct_fields__ if name in _series.c]
_is_its_series = sql.and_(_games.c.tournament == _series.c.tournament, _games.c.series == _series.c.number)

# Frequent queries are built once, because building one takes longer than SQLite takes to answer it.
_of_tournament = _series.c.tournament == sql.bindparam("of_tournament")
_in_numbers = _series.c.number.in_(sql.bindparam("numbers", expanding=True))
_is_claimed = _series.c.claimed_by.is_not(None)
_no_claim = {"claimed_by": None, "claimed_until": None}
_COUNT_SERIES = sql.select(sql.func.coalesce(sql.func.max(_series.c.number) + 1, 0)).where(_of_tournament)
"""The number of series: they are numbered from 0 without gaps, so they need not be counted."""

_PLANNED = sql.select(_COUNT_SERIES.scalar_subquery(), sql.exists().where(_of_tournament, _is_open))
_LOCK_TOURNAMENT = (
    sql.select(_tournaments.c.id, _tournaments.c.versions)
    .where(_tournaments.c.id == sql.bindparam("of_tournament"))
    .with_for_update()
)
_FIRST_OPEN = sql.select(sql.func.min(_series.c.number)).where(_of_tournament, _is_open)
_STORED_SERIES = (
    sql.select(
        _series.c.number,
        _series.c.finished.is_not(None).label("is_finished"),
        *(_series.c[name].label(f"series_{name}") for name in _PLAN),
        *_result_columns,
        _games.c.digest,
        _games.c.record,
    )
    .outerjoin(_games, _is_its_series)
    .where(_of_tournament)
    .order_by(_series.c.number, _games.c.game)
)
_FREE_SERIES = (
    sql.select(*(_series.c[name] for name in _PLAN))
    .where(_of_tournament, _is_open, sql.or_(~_is_claimed, _series.c.claimed_until < sql.bindparam("now")))
    .order_by(_series.c.number)
    .limit(sql.bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
_CLAIM = (
    sql.update(_series)
    .where(_of_tournament, _in_numbers)
    .values(claimed_by=sql.bindparam("holder"), claimed_until=sql.bindparam("until"))
)
_HOLDERS = sql.select(_series.c.claimed_by).where(_of_tournament, _is_open, _is_claimed).distinct()
# In order, so that two processes that commit the same series cannot deadlock.
_LOCK_OPEN = (
    sql.select(_series.c.number)
    .where(_of_tournament, _in_numbers, _is_open)
    .order_by(_series.c.number)
    .with_for_update()
)
_FINISH = (
    sql.update(_series).where(_of_tournament, _in_numbers, _is_open).values(finished=sql.bindparam("now"), **_no_claim)
)

_FAILING = sql.select(
    _failing_players.c.player, _failing_players.c.first_forfeit, _failing_players.c.withdrawn_from
).where(_failing_players.c.tournament == sql.bindparam("of_tournament"))


T = TypeVar("T")


class StoreUnavailable(OperationError):
    """The store cannot be used now, e.g. because its server restarts or its disk is full.

    The same call may succeed later.  A transaction may have been committed nevertheless.
    """


class StoreLost(OperationError):
    """The file of the store was deleted or replaced while it was in use."""


class Progress(msgspec.Struct, frozen=True):
    """The progress of a tournament."""

    planned: int
    """Games planned so far."""
    finished: int
    """Games that count."""
    series: int
    """Series planned so far."""
    open_series: int
    """Series that are not finished."""


class Planned(msgspec.Struct, frozen=True):
    """The progress of a plan."""

    series: int
    has_open: bool
    """True if any of them is not finished."""


class StoredTournament(msgspec.Struct, frozen=True):
    """A tournament as it stands in the store."""

    id: int
    created: float
    """Seconds since 1970."""
    finished: float | None
    settings: Settings
    progress: Progress
    chain_start: str = ""
    """The digest of the settings as they are stored."""
    head: str | None = None
    """The head of its chain when it finished, or None if it is not finished or from an earlier version."""
    versions: tuple[tuple[str | None, ...], ...] | None = None
    """By player: the versions that have played, the first one first; None in a tournament of an earlier version."""


class StoredGame(msgspec.Struct, frozen=True):
    """A game as it stands in the store."""

    result: GameResult
    digest: str | None
    """The digest of its record, or None in a game of an earlier version."""
    packed_record: bytes


class StoredSeries(msgspec.Struct, frozen=True):
    """A series as it stands in the store."""

    planned: PlannedSeries
    is_finished: bool
    games: list[StoredGame]


def without_password(location: str) -> str:
    """Return a location with the password of a URL replaced by three stars."""
    if "://" not in location:
        return location
    url = _parsed(location)
    return location if url.password is None and "password" not in url.query else _display_url(url)


def default_store() -> Path:
    """Return the default location: in ``XDG_DATA_HOME``, otherwise in ``~/.local/share``."""
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return folder / "wateringhole" / "tournaments.sqlite"


class Store:
    """Tournaments, their series and games.  May be used by several threads and processes at once."""

    def __init__(self, location: str | Path | None = None, *, makes_file: bool = True) -> None:
        """Open a store by URL or path; create or upgrade it if necessary.

        Raises UsageError for an unsupported URL, and OperationError if the store cannot be used, or if
        there is no file and `makes_file` is false.
        """
        self.holder = new_holder_id()
        url = _url(location, makes_file)
        self.name = (
            url.database or "" if url.get_backend_name() == "sqlite" else _display_url(url.set(drivername="postgresql"))
        )
        """The name in messages, without a password."""
        self._engine = _engine(url)
        self._file: Path | None = None
        """The file after it was opened, or None for a server."""
        try:
            with self._writing() as connection:
                _prepare(connection, self.name)
            if url.get_backend_name() == "sqlite":
                self._file = Path(self.name)
                self._identity = _identity(self._file)
        except BaseException:
            self.close()
            raise

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the store, some of which may not exist; none if it is on a server."""
        url = self._engine.url
        if url.get_backend_name() != "sqlite" or not url.database:
            return ()
        return tuple(os.path.abspath(url.database) + suffix for suffix in ("", "-wal", "-shm", "-journal"))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    def create(self, settings: Settings) -> int:
        """Create a tournament without any series, and return its number."""
        row = {"created": time.time(), "settings": msgspec.to_builtins(settings)}
        with self._writing() as connection:
            key = connection.execute(sql.insert(_tournaments).values(row)).inserted_primary_key
            assert key is not None
            return int(key[0])

    def tournament(self, number: int) -> StoredTournament:
        """Return a tournament.  Raises UsageError if there is none with this number."""
        found = self._select_tournaments(number)
        if not found:
            stored = self.tournaments()
            numbers = ", ".join(str(each.id) for each in stored[-10:])
            hint = f"; the newest are {numbers}" if stored else ", which is empty"
            raise UsageError(f"there is no tournament {number} in {self.name}{hint}.")
        return found[0]

    def tournaments(self) -> list[StoredTournament]:
        """Return all tournaments, the oldest first."""
        return self._select_tournaments()

    def add_versions(self, tournament: int, versions: Sequence[str | None]) -> dict[int, str | None]:
        """Add the versions of all players who play from now on.

        Return the last known version of each player who had another one before.
        """
        with self._writing() as connection:
            # Other processes that play the same tournament wait here.
            (_, stored) = connection.execute(_LOCK_TOURNAMENT, {"of_tournament": tournament}).one()
            known = self._versions(tournament, stored) or ((),) * len(versions)
            if len(known) != len(versions):
                raise self._damage(tournament, "its versions of players", ValueError(f"{len(known)} players have some"))
            added = [(*old, new) if new not in old else old for old, new in zip(known, versions, strict=True)]
            connection.execute(sql.update(_tournaments).where(_tournaments.c.id == tournament).values(versions=added))
        return {player: old[-1] for player, old in enumerate(known) if old and old != added[player]}

    def plan(self, tournament: int, series: Sequence[PlannedSeries], after: int = 0) -> bool:
        """Add series to a tournament that has `after` of them; return False if another process was faster."""
        with self._writing() as connection:
            # Other processes that plan for the same tournament wait here.
            connection.execute(_LOCK_TOURNAMENT, {"of_tournament": tournament})
            if connection.execute(_COUNT_SERIES, {"of_tournament": tournament}).scalar_one() != after:
                return False
            # Not all together, because there may be very many.
            for first in range(0, len(series), ROWS_AT_A_TIME):
                rows = [
                    {"tournament": tournament, **msgspec.to_builtins(each)}
                    for each in series[first : first + ROWS_AT_A_TIME]
                ]
                connection.execute(sql.insert(_series), rows)
            return True

    def claim(self, tournament: int, at_most: int) -> list[PlannedSeries]:
        """Claim and return series that no other process is playing."""
        with self._writing() as connection:
            claimed = self._claim_free(connection, tournament, at_most)
            if len(claimed) < at_most and _free_orphaned(connection, tournament):
                claimed += self._claim_free(connection, tournament, at_most - len(claimed))
            withdrawn = _withdrawn(connection, tournament)
        if not withdrawn:
            return claimed
        return [
            msgspec.structs.replace(each, absent=absent_from(each.number, each.entrants, withdrawn)) for each in claimed
        ]

    def _claim_free(self, connection: sql.Connection, tournament: int, at_most: int) -> list[PlannedSeries]:
        now = time.time()
        rows = connection.execute(_FREE_SERIES, {"of_tournament": tournament, "now": now, "at_most": at_most})
        claimed = [self._planned_series(tournament, row._mapping) for row in rows]
        if claimed:
            which = {"of_tournament": tournament, "numbers": [each.number for each in claimed]}
            connection.execute(_CLAIM, {**which, "holder": self.holder, "until": now + LEASE_SECONDS})
        return claimed

    def renew_claims(self) -> None:
        """Renew the leases on all claimed series."""
        with self._writing() as connection:
            connection.execute(
                sql.update(_series)
                .where(_series.c.claimed_by == self.holder, _is_open)
                .values(claimed_until=time.time() + LEASE_SECONDS)
            )

    def release_claims(self, keep: Collection[int] = ()) -> None:
        """Release all claimed series that are not finished, except those to keep."""
        with self._writing() as connection:
            _free(connection, self.holder, keep)

    def commit(
        self, tournament: int, games: Sequence[PackedGame], streaks: ForfeitStreaks | None = None
    ) -> list[GameResult]:
        """Store the games of whole series, all or nothing, and return those that count.

        The games of a series that another process has finished meanwhile do not count.  With `streaks`,
        which are updated, players are withdrawn.  Then the games of a series that a withdrawn player
        should have missed do not count either, and the series is free to be played again.
        """
        with self._writing() as connection:
            if streaks is not None:
                # Other processes wait here, so that one of them finds each streak complete.
                connection.execute(_LOCK_TOURNAMENT, {"of_tournament": tournament})
                games = self._drop_outdated(connection, tournament, games)
            finished = _finish(connection, tournament, {game.result.series for game in games})
            counted = [game for game in games if game.result.series in finished]
            rows = [
                {
                    "tournament": tournament,
                    **msgspec.structs.asdict(game.result),
                    "digest": game.digest,
                    "record": game.packed_record,
                }
                for game in counted
            ]
            if rows:
                connection.execute(sql.insert(_games), rows)
            if streaks is not None:
                updated = _withdraw(connection, tournament, streaks, [game.result for game in counted])
        if streaks is not None:
            # Only now, because a transaction that failed has changed nothing.
            streaks.take(updated)
        return [game.result for game in counted]

    def withdrawn(self, tournament: int) -> dict[int, int]:
        """Return the withdrawn players, each with the number of the first series that it misses."""
        with self._reading() as connection:
            return _withdrawn(connection, tournament)

    def _drop_outdated(
        self, connection: sql.Connection, tournament: int, games: Sequence[PackedGame]
    ) -> list[PackedGame]:
        """Return the games that withdrawn players have missed as they should; free the series of the others."""
        withdrawn = _withdrawn(connection, tournament)
        outdated = {
            game.result.series
            for game in games
            if game.absent != absent_from(game.result.series, game.result.entrants, withdrawn)
        }
        if outdated:
            connection.execute(
                sql.update(_series)
                .where(
                    _series.c.tournament == tournament,
                    _series.c.number.in_(outdated),
                    _series.c.claimed_by == self.holder,
                    _is_open,
                )
                .values(_no_claim)
            )
        return [game for game in games if game.result.series not in outdated]

    def finish(self, tournament: int) -> None:
        """Mark a tournament as finished: all planned series are played, and no more will be planned."""
        head = self.chain(tournament).head
        with self._writing() as connection:
            connection.execute(
                sql.update(_tournaments)
                .where(_tournaments.c.id == tournament, _tournaments.c.finished.is_(None))
                .values(finished=time.time(), head=head)
            )

    def progress(self, tournament: int) -> Progress:
        return self.tournament(tournament).progress

    def planned(self, tournament: int) -> Planned:
        """Return the progress of a plan, in a time that does not depend on the length of the tournament."""
        with self._reading() as connection:
            series, has_open = connection.execute(_PLANNED, {"of_tournament": tournament}).one()
        return Planned(series, has_open)

    def results(self, tournament: int, since: int = 0) -> Iterator[GameResult]:
        """Yield all games that count, by series and game, from the series `since` on; they are read lazily.

        Signals are not deferred while the caller processes the games.
        """
        with self._connected() as connection:
            rows = connection.execution_options(yield_per=1000).execute(
                sql.select(*_result_columns)
                .where(_games.c.tournament == tournament, _games.c.series >= since)
                .order_by(_games.c.series, _games.c.game)
            )
            for row in rows:
                yield self._result(tournament, row._mapping)

    def chain(self, tournament: int) -> Chain:
        """Return the chain of a tournament, up to the first series that is not finished."""
        chain = Chain(self.tournament(tournament).chain_start)
        with self._connected() as connection:
            first_open = connection.execute(_FIRST_OPEN, {"of_tournament": tournament}).scalar()
            rows = connection.execution_options(yield_per=1000).execute(
                sql.select(_games.c.series, _games.c.game, _games.c.digest, _record_without_digest)
                .where(_games.c.tournament == tournament)
                .where(sql.true() if first_open is None else _games.c.series < first_open)
                .order_by(_games.c.series, _games.c.game)
            )
            for series, game, known, packed in rows:
                if known is None:
                    known = digest(self._unpacked(tournament, series, game, packed))
                chain.add(series, game, known)
        return chain

    def stored_series(self, tournament: int) -> Iterator[StoredSeries]:
        """Yield all series with their games, in order, as they stood at one moment; they are read lazily."""
        with self._connected() as connection:
            rows = connection.execution_options(yield_per=100).execute(_STORED_SERIES, {"of_tournament": tournament})
            for _, group in itertools.groupby(rows, lambda row: row.number):
                first, *others = group
                yield StoredSeries(
                    self._planned_series(tournament, {name: first._mapping[f"series_{name}"] for name in _PLAN}),
                    first.is_finished,
                    [self._stored_game(tournament, row) for row in (first, *others) if row.game is not None],
                )

    def _stored_game(self, tournament: int, row: Any) -> StoredGame:
        return StoredGame(self._result(tournament, row._mapping), row.digest, row.record)

    def game_without_series(self, tournament: int) -> tuple[int, int] | None:
        """Return the series and the number of a game whose series does not exist, or None if there is none."""
        with self._reading() as connection:
            row = connection.execute(
                sql.select(_games.c.series, _games.c.game)
                .outerjoin(_series, _is_its_series)
                .where(_games.c.tournament == tournament, _series.c.number.is_(None))
                .order_by(_games.c.series, _games.c.game)
            ).first()
        return None if row is None else (row.series, row.game)

    def record(self, tournament: int, series: int, game: int) -> bytes:
        """Return the record of a game.  Raises UsageError if there is none."""
        with self._reading() as connection:
            packed = connection.execute(
                sql.select(_games.c.record).where(
                    _games.c.tournament == tournament, _games.c.series == series, _games.c.game == game
                )
            ).scalar()
        if packed is None:
            raise UsageError(f"tournament {tournament} has no game {game} of series {series} in {self.name}.")
        return self._unpacked(tournament, series, game, packed)

    def _result(self, tournament: int, row: sql.RowMapping) -> GameResult:
        try:
            result = msgspec.convert(row, GameResult)
            if not is_complete(result):
                raise ValueError("its values are not for the same number of seats")
            return result
        except ValueError as error:
            raise self._damage(tournament, f"game {row['game']} of series {row['series']}", error) from None

    def _planned_series(self, tournament: int, row: Mapping[Any, Any]) -> PlannedSeries:
        try:
            return msgspec.convert(row, PlannedSeries)
        except ValueError as error:
            raise self._damage(tournament, f"series {row['number']}", error) from None

    def _unpacked(self, tournament: int, series: int, game: int, packed: bytes) -> bytes:
        try:
            return unpacked(packed)
        except ValueError as error:
            raise self._damage(tournament, f"game {game} of series {series}", error) from None

    def _damage(self, tournament: int, what: str, error: ValueError) -> OperationError:
        return OperationError(f"the store {self.name} is damaged: tournament {tournament}, {what}: {error}.")

    def _select_tournaments(self, number: int | None = None) -> list[StoredTournament]:
        """Return the tournament with a number, or all of them."""
        is_finished = _series.c.finished.is_not(None)
        counts = (
            sql.select(
                _series.c.tournament,
                sql.func.sum(_series.c.games).label("planned"),
                sql.func.sum(sql.case((is_finished, _series.c.games), else_=0)).label("finished_games"),
                sql.func.count().label("series"),
                sql.func.sum(sql.case((is_finished, 0), else_=1)).label("open_series"),
            )
            .where(sql.true() if number is None else _series.c.tournament == number)
            .group_by(_series.c.tournament)
            .subquery()
        )
        query = (
            sql.select(_tournaments, counts.c.planned, counts.c.finished_games, counts.c.series, counts.c.open_series)
            .outerjoin(counts, counts.c.tournament == _tournaments.c.id)
            .where(sql.true() if number is None else _tournaments.c.id == number)
            .order_by(_tournaments.c.id)
        )
        with self._reading() as connection:
            return [self._stored_tournament(row) for row in connection.execute(query)]

    def _stored_tournament(self, row: Any) -> StoredTournament:
        settings = self._converted(row.id, "its settings", row.settings, Settings)
        progress = Progress(row.planned or 0, row.finished_games or 0, row.series or 0, row.open_series or 0)
        return StoredTournament(
            row.id,
            self._converted(row.id, "its start", row.created, float),
            row.finished and self._converted(row.id, "its end", row.finished, float),
            settings,
            progress,
            chain_start(row.settings),
            row.head,
            self._versions(row.id, row.versions),
        )

    def _versions(self, tournament: int, value: Any) -> tuple[tuple[str | None, ...], ...] | None:
        what = "its versions of players"
        return None if value is None else self._converted(tournament, what, value, tuple[tuple[str | None, ...], ...])

    def _converted(self, tournament: int, what: str, value: object, type: type[T]) -> T:
        """Return a value of a column, or raise OperationError if it is damaged."""
        try:
            return msgspec.convert(value, type)
        except ValueError as error:
            raise self._damage(tournament, what, error) from None

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        with self._connected() as connection, defer_signals():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sql.Connection]:
        """Open a transaction that is committed unless an exception is raised."""
        with (
            self._connected() as connection,
            defer_signals(),
            connection.execution_options(writes=True).begin(),
        ):
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sql.Connection]:
        """Connect; signals are not deferred here, because a server may not respond."""
        self._check_file()
        with self._translate_errors(), self._engine.connect() as connection:
            yield connection
        self._check_file()

    def _check_file(self) -> None:
        """Raise StoreLost if the file was deleted or replaced; SQLite would continue to use the deleted one."""
        if self._file and _identity(self._file) != self._identity:
            raise StoreLost(
                f"the store {self.name} was deleted or replaced while it was in use, so its games are lost. "
                "Restore it from a copy, or start the tournament again."
            )

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            why = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            if _is_read_only(self._engine.url):
                why = "it or its folder is read-only. Copy it to a place that you can write to, even to show standings"
            failure = StoreUnavailable if _is_temporary(error) else OperationError
            raise failure(f"the store {self.name} cannot be used: {why}.") from error


def _is_read_only(url: URL) -> bool:
    """Return whether a store cannot be written; SQLite must write to lock a file for reading, too."""
    if url.get_backend_name() != "sqlite" or not url.database:
        return False
    file = Path(url.database)
    return not os.access(file if file.exists() else file.parent, os.W_OK) or not os.access(file.parent, os.W_OK)


def _is_temporary(error: SQLAlchemyError) -> bool:
    """Return whether the same call may succeed later."""
    if not isinstance(error, DBAPIError):
        return False
    if error.connection_invalidated:
        return True
    sqlite_code: int | None = getattr(error.orig, "sqlite_errorcode", None)
    if sqlite_code is not None:
        # The lowest byte is the error, the others are details.
        return sqlite_code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
    sqlstate: str | None = getattr(error.orig, "sqlstate", None)
    if sqlstate is None:
        return isinstance(error, OperationalError)  # no answer of a server
    return sqlstate[:2] in _TEMPORARY_SQLSTATES


_TEMPORARY_SQLSTATES = ("08", "40", "53", "57")
"""Classes of PostgreSQL errors: connection, conflict of transactions, full disk or memory, shutdown."""


def _identity(file: Path) -> tuple[int, int] | None:
    """Return what a path shares with no other file, or None if there is no file."""
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _finish(connection: sql.Connection, tournament: int, numbers: Collection[int]) -> set[int]:
    """Mark series as finished and return those that were not finished before."""
    which = {"of_tournament": tournament, "numbers": list(numbers)}
    open_series = set(connection.execute(_LOCK_OPEN, which).scalars())
    connection.execute(_FINISH, {**which, "now": time.time()})
    return open_series


def _withdrawn(connection: sql.Connection, tournament: int) -> dict[int, int]:
    failing = connection.execute(_FAILING, {"of_tournament": tournament})
    return {row.player: row.withdrawn_from for row in failing if row.withdrawn_from is not None}


def _withdraw(
    connection: sql.Connection, tournament: int, streaks: ForfeitStreaks, committed: Sequence[GameResult]
) -> ForfeitStreaks:
    """Count the forfeits of all series up to the first open one, withdraw players, and return the new streaks."""
    failing = _note_forfeits(connection, tournament, committed)
    if not failing:
        return streaks
    streaks = streaks.copy()
    # No player that can be withdrawn has forfeited a game in the finished series before.
    streaks.counted = max(streaks.counted, min(_first_open(connection, tournament), *failing.values()))
    while streaks.counted < (stop := _first_open(connection, tournament)):
        # Not all together, because there may be very many.
        stop = min(stop, streaks.counted + ROWS_AT_A_TIME)
        rows = connection.execute(
            sql.select(_games.c.series, _games.c.entrants, _games.c.thrown_out)
            .where(_games.c.tournament == tournament, _games.c.series >= streaks.counted, _games.c.series < stop)
            .order_by(_games.c.series, _games.c.game)
        ).all()
        reached: set[int] = set()
        for number, games in itertools.groupby(rows, key=lambda row: row.series):
            for game in games:
                reached |= failing.keys() & streaks.add(game.entrants, game.thrown_out)
            if reached:
                stop = number + 1
                break
        streaks.counted = stop
        if reached:
            streaks.withdrawals += len(reached)
            failing = {player: first for player, first in failing.items() if player not in reached}
            connection.execute(
                sql.update(_failing_players)
                .where(_failing_players.c.tournament == tournament, _failing_players.c.player.in_(reached))
                .values(withdrawn_from=stop)
            )
            _reopen(connection, tournament, stop, reached)
    return streaks


def _first_open(connection: sql.Connection, tournament: int) -> int:
    """Return the number of the first series that is not finished, which is not planned yet if all are."""
    which = {"of_tournament": tournament}
    number: int | None = connection.execute(_FIRST_OPEN, which).scalar()
    return connection.execute(_COUNT_SERIES, which).scalar_one() if number is None else number


def _note_forfeits(connection: sql.Connection, tournament: int, results: Sequence[GameResult]) -> dict[int, int]:
    """Add the forfeits of new results, and return the series of the first one of each player that is not withdrawn."""
    first: dict[int, int] = {}
    for result in results:
        if any(result.thrown_out):
            for player, reason in zip(result.entrants, result.thrown_out, strict=True):
                if reason is not None:
                    first[player] = min(result.series, first.get(player, result.series))
    failing: dict[int, int] = {}
    known = set()
    for row in connection.execute(_FAILING, {"of_tournament": tournament}):
        known.add(row.player)
        if row.withdrawn_from is None:
            failing[row.player] = min(row.first_forfeit, first.get(row.player, row.first_forfeit))
            if failing[row.player] < row.first_forfeit:
                connection.execute(
                    sql.update(_failing_players)
                    .where(_failing_players.c.tournament == tournament, _failing_players.c.player == row.player)
                    .values(first_forfeit=failing[row.player])
                )
    new = {player: series for player, series in first.items() if player not in known}
    if new:
        rows = [{"tournament": tournament, "player": player, "first_forfeit": series} for player, series in new.items()]
        connection.execute(sql.insert(_failing_players), rows)
    return failing | new


def _reopen(connection: sql.Connection, tournament: int, since: int, withdrawn: Collection[int]) -> None:
    """Delete the games that players have played after the point at which they are withdrawn."""
    later = connection.execute(
        sql.select(_series.c.number, _series.c.entrants).where(
            _series.c.tournament == tournament, _series.c.number >= since, ~_is_open
        )
    )
    numbers = [row.number for row in later if not set(withdrawn).isdisjoint(row.entrants)]
    for first in range(0, len(numbers), ROWS_AT_A_TIME):
        some = numbers[first : first + ROWS_AT_A_TIME]
        connection.execute(sql.delete(_games).where(_games.c.tournament == tournament, _games.c.series.in_(some)))
        connection.execute(
            sql.update(_series)
            .where(_series.c.tournament == tournament, _series.c.number.in_(some))
            .values(finished=None, **_no_claim)
        )


def _free_orphaned(connection: sql.Connection, tournament: int) -> bool:
    """Free the series of exited processes of this machine, and return whether there were any."""
    holders = connection.execute(_HOLDERS, {"of_tournament": tournament}).scalars()
    dead = [holder for holder in holders if holder is not None and has_exited(holder)]
    for holder in dead:
        _free(connection, holder)
    return bool(dead)


def _free(connection: sql.Connection, holder: str, keep: Collection[int] = ()) -> None:
    is_free = sql.and_(_series.c.claimed_by == holder, _is_open, _series.c.number.not_in(keep))
    connection.execute(sql.update(_series).where(is_free).values(_no_claim))


def _prepare(connection: sql.Connection, name: str) -> None:
    """Create or upgrade the tables; a lock keeps other processes from doing so at the same time."""
    if connection.dialect.name == "postgresql":
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    if not sql.inspect(connection).has_table(_version.name):
        _metadata.create_all(connection)
        table_schema.metadata.create_all(connection)
        connection.execute(sql.insert(_version).values(version=VERSION))
        return
    version = connection.execute(sql.select(_version.c.version)).scalar()
    if version is None:
        raise OperationError(f"the store {name} is damaged: its version is missing.")
    if version > VERSION:
        raise OperationError(
            f"the store {name} has version {version}; this program supports versions up to {VERSION}. "
            "Use the newer program that created it."
        )
    for step in range(version, VERSION):
        MIGRATIONS[step](connection)
    if version < VERSION:
        connection.execute(sql.update(_version).values(version=VERSION))


def _url(location: str | Path | None, makes_file: bool) -> URL:
    if location is None:
        location = default_store()
    if isinstance(location, str) and "://" in location:
        url = _parsed(location)
        if url.get_backend_name() != "sqlite":
            return _server_url(url)
        location = _sqlite_file(url)
    path = Path(location)
    if path.name == ":memory:":
        raise _no_file(str(location))
    if not makes_file and not path.exists():
        raise OperationError(f"there is no store {path} yet; the first tournament creates it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperationError(f"the folder of the store {path} cannot be created: {error.strerror}.") from None
    return URL.create("sqlite", database=str(path))


def _display_url(url: URL) -> str:
    """Return a URL without its password, which may be in its authority or in its query."""
    if "password" in url.query:
        url = url.update_query_dict({"password": "***"})
    return url.render_as_string(hide_password=True).replace("%2A%2A%2A", "***")


def _parsed(location: str) -> URL:
    try:
        return make_url(location)
    except (ArgumentError, ValueError):
        # The URL is not repeated, because it may contain a password.
        raise UsageError(
            "the URL of the store is malformed. Expected a form like postgresql://user@host/database."
        ) from None


def _sqlite_file(url: URL) -> str:
    if not url.database or url.query:
        raise _no_file(url.render_as_string())
    return url.database


def _no_file(location: str) -> UsageError:
    """Return an error for a database in memory, which would not outlive this process."""
    return UsageError(f"a store must be a file, and {location} is none. Give the file's name alone.")


def _server_url(url: URL) -> URL:
    backend = url.get_backend_name()
    if backend not in ("postgresql", "postgres"):
        raise UsageError(f"a store cannot be in {backend}. Give a file, or postgresql://user@host/database.")
    if find_spec("psycopg") is None:
        raise OperationError(
            "a store on PostgreSQL needs psycopg, not installed here. "
            "Install the extra with: pip install 'wateringhole[postgresql]'"
        )
    return url.set(drivername="postgresql+psycopg")


def _engine(url: URL) -> sql.Engine:
    engine = sql.create_engine(
        url,
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=_value_of_json,
        connect_args={"timeout": BUSY_SECONDS} if url.get_backend_name() == "sqlite" else {},
        # The connections of a server that was restarted are replaced.
        pool_pre_ping=url.get_backend_name() != "sqlite",
    )
    if url.get_backend_name() == "sqlite":
        sql.event.listen(engine, "connect", _set_up_sqlite)
        sql.event.listen(engine, "begin", _begin_sqlite)
    return engine


class DamagedJson:
    """Stands for JSON that cannot be read.  No conversion accepts it, and errors of conversions show its name."""


def _value_of_json(text: Any) -> Any:
    """Return a stored JSON value, which may be damaged."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, TypeError):
        return DamagedJson()


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # Keeps the driver from starting transactions; `_begin_sqlite` does that.
    connection.isolation_level = None
    # Readers and a writer do not wait for each other.  Committed games survive a crash of this process;
    # after a power cut the last games may be missing, and are then played again.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sql.Connection) -> None:
    # A writer announces itself first and waits for its turn; a reader that becomes a writer could not wait.
    writes: Mapping[str, Any] = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes.get("writes") else "BEGIN")
