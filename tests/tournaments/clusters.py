"""A real Dask cluster for tests: a scheduler and its workers, each in its own process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.waiting import eventually

__all__ = ["DaskCluster", "dask_cluster", "dask_worker"]


class DaskCluster(NamedTuple):
    address: str
    home: Path
    """The folder of the workers."""
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def dask_cluster(folder: Path, workers: int, *, revives: bool = False) -> Iterator[DaskCluster]:
    """Start workers named w0, w1, … with their own folder, and remove everything at the end.

    With `revives`, a crashed worker is replaced by a new one with the same name.
    """
    scheduler_file, home = folder / "scheduler.json", folder / "cluster"
    home.mkdir()
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            _started(
                home, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(scheduler_file)
            )
        )
        eventually(lambda: scheduler_file.exists() and scheduler_file.read_text().endswith("}"), process=scheduler)
        address = json.loads(scheduler_file.read_text())["address"]
        worker_processes = [
            stack.enter_context(dask_worker(home, address, f"w{number}", revives=revives)) for number in range(workers)
        ]
        yield DaskCluster(address, home, scheduler, worker_processes)


def dask_worker(
    home: Path, address: str, name: str, *, revives: bool = False
) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """Start a worker that joins a cluster."""
    options = ("--nthreads", "1", "--nanny" if revives else "--no-nanny", "--name", name)
    return _started(home, "dask_worker", address, *options, "--local-directory", str(home))


@contextmanager
def _started(home: Path, program: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", f"distributed.cli.{program}", "--no-dashboard", *words]
    with (home / f"{program}.log").open("ab") as log:
        process = subprocess.Popen(command, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
