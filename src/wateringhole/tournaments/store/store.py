"""The store of tournaments: reading and writing."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence

import msgspec
import sqlalchemy as sql

from wateringhole.tournaments.results import GameResult, PackedGame
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import leases, queries, schema, withdrawals
from wateringhole.tournaments.store.reading import StoreReader
from wateringhole.tournaments.withdrawals import ForfeitStreaks, absent_from

__all__ = ["Store"]


class Store(StoreReader):
    """Tournaments, their series and games.  May be used by several threads and processes at once."""

    def create(self, settings: Settings) -> int:
        """Create a tournament without any series, and return its number."""
        row = {"created": time.time(), "settings": msgspec.to_builtins(settings)}
        with self._writing() as connection:
            key = connection.execute(sql.insert(schema.tournaments).values(row)).inserted_primary_key
            assert key is not None
            return int(key[0])

    def add_versions(self, tournament: int, versions: Sequence[str | None]) -> dict[int, str | None]:
        """Add the versions of all players who play from now on.

        Return the last known version of each player who had another one before.
        """
        with self._writing() as connection:
            # Other processes that play the same tournament wait here.
            (_, stored) = connection.execute(queries.LOCK_TOURNAMENT, {"of_tournament": tournament}).one()
            known = self._versions(tournament, stored) or ((),) * len(versions)
            if len(known) != len(versions):
                raise self._damage(tournament, "its versions of players", ValueError(f"{len(known)} players have some"))
            added = [(*old, new) if new not in old else old for old, new in zip(known, versions, strict=True)]
            connection.execute(
                sql.update(schema.tournaments).where(schema.tournaments.c.id == tournament).values(versions=added)
            )
        return {player: old[-1] for player, old in enumerate(known) if old and old != added[player]}

    def plan(self, tournament: int, series: Sequence[PlannedSeries], after: int = 0) -> bool:
        """Add series to a tournament that has `after` of them; return False if another process was faster."""
        with self._writing() as connection:
            # Other processes that plan for the same tournament wait here.
            connection.execute(queries.LOCK_TOURNAMENT, {"of_tournament": tournament})
            if connection.execute(queries.COUNT_SERIES, {"of_tournament": tournament}).scalar_one() != after:
                return False
            # Not all together, because there may be very many.
            for first in range(0, len(series), queries.ROWS_AT_A_TIME):
                rows = [
                    {"tournament": tournament, **msgspec.to_builtins(each)}
                    for each in series[first : first + queries.ROWS_AT_A_TIME]
                ]
                connection.execute(sql.insert(schema.series), rows)
            return True

    def claim(self, tournament: int, at_most: int) -> list[PlannedSeries]:
        """Claim and return series that no other process is playing."""
        with self._writing() as connection:
            rows = leases.claim(connection, tournament, self.holder, at_most)
            if len(rows) < at_most and leases.free_orphaned(connection, tournament):
                rows += leases.claim(connection, tournament, self.holder, at_most - len(rows))
            # A dictionary is converted several times faster than the mapping of a row.
            claimed = [self._planned_series(tournament, dict(zip(queries.PLAN, row, strict=True))) for row in rows]
            withdrawn = withdrawals.withdrawn(withdrawals.read_failing(connection, tournament))
        if not withdrawn:
            return claimed
        return [
            msgspec.structs.replace(each, absent=absent_from(each.number, each.entrants, withdrawn)) for each in claimed
        ]

    def renew_claims(self) -> None:
        """Renew the leases on all claimed series."""
        with self._writing() as connection:
            leases.renew(connection, self.holder)

    def release_claims(self, keep: Collection[int] = ()) -> None:
        """Release all claimed series that are not finished, except those to keep."""
        with self._writing() as connection:
            leases.free(connection, self.holder, keep)

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
                connection.execute(queries.LOCK_TOURNAMENT, {"of_tournament": tournament})
                failing = withdrawals.read_failing(connection, tournament)
                games = self._drop_outdated(connection, tournament, games, withdrawals.withdrawn(failing))
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
                connection.execute(sql.insert(schema.games), rows)
            if streaks is not None:
                results = [game.result for game in counted]
                updated = withdrawals.withdraw(connection, tournament, streaks, results, failing)
        if streaks is not None:
            # Only now, because a transaction that failed has changed nothing.
            streaks.take(updated)
        return [game.result for game in counted]

    def _drop_outdated(
        self, connection: sql.Connection, tournament: int, games: Sequence[PackedGame], withdrawn: Mapping[int, int]
    ) -> list[PackedGame]:
        """Return the games that withdrawn players have missed as they should; free the series of the others."""
        outdated = {
            game.result.series
            for game in games
            if game.absent != absent_from(game.result.series, game.result.entrants, withdrawn)
        }
        if outdated:
            connection.execute(
                sql.update(schema.series)
                .where(
                    schema.series.c.tournament == tournament,
                    schema.series.c.number.in_(outdated),
                    schema.series.c.claimed_by == self.holder,
                    schema.is_open,
                )
                .values(queries.no_claim)
            )
        return [game for game in games if game.result.series not in outdated]

    def finish(self, tournament: int) -> None:
        """Mark a tournament as finished: all planned series are played, and no more will be planned."""
        head = self.chain(tournament).head
        with self._writing() as connection:
            connection.execute(
                sql.update(schema.tournaments)
                .where(schema.tournaments.c.id == tournament, schema.tournaments.c.finished.is_(None))
                .values(finished=time.time(), head=head)
            )


def _finish(connection: sql.Connection, tournament: int, numbers: Collection[int]) -> set[int]:
    """Mark series as finished and return those that were not finished before."""
    which = {"of_tournament": tournament, "numbers": list(numbers)}
    open_series = set(connection.execute(queries.LOCK_OPEN, which).scalars())
    connection.execute(queries.FINISH, {**which, "now": time.time()})
    return open_series
