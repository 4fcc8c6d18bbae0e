"""The tables of tournaments, and the upgrades of earlier stores."""

from __future__ import annotations

from collections.abc import Callable

import sqlalchemy as sql

from wateringhole.errors import OperationError
from wateringhole.tournaments import table_schema

__all__ = ["MIGRATIONS", "VERSION", "failing_players", "games", "is_open", "prepare", "series", "tournaments"]

VERSION = 8
"""The version of the schema, which grows with each change of a table below."""

_LOCK = 0x3A7E21
"""The number of the PostgreSQL lock for creating and upgrading the schema."""

_metadata = sql.MetaData()
_version = sql.Table(
    "wateringhole_schema",
    _metadata,
    sql.Column("version", sql.Integer, primary_key=True, autoincrement=False),
)
tournaments = sql.Table(
    "tournaments",
    _metadata,
    sql.Column("id", sql.Integer, primary_key=True),
    sql.Column("created", sql.Double, nullable=False),
    sql.Column("finished", sql.Double),
    sql.Column("settings", sql.JSON, nullable=False),
    sql.Column("head", sql.Text),
    sql.Column("versions", sql.JSON),
)
series = sql.Table(
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
is_open = series.c.finished.is_(None)
sql.Index("open_series", series.c.tournament, series.c.number, sqlite_where=is_open, postgresql_where=is_open)
games = sql.Table(
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
failing_players = sql.Table(
    "failing_players",
    _metadata,
    sql.Column("tournament", sql.ForeignKey("tournaments.id"), primary_key=True),
    sql.Column("player", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("first_forfeit", sql.Integer, nullable=False),
    sql.Column("withdrawn_from", sql.Integer),
)
"""The players that have forfeited a game, the series of their first forfeit, and the first series that they miss
because they were withdrawn."""


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
    failing_players.create(connection)


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
    7: table_schema.metadata.create_all,
}
"""By version: the step from it to the next one.  A new store starts with the newest version."""


def prepare(connection: sql.Connection, name: str) -> None:
    """Create or upgrade the tables; a lock keeps other processes from doing so at the same time."""
    if connection.dialect.name == "postgresql":
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    if not sql.inspect(connection).has_table(_version.name):
        _metadata.create_all(connection)
        table_schema.metadata.create_all(connection)
        connection.execute(sql.insert(_version).values(version=VERSION))
        return
    found = connection.execute(sql.select(_version.c.version)).scalar()
    if found is None:
        raise OperationError(f"the store {name} is damaged: its version is missing.")
    if found > VERSION:
        raise OperationError(
            f"the store {name} has version {found}; this program supports versions up to {VERSION}. "
            "Use the newer program that created it."
        )
    for step in range(found, VERSION):
        MIGRATIONS[step](connection)
    if found < VERSION:
        connection.execute(sql.update(_version).values(version=VERSION))
