"""Leases on series: which process plays what.

=========  ===========================================================================
planned    no process plays it
claimed    a process holds a lease and renews it every few seconds; the lease ends
           if the process has exited or has not renewed it for `LEASE_SECONDS`
finished   its games are stored; the same games played by another process do not count
=========  ===========================================================================

Leases only save work.  The first commit of a series counts, and no other.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

import sqlalchemy as sql

from wateringhole.tournaments.holders import has_exited
from wateringhole.tournaments.store import queries, schema

__all__ = ["LEASE_SECONDS", "claim", "free", "free_orphaned", "renew"]

LEASE_SECONDS = 60.0
"""The time after which a lease ends unless it is renewed."""


def claim(connection: sql.Connection, tournament: int, holder: str, at_most: int) -> list[sql.Row[Any]]:
    """Claim series that no other process is playing, and return their rows."""
    now = time.time()
    rows = list(connection.execute(queries.FREE_SERIES, {"of_tournament": tournament, "now": now, "at_most": at_most}))
    if rows:
        which = {"of_tournament": tournament, "numbers": [row.number for row in rows]}
        connection.execute(queries.CLAIM, {**which, "holder": holder, "until": now + LEASE_SECONDS})
    return rows


def renew(connection: sql.Connection, holder: str) -> None:
    """Renew the leases of a holder."""
    connection.execute(
        sql.update(schema.series)
        .where(schema.series.c.claimed_by == holder, schema.is_open)
        .values(claimed_until=time.time() + LEASE_SECONDS)
    )


def free_orphaned(connection: sql.Connection, tournament: int) -> bool:
    """Free the series of exited processes of this machine, and return whether there were any."""
    holders = connection.execute(queries.HOLDERS, {"of_tournament": tournament}).scalars()
    dead = [holder for holder in holders if holder is not None and has_exited(holder)]
    for holder in dead:
        free(connection, holder)
    return bool(dead)


def free(connection: sql.Connection, holder: str, keep: Collection[int] = ()) -> None:
    """End the leases of a holder, except those on the series to keep."""
    is_free = sql.and_(schema.series.c.claimed_by == holder, schema.is_open, schema.series.c.number.not_in(keep))
    connection.execute(sql.update(schema.series).where(is_free).values(queries.no_claim))
