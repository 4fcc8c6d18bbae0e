"""Matches, the loops that play them, their records, and how players are named.  Knows no game by name."""
