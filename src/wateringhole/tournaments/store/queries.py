"""The frequent queries of the store, and the conditions and columns that they share."""

from __future__ import annotations

import sqlalchemy as sql

from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.store import schema

ROWS_AT_A_TIME = 10_000
"""The rows that are inserted or read together, which limits the memory."""

result_columns = [schema.games.c[name] for name in GameResult.__struct_fields__]
PLAN = [name for name in PlannedSeries.__struct_fields__ if name in schema.series.c]
is_its_series = sql.and_(
    schema.games.c.tournament == schema.series.c.tournament, schema.games.c.series == schema.series.c.number
)

record_without_digest = sql.case((schema.games.c.digest.is_(None), schema.games.c.record))
"""The record of a game of an earlier version, whose digest was not stored."""

# Frequent queries are built once, because building one takes longer than SQLite takes to answer it.
of_tournament = schema.series.c.tournament == sql.bindparam("of_tournament")
in_numbers = schema.series.c.number.in_(sql.bindparam("numbers", expanding=True))
is_claimed = schema.series.c.claimed_by.is_not(None)
no_claim = {"claimed_by": None, "claimed_until": None}
COUNT_SERIES = sql.select(sql.func.coalesce(sql.func.max(schema.series.c.number) + 1, 0)).where(of_tournament)
"""The number of series: they are numbered from 0 without gaps, so they need not be counted."""

PLANNED = sql.select(COUNT_SERIES.scalar_subquery(), sql.exists().where(of_tournament, schema.is_open))
LOCK_TOURNAMENT = (
    sql.select(schema.tournaments.c.id, schema.tournaments.c.versions)
    .where(schema.tournaments.c.id == sql.bindparam("of_tournament"))
    .with_for_update()
)
FIRST_OPEN = sql.select(sql.func.min(schema.series.c.number)).where(of_tournament, schema.is_open)
STORED_SERIES = (
    sql.select(
        schema.series.c.number,
        schema.series.c.finished.is_not(None).label("is_finished"),
        *(schema.series.c[name].label(f"series_{name}") for name in PLAN),
        *result_columns,
        schema.games.c.digest,
        schema.games.c.record,
    )
    .outerjoin(schema.games, is_its_series)
    .where(of_tournament)
    .order_by(schema.series.c.number, schema.games.c.game)
)
FREE_SERIES = (
    sql.select(*(schema.series.c[name] for name in PLAN))
    .where(of_tournament, schema.is_open, sql.or_(~is_claimed, schema.series.c.claimed_until < sql.bindparam("now")))
    .order_by(schema.series.c.number)
    .limit(sql.bindparam("at_most"))
    .with_for_update(skip_locked=True)
)
CLAIM = (
    sql.update(schema.series)
    .where(of_tournament, in_numbers)
    .values(claimed_by=sql.bindparam("holder"), claimed_until=sql.bindparam("until"))
)
HOLDERS = sql.select(schema.series.c.claimed_by).where(of_tournament, schema.is_open, is_claimed).distinct()
# In order, so that two processes that commit the same series cannot deadlock.
LOCK_OPEN = (
    sql.select(schema.series.c.number)
    .where(of_tournament, in_numbers, schema.is_open)
    .order_by(schema.series.c.number)
    .with_for_update()
)
FINISH = (
    sql.update(schema.series)
    .where(of_tournament, in_numbers, schema.is_open)
    .values(finished=sql.bindparam("now"), **no_claim)
)

FAILING = sql.select(
    schema.failing_players.c.player, schema.failing_players.c.first_forfeit, schema.failing_players.c.withdrawn_from
).where(schema.failing_players.c.tournament == sql.bindparam("of_tournament"))
