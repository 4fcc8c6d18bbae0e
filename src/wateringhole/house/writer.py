"""Saving of tables, so that they survive a restart of the house.

One thread writes everything in order, so that no table waits for the store.
"""

from __future__ import annotations

import queue
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from wateringhole.errors import OperationError

if TYPE_CHECKING:
    from wateringhole.house.limits import HouseLimits
    from wateringhole.house.people import PlayedSeat
    from wateringhole.house.store import TableStore

__all__ = ["FinishedGame", "SavedTable", "TableWriter"]


class SavedTable(msgspec.Struct, frozen=True):
    """A table that was not finished when it was last saved."""

    id: str
    created: float
    """Seconds since 1970."""
    plan: dict[str, Any]
    """In the format of the caller."""
    record: bytes
    """The lines so far, empty before the game starts."""


class FinishedGame(msgspec.Struct, frozen=True):
    """A game that was played to its end at a table.  Tuples are in seat order."""

    id: str
    finished: float
    """Seconds since 1970."""
    game: str
    names: tuple[str, ...]
    places: tuple[int, ...]
    scores: tuple[int | None, ...]
    public: bool
    """True if it is listed; anyone who knows its ID can see it in any case."""


class TableWriter:
    """A background writer to the store.  If the store fails, the error is logged and the games continue."""

    def __init__(self, store: TableStore, log: Callable[[str], None], limits: HouseLimits) -> None:
        """Delete finished games and people as the limits say."""
        self._store = store
        self._limits = limits
        self._log = log
        self._writes: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._writes.put(self._forget_old)  # the limits may have been higher before
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def save(self, table: str, created: float, plan: msgspec.Struct, record: bytes = b"") -> Future[None]:
        """Save a new or changed table, perhaps with the first line of its record.

        The result is done when it is in the store, or when that has failed.
        """
        return self._write(partial(self._store.keep, table, created, msgspec.to_builtins(plan), record))

    def add_lines(self, table: str, number: int, text: bytes) -> Future[None]:
        """Add lines to a table's record.  The result is done when they are in the store, or when that has failed."""
        return self._write(partial(self._store.add_lines, table, number, text))

    def _write(self, write: Callable[[], None]) -> Future[None]:
        done: Future[None] = Future()
        self._writes.put(write)
        self._writes.put(partial(done.set_result, None))
        return done

    def finish(self, game: FinishedGame, record: bytes | None, seats: Sequence[PlayedSeat], rated: bool) -> None:
        """Replace a table with its finished game, which may be one of people at its seats.

        A game of a tournament has no record here.
        """
        self._writes.put(partial(self._store.finish_game, game, record, seats, rated))
        self._writes.put(self._forget_old)

    def _forget_old(self) -> None:
        self._store.forget_games(self._limits.kept_games)
        self._store.forget_people(time.time() - self._limits.people_days * 86_400)

    def forget(self, table: str) -> None:
        self._writes.put(partial(self._store.forget, table))

    def renew(self, tables: Sequence[str]) -> None:
        """Renew the leases of tables."""
        self._writes.put(partial(self._store.renew_tables, tables))

    def close(self) -> None:
        """Write everything that is pending and release the tables to the next server.  Blocks."""
        self._writes.put(self._store.release_tables)
        self._writes.put(None)
        self._thread.join()

    def _work(self) -> None:
        while write := self._writes.get():
            try:
                write()
            except OperationError as error:
                self._log(str(error))
            except Exception:
                self._log(f"unexpected error while writing to the store: {traceback.format_exc()}")
