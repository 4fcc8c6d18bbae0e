"""`wateringhole check GAME FOLDER`: checks all players in a folder."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wateringhole.cli.exports import link
from wateringhole.cli.files import check_writable, write_atomically
from wateringhole.cli.tables import fitted
from wateringhole.formatting import escape, pluralize, single_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wateringhole.tournaments.submissions import Check, CheckedSubmission

__all__ = ["FolderCheck"]

FILE_COLUMNS = 200
"""The width of the table outside of a terminal, so that few sentences are wrapped."""


@dataclass(frozen=True, kw_only=True)
class FolderCheck:
    """A check of all players in a folder, and the files to write, or None to skip one."""

    game: str
    folder: Path
    check: Check
    conditions: Mapping[str, str]
    """The facts about the checks that the page shows."""
    workers: int | None
    timeout: float
    report: Path | None
    passed: Path | None
    log: Path | None
    as_json: bool

    def run(self) -> bool:
        """Check all players, show and write the results, and return whether all passed."""
        from wateringhole.tournaments.submissions import find_submissions

        submissions, ignored = find_submissions(self.folder)
        for path in filter(None, (self.report, self.passed)):
            check_writable(path)
        if self.report:
            from wateringhole.tournaments.report import require_report

            require_report("jinja2")
        order = {submission.name: number for number, submission in enumerate(submissions)}
        checked = sorted(self._checked(submissions), key=lambda each: order[each.submission.name])
        if self.as_json:
            self._print_json(checked, ignored)
        else:
            self._print_table(checked, ignored)
        if self.passed:
            lines = [f"{each.submission.spec}\n" for each in checked if each.report.is_fine]
            write_atomically(self.passed, "".join(lines).encode())
        if self.report:
            write_atomically(self.report, self._page(checked, ignored))
        return all(each.report.is_fine for each in checked)

    def _checked(self, submissions: Sequence[Any]) -> list[CheckedSubmission]:
        """Check the players, and show the progress in a terminal."""
        from rich.console import Console
        from rich.progress import Progress

        from wateringhole.tournaments.executors import available_processors
        from wateringhole.tournaments.submissions import check_submissions

        workers = self.workers or available_processors()
        err = Console(stderr=True)
        with Progress(console=err, transient=True, disable=not err.is_terminal) as bar:
            checks = check_submissions(self.game, submissions, self.check, workers, self.timeout)
            return list(bar.track(checks, total=len(submissions), description="checking"))

    def _print_json(self, checked: Sequence[CheckedSubmission], ignored: Sequence[str]) -> None:
        from wateringhole.cli.check import report_json
        from wateringhole.cli.game_output import print_json

        print_json(
            {
                "game": self.game,
                "is_fine": all(each.report.is_fine for each in checked),
                "submissions": [
                    {"name": each.submission.name, "seconds": each.seconds, **report_json(each.report)}
                    for each in checked
                ],
                "ignored": ignored,
            }
        )

    def _print_table(self, checked: Sequence[CheckedSubmission], ignored: Sequence[str]) -> None:
        from rich.console import Console
        from rich.table import Table

        console = Console(highlight=False, emoji=False)
        if not console.is_terminal:
            console = Console(highlight=False, emoji=False, width=FILE_COLUMNS)
        table = Table()
        for column, justify in (("player", "left"), ("result", "left"), ("seconds", "right")):
            table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
        table.add_column("first problem", overflow="fold")
        table.add_column("warnings", overflow="fold")
        for each in checked:
            table.add_row(
                escape(single_line(each.submission.name)),
                "[green]passed[/green]" if each.report.is_fine else "[red]failed[/red]",
                f"{each.seconds:.1f}",
                escape(each.first_problem),
                ", ".join(dict.fromkeys(warning.kind for warning in each.warnings)),
            )
        console.print(fitted(console, table))
        console.print(_verdict(checked))
        if ignored:
            names = escape(", ".join(map(single_line, ignored)))
            console.print(f"[dim]not checked, because they are neither Python files nor executable: {names}[/dim]")

    def _page(self, checked: Sequence[CheckedSubmission], ignored: Sequence[str]) -> bytes:
        from wateringhole.process.logs import log_file
        from wateringhole.tournaments.report.templates import render

        assert self.report is not None
        logs = {}
        for each in checked if self.log else ():
            assert self.log is not None
            file = log_file(self.log, each.submission.name)
            if file.is_file() and file.stat().st_size:
                logs[each.submission.name] = link(file, self.report)
        return render(
            "submissions.html",
            game=self.game.capitalize(),
            checked=checked,
            ignored=ignored,
            verdict=_verdict(checked),
            conditions=self.conditions,
            logs=logs,
            when=time.time(),
        )


def _verdict(checked: Sequence[CheckedSubmission]) -> str:
    failed = sum(not each.report.is_fine for each in checked)
    return f"{pluralize(len(checked), 'player')}: {len(checked) - failed} passed, {failed} failed."
