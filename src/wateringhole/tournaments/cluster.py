"""Plays the pieces of a tournament on a Dask cluster.  Dask sees to who does what, and when.

The Python files of players are delivered to every worker, also to those that come later.  There
each player is made once before the first game, so a worker where one cannot start says which.
Several tournaments may use a worker; the modules of each are out of sight while another is played.
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
from collections.abc import Callable, Coroutine, Iterator, Mapping
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
from wateringhole.match.loading import python_files
from wateringhole.match.specs import with_file
from wateringhole.tournaments.jobs import check_players
from wateringhole.tournaments.settings import Settings

__all__ = ["Cluster", "connect"]

P = ParamSpec("P")
T = TypeVar("T")

CONNECT_SECONDS = 5.0
WORKERS_SECONDS = 15.0
"""How long to wait for the first worker of a cluster."""
COUNT_SECONDS = 2.0
"""How often workers are counted; they come and go."""
CHECK_SECONDS = 300.0
"""How long workers may take to make all players.  Those that others keep busy do it later, before their first game."""
LOOK_SECONDS = 0.1
"""How often to look who has made them, and who has left."""
EMPTY_SECONDS = 60.0
"""How long to wait for new ones after the last has gone."""
MOST_DEATHS = 2
"""Dask has a piece played again elsewhere when its worker dies; after so many it is given back to us."""
MOST_BYTES = 16 << 20
"""Of Python files that go to the workers."""


@contextmanager
def connect(address: str) -> Iterator[Cluster]:
    """A cluster by the address of its scheduler.  Raises OperationError where there is none, or nobody works there."""
    if not re.fullmatch(r"(?:tcp|tls|wss?)://[^/\s]+:\d+", address):
        raise UsageError(f"--cluster {address}: name a scheduler as it names itself, e.g. tcp://127.0.0.1:8786.")
    # It tells every broken connection with a traceback; what matters of that is told by us.
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
        """Of what is delivered."""
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
        """There is always one to go on with for each worker."""
        if time.monotonic() - self._counted > COUNT_SECONDS:
            self._workers = max(1, len(self._addresses()))
            self._counted = time.monotonic()
        return 2 * self._workers

    def check(self, settings: Settings) -> None:
        """Deliver the files, then make every player once on every worker.

        Workers that leave meanwhile are not waited for, as long as one stays.
        """
        delivery = _Delivery(self._name, *_pack(settings))
        self._told_as_failure(self._client.register_plugin, _CleanUp(self._name, self._client.id))
        self._told_as_failure(self._client.register_plugin, delivery)
        encoded = msgspec.json.encode(settings)
        waited_for = {
            worker: self._client.submit(_make_ready, self._name, encoded, workers=[worker], pure=False)
            for worker in self._addresses()
        }
        deadline = time.monotonic() + CHECK_SECONDS
        ready = 0
        while waited_for and time.monotonic() < deadline:
            there = self._addresses()
            for worker, future in list(waited_for.items()):
                if future.done():
                    self._told_as_failure(future.result)
                    ready += 1
                if future.done() or worker not in there:
                    del waited_for[worker]  # Dask forgets what nobody waits for
            time.sleep(LOOK_SECONDS)
        if not ready:
            what = f"was ready with that after {CHECK_SECONDS:g} s" if waited_for else "outlived that"
            raise OperationError(
                f"the cluster {self._address}: all players are made once on every worker, but none {what}."
            )

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """On the way out all that is not finished is called off."""
        executor = _Pieces(self._client, self._name, self._address)
        try:
            yield executor
        finally:
            executor.shutdown()

    def clean_up(self) -> None:
        """Have the workers forget what was delivered, if anything was and they are still there."""
        with suppress(OSError, ValueError):
            if self._client.status == "running":
                self._client.unregister_worker_plugin(self._name)

    def _addresses(self) -> list[str]:
        return list(self._told_as_failure(self._client.nthreads))

    def _told_as_failure(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return call(*args, **kwargs)
        except Exception as error:
            raise _failure(error, self._address) from None


class _Pieces(Executor):
    """Hands pieces to Dask as they are, with the word what was delivered for them."""

    def __init__(self, client: distributed.Client, delivery: str, address: str) -> None:
        self._client = client
        self._delivery = delivery
        self._address = address
        self._deaths: Counter[Any] = Counter()
        self._open: dict[Any, tuple[distributed.Future[Any], Future[Any]]] = {}
        self._errands: set[asyncio.Task[Any]] = set()
        client.subscribe_topic("all", self._hear)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        key = f"wateringhole-{uuid.uuid4().hex}"
        promised: Future[T] = Future()
        task = self._client.submit(_work, self._delivery, fn, *args, key=key, pure=False, **kwargs)
        self._open[key] = task, promised
        task.add_done_callback(self._done)
        return promised

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        tasks = [task for task, _ in self._open.values()]
        self._open.clear()
        for call in list(self._errands):
            call.get_loop().call_soon_threadsafe(call.cancel)
        with suppress(OSError, CancelledError):
            self._client.unsubscribe_topic("all")
            self._client.cancel(tasks)

    def _done(self, task: distributed.Future[Any]) -> None:
        try:
            _, promised = self._open.pop(task.key)
        except KeyError:
            return  # nobody waits for it any more
        try:
            promised.set_result(task.result())
        except distributed.KilledWorker as error:
            promised.set_exception(BrokenExecutor(str(error)))
        except (Exception, CancelledError) as error:
            promised.set_exception(_failure(error, self._address))

    def _hear(self, event: tuple[float, Mapping[str, Any]]) -> None:
        """News of the scheduler; of all that is told we want to know who died with what in its hands."""
        _, news = event
        if news.get("action") != "remove-worker":
            return
        self._see_to(self._give_up_without_workers())
        if news.get("expected"):
            return
        for key in news["processing-tasks"]:
            self._deaths[key] += 1
            if self._deaths[key] >= MOST_DEATHS and key in self._open:
                task, promised = self._open.pop(key)
                promised.set_exception(BrokenExecutor(f"{news['worker']} died of it"))
                self._see_to(self._client.cancel([task]))

    async def _give_up_without_workers(self) -> None:
        """Dask would wait for new ones without end."""
        await asyncio.sleep(EMPTY_SECONDS)
        if await self._client.nthreads():
            return
        while self._open:
            _, (_, promised) = self._open.popitem()
            promised.set_exception(OperationError(f"the cluster {self._address} has no workers left."))

    def _see_to(self, call: Coroutine[Any, Any, Any]) -> None:
        """Whoever hears news must not wait."""
        task = asyncio.get_running_loop().create_task(call)
        self._errands.add(task)
        task.add_done_callback(self._errands.discard)


def _failure(error: BaseException, address: str) -> WateringHoleError:
    """What went wrong on a cluster; ours says so itself."""
    if isinstance(error, WateringHoleError):
        return error
    if isinstance(error, CancelledError | CommClosedError | ConnectionError):
        return OperationError(f"the scheduler {address} is gone.")
    return OperationError(
        f"the cluster {address} cannot play: {single_line(f'{type(error).__name__}: {error}')}. "
        "Its scheduler and its workers need the same version of wateringhole as this machine."
    )


# What is delivered


def _pack(settings: Settings) -> tuple[dict[str, str], dict[str, bytes]]:
    """Where each player's file will be, and all files that go there: those of the same folders, too.

    Raises UsageError when that is too much.
    """
    folders: dict[Path, str] = {}
    places: dict[str, str] = {}

    def note(path: Path) -> Path:
        folder = path.resolve().parent
        places[str(path)] = f"{folders.setdefault(folder, str(len(folders)))}/{path.resolve().name}"
        return path

    for spec in settings.players:
        with_file(spec, note)
    files: dict[str, bytes] = {}
    size = 0
    for folder, name in folders.items():
        for path in python_files(folder):
            try:
                content = path.read_bytes()
            except OSError as error:
                raise OperationError(f"{path} cannot be read: {error.strerror}.") from None
            size += len(content)
            if size > MOST_BYTES:
                raise UsageError(
                    f"the Python files in the players' folders are more than {MOST_BYTES >> 20} MB, too many to send "
                    f"to workers (the last was {path}); give the players folders of their own."
                )
            files[f"{name}/{path.relative_to(folder)}"] = content
    return places, files


class _Delivery(WorkerPlugin):
    """The files, on their way to a worker and there."""

    def __init__(self, name: str, places: Mapping[str, str], files: Mapping[str, bytes]) -> None:
        self.name = name
        self._places = places
        self._files = files

    def setup(self, worker: Any) -> None:
        # Python tells where modules are without links on the way.
        folder = Path(worker.local_directory).resolve() / self.name
        for place, content in self._files.items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        _delivered[self.name] = _Delivered(folder, self._places)

    def teardown(self, worker: Any) -> None:
        delivered = _delivered.pop(self.name, None)
        if delivered:
            shutil.rmtree(delivered.folder, ignore_errors=True)


class _CleanUp(SchedulerPlugin):
    """At the scheduler: has the workers forget a delivery when whoever sent it is gone, with or without a word."""

    def __init__(self, name: str, client: str) -> None:
        self.name = name
        self._client = client

    def remove_client(self, scheduler: distributed.Scheduler, client: str) -> None:
        if client == self._client:
            scheduler.remove_plugin(self.name)
            self._errand = asyncio.ensure_future(self._clean_up(scheduler))

    async def _clean_up(self, scheduler: distributed.Scheduler) -> None:
        with suppress(ValueError):  # there was none yet, or none any more
            await scheduler.unregister_worker_plugin(None, self.name)


# On a worker


@dataclass
class _Delivered:
    """The files of a tournament, and what Python has made of them while it was played."""

    folder: Path
    places: Mapping[str, str]
    """By the file's name where the tournament was begun: where it is in the folder."""
    modules: dict[str, ModuleType] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)

    @contextmanager
    def in_sight(self) -> Iterator[None]:
        """What was imported from these files is known to Python in here only, also when it is imported late."""
        sys.modules.update(self.modules)
        sys.path.extend(self.paths)
        try:
            yield
        finally:
            ours = f"{self.folder}{os.sep}"
            self.modules = {
                name: module
                for name, module in list(sys.modules.items())
                if str(getattr(module, "__file__", None)).startswith(ours)
            }
            self.paths = [place for place in sys.path if place.startswith(ours)]
            for name in self.modules:
                del sys.modules[name]
            sys.path[:] = [place for place in sys.path if not place.startswith(ours)]


