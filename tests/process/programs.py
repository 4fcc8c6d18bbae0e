"""Small programs for tests: a player of Porrinha that passes and runs test code at chosen moments."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wateringhole import registry
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.match.match import RefereeSettings
from wateringhole.match.series import Entrant, PlayedGame, Series
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.process.player import ProgramPlayer, start_program

__all__ = ["AMPLE_TIME", "PORRINHA", "play_series", "started", "write_program"]

AMPLE_TIME = 120.0
"""More seconds than anything takes on a busy machine."""

PORRINHA = registry.game_kind("porrinha")

SOURCE = """
import json, os, signal, subprocess, sys, time

def send(**message):
    print(json.dumps(message), flush=True)

games = requests = 0
{at_start}
for line in sys.stdin:
    message = json.loads(line)
    type_ = message["type"]
    if type_ == "hello":
        send(type="hello", protocol=1)
    if type_ == "game":
        games += 1
        {at_game}
    if type_ == "request":
        requests += 1
        {at_request}
        send(type="pass", id=message["id"])
"""


def write_program(folder: Path, *, at_start: str = "", at_game: str = "", at_request: str = "") -> list[str]:
    """Write a program that passes, and return its command.

    It runs Python code at its start, in each new game, and at each request.
    """
    source = SOURCE.format(
        at_start=textwrap.dedent(at_start),
        at_game=textwrap.indent(textwrap.dedent(at_game), " " * 8).strip(),
        at_request=textwrap.indent(textwrap.dedent(at_request), " " * 8).strip(),
    )
    path = folder / "program.py"
    path.write_text(source)
    return [sys.executable, str(path)]


@contextmanager
def started(command: Sequence[str], isolation: Isolation = NO_ISOLATION) -> Iterator[ProgramPlayer]:
    (player,) = start_program(PORRINHA, command, 1, isolation, "mine")
    try:
        yield player
    finally:
        player.close()


def play_series(player: ProgramPlayer, games: int = 1, time_limit: float | None = AMPLE_TIME) -> list[PlayedGame]:
    """Play games of Porrinha with the program in the first seat and two random players."""
    entrants = [Entrant("mine", player), Entrant("b", Random(1)), Entrant("c", Random(2))]
    rules = PORRINHA.profiles["seed"].rules
    referee = RefereeSettings(time_limit=time_limit)
    return list(
        Series(kind=PORRINHA, entrants=entrants, rules=rules, seeds=range(1, games + 1), referee=referee).play()
    )
