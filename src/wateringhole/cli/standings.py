"""`wateringhole standings`: the tournaments in a store, and one of them in full."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from wateringhole.cli.common import Json
from wateringhole.cli.exports import CsvFile, Exports, ReplayFolder, ReportFile
from wateringhole.cli.game_output import print_json
from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from wateringhole.tournaments.ratings import PlayerStanding, Standings
    from wateringhole.tournaments.store import Store, StoredTournament

__all__ = ["StorePlace", "conclude", "name_cell", "open_store", "standings"]


class Room(NamedTuple):
    """How much of it a table takes, in columns of the terminal."""

    name: int
    """For the names of players; what is longer is cut."""
    gap: int
    """Between columns, besides the one that is always there."""


ROOMS = (Room(24, 1), Room(18, 1), Room(18, 0), Room(12, 0), Room(8, 0))
"""Where there is plenty, and where there is less and less."""
MOST_ACROSS = 15
"""Players of a cross table that somebody would still look at in a terminal."""
MOST_LISTED = 8
"""Players who are named in the list of all tournaments."""
SPANS_WIDTH, REASONS_WIDTH = 13, 28
"""Of the columns that tell from whom a player is not separated, and why it was thrown out: both may be long."""

StorePlace = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="Where tournaments are kept: a file, or postgresql://…",
        show_default="in your data directory",
    ),
]


def standings(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="A tournament; without one all are listed.")
    ] = None,
    store: StorePlace = None,
    json: Json = False,
    csv: CsvFile = None,
    report: ReportFile = None,
    replays: ReplayFolder = None,
) -> None:
    """List the tournaments in the store, or show one in full.

    Example: wateringhole standings 3 --report out.html
    """
    exports = Exports(csv, report, replays)
    for option, value in exports.options():
        if number is None and value is not None:
            raise UsageError(
                f"{option} {value}: say of which tournament, e.g. wateringhole standings 3 {option} {value}."
            )
    exports.check()
    with closing(open_store(store, makes_file=False)) as opened:
        if number is None:
            _show_all(opened, json)
            return
        conclude(opened, number, exports, json)


def conclude(store: Store, number: int, exports: Exports, json: bool) -> None:
    """Tell how a tournament stands, from all games in the store, and write what is wanted in writing."""
    from rich.console import Console

    stored = store.tournament(number)
    out = Console()
    waiting = Console(stderr=True).status("adding up all games …")
    with waiting:
        data = exports.data(store, stored)
        found = data.standings if data else _standings_of(store, stored)
    said: list[str] = []
    try:
        with waiting:
            said = exports.write(found, data)
    finally:
        # Whatever became of the exports, whoever waited for the games hears how they ended.
        if json:
            print_json(_describe(stored, found))
        else:
            _show(out, stored, found)
            for line in said:
                out.print(line, markup=False, highlight=False, soft_wrap=True)


def _show_all(store: Store, json: bool) -> None:
    from rich.console import Console

    tournaments = store.tournaments()
    if json:
        print_json([_describe(stored) for stored in tournaments])
    elif tournaments:
        Console().print(_list(tournaments))
    else:
        print(f"There is no tournament in {store.name} yet; wateringhole tournament --help tells how to play one.")


def open_store(place: str | None, *, makes_file: bool) -> Store:
    """Raises OperationError with the command that installs what is missing."""
    from wateringhole.tournaments.results import require_tournaments

    require_tournaments()
    from wateringhole.tournaments.store import Store

    return Store(place, makes_file=makes_file)


def _standings_of(store: Store, stored: StoredTournament) -> Standings:
    from wateringhole.tournaments import ratings
    from wateringhole.tournaments.results import ResultSums

    names = stored.settings.names
    return ratings.standings(ResultSums(len(names), store.results(stored.id)), names)


def _describe(stored: StoredTournament, found: Standings | None = None) -> dict[str, Any]:
    """A tournament for programs; players are counted from 0, as in the cross table."""
    import msgspec

    from wateringhole.tournaments.report.wording import format_time

    told = {
        "id": stored.id,
        "begun": format_time(stored.created),
        "finished": None if stored.finished is None else format_time(stored.finished),
        "settings": stored.settings,
        "games": {"planned": stored.progress.planned, "played": stored.progress.finished},
    }
    return told if found is None else {**told, "standings": msgspec.to_builtins(found)}


def _show(console: Console, stored: StoredTournament, found: Standings) -> None:
    """Tell how a tournament stands, for people."""
    for part in _parts(console, stored, found):
        console.print(part)


def _parts(console: Console, stored: StoredTournament, found: Standings) -> Iterator[RenderableType]:
    from wateringhole.tournaments.report.wording import format_time

    settings = stored.settings
    state = "finished" if stored.finished is not None else "unfinished"
    yield (
        f"[bold]Tournament {stored.id}[/bold] of {settings.game}, {state}: {found.games} games in {found.series} series"
    )
    yield (
        f"[dim]{settings.format}, tables of {settings.table_size}, seed {settings.seed}, "
        f"begun {format_time(stored.created)}[/dim]"
    )
    yield _fitting(console, partial(_standings_table, found))[0]
    if not found.games:
        return
    if not found.separates:
        yield "[yellow]Not separated:[/yellow] nobody is better than anybody else by more than the error."
    cross_table, fits = _fitting(console, partial(_cross_table, found))
    if fits and len(found.players) <= MOST_ACROSS:
        yield cross_table
    else:
        yield "[dim]Who is ahead of whom is too wide for here: see --report FILE.html or --json.[/dim]\n"
    yield _fitting(console, partial(_effort_table, found))[0]


def _fitting(console: Console, build: Callable[[Room], Table]) -> tuple[Table, bool]:
    """A table built with names as long as there is room for, and whether that was enough."""
    for room in ROOMS:
        table = build(room)
        if console.measure(table, options=console.options.update(width=10**6)).maximum <= console.width:
            return table, True
    return table, False


def _standings_table(found: Standings, room: Room) -> Table:
    from wateringhole.tournaments.report.wording import format_estimate, format_ranges, share

    has_scores = any(line.mean_score for line in found.players)
    table = _table(
        "Standings",
        ["rank", "rating", "first, %", "mean\nplace", *(["mean\nscore"] if has_scores else []), "not separated\nfrom"],
        room,
        f"Error: {found.confidence:.0%} confidence.  A rank counts those who are better by more than the error.",
    )
    rows = {line.player: row for row, line in enumerate(found.players, 1)}
    for row, line in enumerate(found.players, 1):
        table.add_row(
            *_who(row, line, room),
            str(line.rank),
            format_estimate(line.rating, ".0f"),
            share(line.win_rate),
            format_estimate(line.mean_place, ".2f"),
            *([format_estimate(line.mean_score, ".1f")] if has_scores else []),
            fill(", ".join(format_ranges(sorted(rows[player] for player in line.not_separated))), SPANS_WIDTH),
        )
    return table


def _cross_table(found: Standings, room: Room) -> Table:
    """How often the one finished ahead of the other, in percent."""
    rows = range(1, len(found.players) + 1)
    table = _table("Ahead of the other, % of their games", list(map(str, rows)), room)
    for row, one in enumerate(found.players, 1):
        met = [found.cross_table[one.player][other.player] for other in found.players]
        cells = [f"{100 * pair.ahead / pair.games:.0f}" if pair.games else "" for pair in met]
        table.add_row(*_who(row, one, room), *cells)
    return table


def _effort_table(found: Standings, room: Room) -> Table:
    table = _table("Time and forfeits", ("games", "seconds", "ms a game", "thrown out"), room)
    for row, line in enumerate(found.players, 1):
        table.add_row(
            *_who(row, line, room),
            str(line.games),
            f"{line.seconds:.1f}",
            f"{1000 * line.seconds / max(1, line.games):.1f}",
            fill(", ".join(f"{times} {reason}" for reason, times in line.thrown_out.items()), REASONS_WIDTH),
        )
    return table


def _table(title: str, columns: Sequence[str], room: Room, caption: str | None = None) -> Table:
    """A table with a row for each player, the best first."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE,
        padding=(0, room.gap, 0, 0),
    )
    table.add_column("", justify="right")
    table.add_column("player", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _who(row: int, line: PlayerStanding, room: Room) -> tuple[str, Text]:
    return str(row), name_cell(line.name, room.name)


def name_cell(name: str, longest: int = ROOMS[0].name) -> Text:
    """A player's name, which is a stranger's text, on one line of a table."""
    from rich.text import Text

    from wateringhole.formatting import single_line

    cell = Text(single_line(name))
    cell.truncate(longest, overflow="ellipsis")
    return cell


def _list(tournaments: list[StoredTournament]) -> Table:
    from rich import box
    from rich.table import Table

    from wateringhole.tournaments.report.wording import format_time

    table = Table(box=box.SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("id", justify="right")
    for column in ("begun", "game", "format", "state"):
        table.add_column(column, no_wrap=True)
    table.add_column("games", justify="right", no_wrap=True)
    table.add_column("players")
    for stored in tournaments:
        progress, settings = stored.progress, stored.settings
        table.add_row(
            str(stored.id),
            format_time(stored.created),
            settings.game,
            settings.format,
            "finished" if stored.finished is not None else "unfinished",
            f"{progress.finished}/{progress.planned}",
            _listed(settings.names),
        )
    return table


def _listed(names: Sequence[str]) -> Text:
    from rich.text import Text

    cells = [name_cell(name) for name in names[:MOST_LISTED]]
    if len(names) > MOST_LISTED:
        cells.append(Text(f"and {len(names) - MOST_LISTED} more"))
    return Text(", ").join(cells)
