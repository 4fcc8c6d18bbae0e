"""Matches, the loops that play them, and their records.  Knows no game by name."""
