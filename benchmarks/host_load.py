"""Measure how many tables one host can handle: `python benchmarks/host_load.py --tables 200 --players 4`.

The host runs in one process, as `wateringhole host` does; all clients run in a second one, on
loopback.  The clients play as cheaply as possible, to leave the processor to the host: they declare
their first card and choose the first feeding.  The report has games per second, and the time from an
answer to the next request at the same table.  The clients measure that time, over all seats.  The
players of a table are found afterwards, from the names in the results, because the course's protocol
does not name the other players.

`--against CHECKOUT` also measures another version, with the benchmark in its own folder: both in turn,
`--repeat` times, because the speed of a machine changes.  The report then has the ratio of the medians.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.house.host import HouseServer, RecurringPlan
from wateringhole.house.limits import HouseLimits
from wateringhole.match.match import RefereeSettings

Table = list[tuple[str, int]]
"""The players of one game: a name, and the number of the game among that player's games."""
Times = dict[tuple[str, int], list[tuple[float, int]]]
"""By player and game: the times of requests and answers."""
ASKED, ANSWERED = 0, 1


def main() -> None:
    arguments = read_arguments()
    if arguments.against:
        show(compare(arguments), arguments.json)
        return
    allow_many_connections()
    ready: Any = multiprocessing.Queue()
    measured: Any = multiprocessing.Queue()
    clients = multiprocessing.Process(target=run_clients, args=(arguments, ready, measured))
    clients.start()
    try:
        report, tables = asyncio.run(asyncio.wait_for(serve(arguments, ready), arguments.limit))
        report |= summarize(tables, measured.get(timeout=60))
    finally:
        clients.join(10)
        if clients.is_alive():
            clients.kill()
    show(report, arguments.json)
    sys.exit(bool(report["thrown out"]))


def show(report: dict[str, Any], as_json: bool) -> None:
    print(json.dumps(report, indent=2) if as_json else "\n".join(f"{key:40} {report[key]}" for key in report))


def compare(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the median figures of this version and another, and their ratios."""
    checkouts = {"this": Path(__file__).parents[1], "other": arguments.against.resolve()}
    reports: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
    for _ in range(arguments.repeat):
        for name, checkout in checkouts.items():
            reports[name].append(measure(checkout, arguments))
    figures: dict[str, Any] = {}
    for key in ("games per second", "games per second of that", "host's memory at most (MiB)"):
        medians = {name: statistics.median(report[key] for report in found) for name, found in reports.items()}
        figures |= {f"{key}, {name}": median for name, median in medians.items()}
        figures[f"{key}, ratio"] = round(medians["this"] / medians["other"], 3)
    return figures


def measure(checkout: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the report of a version's own benchmark."""
    words = ("tables", "players", "rounds", "protocol", "time_limit", "limit")
    options = [word for name in words for word in (f"--{name.replace('_', '-')}", str(getattr(arguments, name)))]
    command = [sys.executable, checkout / "benchmarks" / "host_load.py", "--json", *options]
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
    ran = subprocess.run(command, cwd=checkout, env=environment, stdout=subprocess.PIPE, check=True)
    report: dict[str, Any] = json.loads(ran.stdout)
    return report


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5, help="games at each table")
    parser.add_argument("--protocol", choices=["course", "json"], default="json")
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds for an answer")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for everything")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="the folder of another version")
    parser.add_argument("--repeat", type=int, default=3, help="measurements of each version")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def player_count(arguments: argparse.Namespace) -> int:
    """Return the number of players.

    Under the course's protocol, players sign up again after each game.  So that no table is empty
    meanwhile, there are half as many again as can play.
    """
    return int(arguments.tables * arguments.players * (1.5 if arguments.protocol == "course" else 1))


