"""What the user wants from `join`; every session gets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from wateringhole.join.address import Address
from wateringhole.join.connection import TimeLimits
from wateringhole.join.players import JoinOptions
from wateringhole.join.transcript import Transcript

__all__ = ["JoinPlan"]


@dataclass(frozen=True, kw_only=True)
class JoinPlan:
    """The address, the player and the time limits of one call of `join`, and where it reports."""

    address: Address
    options: JoinOptions
    limits: TimeLimits = field(default_factory=TimeLimits)
    report: Callable[[str], None] = print
    """Gets a line for each important event."""
    transcript: Transcript = field(default_factory=Transcript)
