"""`wateringhole standings`: the tournaments in a store, and one of them in full."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import Json
from wateringhole.cli.exports import CsvFile, Exports, ReplayFolder, ReportFile
from wateringhole.cli.game_output import print_json
from wateringhole.cli.tables import fitted
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import pluralize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import Console, RenderableType
    from rich.table import Table
    from rich.text import Text

    from wateringhole.tournaments.chain import Chain
    from wateringhole.tournaments.ratings import Standings
    from wateringhole.tournaments.store import Store, StoredTournament

__all__ = ["StoreLocation", "conclude", "name_cell", "open_store", "standings"]

MOST_ACROSS = 15
"""The most players of a cross table that is readable in a terminal."""
MOST_LISTED = 8
"""The most players named in the list of all tournaments."""
SPANS_WIDTH, VERSIONS_WIDTH, REASONS_WIDTH = 13, 18, 28
"""The widths of the columns for players that are not separated, for versions and for reasons of forfeits."""

StoreLocation = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|URL",
        help="Store of tournaments: a file, or postgresql://…",
        show_default="in your data folder",
    ),
]


def standings(
    number: Annotated[
        int | None, typer.Argument(metavar="ID", help="Number of a tournament; all are listed if omitted.")
    ] = None,
    store: StoreLocation = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Replay every record on all cores, and check everything stored.")
    ] = False,
    head: Annotated[bool, typer.Option("--head", help="Print only the head of the chain of records.")] = False,
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
            raise UsageError(f"{option} {value}: name a tournament, e.g. wateringhole standings 3 {option} {value}.")
        if verify and value is not None:
            raise UsageError(f"{option} {value}: --verify writes no files. Omit one of them.")
    for option, given in (("--verify", verify), ("--head", head)):
        if number is None and given:
            raise UsageError(f"{option}: name a tournament, e.g. wateringhole standings 3 {option}.")
    if head and json:
        raise UsageError("--head prints one line. Omit it or --json, which contains the head.")
    exports.check()
    with closing(open_store(store, makes_file=False)) as opened:
        if number is None:
            _show_all(opened, json)
            return
        if verify:
            _verify(opened, number, json, head)
            return
        if head:
            print(opened.chain(number).head)
            return
        conclude(opened, number, exports, json)


def conclude(store: Store, number: int, exports: Exports, json: bool) -> None:
    """Show the standings of a tournament, from all games in the store, and write its exports."""
    from rich.console import Console

    stored = store.tournament(number)
    out = Console()
    waiting = Console(stderr=True).status("summing all games …")
    with waiting:
        data = exports.data(store, stored)
        found = data.standings if data else _standings_of(store, stored)
        chain = data.chain if data else store.chain(number)
    if stored.head not in (None, chain.head):
        verify = shlex.join(["wateringhole", "standings", str(number), "--store", store.name, "--verify"])
        print(
            f"wateringhole: tournament {number} is not as it was when it finished with head {stored.head}. "
            f"To see what was changed: {verify}",
            file=sys.stderr,
        )
    messages: list[str] = []
    try:
        with waiting:
            messages = exports.write(found, data)
    finally:
        # The standings are shown even if writing an export fails.
        if json:
            print_json(_describe(stored, found, chain))
        else:
            _show(out, stored, found, chain)
            for line in messages:
                out.print(line, markup=False, highlight=False, soft_wrap=True)


def _verify(store: Store, number: int, json: bool, only_head: bool) -> None:
    """Verify a tournament, and show what its records lead to.  Raises OperationError with the first mismatch."""
    from rich.console import Console
    from rich.progress import Progress

    from wateringhole.tournaments.ratings import standings
    from wateringhole.tournaments.verify import verify

    stored = store.tournament(number)
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("replaying records", total=stored.progress.finished)
        verified = verify(store, stored, lambda games: bar.advance(task, games))
    mismatch = verified.mismatch
    if mismatch:
        if json:
            print_json({**_describe(stored), "verification": {"verified": False, "mismatch": mismatch}})
        raise OperationError(f"tournament {number} in {store.name} is not as it was played: {mismatch}")
    if only_head:
        print(verified.chain.head)
        return
    found = standings(verified.sums, stored.settings.names)
    if json:
        print_json({**_describe(stored, found, verified.chain), "verification": {"verified": True, "mismatch": None}})
    else:
        out = Console()
        _show(out, stored, found, verified.chain)
        replayed = pluralize(found.games, "record")
        out.print(f"Verified by replaying {replayed}, which lead to these standings.", highlight=False)


def _show_all(store: Store, json: bool) -> None:
    from rich.console import Console

    tournaments = store.tournaments()
    if json:
        print_json([_describe(stored) for stored in tournaments])
    elif tournaments:
        out = Console()
        out.print(fitted(out, _list(tournaments)))
    else:
        print(f"There is no tournament in {store.name} yet. To play one, see: wateringhole tournament --help")


def open_store(place: str | None, *, makes_file: bool) -> Store:
    """Open a store.  Raises OperationError, with the install command, if a package is missing."""
    from wateringhole.tournaments.results import require_tournaments

    require_tournaments()
    from wateringhole.tournaments.store import Store

    return Store(place, makes_file=makes_file)


def _standings_of(store: Store, stored: StoredTournament) -> Standings:
    from wateringhole.tournaments import ratings

    # A game that cannot be of the tournament raises an error; then the store is closed.
    with closing(store.results(stored.id)) as results:
        return ratings.standings(stored.settings.sums(results), stored.settings.names)


def _describe(stored: StoredTournament, found: Standings | None = None, chain: Chain | None = None) -> dict[str, Any]:
    """Return a tournament for `--json`; players are counted from 0, as in the cross table."""
    import msgspec

    from wateringhole.tournaments.report.wording import format_time

    fields: dict[str, Any] = {
        "id": stored.id,
        "begun": format_time(stored.created),
        "finished": None if stored.finished is None else format_time(stored.finished),
        "settings": stored.settings,
        "games": {"planned": stored.progress.planned, "played": stored.progress.finished},
    }
    if stored.versions is not None:
        fields["versions"] = stored.versions
    if found is not None:
        fields["standings"] = msgspec.to_builtins(found)
    if chain is not None:
        fields["chain"] = {"head": chain.head, "games": chain.games}
    return fields


def _show(console: Console, stored: StoredTournament, found: Standings, chain: Chain) -> None:
    """Print the standings of a tournament as text."""
    for part in _parts(console, stored, found, chain):
        console.print(part)


def _parts(console: Console, stored: StoredTournament, found: Standings, chain: Chain) -> Iterator[RenderableType]:
    from rich.text import Text

    from wateringhole.tournaments.report.wording import format_time, version_cells

    settings = stored.settings
    state = "finished" if stored.finished is not None else "unfinished"
    yield (
        f"[bold]Tournament {stored.id}[/bold] of {settings.game}, {state}: {found.games} games in {found.series} series"
    )
    yield (
        f"[dim]{settings.format}, tables of {settings.table_size}, seed {settings.seed}, "
        f"begun {format_time(stored.created)}[/dim]"
    )
    if settings.isolation:
        yield Text(f"isolation: {settings.isolation}", style="dim")
    yield _fitting(console, _standings_table(found))
    if not found.games:
        return
    if found.withdrawn:
        yield Text.assemble(
            (f"Withdrawn after {settings.withdraw_after} forfeits in a row: ", "yellow"),
            Text(", ").join(name_cell(line.name) for line in found.withdrawn),
        )
    if not found.separates:
        yield "[yellow]Not separated:[/yellow] no player is better than another by more than the error."
    if len(found.players) <= MOST_ACROSS:
        yield _fitting(console, _cross_table(found))
    else:
        yield "[dim]The cross table is too wide for a terminal: see --report FILE.html or --json.[/dim]\n"
    yield _fitting(console, _effort_table(found, version_cells(stored.versions)))
    if chain.games:
        of = f"all {chain.games}" if chain.games == found.games else f"the first {chain.games}"
        yield f"[dim]Head of the chain of {of} records:\n{chain.head}[/dim]"


def _fitting(console: Console, table: Table) -> RenderableType:
    """Return a table, with less space between its columns if necessary, or a list of its cells."""
    if fitted(console, table) is not table:
        table.padding = 0
    return fitted(console, table)


def _standings_table(found: Standings) -> Table:
    from wateringhole.tournaments.report.wording import format_estimate, format_ranges, share

    has_scores = any(line.mean_score for line in found.players)
    table = _table(
        "Standings",
        ["rank", "rating", "first, %", "mean\nplace", *(["mean\nscore"] if has_scores else []), "not separated\nfrom"],
        f"Errors: {found.confidence:.0%} confidence.  A rank counts the players who are better by more than the error.",
    )
    rows = {line.player: row for row, line in enumerate(found.players, 1)}
    for row, line in enumerate(found.players, 1):
        table.add_row(
            str(row),
            name_cell(line.name),
            str(line.rank),
            format_estimate(line.rating, ".0f"),
            share(line.win_rate),
            format_estimate(line.mean_place, ".2f"),
            *([format_estimate(line.mean_score, ".1f")] if has_scores else []),
            fill(", ".join(format_ranges(sorted(rows[player] for player in line.not_separated))), SPANS_WIDTH),
        )
    return table


def _cross_table(found: Standings) -> Table:
    """Return how often one player finished ahead of another, in percent."""
    rows = range(1, len(found.players) + 1)
    table = _table("Ahead of the other, % of their games", list(map(str, rows)))
    for row, one in enumerate(found.players, 1):
        met = [found.cross_table[one.player][other.player] for other in found.players]
        cells = [f"{100 * pair.ahead / pair.games:.0f}" if pair.games else "" for pair in met]
        table.add_row(str(row), name_cell(one.name), *cells)
    return table


def _effort_table(found: Standings, versions: Mapping[int, str]) -> Table:
    has_repairs = any(line.repaired_answers for line in found.players)
    columns = ["games", "seconds", "ms a game"]
    columns += [*(["repaired\nanswers"] if has_repairs else []), *(["version"] if versions else []), "thrown out"]
    table = _table("Time and forfeits", columns)
    for row, line in enumerate(found.players, 1):
        table.add_row(
            str(row),
            name_cell(line.name),
            str(line.games),
            f"{line.seconds:.1f}",
            f"{1000 * line.seconds / max(1, line.games):.1f}",
            *([str(line.repaired_answers)] if has_repairs else []),
            *([fill(versions.get(line.player, ""), VERSIONS_WIDTH)] if versions else []),
            fill(", ".join(f"{times} {reason}" for reason, times in line.thrown_out.items()), REASONS_WIDTH),
        )
    return table


def _table(title: str, columns: Sequence[str], caption: str | None = None) -> Table:
    """Return an empty table for a row per player, the best first."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title,
        title_justify="left",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", justify="right")
    table.add_column("player")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def name_cell(name: str) -> Text:
    """Return a player's name, which is untrusted text, as a cell of a table."""
    from rich.text import Text

    from wateringhole.formatting import single_line

    return Text(single_line(name))


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
