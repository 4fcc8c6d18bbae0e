"""Workers that play the jobs of a tournament in this process or in several processes on this machine.

`tournaments.cluster`, which needs an additional library, has workers on other machines.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ParamSpec, Protocol, TypeVar

import msgspec

from wateringhole.errors import OperationError, Terminated, UsageError
from wateringhole.process.machine import machine_isolation
from wateringhole.process.preloaded import close_parents
from wateringhole.tournaments.jobs import CheckedPlayers, check_players, needs_processes
from wateringhole.tournaments.settings import Settings

__all__ = ["IN_PROCESS", "LocalPool", "Processes", "WorkerPool", "available_processors"]

P = ParamSpec("P")
T = TypeVar("T")

STOP_SECONDS = 3.0
"""The time that a worker gets to close its players."""


def available_processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class WorkerPool(Protocol):
    """Workers on this machine or on others."""

    @property
    def job_seconds(self) -> float:
        """The target duration of a job: long enough to hide its overhead, short enough to lose little in a crash."""
        ...

    def capacity(self) -> int:
        """Return how many jobs to have in flight now, so that no worker is idle."""
        ...

    def sandbox_problem(self) -> str | None:
        """Return why players cannot run in the sandbox on some worker, or None if they can."""
        ...

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        """Create every player that is not absent once where it will play.

        Raises a WateringHoleError that names a player that does not exist, or that terminates a worker.
        """
        ...

    def executor(self) -> AbstractContextManager[Executor]:
        """Return an executor.

        If a worker crashes, its jobs raise BrokenExecutor.  If that breaks the whole executor, `submit`
        raises BrokenExecutor, too, and the caller opens another one.
        """
        ...


class _SerialExecutor(Executor):
    """Does the work in this process as soon as it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class _InProcess:
    """This process alone."""

    job_seconds = 0.25

    def capacity(self) -> int:
        return 1

    def sandbox_problem(self) -> str | None:
        return machine_isolation().sandbox_problem

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        return check_players(settings, absent)

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        try:
            yield _SerialExecutor()
        finally:
            close_parents()


IN_PROCESS: WorkerPool = _InProcess()


class Processes:
    """Worker processes on this machine."""

    job_seconds = 0.25

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def capacity(self) -> int:
        # Each worker has a next job waiting.
        return 2 * self._workers

    def sandbox_problem(self) -> str | None:
        return machine_isolation().sandbox_problem

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        """Create untrusted players in another process; if that exits, create each alone to find the culprit."""
        if not needs_processes(settings):
            return check_players(settings, absent)
        try:
            return self._check_in_process(settings, absent)
        except BrokenExecutor:
            for number, (spec, name) in enumerate(zip(settings.players, settings.names, strict=True)):
                if number in absent:
                    continue
                try:
                    self._check_in_process(msgspec.structs.replace(settings, players=(spec,), names=(name,)))
                except BrokenExecutor:
                    raise UsageError(f"player {spec!r} terminates the process that creates it.") from None
            raise UsageError(
                "the process that creates all players exited, but each player alone can be created."
            ) from None

    def _check_in_process(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        with Processes(1).executor() as executor:
            return executor.submit(check_players, settings, absent).result()

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Return an executor that terminates its workers on exit, even in the middle of a job."""
        before = set(multiprocessing.active_children())
        # Spawned, because a forked copy would share the connections of this process and lack its threads.
        context = multiprocessing.get_context("spawn")
        executor = _ProcessExecutor(self._workers, context, initializer=_init_worker)
        try:
            with _name_start_failure(executor):
                yield executor
        finally:
            started = set(multiprocessing.active_children()) - before
            for process in started:
                process.terminate()
            deadline = time.monotonic() + STOP_SECONDS
            for process in started:
                process.join(max(0.0, deadline - time.monotonic()))
                if process.is_alive():
                    process.kill()
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _name_start_failure(executor: Executor) -> Iterator[None]:
    """Raise OperationError in place of another error if no worker of an executor has ever started.

    Otherwise a player or a series would be named that has nothing to do with it.
    """
    try:
        first = executor.submit(_do_nothing)
    except OSError as error:
        raise OperationError(f"a worker process cannot be started: {error.strerror}.") from None
    try:
        yield
    except (BrokenExecutor, OperationError):
        if first.done() and isinstance(first.exception(), BrokenExecutor):
            raise OperationError(
                "a worker process was killed while it started. Check that the machine has enough memory."
            ) from None
        raise


def _do_nothing() -> None:
    pass


class LocalPool:
    """Worker processes on this machine, or this process if one worker is enough and no player can terminate it."""

    job_seconds = 0.25

    def __init__(self, workers: int = 1) -> None:
        self._workers = workers
        self._pool: WorkerPool = Processes(workers)

    def capacity(self) -> int:
        return self._pool.capacity()

    def sandbox_problem(self) -> str | None:
        return machine_isolation().sandbox_problem

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        is_safe_here = self._workers == 1 and not needs_processes(settings)
        self._pool = IN_PROCESS if is_safe_here else Processes(self._workers)
        return self._pool.check(settings, absent)

    def executor(self) -> AbstractContextManager[Executor]:
        return self._pool.executor()


class _ProcessExecutor(ProcessPoolExecutor):
    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        work: Callable[..., T] = _work
        return super().submit(work, fn, *args, **kwargs)


_is_busy = False


def _init_worker() -> None:
    """Set up a new worker, which exits on SIGTERM or when its parent process has exited."""
    # Ctrl-C reaches every process of a terminal; the parent decides what it means and sends SIGTERM.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _stop)
    # Output of players must not mix with the standard output of the parent.
    os.dup2(2, 1)
    threading.Thread(target=_watch_parent, daemon=True).start()


def _stop(*_: object) -> None:
    if not _is_busy:
        os._exit(0)
    # Any other exception would count as the player's forfeit.
    raise Terminated


def _watch_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(STOP_SECONDS)
    os._exit(1)


def _work(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    global _is_busy
    _is_busy = True
    try:
        return fn(*args, **kwargs)
    except KeyboardInterrupt:
        # The players are closed; the executor would take this for a result and submit the next job.
        with contextlib.suppress(BaseException):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        os._exit(1)
    finally:
        _is_busy = False
