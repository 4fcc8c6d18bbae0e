"""The part of the store for tables and games of the house (`house.store`)."""

from __future__ import annotations

import sqlalchemy as sql

__all__ = ["games", "lines", "metadata", "tables"]

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
