"""Plays the jobs of a tournament on a Dask cluster.  Dask assigns them to workers.

The files in the folders of Python players are sent to every worker, including those that join later.  Each worker
creates every player once before its first game, and reports a player that cannot start there.
Several tournaments may share a worker; while one is played, the modules of the others are hidden.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import re
import shutil
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator, Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, ParamSpec, TypeVar

import dask.config
import distributed
import msgspec
from distributed.comm.core import CommClosedError
from distributed.diagnostics.plugin import SchedulerPlugin, WorkerPlugin

from wateringhole.errors import OperationError, UsageError, WateringHoleError
from wateringhole.formatting import single_line
from wateringhole.match.files import files_in, is_shared
from wateringhole.match.loading import python_files
from wateringhole.match.specs import with_file
from wateringhole.process.machine import machine_isolation
from wateringhole.tournaments.jobs import CheckedPlayers, check_players
from wateringhole.tournaments.settings import Settings

__all__ = ["Cluster", "connect"]

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_SECONDS = 5.0
WORKERS_SECONDS = 15.0
"""The time limit for the first worker of a cluster to appear."""
COUNT_SECONDS = 2.0
"""The interval at which workers are counted, because they come and go."""
CHECK_SECONDS = 300.0
"""The time limit for creating all players.  A worker that is busy with other work does it before its first game."""
POLL_SECONDS = 0.1
"""The interval at which to look for workers that are ready or have left."""
EMPTY_SECONDS = 60.0
"""The time limit for a new worker after the last one has left."""
MOST_CRASHES = 2
"""When a worker crashes, Dask runs its job on another one; after this many crashes the job fails."""
MOST_BYTES = 16 << 20
"""The largest total size of the files that are sent to the workers."""
MOST_FILES = 10_000
"""Their largest number.  A folder with more is hardly that of a player."""
OWN_FOLDER = "Put each player into a folder of its own, with no other files than it needs."


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """Connect to a cluster by the address of its scheduler.  Raises OperationError if it has no worker."""
    if not re.fullmatch(r"(?:tcp|tls|wss?)://[^/\s]+:\d+", address):
        raise UsageError(f"--cluster {address}: expected the address of a scheduler, e.g. tcp://127.0.0.1:8786.")
    # Dask logs a traceback for each broken connection; this module raises an error if that matters.
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    dask.config.set({"distributed.comm.timeouts.connect": CONNECT_SECONDS})
    try:
        client = distributed.Client(address, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OperationError(
            f"there is no Dask scheduler at {address}: {single_line(str(error))}. Start one with: dask scheduler"
        ) from None
    try:
        cluster = Cluster(client, address)
        try:
            yield cluster
        finally:
            cluster.clean_up()
    finally:
        client.close(timeout=CONNECT_SECONDS)


class Cluster:
    """The workers of a cluster."""

    job_seconds = 1.0

    def __init__(self, client: distributed.Client, address: str) -> None:
        self._client = client
        self._address = address
        self._name = f"wateringhole-{client.id}"
        """The name of the delivery."""
        try:
            client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError:
            raise OperationError(
                f"the cluster {address} has no workers; start one for each core with: "
                f"dask worker {address} --nthreads 1 --nworkers auto"
            ) from None
        self._counted = 0.0
        self._workers = 1

    def capacity(self) -> int:
        """Return two jobs per worker, so that each has a next one waiting."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            self._workers = max(1, len(self._addresses()))
            self._counted = time.monotonic()
        return 2 * self._workers

    def sandbox_problem(self) -> str | None:
        machines = self._call(self._client.run, machine_isolation)
        problems = ((worker, machine.sandbox_problem) for worker, machine in machines.items())
        return next((f"{problem} (Worker {worker})" for worker, problem in problems if problem), None)

    def check(self, settings: Settings, absent: Collection[int] = ()) -> CheckedPlayers:
        """Send the files to every worker, then create every player that is not absent once on each.

        Workers that leave meanwhile are ignored, as long as one stays.  A player that cannot start is an error, also
        when a tournament is resumed, because the worker may lack something.
        """
        delivery = _Delivery(self._name, *_pack(settings), absent)
        self._call(self._client.register_plugin, _CleanUp(self._name, self._client.id))
        self._call(self._client.register_plugin, delivery)
        encoded = msgspec.json.encode(settings)
        waited_for = {
            worker: self._client.submit(_prepare, self._name, encoded, workers=[worker], pure=False)
            for worker in self._addresses()
        }
        deadline = time.monotonic() + CHECK_SECONDS
        checked: CheckedPlayers | None = None
        while waited_for and time.monotonic() < deadline:
            there = self._addresses()
            for worker, future in list(waited_for.items()):
                if future.done():
                    checked = self._call(future.result)
                if future.done() or worker not in there:
                    del waited_for[worker]  # Dask drops a task without a future
            time.sleep(POLL_SECONDS)
        if checked is None:
            why = f"no worker did so within {CHECK_SECONDS:g} s" if waited_for else "all workers crashed or left"
            raise OperationError(f"the cluster {self._address}: each worker must create every player once, but {why}.")
        return checked

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """Return an executor that cancels unfinished jobs on exit."""
        executor = _DaskExecutor(self._client, self._name, self._address)
        try:
            yield executor
        finally:
            executor.shutdown()

    def clean_up(self) -> None:
        """Have the workers delete the delivered files, if they have any and are still connected."""
        with suppress(OSError, ValueError):
            if self._client.status == "running":
                self._client.unregister_worker_plugin(self._name)

    def _addresses(self) -> list[str]:
        return list(self._call(self._client.nthreads))

    def _call(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            raise _failure(error, self._address) from None


class _DaskExecutor(Executor):
    """Submits jobs to Dask, with the name of their delivery."""

    def __init__(self, client: distributed.Client, delivery: str, address: str) -> None:
        self._client = client
        self._delivery = delivery
        self._address = address
        self._crashes: Counter[Any] = Counter()
        self._open: dict[Any, tuple[distributed.Future[Any], Future[Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        client.subscribe_topic("all", self._on_scheduler_event)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        key = f"wateringhole-{uuid.uuid4().hex}"
        result: Future[T] = Future()
        task = self._client.submit(_work, self._delivery, fn, *args, key=key, pure=False, **kwargs)
        self._open[key] = task, result
        task.add_done_callback(self._done)
        return result

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        jobs = [job for job, _ in self._open.values()]
        self._open.clear()
        for task in list(self._tasks):
            task.get_loop().call_soon_threadsafe(task.cancel)
        with suppress(OSError, CancelledError):
            self._client.unsubscribe_topic("all")
            self._client.cancel(jobs)

    def _done(self, task: distributed.Future[Any]) -> None:
        try:
            _, result = self._open.pop(task.key)
        except KeyError:
            return  # it was cancelled
        try:
            result.set_result(task.result())
        except distributed.KilledWorker as error:
            result.set_exception(BrokenExecutor(str(error)))
        except (Exception, CancelledError) as error:
            result.set_exception(_failure(error, self._address))

    def _on_scheduler_event(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """Count crashes of workers against the jobs that they were playing."""
        _, news = event
        if news.get("action") != "remove-worker":
            return
        self._run_later(self._fail_without_workers())
        if news.get("expected"):
            return
        for key in news["processing-tasks"]:
            self._crashes[key] += 1
            if self._crashes[key] >= MOST_CRASHES and key in self._open:
                task, result = self._open.pop(key)
                result.set_exception(BrokenExecutor(f"it crashed {news['worker']}"))
                self._run_later(self._client.cancel([task]))

    async def _fail_without_workers(self) -> None:
        """Fail all jobs if no worker comes back; Dask would wait forever."""
        await asyncio.sleep(EMPTY_SECONDS)
        if await self._client.nthreads():
            return
        while self._open:
            _, (_, result) = self._open.popitem()
            result.set_exception(OperationError(f"the cluster {self._address} has no workers left."))

    def _run_later(self, work: Coroutine[Any, Any, Any]) -> None:
        """Run a coroutine in the background, because an event handler must not wait."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _failure(error: BaseException, address: str) -> WateringHoleError:
    """Return an error of a cluster as one of this package."""
    if isinstance(error, WateringHoleError):
        return error
    if isinstance(error, CancelledError | CommClosedError | ConnectionError):
        return OperationError(f"the connection to the scheduler {address} was lost.")
    return OperationError(
        f"the cluster {address} cannot play: {single_line(f'{type(error).__name__}: {error}')}. "
        "Its scheduler and its workers need the same version of wateringhole as this machine."
    )


# Delivery of the players' files


def _pack(settings: Settings) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the relative path of each player's file, and the content of all files in the same folders.

    Raises UsageError if these are too many or too large.
    """
    folders: dict[Path, str] = {}
    places: dict[str, str] = {}

    def note(path: Path) -> Path:
        folder = path.resolve().parent
        places[str(path)] = f"{folders.setdefault(folder, str(len(folders)))}/{path.resolve().name}"
        return path

    for spec in settings.players:
        with_file(spec, note)
    try:
        return places, _contents(folders, settings.log_folder)
    except OSError as error:
        raise OperationError(f"{error.filename} cannot be read: {error.strerror}.") from None


def _contents(folders: Mapping[Path, str], log_folder: Path | None) -> dict[str, bytes]:
    """Return the content of all files in folders, by path below the name of their folder.

    A folder that is not one player's, such as a home directory, sends only its Python files.  Links to anything outside
    are left out.
    """
    foreign = [log_folder.resolve()] if log_folder else []
    paths: dict[str, Path] = {}
    for folder, name in folders.items():
        for path in python_files(folder) if is_shared(folder) else files_in(folder, foreign):
            # In the sandbox a player cannot follow such a link, and it must not get the file as its own.
            if not path.resolve().is_relative_to(folder):
                continue
            paths[f"{name}/{path.relative_to(folder).as_posix()}"] = path
            if len(paths) > MOST_FILES:
                raise UsageError(
                    f"the players' folders have more than {MOST_FILES} files, too many to send to workers "
                    f"(the last was {path}). {OWN_FOLDER}"
                )
    sizes = {path: path.stat().st_size for path in paths.values()}
    if sum(sizes.values()) > MOST_BYTES:
        largest = max(sizes, key=lambda path: sizes[path])
        raise UsageError(
            f"the files in the players' folders have {_megabytes(sum(sizes.values()))}, and at most "
            f"{_megabytes(MOST_BYTES)} can be sent to workers. The largest is {largest} "
            f"({_megabytes(sizes[largest])}). {OWN_FOLDER}"
        )
    return {place: path.read_bytes() for place, path in paths.items()}


def _megabytes(size: int) -> str:
    return f"{size / (1 << 20):.3g} MB"


class _Delivery(WorkerPlugin):
    """A Dask plugin that writes the files on each worker."""

    def __init__(
        self, name: str, places: Mapping[str, str], files: Mapping[str, bytes], absent: Collection[int]
    ) -> None:
        self.name = name
        self._places = places
        self._files = files
        self._absent = absent

    def setup(self, worker: Any) -> None:
        # Resolved, because Python reports the paths of modules without symbolic links.
        folder = Path(worker.local_directory).resolve() / self.name
        for place, content in self._files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _delivered[self.name] = _Delivered(folder, self._places, self._absent)

    def teardown(self, worker: Any) -> None:
        delivered = _delivered.pop(self.name, None)
        if delivered:
            shutil.rmtree(delivered.folder, ignore_errors=True)


class _CleanUp(SchedulerPlugin):
    """A scheduler plugin that removes a delivery when its sender disconnects or crashes."""

    def __init__(self, name: str, client: str) -> None:
        self.name = name
        self._client = client

    def remove_client(self, scheduler: distributed.Scheduler, client: str) -> None:
        if client == self._client:
            scheduler.remove_plugin(self.name)
            self._task = asyncio.ensure_future(self._clean_up(scheduler))

    async def _clean_up(self, scheduler: distributed.Scheduler) -> None:
        with suppress(ValueError):  # it is not registered yet, or no longer
            await scheduler.unregister_worker_plugin(None, self.name)


# On a worker


@dataclass
class _Delivered:
    """The files of a tournament on a worker, and the modules imported from them."""

    folder: Path
    places: Mapping[str, str]
    """The path in the folder, by the file's name on the machine that started the tournament."""
    absent: Collection[int]
    """Players that are not created, because they were withdrawn."""
    modules: dict[str, ModuleType] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)

    @contextmanager
    def importable(self) -> Iterator[None]:
        """Make the delivered modules visible within the block only, including those imported in it."""
        sys.modules.update(self.modules)
        sys.path.extend(self.paths)
        try:
            yield
        finally:
            prefix = f"{self.folder}{os.sep}"
            self.modules = {
                name: module
                for name, module in list(sys.modules.items())
                if str(getattr(module, "__file__", None)).startswith(prefix)
            }
            self.paths = [place for place in sys.path if place.startswith(prefix)]
            for name in self.modules:
                del sys.modules[name]
            sys.path[:] = [place for place in sys.path if not place.startswith(prefix)]


_delivered: dict[str, _Delivered] = {}

_one_at_a_time = threading.Lock()
"""A worker may have several threads, but players expect one."""


def _work(delivery: str, fn: Callable[..., T], settings: bytes, *args: Any) -> T:
    with _one_at_a_time, _delivered[delivery].importable():
        return fn(_local_settings(delivery, settings)[0], *args)


def _prepare(delivery: str, settings: bytes) -> CheckedPlayers:
    with _one_at_a_time, _delivered[delivery].importable():
        return _local_settings(delivery, settings)[1]


@functools.lru_cache(maxsize=8)
def _local_settings(delivery: str, settings: bytes) -> tuple[bytes, CheckedPlayers]:
    """Return the settings with local paths, and the checked players.

    Raises OperationError if a player cannot be created here.
    """
    delivered = _delivered[delivery]
    folder, places = delivered.folder, delivered.places
    decoded = msgspec.json.decode(settings, type=Settings)
    players = [with_file(spec, lambda path: folder / places[str(path)]) for spec in decoded.players]
    here = msgspec.structs.replace(decoded, players=tuple(players))
    try:
        checked = check_players(here, delivered.absent)
        checked.refuse_failures()
    except WateringHoleError as error:
        message = str(error)
        for original, place in places.items():
            message = message.replace(str(folder / place), original)
            message = message.replace(str((folder / place).parent), str(Path(original).parent))
        worker = distributed.get_worker()
        raise OperationError(f"on the worker {worker.name} ({worker.address}): {message}") from None
    return msgspec.json.encode(here), checked
