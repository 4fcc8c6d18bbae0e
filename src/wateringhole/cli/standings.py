"""`wateringhole standings`: the tournaments in a store, and one of them in full."""

from __future__ import annotations

import time
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import Json
from wateringhole.cli.finished import print_json
from wateringhole.errors import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.table import Table

    from wateringhole.arena.ratings import Estimate, PlayerStanding, Standings
    from wateringhole.arena.store import Store, StoredTournament

__all__ = ["StorePlace", "describe", "open_store", "show", "standings", "standings_of"]

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
) -> None:
    """List the tournaments in the store, or show one in full.

    Example: wateringhole standings 3
    """
    from rich.console import Console

    with closing(open_store(store, makes_file=False)) as opened:
        if number is None:
            _show_all(opened, json)
            return
        stored = opened.tournament(number)
        found = standings_of(opened, stored)
    if json:
        print_json(describe(stored, found))
    else:
        show(Console(), stored, found)


def _show_all(store: Store, json: bool) -> None:
    from rich.console import Console

    tournaments = store.tournaments()
    if json:
        print_json([describe(stored) for stored in tournaments])
    elif tournaments:
        Console().print(_list(tournaments))
    else:
        print(f"There is no tournament in {store.name} yet; wateringhole tournament --help tells how to play one.")


def open_store(place: str | None, *, makes_file: bool) -> Store:
    """Raises Failure with the command that installs what is missing."""
    if find_spec("sqlalchemy") is None:
        raise Failure(
            "tournaments need sqlalchemy, not installed here; "
            "install the extra with: pip install 'wateringhole[tournament]'"
        )
    from wateringhole.arena.results import require_ratings
    from wateringhole.arena.store import Store

    require_ratings()
    return Store(place, makes_file=makes_file)


def standings_of(store: Store, stored: StoredTournament) -> Standings:
    """From all games in the store, whoever played them."""
    from wateringhole.arena import ratings
    from wateringhole.arena.results import Ledger

    names = stored.settings.names
    return ratings.standings(Ledger(len(names), store.results(stored.id)), names)


def describe(stored: StoredTournament, found: Standings | None = None) -> dict[str, Any]:
    """A tournament for programs; players are counted from 0, as in the cross table."""
    import msgspec

    told = {
        "id": stored.id,
        "begun": _moment(stored.created),
        "finished": None if stored.finished is None else _moment(stored.finished),
        "settings": stored.settings,
        "games": {"planned": stored.progress.planned, "played": stored.progress.finished},
    }
    return told if found is None else {**told, "standings": msgspec.to_builtins(found)}


def show(console: Any, stored: StoredTournament, found: Standings) -> None:
    """Tell how a tournament stands, for people."""
    for part in _parts(stored, found):
        console.print(part)


def _parts(stored: StoredTournament, found: Standings) -> Iterator[RenderableType]:
    settings = stored.settings
    state = "finished" if stored.finished is not None else "unfinished"
    yield (
        f"[bold]Tournament {stored.id}[/bold] of {settings.game}, {state}: {found.games} games in {found.series} series"
    )
    yield (
        f"[dim]{settings.format}, tables of {settings.table_size}, seed {settings.seed}, "
        f"begun {_moment(stored.created)}[/dim]"
    )
    yield _standings_table(found)
    if not found.games:
        return
    if not found.separates:
        yield "[yellow]Not separated:[/yellow] nobody is better than anybody else by more than the error."
    yield _cross_table(found)
    yield _effort_table(found)


def _standings_table(found: Standings) -> Table:
    has_scores = any(line.mean_score for line in found.players)
    table = _table(
        "Standings",
        ["rank", "rating", "first, %", "mean place", *(["mean score"] if has_scores else []), "not separated\nfrom"],
        f"Error: {found.confidence:.0%} confidence.  A rank counts those who are better by more than the error.",
    )
    rows = {line.player: row for row, line in enumerate(found.players, 1)}
    for row, line in enumerate(found.players, 1):
        table.add_row(
            *_who(row, line),
            str(line.rank),
            _spoken(line.rating, ".0f"),
            _share(line.win_rate),
            _spoken(line.mean_place, ".2f"),
            *([_spoken(line.mean_score, ".1f") if line.mean_score else ""] if has_scores else []),
            _spans(sorted(rows[player] for player in line.not_separated)),
        )
    return table


def _cross_table(found: Standings) -> Table:
    """How often the one finished ahead of the other, in percent."""
    rows = range(1, len(found.players) + 1)
    table = _table("Ahead of the other, % of their games", list(map(str, rows)))
    for row, one in enumerate(found.players, 1):
        met = [found.cross_table[one.player][other.player] for other in found.players]
        cells = [f"{100 * pair.ahead / pair.games:.0f}" if pair.games else "" for pair in met]
        table.add_row(*_who(row, one), *cells)
    return table


def _effort_table(found: Standings) -> Table:
    table = _table("Time and forfeits", ("games", "seconds", "ms a game", "thrown out"))
    for row, line in enumerate(found.players, 1):
        table.add_row(
            *_who(row, line),
            str(line.games),
            f"{line.seconds:.1f}",
            f"{1000 * line.seconds / max(1, line.games):.1f}",
            ", ".join(f"{times} {reason}" for reason, times in line.thrown_out.items()),
        )
    return table


def _table(title: str, columns: Sequence[str], caption: str | None = None) -> Table:
    """A table with a row for each player, the best first."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title, title_justify="left", caption=caption, caption_justify="left", box=box.SIMPLE, padding=(0, 1, 0, 0)
    )
    table.add_column("", justify="right")
    table.add_column("player", overflow="ellipsis", no_wrap=True)
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _who(row: int, line: PlayerStanding) -> tuple[str, str]:
    from rich.markup import escape

    return str(row), escape(line.name)


def _spoken(estimate: Estimate, form: str) -> str:
    if estimate.low is None or estimate.high is None:
        return format(estimate.value, form)
    return f"{estimate.value:{form}} ±{(estimate.high - estimate.low) / 2:{form}}"


def _share(estimate: Estimate) -> str:
    """In percent; near none and all the error is not the same on both sides."""
    if estimate.low is None or estimate.high is None:
        return f"{100 * estimate.value:.0f}"
    return f"{100 * estimate.value:.0f} ({100 * estimate.low:.0f}–{100 * estimate.high:.0f})"


def _spans(rows: Sequence[int]) -> str:
    """Numbers of rows in short: 2–4, 7."""
    spans: list[list[int]] = []
    for row in rows:
        if spans and row == spans[-1][-1] + 1:
            spans[-1].append(row)
        else:
            spans.append([row])
    return ", ".join(f"{span[0]}–{span[-1]}" if len(span) > 1 else str(span[0]) for span in spans)


def _list(tournaments: list[StoredTournament]) -> Table:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

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
            _moment(stored.created),
            settings.game,
            settings.format,
            "finished" if stored.finished is not None else "unfinished",
            f"{progress.finished}/{progress.planned}",
            escape(", ".join(settings.names)),
        )
    return table


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
