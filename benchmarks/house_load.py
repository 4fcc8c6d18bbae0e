"""Measure a house with many tables: `python benchmarks/house_load.py serve --transport mixed --spectators 300`.

The server runs in its own process, as `wateringhole host` or `wateringhole serve`; all clients run in this
one, on loopback.  The report has games per second, the time from an answer to the next request at the same
table, as the clients see it, and the processor time and memory of the server as the system counts them.

`--against CHECKOUT` measures the server of another version, too: both in turn, `--repeat` times, because
the speed of a machine changes.  The report then has the medians and their ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import re
import resource
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from load_clients import ANSWERED, ASKED, ENDED, STARTED, Journal, Sitting, play_at_host, play_at_serve
from load_server import Server

MIXED = ("page", "tcp", "websocket", "course")
"""The transports of the players at a mixed table, which start over from the first."""
SAMPLE_SECONDS = 0.2
PROCESSOR = "server's processor time per game (ms)"
COMPARED = (PROCESSOR, "games per second", "server's memory at most (MiB)")


def main() -> None:
    arguments = read_arguments()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    here = Path(__file__).resolve().parents[1]
    if arguments.against is None:
        report = measure(here, arguments)
    else:
        report = compare({"this": here, "other": arguments.against.resolve()}, arguments)
    print(json.dumps(report, indent=2) if arguments.json else "\n".join(f"{key:45} {report[key]}" for key in report))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["host", "serve"])
    parser.add_argument("--transport", choices=["tcp", "websocket", "course", "page", "mixed"], default="tcp")
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--players", type=int, default=4, help="players at each table")
    parser.add_argument("--spectators", type=int, default=0, help="spectators of all tables together, at serve")
    parser.add_argument("--rounds", type=int, default=5, help="games at each table")
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for an answer")
    parser.add_argument("--limit", type=float, default=1800.0, help="seconds for everything")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="the folder of another version")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each version")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.command == "host" and (arguments.transport in ("page", "mixed") or arguments.spectators):
        parser.error("host has no page and no spectators")
    return arguments


def compare(checkouts: dict[str, Path], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the median figures of two versions, and their ratios."""
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
    for _ in range(arguments.repeat):
        for name, checkout in checkouts.items():
            reports[name].append(measure(checkout, arguments))
    figures: dict[str, Any] = {"load average": reports["this"][-1]["load average"]}
    for key in COMPARED:
        found = {name: [report[key] for report in measured] for name, measured in reports.items()}
        figures |= {f"{key}, {name}": values for name, values in found.items()}
        figures[f"{key}, ratio"] = round(statistics.median(found["this"]) / statistics.median(found["other"]), 3)
    return figures | {f"last run, {name}": measured[-1] for name, measured in reports.items()}


