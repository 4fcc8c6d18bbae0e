"""Tournaments: schedules, workers, the store, ratings, comparisons, checks and reports.  Knows no game by name."""
