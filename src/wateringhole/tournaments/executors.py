"""Who plays the pieces of a tournament: this process, or several beside it.

Others are in `tournaments.cluster`, which needs a library of its own.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec

from wateringhole.errors import Terminated, UsageError
from wateringhole.tournaments.jobs import check_players, needs_processes
from wateringhole.tournaments.settings import Settings

__all__ = ["IN_PROCESS", "LocalPool", "Processes", "WorkerPool"]

P = ParamSpec("P")
T = TypeVar("T")

FAREWELL_SECONDS = 3.0
"""How long a worker may take to let its players go."""


class WorkerPool(Protocol):
    """Those who play, wherever they are."""

    @property
    def job_seconds(self) -> float:
        """How much work to hand out at a time: hides what handing it out costs, and little is lost in a crash."""
        ...

    def capacity(self) -> int:
        """How many pieces to have in their hands now, so that nobody waits."""
        ...

    def check(self, settings: Settings) -> None:
        """Make every player once where it is to play.  Raises a WateringHoleError that names who cannot."""
        ...

    def executor(self) -> AbstractContextManager[Executor]:
        """An executor.  A worker that dies shows as BrokenExecutor at the pieces that were in its hands; where
        the executor broke with it, `submit` raises the same, and another one is opened."""
        ...


class _SerialExecutor(Executor):
    """Does the work in this process, when it is handed in."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _InProcess:
    """This process and no other."""

    job_seconds = 0.25

    def capacity(self) -> int:
        return 1

    def check(self, settings: Settings) -> None:
        check_players(settings)

    def executor(self) -> AbstractContextManager[Executor]:
        return nullcontext(_SerialExecutor())


IN_PROCESS: WorkerPool = _InProcess()


class Processes:
    """So many processes on this machine."""

    job_seconds = 0.25

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def capacity(self) -> int:
        # There is always one to go on with.
        return 2 * self._workers

    def check(self, settings: Settings) -> None:
        """Strangers are made in another process, too; one that ends it is found by making each alone."""
        if not needs_processes(settings):
            check_players(settings)
            return
        try:
            self._check_elsewhere(settings)
        except BrokenExecutor:
            for spec in settings.players:
                try:
                    self._check_elsewhere(msgspec.structs.replace(settings, players=(spec,)))
                except BrokenExecutor:
                    raise UsageError(f"player {spec!r} ends the process in which it is made.") from None
            raise UsageError(
                "the process in which all players are made has ended; none of them does that alone."
            ) from None

    def _check_elsewhere(self, settings: Settings) -> None:
        with Processes(1).executor() as executor:
            executor.submit(check_players, settings).result()

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """On the way out they end, whatever they are doing."""
        before = set(multiprocessing.active_children())
        # A new Python each: a copy of this process would share its connections and lack its threads.
        context = multiprocessing.get_context("spawn")
        executor = _ProcessExecutor(self._workers, context, initializer=_init_worker)
        try:
            yield executor
        finally:
            started = set(multiprocessing.active_children()) - before
            for process in started:
                process.terminate()
            deadline = time.monotonic() + FAREWELL_SECONDS
            for process in started:
                process.join(max(0.0, deadline - time.monotonic()))
                if process.is_alive():
                    process.kill()
            executor.shutdown(wait=True, cancel_futures=True)


class LocalPool:
    """So many processes on this machine; for one of them, this process will do where nobody can end it."""

    job_seconds = 0.25

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: WorkerPool = Processes(workers)

    def capacity(self) -> int:
        return self._pool.capacity()

    def check(self, settings: Settings) -> None:
        is_safe_here = self._workers == 1 and not needs_processes(settings)
        self._pool = IN_PROCESS if is_safe_here else Processes(self._workers)
        self._pool.check(settings)

    def executor(self) -> AbstractContextManager[Executor]:
        return self._pool.executor()


class _ProcessExecutor(ProcessPoolExecutor):
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        work: Callable[..., T] = _work
        return super().submit(work, fn, *args, **kwargs)


_is_busy = False


def _init_worker() -> None:
    """In a new worker: it ends when it is told to, or when the process that started it has ended."""
    # Ctrl-C reaches everybody at a terminal; the one who started us tells us what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    # What players print must not get between the words of whoever started us.
    os.dup2(2, 1)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _leave(*_: object) -> None:
    if not _is_busy:
        os._exit(0)
    # Whatever else a player may raise is its forfeit.
    raise Terminated


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(FAREWELL_SECONDS)
    os._exit(1)


def _work(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    global _is_busy
    _is_busy = True
    try:
        return fn(*args, **kwargs)
    except KeyboardInterrupt:
        # The players are gone; the executor would take this for a result and hand out the next piece.
        with contextlib.suppress(BaseException):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os._exit(1)
    finally:
        _is_busy = False
