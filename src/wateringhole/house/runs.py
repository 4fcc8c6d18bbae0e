"""The run of a host: all its games, as they are saved, so that they survive a restart of the host.

Each running game is a saved table.  The run itself is saved like a table without a record: the options that all its
games share, the number of games that have begun, and the players in the queue.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from wateringhole.errors import UsageError
from wateringhole.house.plans import TableSeat
from wateringhole.seeds import Seed, new_seed

if TYPE_CHECKING:
    from wateringhole.house.store import TableStore
    from wateringhole.house.writer import SavedTable

__all__ = ["HostRun", "RunOptions", "SavedRun", "is_of_host", "open_run"]


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options of a host that hold for its whole run."""

    game: str
    rules: dict[str, Any]
    players: tuple[int, int]
    """The least and the most players of a game."""
    games: int
    bots: tuple[str, ...]
    """The specs of the bots for empty seats."""
    deal: str | None = None
    """The digest of a deal, which differs if an option of the deal does; None in a run of an earlier version."""

    def difference(self, other: RunOptions) -> str | None:
        """Return the name of the first option that differs from that of another run, or None."""
        mine, others = msgspec.to_builtins(self), msgspec.to_builtins(other)
        return next((name for name in mine if mine[name] != others[name] and others[name] is not None), None)


class HostRun(msgspec.Struct, kw_only=True):
    """The games of a host, from its first start to the end of the last game."""

    run: str
    """The ID of the run, which is also that of its row in the store."""
    created: float
    options: RunOptions
    seed: Seed
    begun: int = 0
    """The number of games that have begun."""
    signed_up: int = 0
    """The number of players so far, bots of the house included."""
    waiting: list[TableSeat] = []
    """The players in the queue."""


class SavedRun(NamedTuple):
    """A run with its store, and the games that were interrupted."""

    store: TableStore
    run: HostRun
    tables: Sequence[SavedTable] = ()


def is_of_host(plan: dict[str, Any]) -> bool:
    """Return whether a saved plan is that of a host, and not that of a table in a lobby."""
    return plan.get("run") is not None


def open_run(store: TableStore, options: RunOptions, seed: Seed | None) -> SavedRun:
    """Take over the run that was interrupted, with its tables, or begin one.

    Raises UsageError if the store has an interrupted run of the game with other options.
    """
    runs = [msgspec.convert(plan, HostRun) for plan in store.free_plans() if is_of_host(plan) and "waiting" in plan]
    runs = [run for run in runs if run.options.game == options.game]
    for run in runs:
        if options.difference(run.options) is None and seed in (None, run.seed):
            saved = {table.id: table for table in store.adopt_tables(partial(_is_of_run, run.run))}
            if run.run in saved:  # unless another host was faster
                return SavedRun(store, msgspec.convert(saved.pop(run.run).plan, HostRun), [*saved.values()])
    if runs:
        differing = options.difference(runs[0].options) or "seed"
        raise UsageError(
            f"--store {store.name} has an interrupted run of {options.game} with another --{differing}. "
            "Use the same options to continue it, or another store for a new run."
        )
    drawn = new_seed() if seed is None else seed
    return SavedRun(store, HostRun(run=secrets.token_hex(8), created=time.time(), options=options, seed=drawn))


def _is_of_run(run: str, plan: dict[str, Any]) -> bool:
    return bool(plan.get("run") == run)
