"""The number of Python calls for one answer of a program."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.process.programs import PORRINHA, started, write_program
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder
from wateringhole.player import Player

MOST_CALLS = 30
GAMES = "wateringhole.games."


def calls_per_answer(program: Player) -> dict[str, list[Counter[str]]]:
    """Play a recorded game under a time limit.

    Return the calls for each answer of the first seat, by function, for each type of request.
    """
    setup = PORRINHA.deal(3, PORRINHA.profiles["seed"].rules, 1)
    names = ["mine", "b", "c"]
    recorder = Recorder(PORRINHA, setup, names)
    match = Match(PORRINHA, setup, names, referee=RefereeSettings(time_limit=5.0), recorder=recorder)
    players: list[Player] = [program, Random(1), Random(2)]
    answers: dict[str, list[Counter[str]]] = {}
    while match.pending_calls:
        calls: Counter[str] = Counter()

        def count(frame: FrameType, event: str, argument: Any, calls: Counter[str] = calls) -> None:
            module = str(frame.f_globals.get("__name__"))
            if event == "call" and not module.startswith(GAMES):
                calls[f"{module}.{frame.f_code.co_qualname}"] += 1

        sys.setprofile(count)
        try:
            call = match.pending_calls[0]
            began = time.perf_counter()
            match.report(call, call.invoke(players[call.seat]), time.perf_counter() - began)
        finally:
            sys.setprofile(None)
        if call.seat == 0 and call.method == "answer":
            answers.setdefault(getattr(call.argument, "name", ""), []).append(calls)
    return answers


@pytest.mark.parametrize("message", ['type="pass"', 'type="answer", answer=0'], ids=["pass", "answer"])
def test_an_answer_takes_few_calls_outside_the_games_own_code(message: str, tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request=f'send({message}, id=message["id"]); continue')
    with started(command) as program:
        answers = calls_per_answer(program)
    for name, counted in answers.items():
        # The first answer of a process also prepares decoders, and a pipe may deliver a line in two parts.
        typical = sorted(counted, key=Counter.total)[len(counted) // 2]
        assert len(counted) > 5
        assert typical.total() <= MOST_CALLS, f"{name}: {typical}"
