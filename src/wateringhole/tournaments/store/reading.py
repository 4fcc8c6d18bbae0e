"""Reading tournaments from a store.  Damaged values raise an error that names the place."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Mapping
from contextlib import closing
from typing import Annotated, Any, TypeVar

import msgspec
import sqlalchemy as sql

from wateringhole.digests import digest
from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments.chain import Chain, chain_start
from wateringhole.tournaments.results import GameResult, check_result, unpacked
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import queries, schema, withdrawals
from wateringhole.tournaments.store.database import Database
from wateringhole.tournaments.store.rows import Planned, Progress, StoredGame, StoredSeries, StoredTournament

__all__ = ["StoreReader"]

T = TypeVar("T")
Time = Annotated[float, msgspec.Meta(ge=0, lt=253_402_300_800)]
"""Seconds since 1970, before the year 10000."""


class StoreReader(Database):
    """The reading half of a store."""

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

    def withdrawn(self, tournament: int) -> dict[int, int]:
        """Return the withdrawn players, each with the number of the first series that it misses."""
        with self._reading() as connection:
            return withdrawals.withdrawn(withdrawals.read_failing(connection, tournament))

    def progress(self, tournament: int) -> Progress:
        return self.tournament(tournament).progress

    def planned(self, tournament: int) -> Planned:
        """Return the progress of a plan, in a time that does not depend on the length of the tournament."""
        with self._reading() as connection:
            series, has_open = connection.execute(queries.PLANNED, {"of_tournament": tournament}).one()
        return Planned(series, has_open)

    def results(self, tournament: int, since: int = 0) -> Generator[GameResult, None, None]:
        """Yield all games that count, by series and game, from the series `since` on; they are read lazily.

        Signals are not deferred while the caller processes the games.
        """
        games = (
            sql.select(*queries.result_columns)
            .where(schema.games.c.tournament == tournament, schema.games.c.series >= since)
            .order_by(schema.games.c.series, schema.games.c.game)
        )
        with closing(self._stream(games, 1000)) as rows:
            for row in rows:
                yield self._result(tournament, row._mapping)

    def chain(self, tournament: int) -> Chain:
        """Return the chain of a tournament, up to the first series that is not finished."""
        chain = Chain(self.tournament(tournament).chain_start)
        with self._connected() as connection:
            first_open = connection.execute(queries.FIRST_OPEN, {"of_tournament": tournament}).scalar()
            rows = connection.execution_options(yield_per=1000).execute(
                sql.select(
                    schema.games.c.series, schema.games.c.game, schema.games.c.digest, queries.record_without_digest
                )
                .where(schema.games.c.tournament == tournament)
                .where(sql.true() if first_open is None else schema.games.c.series < first_open)
                .order_by(schema.games.c.series, schema.games.c.game)
            )
            for series, game, known, packed in rows:
                if known is None:
                    known = digest(self._unpacked(tournament, series, game, packed))
                chain.add(series, game, known)
        return chain

    def stored_series(self, tournament: int) -> Generator[StoredSeries, None, None]:
        """Yield all series with their games, in order, as they stood at one moment; they are read lazily.

        Signals are not deferred while the caller processes the series.
        """
        with closing(self._stream(queries.STORED_SERIES, 100, of_tournament=tournament)) as rows:
            for _, group in itertools.groupby(rows, lambda row: row.number):
                first, *others = group
                yield StoredSeries(
                    self._planned_series(tournament, {name: first._mapping[f"series_{name}"] for name in queries.PLAN}),
                    first.is_finished,
                    [self._stored_game(tournament, row) for row in (first, *others) if row.game is not None],
                )

    def _stored_game(self, tournament: int, row: Any) -> StoredGame:
        return StoredGame(self._result(tournament, row._mapping), row.digest, row.record)

    def game_without_series(self, tournament: int) -> tuple[int, int] | None:
        """Return the series and the number of a game whose series does not exist, or None if there is none."""
        with self._reading() as connection:
            row = connection.execute(
                sql.select(schema.games.c.series, schema.games.c.game)
                .outerjoin(schema.series, queries.is_its_series)
                .where(schema.games.c.tournament == tournament, schema.series.c.number.is_(None))
                .order_by(schema.games.c.series, schema.games.c.game)
            ).first()
        return None if row is None else (row.series, row.game)

    def record(self, tournament: int, series: int, game: int) -> bytes:
        """Return the record of a game.  Raises UsageError if there is none."""
        with self._reading() as connection:
            packed = connection.execute(
                sql.select(schema.games.c.record).where(
                    schema.games.c.tournament == tournament,
                    schema.games.c.series == series,
                    schema.games.c.game == game,
                )
            ).scalar()
        if packed is None:
            raise UsageError(f"tournament {tournament} has no game {game} of series {series} in {self.name}.")
        return self._unpacked(tournament, series, game, packed)

    def _result(self, tournament: int, row: sql.RowMapping) -> GameResult:
        try:
            result = msgspec.convert(row, GameResult)
            check_result(result)
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
        is_finished = schema.series.c.finished.is_not(None)
        counts = (
            sql.select(
                schema.series.c.tournament,
                sql.func.sum(schema.series.c.games).label("planned"),
                sql.func.sum(sql.case((is_finished, schema.series.c.games), else_=0)).label("finished_games"),
                sql.func.count().label("series"),
                sql.func.sum(sql.case((is_finished, 0), else_=1)).label("open_series"),
            )
            .where(sql.true() if number is None else schema.series.c.tournament == number)
            .group_by(schema.series.c.tournament)
            .subquery()
        )
        query = (
            sql.select(
                schema.tournaments, counts.c.planned, counts.c.finished_games, counts.c.series, counts.c.open_series
            )
            .outerjoin(counts, counts.c.tournament == schema.tournaments.c.id)
            .where(sql.true() if number is None else schema.tournaments.c.id == number)
            .order_by(schema.tournaments.c.id)
        )
        with self._reading() as connection:
            return [self._stored_tournament(row) for row in connection.execute(query)]

    def _stored_tournament(self, row: Any) -> StoredTournament:
        settings = self._converted(row.id, "its settings", row.settings, Settings)
        progress = Progress(row.planned or 0, row.finished_games or 0, row.series or 0, row.open_series or 0)
        return StoredTournament(
            row.id,
            self._converted(row.id, "its start", row.created, Time),
            row.finished and self._converted(row.id, "its end", row.finished, Time),
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
