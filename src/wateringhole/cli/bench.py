"""`wateringhole bench`: our own speeds, as a table and as JSON."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wateringhole.cli.common import Json
from wateringhole.errors import Misuse

if TYPE_CHECKING:
    from rich.console import Console

    from wateringhole.arena.settings import Settings
    from wateringhole.arena.workers import Staff
    from wateringhole.game import Kind
    from wateringhole.players.player import Player

__all__ = ["bench"]

PARTS = ("referee", "tournaments", "simulator")


def bench(
    seconds: Annotated[float, typer.Option(min=0.05, help="How long to measure for each figure.")] = 1.0,
    only: Annotated[
        list[str] | None, typer.Option(metavar="PART", help=f"{', '.join(PARTS)}; may be given several times.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure games, decisions and copies a second on this machine, what tournaments cost, and the simulator.

    Example: wateringhole bench --seconds 3 --only referee
    """
    from rich.console import Console
    from rich.progress import track

    parts = only or PARTS
    for part in parts:
        if part not in PARTS:
            raise Misuse(f"--only {part}: the parts are {', '.join(PARTS)}.")
    err = Console(stderr=True, soft_wrap=True)
    rows: list[dict[str, Any]] = []
    ratios: list[dict[str, Any]] = []
    tasks = _tasks() if "referee" in parts else []
    for name, unit, work in track(tasks, "measuring", console=err, transient=True, disable=json):
        rows.append({"what": name, "unit": unit, "per_second": _rate(work, seconds)})
    if "simulator" in parts:
        rows += _simulator(seconds, err, json)
    if "tournaments" not in parts:
        pass
    elif find_spec("sqlalchemy") is None:
        err.print("tournaments are left out: pip install 'wateringhole[tournament]'", markup=False)
    else:
        for measure in track(_ratios(seconds), "measuring tournaments", console=err, transient=True, disable=json):
            ratios += [{"what": what, "unit": "ratio", "ratio": ratio} for what, ratio in measure()]
    if json:
        import msgspec

        print(msgspec.json.encode(rows + ratios).decode())
        return
    from rich.table import Table

    speeds = [row for row in rows if "per_second" in row]
    if speeds:
        table = Table(title="one core where nothing else is said, best of five", title_justify="left")
        table.add_column("what")
        table.add_column("per second", justify="right")
        table.add_column("unit")
        for row in speeds:
            table.add_row(row["what"], f"{row['per_second']:,.0f}", row["unit"])
        Console().print(table)
    for row in rows:
        if "value" in row:
            print(f"{row['what']}: {row['value']:.4g} {row['unit']}")
    if ratios:
        table = Table(title="tournaments", title_justify="left")
        table.add_column("what")
        table.add_column("ratio", justify="right")
        for row in ratios:
            table.add_row(row["what"], f"{row['ratio']:.2f}")
        Console().print(table)


def _simulator(seconds: float, err: Console, silent: bool) -> list[dict[str, Any]]:
    from rich.progress import track

    if find_spec("numba") is None:
        err.print("the simulator is left out: pip install 'wateringhole[sim]'", markup=False)
        return []
    from wateringhole.cli.bench_simulator import figures

    rows = []
    for measure in track(figures(seconds), "measuring the simulator", console=err, transient=True, disable=silent):
        rows += measure()
    return rows


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


# Tournaments

ENTERED = {
    "evolution": ("silly", "random", "greedy", "again=random"),
    "porrinha": ("random", "zero", "counter", "again=random"),
}


def _ratios(seconds: float) -> list[Callable[[], list[tuple[str, float]]]]:
    """Measurements that compare two things with each other in one run, so that the machine cancels out."""
    return [partial(measure, game, seconds) for game in ENTERED for measure in (_overhead, _two_workers)]


