"""People of the house in the store: names, digests of keys, results and ratings.

A result is one seat of a finished game.  It is stored only for games in which a person played, and in the transaction
that stores the game.  A rating follows from the results, and changes with them in the same transaction.
"""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sql

from wateringhole.errors import OperationError
from wateringhole.house.names import distinct
from wateringhole.house.people import SOMEONE, Person, PersonGame, PlayedSeat, SeatResult, bot_ratings
from wateringhole.house.person_ratings import LEAST_GAMES, MOST_GAMES, Pair, PersonRating, rate
from wateringhole.house.plans import TokenDigest
from wateringhole.house.tournament_names import entrant_at, rename_entrant
from wateringhole.house.writer import FinishedGame
from wateringhole.match.renaming import with_name
from wateringhole.tournaments import table_schema as schema
from wateringhole.tournaments.results import unpacked
from wateringhole.tournaments.store import Store

__all__ = ["PeopleStore"]

MOST_RESULTS = 1000
"""Results of one person; the oldest are deleted."""

_people, _results, _ratings = schema.people.c, schema.results.c, schema.ratings.c
_PERSON = [_people[name] for name in Person.__struct_fields__]
_IS_OF_TOURNAMENT = _results.game_id.like("%-%-%")
"""True for a game of a tournament, whose record the tournament keeps."""
_RATING = [_ratings[name] for name in PersonRating.__struct_fields__]


class PeopleStore(Store):
    """The store of tournaments, with the people of the house."""

    def person(self, digest: TokenDigest) -> Person | None:
        """Return the person with the digest of a key, or None."""
        with self._reading() as connection:
            row = connection.execute(sql.select(*_PERSON).where(_people.key_digest == digest.digest)).first()
        return None if row is None else Person(*row)

    def add_person(self, person: Person, digest: TokenDigest, most: int) -> bool:
        """Add a person.  Return False if the store already has the `most` people."""
        row = {name: getattr(person, name) for name in Person.__struct_fields__}
        with self._writing() as connection:
            if (connection.execute(sql.select(sql.func.count()).select_from(schema.people)).scalar() or 0) >= most:
                return False
            connection.execute(sql.insert(schema.people).values(key_digest=digest.digest, **row))
        return True

    def rename_person(self, person: Person) -> None:
        """Change the name of a person, but not in finished games."""
        with self._writing() as connection:
            connection.execute(sql.update(schema.people).where(_people.id == person.id).values(name=person.name))

    def note_visit(self, person: str, now: float) -> None:
        """Note that a person was here."""
        with self._writing() as connection:
            connection.execute(sql.update(schema.people).where(_people.id == person).values(seen=now))

    def delete_person(self, person: str, entries: Iterable[tuple[int, int]] = ()) -> None:
        """Delete a person, and their name in the games of others.

        `entries` are tournaments that the person has entered, perhaps without a finished game, and their number among
        the players.
        """
        with self._writing() as connection:
            for tournament, entrant in entries:
                rename_entrant(connection, tournament, entrant, SOMEONE)
            _delete(connection, person)

    def forget_people(self, unseen_since: float) -> None:
        """Delete all people whose last visit was before a time."""
        with self._writing() as connection:
            for person in connection.execute(sql.select(_people.id).where(_people.seen < unseen_since)).scalars().all():
                _delete(connection, person)

    def games_of(self, person: str) -> list[PersonGame]:
        """Return the finished games of a person, the newest first."""
        own = sql.select(_results.game_id).where(_results.person == person)
        query = (
            sql.select(schema.results, sql.or_(schema.games.c.id.is_not(None), _IS_OF_TOURNAMENT).label("replay"))
            .outerjoin(schema.games, schema.games.c.id == _results.game_id)
            .where(_results.game_id.in_(own))
            .order_by(_results.finished.desc(), _results.game_id, _results.seat)
        )
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return [_person_game(list(seats), person) for _, seats in itertools.groupby(rows, lambda row: row.game_id)]

    def ratings_of(self, person: str) -> dict[str, PersonRating]:
        """Return the ratings of a person, by game."""
        with self._reading() as connection:
            rows = connection.execute(sql.select(_ratings.game, *_RATING).where(_ratings.person == person)).all()
        return {game: PersonRating(*rating) for game, *rating in rows}

    def _add_results(
        self, connection: sql.Connection, game: FinishedGame, seats: Sequence[PlayedSeat], rated: bool
    ) -> None:
        """Add the results of a game in which people played, and update their ratings."""
        named = [seat.person for seat in seats if seat.person is not None]
        if not named:
            return
        # A person may have been deleted during the game.
        known = set(connection.execute(sql.select(_people.id).where(_people.id.in_(named))).scalars())
        if not known:
            return
        rows = [
            {
                "game_id": game.id,
                "seat": number,
                "person": seat.person if seat.person in known else None,
                "player": seat.player,
                "name": game.names[number],
                "place": game.places[number],
                "score": game.scores[number],
                "game": game.game,
                "finished": game.finished,
                "rated": rated,
            }
            for number, seat in enumerate(seats)
        ]
        connection.execute(sql.insert(schema.results), rows)
        for person in known:
            old = sql.select(_results.game_id).where(_results.person == person)
            _unlink(connection, person, old.order_by(_results.finished.desc()).offset(MOST_RESULTS))
            if rated:
                _update_rating(connection, person, game.game)


