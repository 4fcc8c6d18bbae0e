"""Connections to a store: transactions, and errors of the database in one sentence."""

from __future__ import annotations

import copy
import os
import sqlite3
import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec
import sqlalchemy as sql
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError

from wateringhole.errors import OperationError
from wateringhole.formatting import single_line
from wateringhole.tournaments.holders import new_holder_id
from wateringhole.tournaments.interrupts import defer_signals
from wateringhole.tournaments.store.locations import display_url, parse_location
from wateringhole.tournaments.store.schema import prepare

__all__ = ["Database", "StoreLost", "StoreUnavailable"]

Closable = TypeVar("Closable", sql.Connection, sql.CursorResult[Any])

BUSY_SECONDS = 60.0
"""The time that SQLite waits for another process that is writing."""
BUSY_DELAY = 0.02
"""The seconds between two attempts where SQLite itself does not wait."""


class StoreUnavailable(OperationError):
    """The store cannot be used now, e.g. because its server restarts or its disk is full.

    The same call may succeed later.  A transaction may have been committed nevertheless.
    """


class StoreLost(OperationError):
    """The file of the store was deleted or replaced while it was in use."""


class Database:
    """The connections to a store.  May be used by several threads and processes at once."""

    def __init__(self, location: str | Path | None = None, *, makes_file: bool = True) -> None:
        """Open a store by URL or path; create or upgrade it if necessary.

        Raises UsageError for an unsupported URL, and OperationError if the store cannot be used, or if
        there is no file and `makes_file` is false.
        """
        self.holder = new_holder_id()
        url = parse_location(location, makes_file)
        self.name = (
            url.database or "" if url.get_backend_name() == "sqlite" else display_url(url.set(drivername="postgresql"))
        )
        """The name in messages, without a password."""
        self._engine = _engine(url)
        self._file: Path | None = None
        """The file after it was opened, or None for a server."""
        try:
            with self._writing() as connection:
                prepare(connection, self.name)
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

    def with_own_leases(self) -> Self:
        """Return the same store for another holder, whose leases are renewed and released apart from these."""
        other = copy.copy(self)
        other.holder = new_holder_id()
        return other

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _reading(self) -> Iterator[sql.Connection]:
        with self._connected() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sql.Connection]:
        """Open a transaction that is committed unless an exception is raised."""
        with self._connected() as connection, connection.execution_options(writes=True).begin():
            yield connection

    @contextmanager
    def _connected(self) -> Iterator[sql.Connection]:
        """Connect, and defer signals until the connection is closed.

        Signals are not deferred while it connects, because a server may not respond.
        """
        self._check_file()
        with self._translate_errors():
            connection = self._connect()
            with defer_signals(), connection:
                yield connection
        self._check_file()

    def _stream(self, query: sql.Executable, size: int, **parameters: Any) -> Generator[sql.Row[Any], None, None]:
        """Yield the rows of a query, of which `size` are read at once.

        Signals are not deferred while the caller processes rows.  It may never ask for the rest, and the garbage
        collector may then close this generator in another thread, where no handler of a signal can be restored.
        """
        self._check_file()
        with self._translate_errors(), self._closing(self._connect()) as connection:
            with defer_signals():
                rows = connection.execution_options(yield_per=size).execute(query, parameters)
            with self._closing(rows):
                while True:
                    with defer_signals():
                        chunk = rows.fetchmany(size)
                    if not chunk:
                        break
                    yield from chunk
        self._check_file()

    @staticmethod
    @contextmanager
    def _closing(opened: Closable) -> Iterator[Closable]:
        """Close a connection or a result, and defer signals meanwhile."""
        try:
            yield opened
        finally:
            with defer_signals():
                opened.close()

    def _connect(self) -> sql.Connection:
        """Connect.  If an interrupt makes the driver fail, raise the interrupt."""
        try:
            return self._engine.connect()
        except Exception as error:
            cause: BaseException | None = error
            while isinstance(cause, Exception):
                cause = cause.__context__
            if cause is not None:
                raise cause from None
            raise

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
            # It may quote what is stored.
            why = single_line(str(getattr(error, "orig", None) or error).strip().partition("\n")[0])
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
    _use_write_ahead_log(connection)
    for pragma in ("synchronous = NORMAL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _use_write_ahead_log(connection: Any) -> None:
    """Switch a new file to the write-ahead log.

    SQLite does not wait for a process that uses the file meanwhile, e.g. because it also switches.
    """
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(BUSY_DELAY)


def _begin_sqlite(connection: sql.Connection) -> None:
    # A writer announces itself first and waits for its turn; a reader that becomes a writer could not wait.
    writes: Mapping[str, Any] = connection.get_execution_options()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes.get("writes") else "BEGIN")
