"""Tables that people sit at, in the same store as tournaments: they survive the end of the program that hosts them.

A running table is its plan and the record so far, line by line; that is all it takes to go on with
the game.  Whoever hosts a table claims it, as with the series of a tournament: the tables of a
process that is dead, or silent for `LEASE_SECONDS`, can be taken over.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from typing import Any

import msgspec
import sqlalchemy as sql

from wateringhole.tournaments import table_schema as schema
from wateringhole.tournaments.leases import is_dead
from wateringhole.tournaments.store import LEASE_SECONDS, Store

__all__ = ["FinishedGame", "SavedTable", "TableStore"]


class SavedTable(msgspec.Struct, frozen=True):
    """A table that was not finished when somebody last heard of it."""

    id: str
    created: float
    """Seconds since 1970."""
    plan: dict[str, Any]
    """In the format of whoever keeps it."""
    record: bytes
    """The lines so far; empty: the game has not begun."""


class FinishedGame(msgspec.Struct, frozen=True):
    """A game that was played to its end at a table.  Lists go by seat."""

    id: str
    finished: float
    """Seconds since 1970."""
    game: str
    names: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int | None, ...]
    public: bool
    """Whether everybody is told of it; who knows its id can see it anyway."""


class TableStore(Store):
    """The store of tournaments, with the tables of the page."""

    def keep(self, table: str, created: float, plan: dict[str, Any]) -> None:
        """A new table, or what has changed about one."""
        claim = {"claimed_by": self.holder, "claimed_until": time.time() + LEASE_SECONDS}
        with self._writing() as connection:
            changed = connection.execute(
                sql.update(schema.tables).where(schema.tables.c.id == table).values(plan=plan, **claim)
            )
            if not changed.rowcount:
                connection.execute(sql.insert(schema.tables).values(id=table, created=created, plan=plan, **claim))

    def add_lines(self, table: str, number: int, text: bytes) -> None:
        """More of a table's record; pieces are numbered in their order."""
        with self._writing() as connection:
            connection.execute(sql.insert(schema.lines).values(table=table, number=number, text=text))

    def forget(self, table: str) -> None:
        """A table that was closed before its game ended."""
        with self._writing() as connection:
            _forget(connection, table)

    def finish_game(self, game: FinishedGame, record: bytes) -> None:
        """A table's game is over: what is left of the table is its game."""
        row = {**msgspec.to_builtins(game), "record": zlib.compress(record)}
        with self._writing() as connection:
            _forget(connection, game.id)
            connection.execute(sql.insert(schema.games).values(row))

    def forget_games(self, most: int) -> None:
        """All but the newest that were played to their end."""
        old = sql.select(schema.games.c.id).order_by(schema.games.c.finished.desc()).offset(most)
        with self._writing() as connection:
            connection.execute(sql.delete(schema.games).where(schema.games.c.id.in_(old)))

    def adopt_tables(self) -> list[SavedTable]:
        """All tables that nobody hosts, the oldest first; they are ours from now on."""
        with self._writing() as connection:
            rows = connection.execute(
                sql.select(schema.tables).order_by(schema.tables.c.created).with_for_update()
            ).all()
            free = [row for row in rows if row.claimed_until < time.time() or is_dead(row.claimed_by)]
            self._claim(connection, [row.id for row in free])
            return [SavedTable(row.id, row.created, row.plan, _record(connection, row.id)) for row in free]

    def renew_tables(self, tables: Sequence[str]) -> None:
        """Say again that we host these."""
        with self._writing() as connection:
            self._claim(connection, tables)

    def release_tables(self) -> None:
        """Leave all tables that we host to whoever comes next."""
        with self._writing() as connection:
            connection.execute(
                sql.update(schema.tables).where(schema.tables.c.claimed_by == self.holder).values(claimed_until=0)
            )

    def finished_games(self, most: int) -> list[FinishedGame]:
        """The last ones that everybody is told of, the newest first."""
        columns = [schema.games.c[name] for name in FinishedGame.__struct_fields__]
        with self._reading() as connection:
            rows = connection.execute(
                sql.select(*columns).where(schema.games.c.public).order_by(schema.games.c.finished.desc()).limit(most)
            )
            return [msgspec.convert(row._mapping, FinishedGame) for row in rows]

    def game_record(self, game: str) -> bytes | None:
        """The record of a game that was played at a table; None: there is none of this id."""
        with self._reading() as connection:
            packed = connection.execute(sql.select(schema.games.c.record).where(schema.games.c.id == game)).scalar()
        return None if packed is None else zlib.decompress(packed)

    def _claim(self, connection: sql.Connection, tables: Sequence[str]) -> None:
        connection.execute(
            sql.update(schema.tables)
            .where(schema.tables.c.id.in_(tables))
            .values(claimed_by=self.holder, claimed_until=time.time() + LEASE_SECONDS)
        )


def _record(connection: sql.Connection, table: str) -> bytes:
    pieces = connection.execute(
        sql.select(schema.lines.c.text).where(schema.lines.c.table == table).order_by(schema.lines.c.number)
    ).scalars()
    return b"".join(pieces)


def _forget(connection: sql.Connection, table: str) -> None:
    connection.execute(sql.delete(schema.lines).where(schema.lines.c.table == table))
    connection.execute(sql.delete(schema.tables).where(schema.tables.c.id == table))
