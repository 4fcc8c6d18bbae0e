"""How many tables one host can keep: `python benchmarks/host_load.py --tables 200 --players 4`.

The host runs in one process, as `wateringhole host` does; all clients run in a second one, on
loopback.  The clients are silly in the cheapest way there is, so that they cost as little as
possible of what the host could use: they declare their first card and feed what is offered first.
Reported are games per second, and the time from an answer to the next question at the same
table, whoever it goes to, as the clients see it.  Who sat at one table is found out afterwards, from
the names in the results: the course's protocol tells its players nothing about each other.
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
import sys
import time
from collections import Counter, defaultdict
from typing import Any

import msgspec

from wateringhole import registry
from wateringhole.match.match import RefereeSettings
from wateringhole.net.server import HostedGame, HouseLimits, HouseServer, TablePlan

Table = list[tuple[str, int]]
"""The players of one game: a name, and the number of the game among that player's own."""
Moments = dict[tuple[str, int], list[tuple[float, int]]]
"""When each of them was asked and had answered."""
ASKED, ANSWERED = 0, 1


def main() -> None:
    arguments = read_arguments()
    allow_many_connections()
    ready: Any = multiprocessing.Queue()
    told: Any = multiprocessing.Queue()
    clients = multiprocessing.Process(target=run_clients, args=(arguments, ready, told))
    clients.start()
    try:
        report, tables = asyncio.run(asyncio.wait_for(serve(arguments, ready), arguments.limit))
        report |= reckon(tables, told.get(timeout=60))
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


def visitors(arguments: argparse.Namespace) -> int:
    """How many players there are.

    Under the course's protocol everybody has to sign up anew after a game; so that no table is
    empty meanwhile, there are half as many again as can play.
    """
    return int(arguments.tables * arguments.players * (1.5 if arguments.protocol == "course" else 1))


def allow_many_connections() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def serve(arguments: argparse.Namespace, ready: Any) -> tuple[dict[str, Any], list[Table]]:
    """The host's side of the report, and who sat at each table."""
    kind = registry.game_kind("evolution")
    games = visitors(arguments) * arguments.rounds // arguments.players
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

    host = HouseServer(
        TablePlan(
            kind=kind,
            rules=kind.profiles["course"].rules,
            seats=range(arguments.players, arguments.players + 1),
            games=games,
            tables=arguments.tables,
            referee=RefereeSettings(time_limit=arguments.patience),
        ),
        HouseLimits(connections_per_address=100_000, signups_per_second=100_000, signup_seconds=60),
        log,
    )
    _, port = await host.open("127.0.0.1", 0)
    ready.put(port)
    try:
        played = [game async for game in host.games()]
        seconds = time.perf_counter() - started[0][0]
        used = time.process_time() - started[0][1]
    finally:
        await host.close()
    report = {
        "protocol": arguments.protocol,
        "tables": arguments.tables,
        "games at once, median": int(statistics.median(running)),
        "games at once, most": max(running),
        "players": visitors(arguments),
        "games": games,
        "refused": len(refused),
        "thrown out": sum(len(game.played.outcome.thrown_out) for game in played),
        "games per second": round(games / seconds, 1),
        "seconds": round(seconds, 1),
        "host's processor used": f"{used / seconds:.0%}",
        "games per second of that": round(games / used, 1),
        "host's memory at most (MiB)": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "load average": round(os.getloadavg()[0], 1),
    }
    return report, seating(played)


def seating(played: list[HostedGame]) -> list[Table]:
    """By game: each player's name, and the how-manieth of its games this was."""
    games_of: Counter[str] = Counter()
    tables = []
    for game in sorted(played, key=lambda game: game.number):
        names = [identity.rpartition("#")[0] for identity in game.names]
        tables.append([(name, games_of[name]) for name in names])
        games_of.update(names)
    return tables


# The clients.


def run_clients(arguments: argparse.Namespace, ready: Any, told: Any) -> None:
    allow_many_connections()
    told.put(asyncio.run(play_all(arguments, ready.get(timeout=30))))


async def play_all(arguments: argparse.Namespace, port: int) -> Moments:
    clients = Clients(port, arguments.tables * arguments.players, arguments.rounds)
    play = clients.play_ours if arguments.protocol == "ours" else clients.play_course
    await asyncio.gather(*(play(f"p{number}") for number in range(visitors(arguments))))
    return dict(clients.moments)


class Clients:
    """They answer nothing before every seat is taken, so that all tables are really at work together."""

    def __init__(self, port: int, seats: int, rounds: int) -> None:
        self.moments: Moments = defaultdict(list)
        self._port = port
        self._rounds = rounds
        self._free_seats = seats
        self._all_seated = asyncio.Event()

    async def play_ours(self, name: str) -> None:
        """One connection for all games."""
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
        """A new connection for each game."""
        for game in range(self._rounds):
            reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
            writer.write(msgspec.json.encode(name) + b" ")
            await reader.readuntil(b" ")
            is_seated = False
            # Our host's messages have no blank inside and one behind.  Who declares nothing but food has one
            # board and is fed without being asked: choose is the only question, and begins with two brackets.
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
        self.moments[name, game].append((time.perf_counter(), what))


def reckon(tables: list[Table], moments: Moments) -> dict[str, Any]:
    """How long each table waited for its next question."""
    waits = []
    for table in tables:
        story = sorted(moment for player in table for moment in moments.get(player, ()))
        for (then, before), (now, after) in itertools.pairwise(story):
            if (before, after) == (ANSWERED, ASKED):
                waits.append(now - then)
    waits.sort()
    return {
        "answers": sum(kind == ANSWERED for story in moments.values() for _, kind in story),
        "answer to next question, median": f"{statistics.median(waits) * 1000:.1f} ms",
        "99th percentile": f"{waits[int(len(waits) * 0.99)] * 1000:.1f} ms",
        "longest": f"{waits[-1] * 1000:.1f} ms",
    }


if __name__ == "__main__":
    main()
