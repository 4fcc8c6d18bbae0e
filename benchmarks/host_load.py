"""How many tables one host can keep: `python benchmarks/host_load.py --tables 200 --players 4`.

The host runs in one process, as `wateringhole host` does; all clients run in a second one, on
loopback.  The clients are silly in the cheapest way there is, so that they cost as little as
possible of what the host could use: they declare their first card and feed what is offered first.
Reported are games per second, and the time from an answer to the next question at the same
table, whoever it goes to, as the clients see it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import sys
import time
from typing import Any

import msgspec

from wateringhole import catalogue
from wateringhole.arena.match import Policy
from wateringhole.net.server import Host, Limits, Terms


def main() -> None:
    arguments = read_arguments()
    allow_many_connections()
    ready: Any = multiprocessing.Queue()
    told: Any = multiprocessing.Queue()
    clients = multiprocessing.Process(target=run_clients, args=(arguments, ready, told))
    clients.start()
    try:
        report = asyncio.run(asyncio.wait_for(serve(arguments, ready), arguments.limit))
        report |= told.get(timeout=60)
    finally:
        clients.join(10)
        if clients.is_alive():
            clients.kill()
    print(json.dumps(report, indent=2) if arguments.json else "\n".join(f"{key:32} {report[key]}" for key in report))
    sys.exit(bool(report["thrown out"]))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=200)
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=5, help="games at each table")
    parser.add_argument("--protocol", choices=["course", "ours"], default="ours")
    parser.add_argument("--patience", type=float, default=10.0, help="seconds for an answer")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for everything")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def parties(arguments: argparse.Namespace) -> int:
    """How many tables' worth of players there are.

    Under the course's protocol everybody has to sign up anew after a game; so that no table is
    empty meanwhile, there are half as many again as can play.
    """
    return int(arguments.tables * (1.5 if arguments.protocol == "course" else 1))


def allow_many_connections() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def serve(arguments: argparse.Namespace, ready: Any) -> dict[str, Any]:
    kind = catalogue.game("evolution")
    games = parties(arguments) * arguments.rounds
    refused = []
    started: list[tuple[float, float]] = []
    """When the first game began, by the clock and by our processor time."""
    running: list[int] = [0]
    """How many games were in progress, after each beginning and end."""

    def log(line: str) -> None:
        if line.startswith("refused"):
            refused.append(line)
        elif " begins: " in line:
            running.append(running[-1] + 1)
            started.append((time.perf_counter(), time.process_time()))
        elif " is over: " in line:
            running.append(running[-1] - 1)

    host = Host(
        Terms(
            kind=kind,
            rules=kind.profiles["course"],
            seats=range(arguments.players, arguments.players + 1),
            games=games,
            tables=arguments.tables,
            policy=Policy(patience_seconds=arguments.patience),
        ),
        Limits(connections_per_address=100_000, signups_per_second=100_000, signup_seconds=60),
        log,
    )
    _, port = await host.open("127.0.0.1", 0)
    ready.put(port)
    try:
        thrown_out = sum([len(game.played.outcome.thrown_out) async for game in host.games()])
        seconds = time.perf_counter() - started[0][0]
        used = time.process_time() - started[0][1]
    finally:
        await host.close()
    return {
        "protocol": arguments.protocol,
        "tables": arguments.tables,
        "games at once, median": int(statistics.median(running)),
        "games at once, most": max(running),
        "players": parties(arguments) * arguments.players,
        "games": games,
        "refused": len(refused),
        "thrown out": thrown_out,
        "games per second": round(games / seconds, 1),
        "seconds": round(seconds, 1),
        "host's processor used": f"{used / seconds:.0%}",
        "host's memory at most (MiB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "load average": round(os.getloadavg()[0], 1),
    }


# The clients.


def run_clients(arguments: argparse.Namespace, ready: Any, told: Any) -> None:
    allow_many_connections()
    told.put(asyncio.run(play_all(arguments, ready.get(timeout=30))))


async def play_all(arguments: argparse.Namespace, port: int) -> dict[str, Any]:
    clock = Clock()
    if arguments.protocol == "ours":
        await asyncio.gather(
            *(play_ours(port, f"p{number}", clock) for number in range(arguments.tables * arguments.players))
        )
    else:
        door = asyncio.Lock()
        await asyncio.gather(*(play_course(port, arguments, party, door, clock) for party in range(parties(arguments))))
    waits = sorted(clock.waits)
    return {
        "answers": clock.answers,
        "answer to next question, median": f"{statistics.median(waits) * 1000:.1f} ms",
        "99th percentile": f"{waits[int(len(waits) * 0.99)] * 1000:.1f} ms",
        "longest": f"{waits[-1] * 1000:.1f} ms",
    }


class Clock:
    """The times from an answer to the next question at the same table."""

    def __init__(self) -> None:
        self.waits: list[float] = []
        self.answers = 0
        self._answered: dict[Any, float] = {}

    def begin(self, table: Any) -> None:
        """A game begins: before its first question nobody has answered."""
        self._answered.pop(table, None)

    def asked(self, table: Any) -> None:
        if table in self._answered:
            self.waits.append(time.perf_counter() - self._answered.pop(table))

    def answered(self, table: Any) -> None:
        self.answers += 1
        self._answered[table] = time.perf_counter()


async def play_ours(port: int, name: str, clock: Clock) -> None:
    """One connection for all games."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    writer.write(msgspec.json.encode({"type": "hello", "protocol": 1, "name": name}) + b"\n")
    table = None
    while line := await reader.readline():
        if line.startswith(b'{"type":"game"'):
            table = tuple(msgspec.json.decode(line)["names"])
            clock.begin(table)
        if not line.startswith(b'{"type":"request"'):
            continue
        clock.asked(table)
        asked = msgspec.json.decode(line)
        answer = [0, [], [], [], []] if asked["request"] == "declare" else asked["options"][0]
        writer.write(msgspec.json.encode({"type": "answer", "id": asked["id"], "answer": answer}) + b"\n")
        clock.answered(table)
    writer.close()


async def play_course(port: int, arguments: argparse.Namespace, table: int, door: asyncio.Lock, clock: Clock) -> None:
    """A party of players with new connections for each game.

    They sign up together, one party after the other, and so sit at one table: the wire names nobody.
    """
    for _ in range(arguments.rounds):
        wires = [await asyncio.open_connection("127.0.0.1", port) for _ in range(arguments.players)]
        async with door:
            for _, writer in wires:
                writer.write(b'"silly" ')
            for reader, _ in wires:
                await reader.readexactly(len(b'"ok" '))
        clock.begin(table)
        await asyncio.gather(*(play_course_game(*wire, table, clock) for wire in wires))


async def play_course_game(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, table: int, clock: Clock
) -> None:
    # Who declares nothing but food has one board and is fed without being asked: choose is the only
    # question, and the only message that begins with two brackets.
    while chunk := await reader.read(1 << 16):
        if chunk.startswith(b"[["):
            clock.asked(table)
            writer.write(b"[0,[],[],[],[]] ")
            clock.answered(table)
    writer.close()


if __name__ == "__main__":
    main()
