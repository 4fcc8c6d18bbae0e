"""Files that `tournament` and `standings` write: a table, a report, records."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args, get_type_hints
from urllib.parse import quote

import typer

from wateringhole.cli.files import check_writable, write_atomically
from wateringhole.game import Forfeit

if TYPE_CHECKING:
    from wateringhole.tournaments.ratings import Estimate, Standings
    from wateringhole.tournaments.report.data import ReportData
    from wateringhole.tournaments.settings import Settings
    from wateringhole.tournaments.store import Store, StoredTournament

__all__ = ["CsvFile", "Exports", "ReplayFolder", "ReportFile", "link"]

CsvFile = Annotated[Path | None, typer.Option(metavar="FILE", help="CSV file to write the standings to.")]
ReportFile = Annotated[
    Path | None, typer.Option(metavar="FILE.html", help="Page to write with standings, plots and replays.")
]
ReplayFolder = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder to write the records of notable games to.")
]


@dataclass(frozen=True)
class Exports:
    """Paths to write to, or None to skip a file."""

    csv: Path | None
    report: Path | None
    replays: Path | None

    def check(self) -> None:
        """Raise OperationError now for a path that could not be written later."""
        if self.replays:
            from wateringhole.match.series import make_folder

            make_folder(self.replays)
        for path in (self.csv, self.report):
            if path:
                check_writable(path)
        if self.report:
            from wateringhole.tournaments.report import require_report

            require_report("jinja2", "matplotlib")

    def options(self) -> list[tuple[str, Path | None]]:
        """Return the options of a command line with their values."""
        return [("--csv", self.csv), ("--report", self.report), ("--replays", self.replays)]

    def data(self, store: Store, stored: StoredTournament) -> ReportData | None:
        """Return the data of the report and the replays, or None if neither is wanted."""
        if not self.report and not self.replays:
            return None
        from wateringhole.tournaments.report.data import gather

        return gather(store, stored)

    def write(self, found: Standings, data: ReportData | None) -> list[str]:
        """Write all files, and return messages about them."""
        messages = []
        if self.csv:
            write_atomically(self.csv, _csv(found))
        if data and self.report:
            from wateringhole.tournaments.report.page import page

            write_atomically(self.report, page(data, _log_links(data.stored.settings, self.report)))
            messages.append(f"The report is in {self.report}")
        if data and self.replays:
            for recorded in data.notable:
                write_atomically(self.replays / recorded.file, recorded.record)
            messages.append(f"Records of notable games in {self.replays}: {len(data.notable)}")
        return messages


def _log_links(settings: Settings, report: Path) -> dict[int, str]:
    """Return the relative links from a report to the logs of players that are not empty, by number of player."""
    folder = settings.log_folder
    if folder is None:
        return {}
    from wateringhole.process.logs import log_file

    logs = {player: log_file(folder, name) for player, name in enumerate(settings.names)}
    return {player: link(log, report) for player, log in logs.items() if log.is_file() and log.stat().st_size}


def link(target: Path, page: Path) -> str:
    """Return the relative link from a page to a file."""
    return quote(os.path.relpath(target.resolve(), page.resolve().parent))


def _as_text(name: str) -> str:
    """Return a name that a spreadsheet does not take for a formula."""
    return f"'{name}" if name.startswith(("=", "+", "-", "@", "\t", "\r")) else name


def _csv(found: Standings) -> bytes:
    import csv
    import io

    def cells(estimate: Estimate | None) -> list[float | None]:
        return [None] * 3 if estimate is None else [estimate.value, estimate.low, estimate.high]

    estimates = ("rating", "win_rate", "mean_place", "mean_score")
    columns = [f"{name}{end}" for name in estimates for end in ("", "_low", "_high")]
    # All reasons, so that the columns are the same in every tournament.
    reasons: tuple[str, ...] = get_args(get_type_hints(Forfeit)["reason"])
    file = io.StringIO()
    writer = csv.writer(file)
    thrown_out_columns = ["thrown_out", *(f"thrown_out_{reason}" for reason in reasons)]
    writer.writerow(["rank", "player", *columns, "games", *thrown_out_columns, "seconds", "repaired_answers"])
    for line in found.players:
        values = [cell for name in estimates for cell in cells(getattr(line, name))]
        thrown_out = [sum(line.thrown_out.values()), *(line.thrown_out.get(reason, 0) for reason in reasons)]
        writer.writerow(
            [
                line.rank,
                _as_text(line.name),
                *values,
                line.games,
                *thrown_out,
                round(line.seconds, 3),
                line.repaired_answers,
            ]
        )
    return file.getvalue().encode(errors="replace")