def _settings(game: str, games: int) -> Settings:
    import msgspec

    from wateringhole import catalogue
    from wateringhole.arena.settings import Settings

    kind, players = catalogue.game(game), ENTERED[game]
    return Settings(
        game=game,
        rules=msgspec.to_builtins(next(iter(kind.profiles.values()))),
        rules_version=kind.rules_version,
        players=players,
        names=players,
        format="round-robin",
        table_size=len(players),
        games=games,
        seed=1,
    )


def _overhead(game: str, seconds: float) -> list[tuple[str, float]]:
    """What a tournament costs over the same series played by the referee alone, in processor time."""
    from wateringhole.arena.workers import HERE

    games = _games_for(game, seconds)
    works: dict[str, Callable[[], float]] = {
        "tournament": lambda: _tournament(game, games, HERE).processor_seconds,
        "without records": partial(_plain, game, games, False),
        "with records": partial(_plain, game, games, True),
    }
    best = dict.fromkeys(works, math.inf)
    # In turn, so that a busy moment does not hit one of them alone.
    for _ in range(3):
        for name, work in works.items():
            best[name] = min(best[name], work())
    what = f"{game}, {', '.join(ENTERED[game])}: tournament to the same games"
    return [(f"{what} {name}", best["tournament"] / best[name]) for name in ("without records", "with records")]


def _two_workers(game: str, seconds: float) -> list[tuple[str, float]]:
    """How much faster two processes are than one, by the clock on the wall."""
    from wateringhole.arena.workers import HERE, Processes

    games = _games_for(game, 2 * seconds)
    one, two = (
        max(_tournament(game, games, staff).games_per_second for _ in range(2)) for staff in (HERE, Processes(2))
    )
    return [(f"{game}, {', '.join(ENTERED[game])}: two workers to one", two / one)]


def _games_for(game: str, seconds: float) -> int:
    """How many games take at least so long: whatever comes once, at the start and the end, must not count much."""
    games = len(ENTERED[game])
    while _plain(game, games, False) < seconds:
        games *= 2
    return games


def _plain(game: str, games: int, keeps_records: bool) -> float:
    """The series of a tournament, with new players for each as there, and nothing else; in processor time."""
    from wateringhole import catalogue
    from wateringhole.arena.schedule import plan
    from wateringhole.arena.series import Entrant, Series
    from wateringhole.players.naming import name_players
    from wateringhole.players.seating import player_seed, seating

    kind, named = catalogue.game(game), name_players(game, ENTERED[game])
    started = time.process_time()
    for planned in plan("round-robin", len(named), table_size=len(named), games=games, seed=1):
        with seating(len(named)):
            seated = [
                (named[entrant], player_seed(planned.seed, seat)) for seat, entrant in enumerate(planned.entrants)
            ]
            entrants = [Entrant(each.label, each.make(seed)) for each, seed in seated]
        series = Series(
            kind=kind,
            entrants=entrants,
            rules=next(iter(kind.profiles.values())),
            seed=planned.seed,
            games=planned.games,
            rotate_seats=True,
            same_seed=True,
            keeps_records=keeps_records,
        )
        for _ in series.play():
            pass
    return time.process_time() - started


class _Pace(NamedTuple):
    """How fast a tournament went."""

    processor_seconds: float
    """Of this process."""
    games_per_second: float
    """From the first that were kept to the last: workers take a moment to come."""


def _tournament(game: str, games: int, staff: Staff) -> _Pace:
    import tempfile
    from contextlib import closing

    from wateringhole.arena.store import Store
    from wateringhole.arena.tournament import Tournament

    kept: list[tuple[float, int]] = []
    with tempfile.TemporaryDirectory() as folder, closing(Store(f"{folder}/bench.sqlite")) as store:
        tournament = Tournament.start(store, _settings(game, games), staff)
        started = time.process_time()
        tournament.play(lambda results: kept.append((time.perf_counter(), len(results))))
        spent = time.process_time() - started
    (first, before), (last, _) = kept[0], kept[-1]
    return _Pace(spent, (sum(number for _, number in kept) - before) / max(last - first, 1e-9))
