"""Formats of a tournament's numbers, for the terminal and the report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wateringhole.match.versions import BUILT_IN, short_version

if TYPE_CHECKING:
    from wateringhole.tournaments.ratings import Estimate

__all__ = ["format_estimate", "format_ranges", "format_time", "share", "version_cells"]


def format_estimate(estimate: Estimate | None, form: str) -> str:
    """Return a value with its error, if any, or an empty text for None."""
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return format(estimate.value, form)
    return f"{estimate.value:{form}} ±{(estimate.high - estimate.low) / 2:{form}}"


def share(estimate: Estimate | None) -> str:
    """Return a share in percent with its interval, which is asymmetric near 0 and 100."""
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.0f}"
    return f"{100 * estimate.value:.0f} ({100 * estimate.low:.0f}–{100 * estimate.high:.0f})"


def format_ranges(rows: Sequence[int]) -> list[str]:
    """Return ascending row numbers as ranges.

    >>> format_ranges([2, 3, 4, 7])
    ['2–4', '7']
    """
    runs: list[list[int]] = []
    for row in rows:
        if runs and row == runs[-1][-1] + 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    return [f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs]


def format_time(seconds: float) -> str:
    """Return a time in seconds since 1970 as local date and time."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def version_cells(versions: Sequence[Sequence[str | None]] | None) -> dict[int, str]:
    """Return the versions of each player in short, or nothing if all players are built in."""
    if all(version in (None, BUILT_IN) for each in versions or () for version in each):
        return {}
    return {player: ", ".join(map(short_version, each)) for player, each in enumerate(versions or ())}
