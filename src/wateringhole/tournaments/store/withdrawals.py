"""Withdrawals in the store: they are decided within the transaction that commits games."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import sqlalchemy as sql

from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.store import queries, schema
from wateringhole.tournaments.withdrawals import ForfeitStreaks

__all__ = ["FailingPlayer", "read_failing", "withdraw", "withdrawn"]


class FailingPlayer(NamedTuple):
    """A player that has forfeited a game."""

    player: int
    first_forfeit: int
    """The series of its first forfeit."""
    withdrawn_from: int | None
    """The first series that it misses, or None if it is not withdrawn."""


def read_failing(connection: sql.Connection, tournament: int) -> list[FailingPlayer]:
    return [FailingPlayer(*row) for row in connection.execute(queries.FAILING, {"of_tournament": tournament})]


def withdrawn(failing: Iterable[FailingPlayer]) -> dict[int, int]:
    """Return the withdrawn players, each with the number of the first series that it misses."""
    return {each.player: each.withdrawn_from for each in failing if each.withdrawn_from is not None}


def withdraw(
    connection: sql.Connection,
    tournament: int,
    streaks: ForfeitStreaks,
    committed: Sequence[GameResult],
    known: Sequence[FailingPlayer],
) -> ForfeitStreaks:
    """Count the forfeits of all series up to the first open one, withdraw players, and return the new streaks.

    The `known` failing players are those before these games.
    """
    failing = _note_forfeits(connection, tournament, committed, known)
    if not failing:
        return streaks
    streaks = streaks.copy()
    # No player that can be withdrawn has forfeited a game in the finished series before.
    streaks.counted = max(streaks.counted, min(_first_open(connection, tournament), *failing.values()))
    while streaks.counted < (stop := _first_open(connection, tournament)):
        # Not all together, because there may be very many.
        stop = min(stop, streaks.counted + queries.ROWS_AT_A_TIME)
        rows = connection.execute(
            sql.select(schema.games.c.series, schema.games.c.entrants, schema.games.c.thrown_out)
            .where(
                schema.games.c.tournament == tournament,
                schema.games.c.series >= streaks.counted,
                schema.games.c.series < stop,
            )
            .order_by(schema.games.c.series, schema.games.c.game)
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
                sql.update(schema.failing_players)
                .where(schema.failing_players.c.tournament == tournament, schema.failing_players.c.player.in_(reached))
                .values(withdrawn_from=stop)
            )
            _reopen(connection, tournament, stop, reached)
    return streaks


def _first_open(connection: sql.Connection, tournament: int) -> int:
    """Return the number of the first series that is not finished, which is not planned yet if all are."""
    which = {"of_tournament": tournament}
    number: int | None = connection.execute(queries.FIRST_OPEN, which).scalar()
    return connection.execute(queries.COUNT_SERIES, which).scalar_one() if number is None else number


def _note_forfeits(
    connection: sql.Connection, tournament: int, results: Sequence[GameResult], known: Sequence[FailingPlayer]
) -> dict[int, int]:
    """Add the forfeits of new results, and return the series of the first one of each player that is not withdrawn."""
    first: dict[int, int] = {}
    for result in results:
        if any(result.thrown_out):
            for player, reason in zip(result.entrants, result.thrown_out, strict=True):
                if reason is not None:
                    first[player] = min(result.series, first.get(player, result.series))
    failing: dict[int, int] = {}
    for row in known:
        if row.withdrawn_from is None:
            failing[row.player] = min(row.first_forfeit, first.get(row.player, row.first_forfeit))
            if failing[row.player] < row.first_forfeit:
                connection.execute(
                    sql.update(schema.failing_players)
                    .where(
                        schema.failing_players.c.tournament == tournament, schema.failing_players.c.player == row.player
                    )
                    .values(first_forfeit=failing[row.player])
                )
    new = {player: first[player] for player in first.keys() - {row.player for row in known}}
    if new:
        rows = [{"tournament": tournament, "player": player, "first_forfeit": series} for player, series in new.items()]
        connection.execute(sql.insert(schema.failing_players), rows)
    return failing | new


def _reopen(connection: sql.Connection, tournament: int, since: int, withdrawn: Collection[int]) -> None:
    """Delete the games that players have played after the point at which they are withdrawn."""
    later = connection.execute(
        sql.select(schema.series.c.number, schema.series.c.entrants).where(
            schema.series.c.tournament == tournament, schema.series.c.number >= since, ~schema.is_open
        )
    )
    numbers = [row.number for row in later if not set(withdrawn).isdisjoint(row.entrants)]
    for first in range(0, len(numbers), queries.ROWS_AT_A_TIME):
        some = numbers[first : first + queries.ROWS_AT_A_TIME]
        connection.execute(
            sql.delete(schema.games).where(schema.games.c.tournament == tournament, schema.games.c.series.in_(some))
        )
        connection.execute(
            sql.update(schema.series)
            .where(schema.series.c.tournament == tournament, schema.series.c.number.in_(some))
            .values(finished=None, **queries.no_claim)
        )