def measure(checkout: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one run."""
    is_host = arguments.command == "host"
    server = Server(checkout, arguments.command, host_options(arguments) if is_host else [])
    try:
        return asyncio.run(asyncio.wait_for(load(server, arguments), arguments.limit))
    finally:
        server.close()


def host_options(arguments: argparse.Namespace) -> list[str]:
    options = {
        "players": arguments.players,
        "tables": arguments.tables,
        "games": game_count(arguments),
        "time-limit": arguments.time_limit,
        "signup-timeout": 60,
        "start-delay": "inf",
        "seed": 1,
        "rules": "course",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    return ["evolution", *words, "--quiet"]


def player_names(arguments: argparse.Namespace) -> list[str]:
    """Return the names of the players.

    Players of a host sign up again after each game in the course's protocol.  So that no table is empty
    meanwhile, there are half as many again as can play.
    """
    waiting = 1.5 if (arguments.command, arguments.transport) == ("host", "course") else 1
    return [f"p{number}" for number in range(int(arguments.tables * arguments.players * waiting))]


def game_count(arguments: argparse.Namespace) -> int:
    return len(player_names(arguments)) * arguments.rounds // arguments.players


async def load(server: Server, arguments: argparse.Namespace) -> dict[str, Any]:
    """Play all games, and return the figures."""
    names, players, rounds = player_names(arguments), arguments.players, arguments.rounds
    journal = Journal(arguments.tables * players)
    is_host = arguments.command == "host"
    if is_host:
        playing = play_at_host(server.port, journal, arguments.transport, names, players, rounds)
    else:
        transports = MIXED if arguments.transport == "mixed" else [arguments.transport]
        seats = list(zip(names, itertools.cycle(transports), strict=False))
        tables = [seats[start : start + players] for start in range(0, len(seats), players)]
        playing = play_at_serve(server.port, journal, tables, rounds, arguments.spectators)
    meter = Meter(server, journal, game_count(arguments))
    metering = asyncio.create_task(meter.run())
    await playing
    metering.cancel()
    seconds = time.perf_counter() - meter.started
    if is_host:
        server.wait()
        sittings = seating(server.output)
        journal.thrown_out = sum(players - len(table) for table in sittings)
    else:
        sittings = [[(name, game) for name, _ in table] for table in tables for game in range(rounds)]
    games_played = len(sittings)
    return {
        "command": f"{arguments.command}, {arguments.transport}",
        "tables": arguments.tables,
        "players, spectators": [len(names), arguments.spectators],
        "games at once, median and most": games_at_once(sittings, journal),
        "games": games_played,
        "refused": sum(": refused " in line for line in server.log.splitlines()),
        "thrown out": journal.thrown_out,
        "seconds": round(seconds, 1),
        "games per second": round(games_played / seconds, 1),
        PROCESSOR: round(meter.used / meter.games * 1000, 2),
        "games per second of its processor time": round(meter.games / meter.used, 1),
        "server's share of one core": f"{meter.used / seconds:.0%}",
        "server's memory at most (MiB)": round(server.most_memory),
        "server's memory after some games (MiB)": meter.memory,
        "messages": journal.messages,
        **waits(sittings, journal),
        "load average": round(os.getloadavg()[0], 1),
    }


class Meter:
    """Readings of the server's processor time and memory, from when all tables play until the last game.

    The start and the exit of the process do not count.
    """

    def __init__(self, server: Server, journal: Journal, games: int) -> None:
        self._server = server
        self._journal = journal
        self._marks = [mark for mark in (25, 50, 100, 200, 500, 1000, 2000, 4000) if mark < games]
        self.games = 0.0
        """The games that were over at the last reading."""
        self.used = 0.0
        """The processor time that they took, in seconds."""
        self.memory: dict[int, float] = {}
        """The memory by the number of games that were over."""

    async def run(self) -> None:
        await self._journal.begun.wait()
        self.started = time.perf_counter()
        before = self._server.processor_seconds()
        while self._server.is_running:
            memory, self.games = self._server.memory(), self._journal.games_over
            self.used = self._server.processor_seconds() - before
            while self._marks and self.games > self._marks[0] - 0.5:
                self.memory[self._marks.pop(0)] = round(memory, 1)
            await asyncio.sleep(SAMPLE_SECONDS)


def seating(output: str) -> list[list[Sitting]]:
    """Return the ranked players of each game that a host printed, each with the number of the game among its games."""
    games_of: Counter[str] = Counter()
    tables = []
    for game in re.split(r"^game .*$", output, flags=re.MULTILINE)[1:]:
        names = re.findall(r"^\d+ player id: (.*)#\d+ score: ", game, flags=re.MULTILINE)
        tables.append([(name, games_of[name]) for name in names])
        games_of.update(names)
    return tables


def waits(sittings: Sequence[Sequence[Sitting]], journal: Journal) -> dict[str, Any]:
    """Return the times that tables waited for their next request."""
    found = []
    for table in sittings:
        events = sorted(event for sitting in table for event in journal.times.get(sitting, ()))
        for (then, before), (now, after) in itertools.pairwise(events):
            if (before, after) == (ANSWERED, ASKED):
                found.append(now - then)
    found.sort()
    return {
        "answers": sum(what == ANSWERED for events in journal.times.values() for _, what in events),
        "answer to next request, median": f"{statistics.median(found) * 1000:.1f} ms",
        "99th percentile": f"{found[int(len(found) * 0.99)] * 1000:.1f} ms",
        "longest": f"{found[-1] * 1000:.1f} ms",
    }


def games_at_once(sittings: Sequence[Sequence[Sitting]], journal: Journal) -> list[int]:
    """Return the median and the largest number of running games, after each start and end."""
    changes = []
    for table in sittings:
        events = [event for sitting in table for event in journal.times.get(sitting, ())]
        changes.append((min(moment for moment, what in events if what == STARTED), 1))
        changes.append((max(moment for moment, what in events if what == ENDED), -1))
    running = list(itertools.accumulate(change for _, change in sorted(changes)))
    return [int(statistics.median(running)), max(running)]


if __name__ == "__main__":
    main()
