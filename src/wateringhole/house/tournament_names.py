"""The name of a deleted person in a tournament: in its settings, its records and its chain."""

from __future__ import annotations

import re
import zlib

import sqlalchemy as sql

from wateringhole.digests import digest
from wateringhole.house.names import distinct
from wateringhole.match.renaming import with_name
from wateringhole.tournaments.chain import Chain, chain_start
from wateringhole.tournaments.results import unpacked
from wateringhole.tournaments.store.schema import games, tournaments

__all__ = ["TOURNAMENT_GAME", "entrant_at", "rename_entrant"]

TOURNAMENT_GAME = re.compile(r"(\d{1,9})-(\d{1,9})-(\d{1,9})")
"""The ID of a game of a tournament: the number of the tournament, of the series, and of the game in it."""


def entrant_at(connection: sql.Connection, game: str, seat: int) -> tuple[int, int] | None:
    """Return the tournament of a game and the entrant at one of its seats, or None for every other game."""
    found = TOURNAMENT_GAME.fullmatch(game)
    if found is None:
        return None
    number, series, game_number = map(int, found.groups())
    is_game = sql.and_(games.c.tournament == number, games.c.series == series, games.c.game == game_number)
    entrants = connection.execute(sql.select(games.c.entrants).where(is_game)).scalar()
    return None if entrants is None else (number, entrants[seat])


def rename_entrant(connection: sql.Connection, number: int, entrant: int, name: str) -> None:
    """Give a player of a tournament another name, in its settings and in all of its games.

    Raises OperationError or ValueError if a record cannot be read.
    """
    settings = connection.execute(sql.select(tournaments.c.settings).where(tournaments.c.id == number)).scalar()
    if settings is None:
        return
    names = list(settings["names"])
    if names[entrant] == name or names[entrant].startswith(f"{name} "):
        return  # renamed with an earlier game
    names[entrant] = distinct(name, names[:entrant] + names[entrant + 1 :])
    settings = {**settings, "names": names}
    connection.execute(sql.update(tournaments).where(tournaments.c.id == number).values(settings=settings))
    chain = Chain(chain_start(settings))
    rows = connection.execute(
        sql.select(games.c.series, games.c.game, games.c.entrants, games.c.record, games.c.digest)
        .where(games.c.tournament == number)
        .order_by(games.c.series, games.c.game)
    ).all()
    for row in rows:
        record_digest = row.digest
        if entrant in row.entrants:
            record = with_name(unpacked(row.record), row.entrants.index(entrant), names[entrant])
            record_digest = digest(record)
            connection.execute(
                sql.update(games)
                .where(games.c.tournament == number, games.c.series == row.series, games.c.game == row.game)
                .values(record=zlib.compress(record, 1), digest=record_digest)
            )
        chain.add(row.series, row.game, record_digest)
    connection.execute(
        sql.update(tournaments)
        .where(tournaments.c.id == number, tournaments.c.head.is_not(None))
        .values(head=chain.head)
    )