def _person_game(rows: Sequence[sql.Row[Any]], person: str) -> PersonGame:
    first = rows[0]
    seats = tuple(SeatResult(row.name, row.place, row.score, row.player, row.person == person) for row in rows)
    return PersonGame(first.game_id, first.game, first.finished, first.rated, first.replay, seats)


def _update_rating(connection: sql.Connection, person: str, game: str) -> None:
    bots = bot_ratings(game)
    found = rate(_rated_games(connection, person, game, bots), bots.values())
    connection.execute(sql.delete(schema.ratings).where(_ratings.person == person, _ratings.game == game))
    if found is not None:
        row = {name: getattr(found, name) for name in PersonRating.__struct_fields__}
        connection.execute(sql.insert(schema.ratings).values(person=person, game=game, **row))


def _rated_games(connection: sql.Connection, person: str, game: str, bots: dict[str, float]) -> list[list[Pair]]:
    """Return the newest rated games of a person as pairs with the opponents who have a rating."""
    newest = (
        sql.select(_results.game_id, _results.place.label("own"))
        .where(_results.person == person, _results.game == game, _results.rated)
        .order_by(_results.finished.desc())
        .limit(MOST_GAMES)
        .subquery()
    )
    is_settled = sql.and_(
        _ratings.person == _results.person, _ratings.game == _results.game, _ratings.games >= LEAST_GAMES
    )
    rows = connection.execute(
        sql.select(_results.game_id, newest.c.own, _results.place, _results.player, _ratings.rating)
        .join(newest, newest.c.game_id == _results.game_id)
        .outerjoin(schema.ratings, is_settled)
        .where(sql.or_(_results.person.is_(None), _results.person != person))
    ).all()
    games: dict[str, list[Pair]] = {}
    for row in rows:
        opponent = bots.get(row.player) if row.player is not None else row.rating
        if opponent is not None:
            ahead = 0.5 if row.own == row.place else float(row.own < row.place)
            games.setdefault(row.game_id, []).append(Pair(opponent, ahead))
    return list(games.values())


def _delete(connection: sql.Connection, person: str) -> None:
    own = sql.select(_results.game_id).where(_results.person == person)
    seats = connection.execute(sql.select(_results.game_id, _results.seat).where(_results.person == person)).all()
    for game, seat in seats:
        _rename_in_game(connection, game, seat)
        if entry := entrant_at(connection, game, seat):
            rename_entrant(connection, *entry, SOMEONE)
    _unlink(connection, person, own)
    connection.execute(sql.delete(schema.people).where(_people.id == person))


def _rename_in_game(connection: sql.Connection, game: str, seat: int) -> None:
    """Replace a name in the list of finished games and in the record.  Delete a game that cannot be read."""
    is_game = schema.games.c.id == game
    row = connection.execute(sql.select(schema.games.c.names, schema.games.c.record).where(is_game)).first()
    if row is None:
        return
    names = list(row.names)
    names[seat] = distinct(SOMEONE, names[:seat] + names[seat + 1 :])
    try:
        record = with_name(unpacked(row.record), seat, names[seat])
    except (OperationError, ValueError):
        connection.execute(sql.delete(schema.games).where(is_game))
    else:
        connection.execute(sql.update(schema.games).where(is_game).values(names=names, record=zlib.compress(record)))


def _unlink(connection: sql.Connection, person: str, games: sql.Select[Any]) -> None:
    """Remove a person from the results of games, and the results of games that are no longer anyone's."""
    chosen = connection.execute(games).scalars().all()
    if not chosen:
        return
    is_chosen = _results.game_id.in_(chosen)
    connection.execute(
        sql.update(schema.results).where(is_chosen, _results.person == person).values(person=None, name=SOMEONE)
    )
    others = sql.select(_results.game_id).where(is_chosen, _results.person.is_not(None))
    connection.execute(sql.delete(schema.results).where(is_chosen, _results.game_id.not_in(others)))
