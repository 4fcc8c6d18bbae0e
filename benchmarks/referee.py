"""Compare the referee's speed with that of another checkout of this project.

Run: python benchmarks/referee.py ../other-checkout

Each checkout plays in its own process.  The two processes take turns in short runs, in
changing order, and count processor time, so other work on the machine affects both alike.  The
ratio is the median over all pairs of runs.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent.parent

MODES = {
    "record": "referee with record",
    "no record": "referee",
    "readers": "referee with record, every player reads all events",
    "bare": "bare game",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, nargs="?", help="the checkout to compare with")
    parser.add_argument("--seconds", type=float, default=0.1, help="processor time of one run (default: 0.1)")
    parser.add_argument("--pairs", type=int, default=40, help="pairs of runs per figure (default: 40)")
    parser.add_argument("--game", action="append", help="measure only this game; repeatable")
    parser.add_argument("--mode", action="append", choices=list(MODES), help="measure only this mode; repeatable")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve()
        return
    if options.other is None:
        parser.error("name the checkout to compare with")
    _compare(options)


def _compare(options: argparse.Namespace) -> None:
    old, new = _Checkout(options.other), _Checkout(HERE)
    rng = random.Random(1)
    print(f"{'':56} {'other':>10} {'this':>10}  ratio (middle half)")
    for game, sizes in new.ask("games").items():
        if options.game and game not in options.game:
            continue
        for mode in options.mode or MODES:
            for size in sizes:
                rates: dict[_Checkout, list[float]] = {old: [], new: []}
                for _ in range(options.pairs):
                    for checkout in rng.sample([old, new], 2):
                        rates[checkout].append(checkout.ask("play", game, size, mode, options.seconds))
                ratios = [after / before for before, after in zip(rates[old], rates[new], strict=True)]
                low, middle, high = statistics.quantiles(ratios, n=4)
                print(
                    f"{f'{game}, {size} players, {MODES[mode]}':56} {max(rates[old]):10,.0f} {max(rates[new]):10,.0f}"
                    f"  {middle:.2f} ({low:.2f} to {high:.2f})",
                    flush=True,
                )
    old.close()
    new.close()


class _Checkout:
    """A process that plays with the code of one checkout."""

    def __init__(self, folder: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(folder.resolve() / "src")}
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        if not Path(self.ask("where")).is_relative_to(folder.resolve()):
            raise SystemExit(f"{folder}: expected a checkout with src/wateringhole.")

    def ask(self, *request: Any) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        print(json.dumps(request), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"a measuring process exited with status {self._process.wait()}.")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


# In the measuring process.  Names that other versions of this project call differently are looked up.


def _serve() -> None:
    works: dict[tuple[str, int, str], Callable[[], None]] = {}
    for line in sys.stdin:
        command, *arguments = json.loads(line)
        if command == "where":
            answer: Any = _module("wateringhole").__file__
        elif command == "games":
            answer = {kind.name: _measured(kind).seats for kind in _module("wateringhole.registry").kinds()}
        else:
            *key, seconds = arguments
            if tuple(key) not in works:
                works[tuple(key)] = _work(*key)
                _rate(works[tuple(key)], seconds)  # warms up
            answer = _rate(works[tuple(key)], seconds)
        print(json.dumps(answer), flush=True)


def _rate(work: Callable[[], None], seconds: float) -> float:
    games, started = 0, time.process_time()
    while (elapsed := time.process_time() - started) < seconds:
        for _ in range(5):
            work()
        games += 5
    return games / elapsed


def _work(game: str, size: int, mode: str) -> Callable[[], None]:
    """Return a function that plays one game."""
    kind = _module("wateringhole.registry").game_kind(game)
    measured = _measured(kind)
    specs = _module("wateringhole.match.specs")
    name_players = getattr(specs, "parse_specs", None) or specs.name_players
    player = _module("wateringhole.player")
    context = getattr(player, "PlayerContext", None) or player.seating
    with context(size):
        players = [named.make() for named in name_players(kind.name, [measured.player] * size)]
    match_class = _module("wateringhole.match.match").Match
    recorder_class = _module("wateringhole.match.record").Recorder
    play = _module("wateringhole.match.loops").play
    names = [f"player {seat}" for seat in range(size)]
    known = inspect.signature(match_class).parameters
    readers: dict[str, Any] = {}
    if "ignored_notices" in known:
        readers["ignored_notices"] = player.ignored_notices(players)
    if mode == "readers":
        readers["event_seats" if "event_seats" in known else "spectators"] = list(range(size))

    def deal() -> Any:
        return kind.deal(size, kind.default_rules, 1, **measured.choices)

    def with_record() -> None:
        setup = deal()
        recorder = recorder_class(kind, setup, names)
        play(match_class(kind, setup, recorder=recorder, **readers), players)
        recorder.text()

    def without_record() -> None:
        play(match_class(kind, deal(), **readers), players)

    def bare() -> None:
        game = kind.new_game(deal(), emit=False)
        while game.outcome is None:
            game.advance({seat: request.ask(players[seat]) for seat, request in game.requests.items()})

    return {"bare": bare, "no record": without_record}.get(mode, with_record)


def _measured(kind: Any) -> Any:
    return _module("wateringhole.fallbacks").benchmarks(kind)


def _module(name: str) -> Any:
    return importlib.import_module(name)


if __name__ == "__main__":
    main()
