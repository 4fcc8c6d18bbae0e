"""What is kept of the tables, so that they outlive this program.

Everything is written in order and in a thread of its own: no table waits for the store.
"""

from __future__ import annotations

import queue
import threading
import traceback
from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from wateringhole.errors import OperationError
from wateringhole.tournaments.table_store import FinishedGame, TableStore
from wateringhole.web.plans import TablePlan

__all__ = ["TableWriter"]


class TableWriter:
    """Writes to the store behind everybody's back.  A store that fails is told of, and the games go on."""

    def __init__(self, store: TableStore, log: Callable[[str], None], most_games: int) -> None:
        """`most_games`: so many finished ones are kept; the oldest make room."""
        self._store = store
        self._forget_old_games = partial(store.forget_games, most_games)
        self._log = log
        self._writes: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._writes.put(self._forget_old_games)  # it may have been more until now
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._thread.start()

    def keep(self, table: str, created: float, plan: TablePlan) -> None:
        """A new table, or what has changed about one."""
        self._writes.put(partial(self._store.keep, table, created, msgspec.to_builtins(plan)))

    def add_lines(self, table: str, number: int, text: bytes) -> None:
        """More of a table's record."""
        self._writes.put(partial(self._store.add_lines, table, number, text))

    def finish(self, game: FinishedGame, record: bytes) -> None:
        self._writes.put(partial(self._store.finish_game, game, record))
        self._writes.put(self._forget_old_games)

    def forget(self, table: str) -> None:
        self._writes.put(partial(self._store.forget, table))

    def renew(self, tables: Sequence[str]) -> None:
        """Say again that we host these."""
        self._writes.put(partial(self._store.renew_tables, tables))

    def broke_off(self, table: str, error: Exception) -> None:
        """A game cannot go on."""
        self._log(f"table {table} broke off: {''.join(traceback.format_exception(error))}")
        self.forget(table)

    def close(self) -> None:
        """Write all that is to be written, and leave the tables to whoever comes next.  Blocks."""
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
                self._log(f"the store failed us: {traceback.format_exc()}")
