"""The store of tournaments: an SQLite file, or a PostgreSQL server by URL.  One schema for both.

A tournament is planned as series.  A process claims series, plays them and commits all games of
a series with their records in one transaction; only then do they count.  So whoever is killed
leaves whole series behind and claims that others take over:

=========  ===========================================================================
planned    nobody works on it
claimed    somebody does, and says so again every few seconds; the claim of a process
           that is dead or silent for `LEASE_SECONDS` is free again
finished   its games are there; whatever anybody else plays of it is not counted
=========  ===========================================================================

Claims only save work.  What counts is decided when games are committed: the first is the only one.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments import table_schema
from wateringhole.tournaments.interrupts import defer_signals
from wateringhole.tournaments.leases import is_dead, new_holder_id
from wateringhole.tournaments.results import GameResult, PackedGame, unpacked
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings

__all__ = [
    "LEASE_SECONDS",
    "VERSION",
    "Planned",
    "Progress",
    "Store",
    "StoredTournament",
    "default_store",
    "without_password",
]

VERSION = 3
"""Of the schema; grows with every change of a table below."""


def _add_highlights(connection: sql.Connection) -> None:
    """Nobody counted them in the games that are there."""
    connection.exec_driver_sql("ALTER TABLE games ADD COLUMN highlights INTEGER")


MIGRATIONS: dict[int, Callable[[sql.Connection], None]] = {
    1: _add_highlights,
    2: table_schema.metadata.create_all,
}
"""By version: the step that leads from it to the next one.  A new store starts at the newest."""

LEASE_SECONDS = 60.0
"""How long a claim holds unless it is renewed."""

BUSY_SECONDS = 60.0
"""How long SQLite waits for another process that is writing."""

ROWS_AT_A_TIME = 10_000
"""Of a plan, so that it does not fill the memory a second time."""

_LOCK = 0x3A7E21
"""The number under which PostgreSQL lets one process at a time look after the schema."""

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
)
_series = sql.Table(
    "series",
    _metadata,
    sql.Column("tournament", sql.ForeignKey("tournaments.id"), primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("entrants", sql.JSON, nullable=False),
    sql.Column("games", sql.Integer, nullable=False),
    sql.Column("seed", sql.BigInteger, nullable=False),
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
    sql.Column("record", sql.LargeBinary, nullable=False),
    sql.ForeignKeyConstraint(["tournament", "series"], ["series.tournament", "series.number"]),
)
_result_columns = [_games.c[name] for name in GameResult.__struct_fields__]

# What is asked for every few games is put together once: that takes longer than SQLite does to answer.
_of_tournament = _series.c.tournament == sql.bindparam("of_tournament")
_in_numbers = _series.c.number.in_(sql.bindparam("numbers", expanding=True))
_is_claimed = _series.c.claimed_by.is_not(None)
_no_claim = {"claimed_by": None, "claimed_until": None}
_COUNT_SERIES = sql.select(sql.func.coalesce(sql.func.max(_series.c.number) + 1, 0)).where(_of_tournament)
"""How many series there are: they are numbered from 0 without gaps, so none has to be counted."""

_PLANNED = sql.select(_COUNT_SERIES.scalar_subquery(), sql.exists().where(_of_tournament, _is_open))
_LOCK_TOURNAMENT = (
    sql.select(_tournaments.c.id).where(_tournaments.c.id == sql.bindparam("of_tournament")).with_for_update()
)
_FREE_SERIES = (
    sql.select(*(_series.c[name] for name in PlannedSeries.__struct_fields__))
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
# In order, so that two who commit the same ones wait for each other and not in a circle.
_LOCK_OPEN = (
    sql.select(_series.c.number)
    .where(_of_tournament, _in_numbers, _is_open)
    .order_by(_series.c.number)
    .with_for_update()
)
_FINISH = (
    sql.update(_series).where(_of_tournament, _in_numbers, _is_open).values(finished=sql.bindparam("now"), **_no_claim)
)


class Progress(msgspec.Struct, frozen=True):
    """How far a tournament is."""

    planned: int
    """Games planned so far."""
    finished: int
    """Games that count."""
    series: int
    """Series planned so far."""
    open_series: int
    """Series that are not finished."""


class Planned(msgspec.Struct, frozen=True):
    """How far a plan has come."""

    series: int
    has_open: bool
    """Whether any of them is not finished, by whomever."""


class StoredTournament(msgspec.Struct, frozen=True):
    """A tournament as it stands in the store."""

    id: int
    created: float
    """Seconds since 1970."""
    finished: float | None
    settings: Settings
    progress: Progress


def without_password(place: str) -> str:
    """A place as it was named, fit to be read by others: the password of a URL is three stars."""
    if "://" not in place:
        return place
    url = _parsed(place)
    return place if url.password is None and "password" not in url.query else _told(url)


def default_store() -> Path:
    """Where tournaments are kept when nobody says: ``XDG_DATA_HOME``, else ``~/.local/share``."""
    home = os.environ.get("XDG_DATA_HOME", "")
    folder = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "share"
    return folder / "wateringhole" / "tournaments.sqlite"


class Store:
    """Tournaments, their series and games.  May be used by several threads and processes at once."""

    def __init__(self, place: str | Path | None = None, *, makes_file: bool = True) -> None:
        """Open a store by URL or path, making or upgrading it where needed.

        Raises UsageError for a URL that is none of ours, OperationError when the store cannot be used, or
        where there is no file and none is to be made.
        """
        self.holder = new_holder_id()
        url = _url(place, makes_file)
        self.name = (
            url.database or "" if url.get_backend_name() == "sqlite" else _told(url.set(drivername="postgresql"))
        )
        """What to call it; shows no password."""
        self._engine = _engine(url)
        try:
            with self._writing() as connection:
                _prepare(connection, self.name)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let go of all connections."""
        self._engine.dispose()

    def create(self, settings: Settings) -> int:
        """A new tournament, with nothing planned yet."""
        row = {"created": time.time(), "settings": msgspec.to_builtins(settings)}
        with self._writing() as connection:
            key = connection.execute(sql.insert(_tournaments).values(row)).inserted_primary_key
            assert key is not None
            return int(key[0])

    def tournament(self, number: int) -> StoredTournament:
        """Raises UsageError where there is none of this number."""
        found = self._select_tournaments(number)
        if not found:
            there = self.tournaments()
            numbers = ", ".join(str(each.id) for each in there[-10:])
            hint = f"; the newest are {numbers}" if there else ", which is empty"
            raise UsageError(f"there is no tournament {number} in {self.name}{hint}.")
        return found[0]

    def tournaments(self) -> list[StoredTournament]:
        """All of them, the oldest first."""
        return self._select_tournaments()

    def plan(self, tournament: int, series: Sequence[PlannedSeries], after: int = 0) -> bool:
        """Add series to a tournament that has so many; where somebody else was faster, nothing is added."""
        with self._writing() as connection:
            # Whoever plans for the same tournament waits here.
            connection.execute(_LOCK_TOURNAMENT, {"of_tournament": tournament})
            if connection.execute(_COUNT_SERIES, {"of_tournament": tournament}).scalar_one() != after:
                return False
            # Not all at once: there may be very many.
            for first in range(0, len(series), ROWS_AT_A_TIME):
                rows = [
                    {"tournament": tournament, **msgspec.to_builtins(each)}
                    for each in series[first : first + ROWS_AT_A_TIME]
                ]
                connection.execute(sql.insert(_series), rows)
            return True

    def claim(self, tournament: int, at_most: int) -> list[PlannedSeries]:
        """Series to play now, taken from nobody who is at work on them."""
        with self._writing() as connection:
            claimed = self._claim_free(connection, tournament, at_most)
            if len(claimed) < at_most and _free_those_of_the_dead(connection, tournament):
                claimed += self._claim_free(connection, tournament, at_most - len(claimed))
        return claimed

    def _claim_free(self, connection: sql.Connection, tournament: int, at_most: int) -> list[PlannedSeries]:
        now = time.time()
        rows = connection.execute(_FREE_SERIES, {"of_tournament": tournament, "now": now, "at_most": at_most})
        claimed = [msgspec.convert(row._mapping, PlannedSeries) for row in rows]
        if claimed:
            which = {"of_tournament": tournament, "numbers": [each.number for each in claimed]}
            connection.execute(_CLAIM, {**which, "holder": self.holder, "until": now + LEASE_SECONDS})
        return claimed

    def renew_claims(self) -> None:
        """Say again that we are at work on all that we have claimed."""
        with self._writing() as connection:
            connection.execute(
                sql.update(_series)
                .where(_series.c.claimed_by == self.holder, _is_open)
                .values(claimed_until=time.time() + LEASE_SECONDS)
            )

    def release_claims(self) -> None:
        """Leave all that we have claimed and not finished to others."""
        with self._writing() as connection:
            _free(connection, self.holder)

    def commit(self, tournament: int, games: Sequence[PackedGame]) -> list[GameResult]:
        """Keep whole series with their records, all or nothing; those of them that count.

        A series that somebody else has finished meanwhile counts as theirs.
        """
        with self._writing() as connection:
            ours = _finish(connection, tournament, {game.result.series for game in games})
            counted = [game for game in games if game.result.series in ours]
            rows = [
                {"tournament": tournament, **msgspec.structs.asdict(game.result), "record": game.packed_record}
                for game in counted
            ]
            if rows:
                connection.execute(sql.insert(_games), rows)
        return [game.result for game in counted]

    def finish(self, tournament: int) -> None:
        """Nothing more will be planned, and all that was is played."""
        with self._writing() as connection:
            connection.execute(
                sql.update(_tournaments)
                .where(_tournaments.c.id == tournament, _tournaments.c.finished.is_(None))
                .values(finished=time.time())
            )

    def progress(self, tournament: int) -> Progress:
        return self.tournament(tournament).progress

    def planned(self, tournament: int) -> Planned:
        """How far the plan of a tournament has come; takes equally long however long the tournament is."""
        with self._reading() as connection:
            series, has_open = connection.execute(_PLANNED, {"of_tournament": tournament}).one()
        return Planned(series, has_open)

    def results(self, tournament: int, since: int = 0) -> Iterator[GameResult]:
        """All games that count, by series and game, whoever played them when; they are read as they are asked for.

        `since` is the first series wanted.
        """
        # Whatever is done with them meanwhile can be disturbed.
        with self._connected() as connection:
            rows = connection.execution_options(yield_per=1000).execute(
                sql.select(*_result_columns)
                .where(_games.c.tournament == tournament, _games.c.series >= since)
                .order_by(_games.c.series, _games.c.game)
            )
            for row in rows:
                yield msgspec.convert(row._mapping, GameResult)

    def record(self, tournament: int, series: int, game: int) -> bytes:
        """The record of a game.  Raises UsageError where there is none."""
        with self._reading() as connection:
            packed = connection.execute(
                sql.select(_games.c.record).where(
                    _games.c.tournament == tournament, _games.c.series == series, _games.c.game == game
                )
            ).scalar()
        if packed is None:
            raise UsageError(f"tournament {tournament} has no game {game} of series {series} in {self.name}.")
        return unpacked(packed)

    def _select_tournaments(self, number: int | None = None) -> list[StoredTournament]:
        """That of a number, or all of them."""
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
            return [
                StoredTournament(
                    row.id,
                    row.created,
                    row.finished,
                    msgspec.convert(row.settings, Settings),
                    Progress(row.planned or 0, row.finished_games or 0, row.series or 0, row.open_series or 0),
                )
                for row in connection.execute(query)
            ]

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        with self._connected() as connection, defer_signals():
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sql.Connection]:
        """A transaction that is kept if nothing goes wrong."""
        with (
            self._connected() as connection,
            defer_signals(),
            connection.execution_options(writes=True).begin(),
        ):
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sql.Connection]:
        """Can be interrupted: a server that does not answer is waited for here."""
        with self._told_as_failure(), self._engine.connect() as connection:
            yield connection

    @contextmanager
    def _told_as_failure(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            why = str(getattr(error, "orig", None) or error).strip().partition("\n")[0]
            raise OperationError(f"the store {self.name} cannot be used: {why}.") from error


def _finish(connection: sql.Connection, tournament: int, numbers: Collection[int]) -> set[int]:
    """Mark series as finished; those that nobody had finished before."""
    which = {"of_tournament": tournament, "numbers": list(numbers)}
    ours = set(connection.execute(_LOCK_OPEN, which).scalars())
    connection.execute(_FINISH, {**which, "now": time.time()})
    return ours


def _free_those_of_the_dead(connection: sql.Connection, tournament: int) -> bool:
    """Free what ended processes of this machine have claimed; whether there was any."""
    holders = connection.execute(_HOLDERS, {"of_tournament": tournament}).scalars()
    dead = [holder for holder in holders if holder is not None and is_dead(holder)]
    for holder in dead:
        _free(connection, holder)
    return bool(dead)


def _free(connection: sql.Connection, holder: str) -> None:
    connection.execute(sql.update(_series).where(_series.c.claimed_by == holder, _is_open).values(_no_claim))


def _prepare(connection: sql.Connection, name: str) -> None:
    """Make the tables, or bring them up to date.  Of several who come at once one does it."""
    if connection.dialect.name == "postgresql":
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    if not sql.inspect(connection).has_table(_version.name):
        _metadata.create_all(connection)
        table_schema.metadata.create_all(connection)
        connection.execute(sql.insert(_version).values(version=VERSION))
        return
    version = connection.execute(sql.select(_version.c.version)).scalar_one()
    if version > VERSION:
        raise OperationError(
            f"the store {name} has version {version}; this program knows {VERSION} and earlier. "
            "Use the newer program that made it."
        )
    for step in range(version, VERSION):
        MIGRATIONS[step](connection)
    if version < VERSION:
        connection.execute(sql.update(_version).values(version=VERSION))


def _url(place: str | Path | None, makes_file: bool) -> URL:
    if place is None:
        place = default_store()
    if isinstance(place, str) and "://" in place:
        url = _parsed(place)
        if url.get_backend_name() != "sqlite":
            return _server_url(url)
        place = _sqlite_file(url)
    path = Path(place)
    if path.name == ":memory:":
        raise _no_file(str(place))
    if not makes_file and not path.exists():
        raise OperationError(f"there is no store {path} yet; the first tournament makes it.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperationError(f"the folder of the store {path} cannot be made: {error.strerror}.") from None
    return URL.create("sqlite", database=str(path))


def _told(url: URL) -> str:
    """A URL without its password, which may stand in either of two places."""
    if "password" in url.query:
        url = url.update_query_dict({"password": "***"})
    return url.render_as_string(hide_password=True).replace("%2A%2A%2A", "***")


def _parsed(place: str) -> URL:
    try:
        return make_url(place)
    except (ArgumentError, ValueError):
        # Not repeated: there may be a password in it.
        raise UsageError(
            "the URL of the store cannot be read; it looks like postgresql://user@host/database."
        ) from None


def _sqlite_file(url: URL) -> str:
    if not url.database or url.query:
        raise _no_file(url.render_as_string())
    return url.database


def _no_file(place: str) -> UsageError:
    """For a database in memory, which would be gone with us."""
    return UsageError(f"a store is kept in a file, and {place} is none; give the file's name alone.")


def _server_url(url: URL) -> URL:
    backend = url.get_backend_name()
    if backend not in ("postgresql", "postgres"):
        raise UsageError(f"a store cannot be kept in {backend}; give a file, or postgresql://user@host/database.")
    if find_spec("psycopg") is None:
        raise OperationError(
            "a store on PostgreSQL needs psycopg, not installed here; "
            "install the extra with: pip install 'wateringhole[postgresql]'"
        )
    return url.set(drivername="postgresql+psycopg")


def _engine(url: URL) -> sql.Engine:
    engine = sql.create_engine(
        url,
        json_serializer=lambda value: msgspec.json.encode(value).decode(),
        json_deserializer=msgspec.json.decode,
        connect_args={"timeout": BUSY_SECONDS} if url.get_backend_name() == "sqlite" else {},
    )
    if url.get_backend_name() == "sqlite":
        sql.event.listen(engine, "connect", _set_up_sqlite)
        sql.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: Any) -> None:
    # The driver would begin transactions where it thinks best; `_begin_sqlite` knows better.
    connection.isolation_level = None
    # Readers and a writer do not wait for each other.  What was committed survives the end of this process
    # however it comes; after a power cut the last games may be missing, and are then played again.
    for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sql.Connection) -> None:
    # Whoever is going to write says so first and waits for its turn; a reader who becomes a writer could not wait.
    writes: Mapping[str, Any] = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes.get("writes") else "BEGIN")