def allow_many_connections() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def serve(arguments: argparse.Namespace, ready: Any) -> tuple[dict[str, Any], list[Table]]:
    """Return the host's part of the report, and the players of each table."""
    kind = registry.game_kind("evolution")
    games = player_count(arguments) * arguments.rounds // arguments.players
    refused = []
    names: list[tuple[int, tuple[str, ...]]] = []
    """The number of each finished game, and the names of its players."""
    thrown_out = 0
    memory: list[int] = []
    started: list[tuple[float, float]] = []
    """The start of each game, in wall-clock time and in processor time of this process."""
    running: list[int] = [0]
    """The number of running games, after each start and end."""

    def log(line: str) -> None:
        if line.startswith("refused"):
            refused.append(line)
        elif " begins: " in line:
            running.append(running[-1] + 1)
            started.append((time.perf_counter(), time.process_time()))
        elif " is over: " in line:
            running.append(running[-1] - 1)

    host = HouseServer(
        RecurringPlan(
            kind=kind,
            rules=kind.profiles["course"].rules,
            seats=range(arguments.players, arguments.players + 1),
            games=games,
            tables=arguments.tables,
            referee=RefereeSettings(time_limit=arguments.time_limit),
        ),
        HouseLimits(connections_per_address=100_000, signups_per_second=100_000, signup_timeout=60),
        log,
    )
    _, port = await host.open("127.0.0.1", 0)
    ready.put(port)
    try:
        async for game in host.games():
            names.append((game.number, game.names))
            thrown_out += len(game.played.outcome.thrown_out)
            if len(names) in (games // 10, games):
                memory.append(resident_mebibytes())
        seconds = time.perf_counter() - started[0][0]
        used = time.process_time() - started[0][1]
    finally:
        await host.close()
    report = {
        "protocol": arguments.protocol,
        "tables": arguments.tables,
        "games at once, median": int(statistics.median(running)),
        "games at once, most": max(running),
        "players": player_count(arguments),
        "games": games,
        "refused": len(refused),
        "thrown out": thrown_out,
        "games per second": round(games / seconds, 1),
        "seconds": round(seconds, 1),
        "host's processor used": f"{used / seconds:.0%}",
        "games per second of that": round(games / used, 1),
        "host's memory at most (MiB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "host's memory after a tenth and all (MiB)": memory,
        "load average": round(os.getloadavg()[0], 1),
    }
    return report, seating(names)


def resident_mebibytes() -> int:
    """Return the memory that this process uses now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() >> 20


def seating(played: list[tuple[int, tuple[str, ...]]]) -> list[Table]:
    """Return for each game the players' names, each with the number of the game among its games."""
    games_of: Counter[str] = Counter()
    tables = []
    for _, identities in sorted(played):
        names = [identity.rpartition("#")[0] for identity in identities]
        tables.append([(name, games_of[name]) for name in names])
        games_of.update(names)
    return tables


# The clients.


def run_clients(arguments: argparse.Namespace, ready: Any, measured: Any) -> None:
    allow_many_connections()
    measured.put(asyncio.run(play_all(arguments, ready.get(timeout=30))))


async def play_all(arguments: argparse.Namespace, port: int) -> Times:
    clients = Clients(port, arguments.tables * arguments.players, arguments.rounds)
    play = clients.play_json if arguments.protocol == "json" else clients.play_course
    await asyncio.gather(*(play(f"p{number}") for number in range(player_count(arguments))))
    return dict(clients.times)


class Clients:
    """Players that do not answer before every seat is taken, so that all tables play at the same time."""

    def __init__(self, port: int, seats: int, rounds: int) -> None:
        self.times: Times = defaultdict(list)
        self._port = port
        self._rounds = rounds
        self._free_seats = seats
        self._all_seated = asyncio.Event()

    async def play_json(self, name: str) -> None:
        """Play all games over one connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        writer.write(msgspec.json.encode({"type": "hello", "protocol": 1, "name": name}) + b"\n")
        game = -1
        while line := await reader.readline():
            if line.startswith(b'{"type":"game"'):
                game += 1
                await self._take_seat()
            if line.startswith(b'{"type":"request"'):
                self._note(name, game, ASKED)
                asked = msgspec.json.decode(line)
                answer = [0, [], [], [], []] if asked["request"] == "declare" else asked["options"][0]
                writer.write(msgspec.json.encode({"type": "answer", "id": asked["id"], "answer": answer}) + b"\n")
                self._note(name, game, ANSWERED)
        writer.close()

    async def play_course(self, name: str) -> None:
        """Play each game over a new connection."""
        for game in range(self._rounds):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(msgspec.json.encode(name) + b" ")
            await reader.readuntil(b" ")
            is_seated = False
            # The host's messages contain no blank and end with one.  A player that declares only food has one
            # board and is fed without a request: choose is the only request, and starts with two brackets.
            with contextlib.suppress(asyncio.IncompleteReadError):
                while message := await reader.readuntil(b" "):
                    if not is_seated:
                        is_seated = True
                        await self._take_seat()
                    if message.startswith(b"[["):
                        self._note(name, game, ASKED)
                        writer.write(b"[0,[],[],[],[]] ")
                        self._note(name, game, ANSWERED)
            writer.close()

    async def _take_seat(self) -> None:
        self._free_seats -= 1
        if not self._free_seats:
            self._all_seated.set()
        await self._all_seated.wait()

    def _note(self, name: str, game: int, what: int) -> None:
        self.times[name, game].append((time.perf_counter(), what))


def summarize(tables: list[Table], times: Times) -> dict[str, Any]:
    """Return the times that tables waited for their next request."""
    waits = []
    for table in tables:
        events = sorted(event for player in table for event in times.get(player, ()))
        for (then, before), (now, after) in itertools.pairwise(events):
            if (before, after) == (ANSWERED, ASKED):
                waits.append(now - then)
    waits.sort()
    return {
        "answers": sum(kind == ANSWERED for events in times.values() for _, kind in events),
        "answer to next request, median": f"{statistics.median(waits) * 1000:.1f} ms",
        "99th percentile": f"{waits[int(len(waits) * 0.99)] * 1000:.1f} ms",
        "longest": f"{waits[-1] * 1000:.1f} ms",
    }


if __name__ == "__main__":
    main()
