"""Watering Hole: a table where people and programs play games of hidden intentions."""

__version__ = "0.1.0"
