"""`wateringhole bench`: our own speeds on one core, as a table and as JSON."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import Json

if TYPE_CHECKING:
    from wateringhole.game import Kind
    from wateringhole.players.player import Player

__all__ = ["bench"]


def bench(
    seconds: Annotated[float, typer.Option(min=0.05, help="How long to measure for each figure.")] = 1.0,
    json: Json = False,
) -> None:
    """Measure games, decisions and copies a second on one core of this machine.

    Example: wateringhole bench --seconds 3
    """
    from rich.console import Console
    from rich.progress import track

    rows: list[dict[str, Any]] = []
    tasks = _tasks()
    for name, unit, work in track(tasks, "measuring", console=Console(stderr=True), transient=True, disable=json):
        rows.append({"what": name, "unit": unit, "per_second": _rate(work, seconds)})
    if json:
        import msgspec

        print(msgspec.json.encode(rows).decode())
        return
    from rich.table import Table

    table = Table(title="one core, best of five", title_justify="left")
    table.add_column("what")
    table.add_column("per second", justify="right")
    table.add_column("unit")
    for row in rows:
        table.add_row(row["what"], f"{row['per_second']:,.0f}", row["unit"])
    Console().print(table)


def _rate(work: Callable[[], int], seconds: float) -> float:
    """Units of work a second: the best of five stretches, since a busy machine only ever slows us down."""
    work()
    best = 0.0
    for _ in range(5):
        done = 0
        started = time.perf_counter()
        while (elapsed := time.perf_counter() - started) < seconds / 5:
            done += work()
        best = max(best, done / elapsed)
    return best


def _tasks() -> list[tuple[str, str, Callable[[], int]]]:
    from wateringhole import catalogue
    from wateringhole.players.naming import name_players
    from wateringhole.players.seating import seating

    tasks: list[tuple[str, str, Callable[[], int]]] = []
    for game, player, tables, choices in (
        ("evolution", "silly", (3, 4, 8), {"deck": "ascending"}),
        ("porrinha", "random?seed=1", (2, 3, 5), {}),
    ):
        kind = catalogue.game(game)
        name = player.partition("?")[0]
        for seats in tables:
            with seating(seats):
                players = [named.make() for named in name_players(game, [player] * seats)]
            what = f"{game}, {seats} {name} players"
            table = kind, players, choices
            tasks += [
                (f"{what}, referee with events and record", "games", partial(_refereed, *table)),
                (f"{what}, referee with events and record", "decisions", partial(_decisions, *table)),
                (f"{what}, referee with events", "games", partial(_unrecorded, *table)),
                (f"{what}, bare game", "games", partial(_bare, *table)),
            ]
        copied = tables[1]
        tasks.append((f"{game}, copy() of a game with {copied} players", "copies", _copies(kind, copied, choices)))
    return tasks


def _refereed(kind: Kind[Any, Any], players: list[Player], choices: dict[str, Any]) -> int:
    _record(kind, players, choices)
    return 1


def _unrecorded(kind: Kind[Any, Any], players: list[Player], choices: dict[str, Any]) -> int:
    from wateringhole.arena.match import Match
    from wateringhole.arena.play import play

    play(Match(kind, kind.deal(len(players), next(iter(kind.profiles.values())), 1, **choices)), players)
    return 1


def _decisions(kind: Kind[Any, Any], players: list[Player], choices: dict[str, Any]) -> int:
    # The header and the result are lines of the record too.
    return _record(kind, players, choices).count(b"\n") - 2


def _record(kind: Kind[Any, Any], players: list[Player], choices: dict[str, Any]) -> bytes:
    """One game through the real referee."""
    from wateringhole.arena.match import Match
    from wateringhole.arena.play import play
    from wateringhole.arena.record import Recorder

    setup = kind.deal(len(players), next(iter(kind.profiles.values())), 1, **choices)
    names = [f"player {seat}" for seat in range(len(players))]
    recorder = Recorder(kind, setup, names)
    play(Match(kind, setup, recorder=recorder), players)
    return recorder.text()


def _bare(kind: Kind[Any, Any], players: list[Player], choices: dict[str, Any]) -> int:
    """One game without events, referee and record, as a search would play it."""
    game = kind.new_game(kind.deal(len(players), next(iter(kind.profiles.values())), 1, **choices), quiet=True)
    while game.outcome is None:
        game.advance({seat: request.ask(players[seat]) for seat, request in game.requests.items()})
    return 1


def _copies(kind: Kind[Any, Any], seats: int, choices: dict[str, Any]) -> Callable[[], int]:
    game = kind.new_game(kind.deal(seats, next(iter(kind.profiles.values())), 1, **choices), quiet=True)

    def copy() -> int:
        for _ in range(100):
            game.copy(quiet=True)
        return 100

    return copy
