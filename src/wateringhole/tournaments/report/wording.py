"""How numbers of a tournament are told to people, in a terminal and on a page alike."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wateringhole.tournaments.ratings import Estimate

__all__ = ["format_estimate", "format_ranges", "format_time", "share"]


def format_estimate(estimate: Estimate | None, form: str) -> str:
    """A value with its error, where there is one; nothing where there is no value."""
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return format(estimate.value, form)
    return f"{estimate.value:{form}} ±{(estimate.high - estimate.low) / 2:{form}}"


def share(estimate: Estimate | None) -> str:
    """In percent; near none and all the error is not the same on both sides."""
    if estimate is None:
        return ""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.0f}"
    return f"{100 * estimate.value:.0f} ({100 * estimate.low:.0f}–{100 * estimate.high:.0f})"


def format_ranges(rows: Sequence[int]) -> list[str]:
    """Ascending numbers of rows in short.

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
    """A time since 1970 by the clock on the wall."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