_delivered: dict[str, _Delivered] = {}

_one_at_a_time = threading.Lock()
"""A worker may have several threads; players are written for one."""


def _work(delivery: str, fn: Callable[..., T], settings: bytes, *args: Any) -> T:
    with _one_at_a_time, _delivered[delivery].in_sight():
        return fn(_local_settings(delivery, settings), *args)


def _make_ready(delivery: str, settings: bytes) -> None:
    with _one_at_a_time, _delivered[delivery].in_sight():
        _local_settings(delivery, settings)


@functools.lru_cache(maxsize=8)
def _local_settings(delivery: str, settings: bytes) -> bytes:
    """Settings with the files where they are here, once all players could be made.  Raises OperationError otherwise."""
    delivered = _delivered[delivery]
    folder, places = delivered.folder, delivered.places
    decoded = msgspec.json.decode(settings, type=Settings)
    players = [with_file(spec, lambda path: folder / places[str(path)]) for spec in decoded.players]
    here = msgspec.structs.replace(decoded, players=tuple(players))
    try:
        check_players(here)
    except WateringHoleError as error:
        said = str(error)
        for original, place in places.items():
            said = said.replace(str(folder / place), original)
            said = said.replace(str((folder / place).parent), str(Path(original).parent))
        worker = distributed.get_worker()
        raise OperationError(f"on the worker {worker.name} ({worker.address}): {said}") from None
    return msgspec.json.encode(here)
