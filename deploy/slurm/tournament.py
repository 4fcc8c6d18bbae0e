"""Plays a tournament on a Slurm cluster: each job runs workers, and this process the scheduler and the tournament.

    python tournament.py --jobs 40 --walltime 04:00:00 -- evolution @players.txt --games 10000 --store course.sqlite

Everything after ``--`` is for `wateringhole tournament`.  Run it where jobs can be submitted and where it may
run for hours: on a login node, or in a job of its own (`tournament.sbatch`).  All nodes need the same
virtual environment, which is usually on a shared file system.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys

from dask_jobqueue import SLURMCluster
from distributed import Client


def main(words: list[str]) -> int:
    """Start the workers, play the tournament, and return its exit status."""
    parser = argparse.ArgumentParser(description="Play a tournament on a Slurm cluster.")
    parser.add_argument("--jobs", type=int, default=10, help="number of Slurm jobs")
    parser.add_argument("--workers", type=int, default=1, help="workers per job, each with one core")
    parser.add_argument("--memory", default="2GB", help="memory of each job")
    parser.add_argument("--walltime", default="02:00:00", help="time limit of each job; a new job follows it")
    parser.add_argument("--partition", help="partition to submit to")
    parser.add_argument("--account", help="account to charge")
    parser.add_argument("--interface", help="network interface between the nodes, e.g. ib0")
    parser.add_argument("tournament", nargs="+", metavar="-- WORD", help="arguments of `wateringhole tournament`")
    chosen = parser.parse_args(words)
    with SLURMCluster(
        cores=chosen.workers,
        processes=chosen.workers,
        memory=chosen.memory,
        walltime=chosen.walltime,
        queue=chosen.partition,
        account=chosen.account,
        interface=chosen.interface,
        local_directory=os.environ.get("TMPDIR", "/tmp"),
        job_name="wateringhole",
    ) as cluster:
        # A job that ends, for example at its time limit, is replaced.
        cluster.adapt(minimum_jobs=chosen.jobs, maximum_jobs=chosen.jobs)
        print(f"waiting for the first of {chosen.jobs} jobs", file=sys.stderr, flush=True)
        with Client(cluster) as client:
            client.wait_for_workers(1)
        # Ctrl-C is for the tournament, which prints the standings so far and how to continue.
        signal.signal(signal.SIGINT, lambda *_: None)
        command = [sys.executable, "-m", "wateringhole", "tournament", *chosen.tournament]
        return subprocess.call([*command, "--cluster", cluster.scheduler_address])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
