"""Tables of the house, in the same store as tournaments, so that they survive a restart of the house.

A running table consists of its plan and its record so far, line by line, which is enough to continue
the game.  A house holds a lease on each of its tables, as on the series of a tournament.  If its
process has exited, or has not renewed the lease for `LEASE_SECONDS`, another house can take over.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sql

from wateringhole.errors import OperationError
from wateringhole.house.people import PlayedSeat
from wateringhole.house.people_store import PeopleStore
from wateringhole.house.writer import FinishedGame, SavedTable
from wateringhole.tournaments import table_schema as schema
from wateringhole.tournaments.holders import has_exited
from wateringhole.tournaments.results import unpacked
from wateringhole.tournaments.store import LEASE_SECONDS

__all__ = ["TableStore"]


class TableStore(PeopleStore):
    """The store of tournaments, with the tables and the people of the house."""

    def keep(self, table: str, created: float, plan: dict[str, Any], record: bytes = b"") -> None:
        """Save a new table, perhaps with the first line of its record, or the new plan of a known one."""
        claim = {"claimed_by": self.holder, "claimed_until": time.time() + LEASE_SECONDS}
        with self._writing() as connection:
            changed = connection.execute(
                sql.update(schema.tables).where(schema.tables.c.id == table).values(plan=plan, **claim)
            )
            if not changed.rowcount:
                connection.execute(sql.insert(schema.tables).values(id=table, created=created, plan=plan, **claim))
            if record:
                connection.execute(sql.insert(schema.lines).values(table=table, number=0, text=record))

    def add_lines(self, table: str, number: int, text: bytes) -> None:
        """Append lines to a table's record; parts are numbered in their order."""
        with self._writing() as connection:
            connection.execute(sql.insert(schema.lines).values(table=table, number=number, text=text))

    def forget(self, table: str) -> None:
        """Delete a table that was closed before its game ended."""
        with self._writing() as connection:
            _forget(connection, table)

    def finish_game(
        self, game: FinishedGame, record: bytes | None, seats: Sequence[PlayedSeat] = (), rated: bool = False
    ) -> None:
        """Replace a table with its finished game, which may be one of people at its seats.

        Without a record, the game is one of a tournament, which has the record.
        """
        with self._writing() as connection:
            _forget(connection, game.id)
            if record is not None:
                row = {**msgspec.to_builtins(game), "record": zlib.compress(record)}
                connection.execute(sql.insert(schema.games).values(row))
            self._add_results(connection, game, seats, rated)

    def forget_games(self, most: int) -> None:
        """Delete all but the `most` newest finished games."""
        old = sql.select(schema.games.c.id).order_by(schema.games.c.finished.desc()).offset(most)
        with self._writing() as connection:
            connection.execute(sql.delete(schema.games).where(schema.games.c.id.in_(old)))

    def free_plans(self) -> list[dict[str, Any]]:
        """Return the plans of all tables without a live house, the oldest first."""
        with self._reading() as connection:
            rows = connection.execute(sql.select(schema.tables).order_by(schema.tables.c.created)).all()
        return [row.plan for row in rows if _is_free(row)]

    def adopt_tables(self, belongs: Callable[[dict[str, Any]], bool] = lambda plan: True) -> list[SavedTable]:
        """Take over and return the tables without a live house whose plan `belongs` to this one, the oldest first."""
        with self._writing() as connection:
            rows = connection.execute(
                sql.select(schema.tables).order_by(schema.tables.c.created).with_for_update()
            ).all()
            free = [row for row in rows if _is_free(row) and belongs(row.plan)]
            self._claim(connection, [row.id for row in free])
            return [SavedTable(row.id, row.created, row.plan, _record(connection, row.id)) for row in free]

    def renew_tables(self, tables: Sequence[str]) -> None:
        """Renew the leases on these tables."""
        with self._writing() as connection:
            self._claim(connection, tables)

    def release_tables(self) -> None:
        """End the leases on all tables of this holder, so that another house can take over."""
        with self._writing() as connection:
            connection.execute(
                sql.update(schema.tables).where(schema.tables.c.claimed_by == self.holder).values(claimed_until=0)
            )

    def finished_games(self, most: int) -> list[FinishedGame]:
        """Return the last listed games, the newest first."""
        columns = [schema.games.c[name] for name in FinishedGame.__struct_fields__]
        with self._reading() as connection:
            rows = connection.execute(
                sql.select(*columns).where(schema.games.c.public).order_by(schema.games.c.finished.desc()).limit(most)
            )
            return [msgspec.convert(row._mapping, FinishedGame) for row in rows]

    def game_record(self, game: str) -> bytes | None:
        """Return the record of a game that was played at a table, or None if there is no game with this ID."""
        with self._reading() as connection:
            packed = connection.execute(sql.select(schema.games.c.record).where(schema.games.c.id == game)).scalar()
        if packed is None:
            return None
        try:
            return unpacked(packed)
        except ValueError as error:
            raise OperationError(f"the store {self.name} is damaged: game {game}: {error}.") from None

    def _claim(self, connection: sql.Connection, tables: Sequence[str]) -> None:
        connection.execute(
            sql.update(schema.tables)
            .where(schema.tables.c.id.in_(tables))
            .values(claimed_by=self.holder, claimed_until=time.time() + LEASE_SECONDS)
        )


def _is_free(row: sql.Row[Any]) -> bool:
    return bool(row.claimed_until < time.time()) or has_exited(row.claimed_by)


def _record(connection: sql.Connection, table: str) -> bytes:
    parts = connection.execute(
        sql.select(schema.lines.c.text).where(schema.lines.c.table == table).order_by(schema.lines.c.number)
    ).scalars()
    return b"".join(parts)


def _forget(connection: sql.Connection, table: str) -> None:
    connection.execute(sql.delete(schema.lines).where(schema.lines.c.table == table))
    connection.execute(sql.delete(schema.tables).where(schema.tables.c.id == table))
