"""The part of the store for tables, games and people of the house (`house.store`, `house.people_store`)."""

from __future__ import annotations

import sqlalchemy as sql

__all__ = ["games", "lines", "metadata", "people", "ratings", "results", "tables"]

metadata = sql.MetaData()

tables = sql.Table(
    "page_tables",
    metadata,
    sql.Column("id", sql.Text, primary_key=True),
    sql.Column("created", sql.Double, nullable=False),
    sql.Column("plan", sql.JSON, nullable=False),
    sql.Column("claimed_by", sql.Text, nullable=False),
    sql.Column("claimed_until", sql.Double, nullable=False),
)

lines = sql.Table(
    "page_lines",
    metadata,
    sql.Column("table", sql.ForeignKey("page_tables.id", ondelete="CASCADE"), primary_key=True),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("text", sql.LargeBinary, nullable=False),
)

games = sql.Table(
    "page_games",
    metadata,
    sql.Column("id", sql.Text, primary_key=True),
    sql.Column("finished", sql.Double, nullable=False, index=True),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("names", sql.JSON, nullable=False),
    sql.Column("places", sql.JSON, nullable=False),
    sql.Column("scores", sql.JSON, nullable=False),
    sql.Column("public", sql.Boolean, nullable=False),
    sql.Column("record", sql.LargeBinary, nullable=False),
)

people = sql.Table(
    "page_people",
    metadata,
    sql.Column("id", sql.Text, primary_key=True),
    sql.Column("name", sql.Text, nullable=False),
    sql.Column("key_digest", sql.Text, nullable=False, unique=True),
    sql.Column("created", sql.Double, nullable=False),
    sql.Column("seen", sql.Double, nullable=False, index=True),
)
"""Players with a name and a secret key, of which only the digest is stored."""

results = sql.Table(
    "page_results",
    metadata,
    sql.Column("game_id", sql.Text, primary_key=True),
    sql.Column("seat", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("person", sql.ForeignKey("page_people.id"), index=True),
    sql.Column("player", sql.Text),
    sql.Column("name", sql.Text, nullable=False),
    sql.Column("place", sql.Integer, nullable=False),
    sql.Column("score", sql.Integer),
    sql.Column("game", sql.Text, nullable=False),
    sql.Column("finished", sql.Double, nullable=False),
    sql.Column("rated", sql.Boolean, nullable=False),
)
"""All seats of the games in which one of the people played.  `player` is the name of a bot."""

ratings = sql.Table(
    "page_ratings",
    metadata,
    sql.Column("person", sql.ForeignKey("page_people.id", ondelete="CASCADE"), primary_key=True),
    sql.Column("game", sql.Text, primary_key=True),
    sql.Column("rating", sql.Double, nullable=False),
    sql.Column("error", sql.Double, nullable=False),
    sql.Column("games", sql.Integer, nullable=False),
)
"""The newest rating of each person in each game."""
